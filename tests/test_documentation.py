"""What the pages of documentation say of files is true, and their formulas show on GitHub."""

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gplvm_core

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "gplvm_core/README.md",
    "gplvm_core/MATHEMATICS.md",
    "benchmarks/README.md",
    "docs/shared_server.md",
    "SECURITY.md",
)
# A path of the repository: a room or a file in one, from the root or from the core.
PATH = re.compile(r"`((?:[a-z_0-9]+/)+[A-Za-z_0-9.]*|(?:app|[a-z_]+/[a-z_0-9/]+)\.[a-z]+)`")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    page, text = ROOT / name, text_of(name)
    targets = re.findall(r"\]\((?!https?:)([^)]+)", text)
    files = [target.split("#")[0] for target in targets]
    assert [each for each in files if each and not (page.parent / each).exists()] == []
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}
    assert [each for each in targets if each[0] == "#" and each[1:] not in anchors] == []


@pytest.mark.parametrize("name", PAGES[1:4])
def test_the_files_that_are_named_exist(name: str) -> None:
    named = set(PATH.findall(text_of(name)))
    assert len(named) > 5
    roots = (ROOT, ROOT / "gplvm_core")
    assert [each for each in named if not any((root / each).exists() for root in roots)] == []


def test_every_equation_has_its_files_and_names_that_are_there() -> None:
    """A row of the table names files, no folders, and in each of them something to search for."""
    table = text_of("gplvm_core/MATHEMATICS.md").split("| search for |\n|---|---|---|---|\n")[1]
    rows = table.split("\n\n")[0].splitlines()
    assert len(rows) > 55
    for row in rows:
        what, _, files, names = (cell.strip() for cell in row.strip("|").split(" | "))
        paths = re.findall(r"`([a-z_0-9]+(?:/[a-z_0-9]+)+(?:\.py)?)`", files)
        words = [re.compile(rf"\b{name}\b") for name in re.findall(r"`(\w+)`", names)]
        texts = [(ROOT / "gplvm_core" / path).read_text(encoding="utf-8") for path in paths]
        assert texts, what
        assert all(any(word.search(text) for text in texts) for word in words), row
        assert all(any(word.search(text) for word in words) for text in texts), row


def test_formulas_are_such_as_github_shows() -> None:
    """Between $` and `$, or in fences: a plain dollar leaves underscores and \\\\ to Markdown."""
    text = text_of("gplvm_core/MATHEMATICS.md")
    fences = re.findall(r"^```(\w*)\n.*?^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert set(fences) == {"math"}
    plain = re.sub(r"^```math\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    inline = re.findall(r"\$`(.+?)`\$", plain)
    assert len(inline) > 100
    assert "$" not in re.sub(r"\$`.+?`\$", "", plain)
    # A bar would end a table's cell.
    assert [each for each in inline if "|" in each] == []
    # Braces and \left … \right come in pairs.
    for each in (*inline, *re.findall(r"```math\n(.*?)```", text, flags=re.DOTALL)):
        assert each.count("{") == each.count("}"), each
        assert each.count(r"\begin") == each.count(r"\end"), each


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of `make docs`, built as it builds them: a warning is an error."""
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


def test_every_public_name_has_an_entry(built: Path) -> None:
    interface = (built / "docs" / "rooms" / "interface.html").read_text(encoding="utf-8")
    headings = re.findall(r"<h3>(\w+)<", interface)
    assert sorted(headings) == sorted(gplvm_core.__all__)
    # Shapes stand there as the source has them, and what a class has from those above it.
    text = html.unescape(re.sub(r"<[^>]+>", "", interface))
    assert 'latent_mean_: Float[Array, "N Q"]' in text
    assert "def transform(self, Y: ArrayLike" in text


def test_every_room_has_a_page(built: Path) -> None:
    rooms = {path.parent for path in ROOT.glob("gplvm_core/**/__init__.py")}
    names = {".".join(room.relative_to(ROOT / "gplvm_core").parts) for room in rooms} - {""}
    pages = {path.stem for path in (built / "docs" / "rooms").glob("*.html")}
    assert pages == names | {"index", "interface"}
    bounds = (built / "docs" / "rooms" / "bounds.html").read_text(encoding="utf-8")
    assert "with q(u) at its optimum" in bounds


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


def test_every_formula_is_understood(built: Path) -> None:
    page = (built / "gplvm_core" / "MATHEMATICS.html").read_text(encoding="utf-8")
    formulas = re.findall(r"<math\b.*?</math>", page, flags=re.DOTALL)
    assert len(formulas) > 300
    # What the converter does not know it leaves as it was.
    assert [each for each in formulas if "\\" in each or "<mi>&amp;</mi>" in each] == []
    assert [each for each in formulas if "<mi>&</mi>" in each] == []
