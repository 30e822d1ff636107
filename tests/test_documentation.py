"""Tests of the documentation: links, files, formulas, reference pages and guide.

`make docs` runs once. It executes the guide and the recipes, and these tests check their outputs.
"""

import ast
import html
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gplvm_core

ROOT = Path(__file__).parents[1]
CHAPTERS = (
    "1_first_map",
    "2_gaps_and_new_rows",
    "3_time",
    "4_views",
    "5_depth",
    "6_which_model",
)
EXERCISES = ("1_turned_digits", "2_more_dimensions", "3_honest_bands", "4_two_views")
RECIPES = ("any_kind", "cells", "mixed_units", "own_graph", "own_kernel", "spike_trains")
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "gplvm_core/README.md",
    "gplvm_core/MATHEMATICS.md",
    "benchmarks/README.md",
    "SECURITY.md",
    *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))),
)
# A path of the repository, from its root or from the core: a room, or a file in a room.
PATH = re.compile(r"`((?:[a-z_0-9]+/)+[A-Za-z_0-9.]*|(?:app|[a-z_]+/[a-z_0-9/]+)\.[a-z]+)`")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    page, text = ROOT / name, text_of(name)
    targets = re.findall(r"\]\((?!https?:)([^)]+)", text)
    # `make docs` writes these folders.
    files = [each.split("#")[0] for each in targets if not re.match("gallery/|api/|rooms/", each)]
    assert [each for each in files if each and not (page.parent / each).exists()] == []
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}
    assert [each for each in targets if each[0] == "#" and each[1:] not in anchors] == []


@pytest.mark.parametrize("name", PAGES)
def test_the_files_and_commands_that_are_named_exist(name: str) -> None:
    text = text_of(name)
    # Commands write build/; shared/data has data that are not part of the project.
    outside = ("build/", "shared/data")
    named = {each for each in PATH.findall(text) if not each.startswith(outside)}
    roots = (ROOT, ROOT / "gplvm_core")
    assert [each for each in named if not any((root / each).exists() for root in roots)] == []
    commands = {each for each in re.findall(r"`make ([\w-]+)", text)}
    assert commands <= set(re.findall(r"^([\w-]+)(?: [\w-]+)*:", text_of("Makefile"), re.MULTILINE))


def test_the_settings_of_a_server_are_those_that_the_program_reads() -> None:
    modules = [*ROOT.glob("gplvm_core/**/*.py"), *ROOT.glob("pages/**/*.py")]
    code = "".join(path.read_text(encoding="utf-8") for path in modules)
    named = set(re.findall(r"MANIFOLIO_[A-Z_]+", text_of("docs/shared_server.md")))
    # The command passes the file to open to the app, and the server what it is; nobody sets them.
    inner = {"MANIFOLIO_OPEN", "MANIFOLIO_OWN_FILES"}
    assert named == set(re.findall(r"MANIFOLIO_[A-Z_]+", code)) - inner


def test_the_benchmarks_that_are_named_exist() -> None:
    text = text_of("benchmarks/README.md")
    named = set(re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE))
    named |= set(re.findall(r"-m benchmarks\.(\w+)", text))
    assert len(named) > 15
    folder = ROOT / "benchmarks"
    missing = [e for e in named if not ((folder / f"{e}.py").exists() or (folder / e).is_dir())]
    assert missing == []


def defined_in(path: str) -> set[str]:
    """Return the functions, classes, fields and constants that a module of the core defines."""
    tree = ast.parse((ROOT / "gplvm_core" / path).read_text(encoding="utf-8"))
    found = {
        each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.ClassDef)
    }
    assigned = [each for each in ast.walk(tree) if isinstance(each, ast.AnnAssign | ast.Assign)]
    targets = [getattr(each, "targets", None) or [each.target] for each in assigned]
    return found | {each.id for own in targets for each in own if isinstance(each, ast.Name)}


def test_every_equation_has_its_files_and_names_that_are_there() -> None:
    """A row of the table gives files (not folders), and names that these files define."""
    table = text_of("gplvm_core/MATHEMATICS.md").split("| search for |\n|---|---|---|---|\n")[1]
    rows = table.split("\n\n")[0].splitlines()
    assert len(rows) > 70
    for row in rows:
        what, _, files, names = (cell.strip() for cell in row.strip("|").split(" | "))
        paths = re.findall(r"`([a-z_0-9]+(?:/[a-z_0-9]+)+(?:\.py)?)`", files)
        words = set(re.findall(r"`(\w+)`", names))
        defined = [defined_in(path) for path in paths]
        assert defined, what
        assert words - set().union(*defined) == set(), row
        assert all(words & own for own in defined), row


def slow_tests(text: str) -> tuple[set[str], set[str]]:
    """Return the names of all tests of a module, and of those that `make test` leaves out."""
    tree = ast.parse(text)
    tests = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    marks = [each for each in tree.body if ast.unparse(each).startswith("pytestmark")]
    if any("mark.slow" in ast.unparse(each) for each in marks):
        return {each.name for each in tests}, {each.name for each in tests}
    slow = {e.name for e in tests if "pytest.mark.slow" in map(ast.unparse, e.decorator_list)}
    return {each.name for each in tests}, slow


def test_every_promise_has_a_test_of_make_test() -> None:
    table = text_of("CONTRIBUTING.md").split("| promise | test |\n|---|---|\n")[1].split("\n\n")[0]
    assert len(table.splitlines()) > 20
    for row in table.splitlines():
        named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", row)
        assert named, row
        for file, test in named:
            tests, slow = slow_tests(text_of(file))
            own = {test} if test else {each for each in tests if each.startswith("test_")}
            assert own & tests - slow, (row, file, test)


def test_formulas_use_only_what_github_renders() -> None:
    """Formulas are in fences or between $` and `$; plain dollars let Markdown change _ and \\."""
    text = text_of("gplvm_core/MATHEMATICS.md")
    fences = re.findall(r"^```(\w*)\n.*?^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert set(fences) == {"math"}
    plain = re.sub(r"^```math\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    inline = re.findall(r"\$`(.+?)`\$", plain)
    assert len(inline) > 100
    assert "$" not in re.sub(r"\$`.+?`\$", "", plain)
    # A vertical bar would end a table's cell.
    assert [each for each in inline if "|" in each] == []
    # Braces and \left … \right come in pairs.
    for each in (*inline, *re.findall(r"```math\n(.*?)```", text, flags=re.DOTALL)):
        assert each.count("{") == each.count("}"), each
        assert each.count(r"\begin") == each.count(r"\end"), each


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the pages as `make docs` does; a warning is an error."""
    folder = tmp_path_factory.mktemp("docs")
    command = "-m sphinx --quiet --fail-on-warning --fresh-env --conf-dir docs ."
    run = subprocess.run(
        [sys.executable, *command.split(), str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return folder


def text_in(page: Path) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))


def test_the_reference_has_every_method(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the methods that a class names, and another module defines."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    page_of = importlib.import_module("reference")._page
    lost = {}
    for name in gplvm_core.__all__:
        kind = getattr(gplvm_core, name)
        if inspect.isclass(kind) and hasattr(kind, "get_params"):
            page, methods = page_of(name), inspect.getmembers(kind, inspect.isfunction)
            own = {each for each, method in methods if "gplvm_core" in method.__module__}
            shown = set(re.findall(r"^### (\w+)$|\[(\w+)\]\(", page, flags=re.MULTILINE))
            lost[name] = {n for n in own if n[0] != "_"} - {a or b for a, b in shown}
    assert lost["BayesianGPLVM"] == set() and len(lost) > 15
    assert {name: each for name, each in lost.items() if each} == {}


@pytest.mark.slow
def test_every_public_name_has_a_page(built: Path) -> None:
    pages = {path.stem for path in (built / "docs" / "api").glob("*.html")}
    assert pages == {*gplvm_core.__all__, "index"}
    listed = text_in(built / "docs" / "api" / "index.html")
    assert [name for name in gplvm_core.__all__ if name not in listed] == []
    page = text_in(built / "docs" / "api" / "BayesianGPLVM.html")
    # Types are those of the source, with one parameter per line. Inherited methods are included.
    assert "ndarray of shape (N, Q)" in page and "    Y: ArrayLike,\n" in page
    assert "_NestedSequence" not in page
    # The page of a subclass links to the methods of the public base class.
    subclass = (built / "docs" / "api" / "DynamicalGPLVM.html").read_text(encoding="utf-8")
    assert 'href="BayesianGPLVM.html' in subclass
    sizes = {path.name: path.stat().st_size for path in (built / "docs" / "api").glob("*.html")}
    assert {name: size for name, size in sizes.items() if size > 180_000} == {}


@pytest.mark.slow
def test_every_package_has_a_page(built: Path) -> None:
    rooms = {path.parent for path in ROOT.glob("gplvm_core/**/__init__.py")}
    names = {".".join(room.relative_to(ROOT / "gplvm_core").parts) for room in rooms} - {""}
    pages = {path.stem for path in (built / "docs" / "rooms").glob("*.html")}
    assert pages == names | {"index"}
    bounds = (built / "docs" / "rooms" / "bounds.html").read_text(encoding="utf-8")
    assert "with q(u) at its optimum" in bounds


def printed(built: Path, name: str) -> str:
    """Return the text that a script of the guide or a recipe printed when the pages were built."""
    page = (built / "docs" / "gallery" / f"{name}.html").read_text(encoding="utf-8")
    outputs = re.findall(r'<div class="sphx-glr-script-out.*?</pre>', page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", "\n".join(outputs)))


def number(pattern: str, text: str) -> float:
    """Return the number at the position of # in a pattern."""
    found = re.search(pattern.replace("#", r"(-?[\d.]*\d)"), text)
    assert found, (pattern, text)
    return float(found[1])


@pytest.mark.slow
def test_every_script_is_tested_and_shown(built: Path) -> None:
    assert sorted(path.stem for path in ROOT.glob("docs/guide/*.py")) == list(CHAPTERS)
    assert sorted(path.stem for path in ROOT.glob("docs/examples/*.py")) == list(RECIPES)
    assert sorted(path.stem for path in ROOT.glob("docs/exercises/*.py")) == list(EXERCISES)
    assert len(list((built / "_downloads").rglob("*.ipynb"))) >= len(EXERCISES)
    images = {path.name for path in (built / "_images").glob("*.png")}
    for name in (*CHAPTERS, "mixed_units", "own_kernel"):
        assert f"sphx_glr_{name}_001.png" in images
    start = (built / "docs" / "index.html").read_text(encoding="utf-8")
    assert start.count("<img") >= 2


@pytest.mark.slow
def test_the_exercises_say_what_their_solutions_show(built: Path) -> None:
    digits = printed(built, "exercises/1_turned_digits")
    assert number("# components explain", digits) > 10
    assert number("# of 6 dimensions", digits) == 2
    bands = printed(built, "exercises/3_honest_bands")
    fitted, averaged = (float(each) for each in re.findall(r"(\d+)% inside", bands))
    assert fitted < averaged - 10.0
    fits = re.findall(r"fit: \[(.*?)\]", printed(built, "exercises/2_more_dimensions"))
    points, bound = ([float(each) for each in fit.split()] for fit in fits)
    assert points[-1] > points[1] + 0.1
    assert abs(bound[-1] - bound[1]) < 0.03


@pytest.mark.slow
def test_chapter_1_a_first_map(built: Path) -> None:
    said = printed(built, "guide/1_first_map")
    assert 2 <= number("# of 10 dimensions", said) <= 9
    assert number("form of flow for #%", said) > 95.0


@pytest.mark.slow
def test_chapter_2_missing_data(built: Path) -> None:
    said = printed(built, "guide/2_gaps_and_new_rows")
    # The added noise is 0.1, and a circle needs at least two dimensions.
    assert number("Noise: #", said) == pytest.approx(0.1, abs=0.03)
    assert number("# of 4 dimensions", said) >= 2
    assert number("Error in the gaps: #", said) < 0.3 < number("column means: #", said)
    assert number("#% of the true values", said) > 85.0
    assert number("new row is missing: #", said) < 0.3
    assert number("#% of the mixed rows", said) > 75.0


@pytest.mark.slow
def test_chapter_3_time(built: Path) -> None:
    said = printed(built, "guide/3_time")
    soon, later = number("0.3 s ahead: #%", said), number("2 s ahead: #%", said)
    assert number("the gap: #%", said) < 25.0 and soon < 10.0 < 50.0 < later


@pytest.mark.slow
def test_chapter_4_views(built: Path) -> None:
    said = printed(built, "guide/4_views")
    assert number("shape and voice: # latent", said) == 1
    assert number("\nshape: # latent", said) == 1
    assert "\nvoice: " not in said
    assert number("voice from shape: #%", said) < 10.0 < 30.0 < number("shape from voice: #%", said)


@pytest.mark.slow
def test_chapter_5_depth(built: Path) -> None:
    said = printed(built, "guide/5_depth")
    assert number("two layers # nats", said) > number("one layer # nats", said) + 10.0
    # A Gaussian process oscillates on both sides of the step; two layers do not.
    one, two = (number(f"flat parts, {name}: #", said) for name in ("one layer", "two layers"))
    assert two < 0.5 * one
    assert "layer 1 of 2 is on" in said
    assert number("median #", said) > number("Mean #", said)


@pytest.mark.slow
def test_chapter_6_which_model(built: Path) -> None:
    said = printed(built, "guide/6_which_model")
    assert re.search(r"Bayesian GP-LVM: \+.* \(more than chance\)", said)


@pytest.mark.slow
def test_recipe_mixed_units(built: Path) -> None:
    said = printed(built, "examples/mixed_units")
    assert number("score # nats per wine", said) > 5.0
    # Magnesium distinguishes the grapes least.
    assert re.findall(r"(\w+): \d+% of its spread", said)[-1] == "magnesium"


@pytest.mark.slow
def test_recipe_a_table_with_words(built: Path) -> None:
    said = printed(built, "examples/any_kind")
    assert number("#% of the kinds are right", said) > 60.0
    assert number("#% of the counts are between", said) > 80.0


@pytest.mark.slow
def test_recipe_spike_trains(built: Path) -> None:
    said = printed(built, "examples/spike_trains")
    assert "Yes, there is structure here" in said
    assert "2 dimensions are on." in said
    assert number("explains #% of the path", said) > 85.0
    # With the base rates, a hidden count costs about 2.2 nats.
    assert number("# nats a hidden count", said) < 2.0


@pytest.mark.slow
def test_recipe_single_cells(built: Path) -> None:
    said = printed(built, "examples/cells")
    assert number("explains #% of the age", said) > 90.0
    assert number("explains #% of the captured molecules", said) < 15.0
    assert number("#% of the hidden counts are between", said) > 80.0


@pytest.mark.slow
def test_recipe_a_model_of_your_own(built: Path) -> None:
    said = printed(built, "examples/own_graph")
    assert number("with the age: #", said) > 0.9
    assert number("Rhythm from tone: #%", said) < 30.0
    assert "edge 'age → shape' is on\n" in said
    # The rhythm is a linear function.
    assert "edge 'shape + age → rhythm' is on and almost linear" in said


@pytest.mark.slow
def test_recipe_a_kernel_of_your_own(built: Path) -> None:
    said = printed(built, "examples/own_kernel")
    error = re.search(r"error of a gradient: (\S+)", said)
    assert error and float(error[1]) < 1e-4
    assert number("The period is #", said) == pytest.approx(2.0, abs=0.1)


@pytest.mark.slow
def test_the_pages_load_nothing_from_elsewhere(built: Path) -> None:
    loaded = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*")
    styled = re.compile(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//[^)]*")
    elsewhere = {
        str(path.relative_to(built)): found
        for kind, pattern in (("html", loaded), ("css", styled))
        for path in built.rglob(f"*.{kind}")
        if (found := pattern.findall(path.read_text(encoding="utf-8")))
    }
    assert elsewhere == {}


@pytest.mark.slow
def test_the_mathematics_has_a_page_per_section(built: Path) -> None:
    headings = re.findall(r"^## (.+)$", text_of("gplvm_core/MATHEMATICS.md"), flags=re.MULTILINE)
    pages = sorted((built / "docs" / "mathematics").glob("*.html"))
    assert len(pages) == len(headings) == 11
    sizes = {path.name: path.stat().st_size for path in pages}
    assert {name: size for name, size in sizes.items() if size > 132_000} == {}
    # A link to a section leads to the page of the section.
    contents = (built / "gplvm_core" / "MATHEMATICS.html").read_text(encoding="utf-8")
    assert 'href="../docs/mathematics/8-identities.html#identities"' in contents


@pytest.mark.slow
def test_every_formula_is_understood(built: Path) -> None:
    pages = (built / "docs" / "mathematics").glob("*.html")
    text = "".join(path.read_text(encoding="utf-8") for path in pages)
    formulas = re.findall(r"<math\b.*?</math>", text, flags=re.DOTALL)
    assert len(formulas) > 300
    # The converter leaves unknown commands unchanged.
    assert [each for each in formulas if "\\" in each or "<mi>&amp;</mi>" in each] == []
    assert [each for each in formulas if "<mi>&</mi>" in each] == []
