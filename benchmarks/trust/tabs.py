"""Tabs that show a model while another tab changes it: a row of the table of trust.

    python -m benchmarks.trust.tabs

Every page shows the model. Another tab then renames it, trains it for longer, deletes it, removes
it for good, replaces it by another model with the same name, or damages it. The page runs again,
and each button that it showed before is pressed. Each result must be a page without an unexpected
error.
"""

import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import streamlit as st
from sklearn.base import clone
from streamlit.testing.v1 import AppTest

from benchmarks.trust.row import Row
from gplvm_core import BayesianGPLVM, load_dataset, training
from gplvm_core.store import Library, workspace
from pages.ui.shared import catalogue
from tests.app.apptest import run_page

PAGES = ("explore", "complete", "compare", "library", "train")
WHOLE = load_dataset("flow")
DATA = replace(
    WHOLE, name="some-flow", title="Some flow", targets=WHOLE.targets[:60],
    labels=None, label_names=(), covariates={},
)  # fmt: skip
with warnings.catch_warnings(action="ignore"):
    MODEL = BayesianGPLVM(3, n_inducing=10, max_iter=5, random_state=0).fit(DATA.values)
    LONGER = clone(MODEL).set_params(max_iter=8).fit(DATA.values)
    OTHER = BayesianGPLVM(2, n_inducing=6, max_iter=5, random_state=0).fit(DATA.values)


def deleted(library: Library) -> None:
    library.delete("mine")


def removed(library: Library) -> None:
    library.delete("mine")
    library.empty_trash()


def exchanged(library: Library) -> None:
    library.delete("mine")
    library.add(OTHER, DATA, "Mine", id="mine")


def damaged(library: Library) -> None:
    for path in (library.root / "mine").glob("*.gplvm"):
        path.write_bytes(path.read_bytes()[:300])


def forgotten(_: Library) -> None:
    for job in training.here().jobs():
        training.here().forget(job.id)


CHANGES: dict[str, Callable[[Library], object]] = {
    "renamed": lambda library: library.rename("mine", "Theirs"),
    "trained for longer": lambda library: library.update("mine", LONGER),
    "deleted": deleted,
    "removed for good": removed,
    "exchanged": exchanged,
    "damaged": damaged,
    "training removed": forgotten,
}


def rows() -> list[Row]:
    """Open every page and press every button after every change; return one row with the counts."""
    tries, harmed = 0, []
    logging.disable(logging.WARNING)  # Streamlit logs a message because there is no server
    for page in PAGES:
        for change, act in CHANGES.items():
            for pressed in (None, *buttons(page)):
                tries += 1
                with home() as library:
                    tab = opened(page)
                    act(library)
                    problem = outcome(tab, pressed)
                if problem:
                    harmed.append(f"{page}, {change}, {pressed}: {problem}")
                    print(harmed[-1])
    return [Row("tabs on one model", tries, len(harmed), "pages and presses after 7 changes")]


@contextmanager
def home() -> Iterator[Library]:
    """Return a workspace with one model, and the training that made it."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        patch.dict(os.environ, {"MANIFOLIO_HOME": folder}),
        patch.object(catalogue, "GALLERY_FOLDER", Path(folder) / "gallery"),
    ):
        st.cache_data.clear()
        library = Library(workspace() / "library")
        library.add(MODEL, DATA, "Mine", id="mine")
        training.here().wait(training.here().submit(MODEL, DATA, "Mine too"), 60)
        yield library
        training.here().close()


def opened(page: str) -> AppTest:
    job = training.here().jobs()[0].id if page == "train" else None
    return run_page(page, model=None if page in ("library", "train") else "library:mine", job=job)


def buttons(page: str) -> list[str]:
    """Return the buttons, one for each label."""
    with home():
        return list(dict.fromkeys(button.label for button in opened(page).button))


def outcome(tab: AppTest, pressed: str | None) -> str:
    """Return the error of the page when it ran again; empty if the page shows a clear message."""
    for button in tab.button:
        if button.label == pressed:
            button.click()
            break
    tab.run()
    if tab.exception:
        return f"{tab.exception[0].value} {tab.exception[0].stack_trace}"[:600]
    unforeseen = [error.value for error in tab.error if "not foreseen" in error.value]
    return unforeseen[0] if unforeseen else ""


if __name__ == "__main__":
    for row in rows():
        print(f"{row.kind}: {row.failures} of {row.tries}. {row.remark}")
