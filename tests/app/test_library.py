"""Tests of the Library through AppTest: entries are renamed, deleted, copied and imported."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset
from gplvm_core.store import Library, save, workspace
from pages.ui.shared.catalogue import Listed, items, open_item
from pages.ui.shared.reading import _kept
from tests.app.apptest import press, query, run_page, said

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def model(model_of_flow: BayesianGPLVM) -> BayesianGPLVM:
    return model_of_flow


@pytest.fixture
def kept(flow: Dataset, model: BayesianGPLVM) -> Callable[[], Library]:
    Library(workspace() / "library").add(model, flow, "My flow", id="mine")
    return lambda: Library(workspace() / "library")


def test_library_renames_and_tags_but_refuses_an_empty_title_in_words(kept):
    at = run_page("mine")
    assert not at.exception
    next(box for box in at.text_input if box.label == "Title").set_value("  ")
    press(at, "Save")
    assert "needs a title" in at.error[0].value
    assert kept().entry("mine").title == "My flow"
    next(box for box in at.text_input if box.label == "Title").set_value("Better name")
    next(box for box in at.text_input if box.label == "Tags").set_value("talk, pipes, talk")
    press(at, "Save")
    assert not at.exception
    entry = kept().entry("mine")
    assert (entry.title, entry.tags) == ("Better name", ("talk", "pipes"))
    assert "Better name" in said(at)


def test_library_deletes_and_undoes(kept: Callable[[], Library]):
    at = run_page("mine")
    at.button(key="delete_mine").click().run()
    assert kept().entries() == ()
    assert "“My flow” was deleted." in said(at)
    at.button(key="undo_delete").click().run()
    assert [entry.id for entry in kept().entries()] == ["mine"]
    assert not at.exception
    # The line is where the card was, which may be far from the top of the page.
    for _ in range(2):
        kept().duplicate("mine")
    at = run_page("mine")
    doors = [each.key for each in at.button if (each.key or "").startswith("open_")]
    at.button(key=doors[1].replace("open", "delete")).click().run()
    keys = [each.key for each in at.button if each.key in (*doors, "undo_delete")]
    assert keys == [doors[0], "undo_delete", doors[2]]


def test_a_long_title_is_kept_when_only_tags_change(kept: Callable[[], Library]):
    kept().rename("mine", "t" * 120)
    at = run_page("mine")
    field(at, "Tags").set_value("talk")
    press(at, "Save")
    assert (kept().entry("mine").title, kept().entry("mine").tags) == ("t" * 120, ("talk",))


def test_a_second_tab_changes_only_what_is_typed_in_it(kept: Callable[[], Library]):
    first, second, third = (run_page("mine") for _ in range(3))
    field(first, "Title").set_value("First")
    press(first, "Save")
    field(second, "Tags").set_value("talk")
    press(second, "Save")
    assert (kept().entry("mine").title, kept().entry("mine").tags) == ("First", ("talk",))
    field(third, "Title").set_value("Third")
    press(third, "Save")
    assert (kept().entry("mine").title, kept().entry("mine").tags) == ("Third", ("talk",))
    field(first, "Title").set_value("First again")
    press(first, "Save")
    assert (kept().entry("mine").title, kept().entry("mine").tags) == ("First again", ("talk",))


def test_a_tab_reports_that_another_deleted_its_model(kept: Callable[[], Library]):
    second = run_page("mine")
    for act in ("Save", "Duplicate", "Delete", "Explore", "Compare"):
        kept().delete("mine")  # as another tab does
        field(second, "Title").set_value("Typed meanwhile")
        press(second, act)
        assert not second.exception
        assert "“My flow” was deleted in another tab" in said(second)
        assert [entry.title for entry in kept().trash()] == ["My flow"]
        press(second, "Bring back")
        assert [entry.title for entry in kept().entries()] == ["My flow"]
        assert "deleted elsewhere" not in said(second)


def test_the_trash_of_two_tabs(kept: Callable[[], Library]):
    first, second = run_page("mine"), run_page("mine")
    press(first, "Delete")
    assert "deleted elsewhere" not in said(first)
    press(second.run(), "Remove for good")
    press(first, "Undo")
    assert "no deleted model" in first.error[0].value and not first.exception


def field(at: AppTest, label: str) -> Any:
    return next(box for box in at.text_input if box.label == label)


def test_a_run_does_not_set_stored_texts_again(kept: Callable[[], Library]):
    """Else the browser would undo what is typed during a run."""
    at = run_page("mine").run()
    assert not field(at, "Title").proto.set_value


def test_library_duplicates_searches_and_opens(kept: Callable[[], Library]):
    at = run_page("mine")
    at.button(key="copy_mine").click().run()
    assert [entry.title for entry in kept().entries()] == ["My flow", "My flow (copy)"]
    at.text_input(key="library_search").set_value("copy").run()
    assert [heading.value for heading in at.subheader] == ["My flow (copy)"]
    at.text_input(key="library_search").set_value("").run()
    at.button(key="open_mine").click().run()
    assert not at.exception
    assert query(at, "model") == "library:mine"


def test_library_takes_in_an_exported_file(kept: Callable[[], Library], tmp_path: Path):
    data = kept().export_file("mine", tmp_path / "model.gplvm").read_bytes()
    at = run_page("mine")
    at.file_uploader[0].upload("model.gplvm", data).run()
    assert not at.exception
    assert len(kept().entries()) == 2
    # The result of an import has all files of the model, so it is not cached.
    assert _kept("model", "model.gplvm", data, {}) == []


def test_library_refuses_a_file_that_grows_too_far_in_words(
    kept: Callable[[], Library], flow: Dataset, model: BayesianGPLVM, tmp_path: Path
):
    zeros = np.zeros((len(flow.targets), 140 * 2**20 // len(flow.targets)), dtype=np.uint8)
    grown = replace(flow, name="grown", covariates={"zeros": zeros})
    bundle = {"title": "Grown", "tags": (), "model": model, "dataset": grown}
    data = save(bundle, tmp_path / "grown.gplvm").read_bytes()
    at = run_page("mine")
    at.file_uploader[0].upload("grown.gplvm", data).run()
    assert not at.exception
    assert "could not be added" in at.error[0].value and "of memory" in at.error[0].value
    assert len(kept().entries()) == 1


def test_listed_items_have_keys_that_open_them(kept: Callable[[], Library]):
    (listed,) = items()
    assert isinstance(listed, Listed)
    assert open_item(listed.key).title == "My flow"
