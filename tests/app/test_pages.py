"""Tests of every page through Streamlit's AppTest: without a model, and the Gallery."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset
from gplvm_core.store import Library
from pages.ui.gallery.invitations import INVITATIONS, OFF_SHELF, invitation
from pages.ui.shared.card import FRAMES, tour
from pages.ui.shared.catalogue import items, open_item
from pages.ui.shared.doors import tabs_for
from pages.ui.shared.memory import recall, remember
from tests.app.apptest import query, run_page, said

READY = Path(__file__).resolve().parents[2] / "assets" / "models"
PAGES = ("gallery", "explore", "layers", "fill", "compare", "train", "mine")
pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def model(model_of_flow: BayesianGPLVM) -> BayesianGPLVM:
    return model_of_flow


@pytest.mark.parametrize("page", PAGES)
def test_page_without_any_model_teaches_and_offers_a_button(page: str):
    at = run_page(page)
    assert not at.exception
    assert at.title
    assert at.button


def test_gallery_shows_a_card_with_pictures_and_opens_the_model(
    tmp_path: Path, flow: Dataset, model: BayesianGPLVM
):
    Library(tmp_path / "gallery").add(model, flow, "Flow in pipes", id="flow")
    at = run_page("gallery")
    assert not at.exception
    words = said(at)
    assert "60 × 12 values" in words
    assert f"{model.n_effective_} of 3 dimensions in use" in words
    assert 'alt="Map of Flow in pipes' in words
    at.button(key="open_flow").click().run()
    assert not at.exception
    assert query(at, "model") == "gallery:flow"


def test_a_map_that_ignores_times_names_the_model_that_plays_and_continues(
    tmp_path: Path, flow: Dataset, model: BayesianGPLVM
):
    library = Library(tmp_path / "gallery")
    library.add(model, flow, "Flow in pipes", id="flow")
    library.add(model, replace(flow, times=np.arange(60.0)), "A film", id="film")
    told = "To play and continue them, train a dynamical GP-LVM"
    assert told in said(run_page("explore", model="gallery:film"))
    assert told not in said(run_page("explore", model="gallery:flow"))


def test_every_ready_card_says_in_seven_words_what_to_do_and_opens_a_tab_that_has_it():
    ready = Library(READY, read_only=True).entries()
    assert {entry.id for entry in ready} == {*INVITATIONS, *OFF_SHELF}
    for entry in ready:
        asked = invitation(entry)
        assert 1 < len(asked.words.split()) <= 7
        assert asked.door.tab in tabs_for(entry.capabilities)


def test_gallery_keeps_its_order_and_shows_a_broken_model_in_words(
    tmp_path: Path, flow: Dataset, model: BayesianGPLVM
):
    gallery = Library(tmp_path / "gallery")
    gallery.add(model, replace(flow, name="zebra"), "Zebra", id="zebra")
    gallery.add(model, replace(flow, name="faces"), "Faces", id="faces")
    (tmp_path / "gallery" / "zebra" / "model.gplvm").write_bytes(b"cut off")
    assert [item.key for item in items()] == ["gallery:faces", "gallery:zebra"]
    at = run_page("gallery")
    assert not at.exception
    assert "could not be opened" in at.error[0].value


def test_opening_an_unknown_key_is_reported():
    with pytest.raises(ValueError, match="names no model"):
        open_item("faces")
    with pytest.raises(ValueError, match="There is no model"):
        open_item("library:none")


def test_tour_of_a_card_visits_the_map_and_closes(flow: Dataset, model: BayesianGPLVM):
    latent, places = tour(model, flow)
    assert latent.shape == (FRAMES, 3)
    assert places.shape == (FRAMES, 2)
    steps = np.linalg.norm(np.diff(np.vstack([places, places[:1]]), axis=0), axis=1)
    assert steps.max() < np.ptp(places, axis=0).max()


def test_damaged_memory_of_answers_is_forgotten(home: Path):
    remember("mark", {"label_column": "kind"})
    assert recall("mark") == {"label_column": "kind"}
    (home / "answers.json").write_text("{ cut off")
    assert recall("mark") == {}


def test_a_models_bare_name_opens_it(tmp_path: Path, flow: Dataset, model: BayesianGPLVM):
    Library(tmp_path / "gallery").add(model, flow, "Flow in pipes", id="flow")
    at = run_page("explore", model="flow")
    assert not at.exception
    assert not at.error
    assert at.title[0].value == "Flow in pipes"
