"""Fixtures of all tests: reproducible hypothesis runs and a temporary workspace."""

import functools
import gc
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from inspect import isclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from tests.shapes import count_anew, enforce_shapes

enforce_shapes("gplvm_core")


def default_stage(second_stage: str) -> None:
    """Change the default of the setting second_stage in all estimators, in this process."""
    from gplvm_core import models

    for name in models.__all__:
        init: Any = getattr(models, name).__init__ if isclass(getattr(models, name)) else None
        known = getattr(init, "__kwdefaults__", None) or {}
        if "second_stage" in known:
            known["second_stage"] = second_stage
            shown = dict(inspect.signature(init).parameters)
            shown["second_stage"] = shown["second_stage"].replace(default=second_stage)
            init.__signature__ = inspect.Signature(list(shown.values()))


# Most tests need only the map. Tests of the second stage pass second_stage="auto", or use the
# fixture two_stages. Other processes, such as the examples, keep the default of the package. Test
# modules make models when they are imported, so no fixture can do this.
default_stage("off")

FEW_VISITS = 40  # of browser tests, on one server

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


class ByFile(LoadScopeScheduling):
    """The unit of work for pytest's processes: a file, or browser tests that share one server.

    The tests of a file share fitted models. The browser tests of a unit share one server and one
    Chromium, and must not disturb each other.
    """

    @functools.cached_property
    def _units(self) -> dict[str, str]:
        """Name the unit of each file of browser tests.

        Few visits are one unit, because a second server and a second Chromium, which compiles all
        of Streamlit again, take 25 s of CPU. Many visits are two units, which run side by side.
        """
        visits = [nodeid for nodeid in self.collection if "_browser.py::" in nodeid]
        files = sorted({nodeid.split("::", 1)[0] for nodeid in visits})
        units = 1 if len(visits) <= FEW_VISITS else 2
        return {file: f"browser {number % units}" for number, file in enumerate(files)}

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        return self._units.get(file, file)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than cores, because the browser tests wait for much of their time."""
    return (os.cpu_count() or 1) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log) -> ByFile:
    return ByFile(config, log)


def pytest_collection(session: pytest.Session) -> None:
    """Let every process import its own part of the tests first.

    In a new clone, imported files must be compiled. If all processes collected the files in one
    order, each would compile every file.
    """
    gc.disable()  # until pytest_collection_finish: all that is imported and collected stays
    given = getattr(session.config, "workerinput", None)
    if given is None or session.config.args != session.config.getini("testpaths"):
        return
    files = sorted(Path(__file__).parent.rglob("test_*.py"))
    part, parts = int(given["workerid"].removeprefix("gw")), given["workercount"]
    for file in files[part * len(files) // parts : (part + 1) * len(files) // parts]:
        with suppress(Exception):  # the collection will report it
            import_module(".".join(file.relative_to(session.config.rootpath).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the units of work by length, so that no long unit starts last.

    The longest are the browser tests, the wheel, the documentation and its examples.
    """

    def turn(item: pytest.Item) -> int:
        if item.get_closest_marker("browser"):
            return 0
        return 1 if item.path.parent == Path(__file__).parent else 2

    items.sort(key=turn)


def pytest_collection_finish() -> None:
    """Let the garbage collector ignore a million objects of modules and tests, which all stay.

    To look through them once takes about a second.
    """
    gc.freeze()
    gc.enable()


def pytest_runtest_setup() -> None:
    count_anew()


@pytest.fixture(scope="session", autouse=True)
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Use a new folder as MANIFOLIO_HOME, so that no test sees or touches a user's models."""
    folder = tmp_path_factory.mktemp("manifolio")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANIFOLIO_HOME", str(folder))
        yield folder


@pytest.fixture
def two_stages() -> Iterator[None]:
    """Give the estimators the package's own default: `fit` ends with the second stage."""
    default_stage("auto")
    yield
    default_stage("off")


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Return a function (model, *data, **options) that fits a model once per run (`trained.py`)."""
    # Imported here, because the shapes of modules that are imported from now on are checked.
    from tests.trained import trained

    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "trained"
    folder.mkdir(exist_ok=True)
    return partial(trained, folder)


REFERENCE = Path(__file__).parent / "reference"


@pytest.fixture(scope="session")
def problem() -> dict[str, np.ndarray]:
    """Return the small problem for which reference values are stored."""
    return dict(np.load(REFERENCE / "problem.npz"))


@pytest.fixture(scope="session")
def reference() -> dict[str, dict[str, np.ndarray]]:
    """Return the reference values of the packages "gpy" and "gpflow", by the package's name."""
    return {name: dict(np.load(REFERENCE / f"{name}_values.npz")) for name in ("gpy", "gpflow")}


@pytest.fixture(scope="session")
def dynamics() -> dict[str, np.ndarray]:
    """Return the same problem with a prior over time: inputs, bound, gradients."""
    return dict(np.load(REFERENCE / "vgpds_values.npz"))
