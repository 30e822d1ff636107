"""Tests that the app reports broken models, and that everything else continues to work."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from gplvm_core import training
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.models import BayesianGPLVM
from gplvm_core.store import Library, workspace
from pages.ui.shared import catalogue
from tests.app.apptest import finished, press, run_page, said
from tests.store.cards import edit_card


@pytest.fixture(scope="module")
def dots() -> Dataset:
    return Dataset(
        "dots", "Dots", np.random.default_rng(0).normal(size=(30, 3)), Drawing.of_vector(3)
    )


def quick(max_iter: int = 4) -> BayesianGPLVM:
    return BayesianGPLVM(2, 6, max_iter=max_iter, random_state=0)


def test_broken_models_are_listed_and_can_be_kept_or_deleted(dots: Dataset):
    library = Library(workspace() / "library")
    library.add(quick().fit(dots.values), dots, "Whole")
    for title in ("Edited", "Cut", "Flipped"):
        library.add(quick().fit(dots.values), dots, title)
    library.add(quick(5).fit(dots.values), dots, "Other")
    files = {name: library.root / name / "model.gplvm" for name in ("edited", "cut", "flipped")}
    shutil.copyfile(library.root / "other" / "model.gplvm", files["edited"])
    files["cut"].write_bytes(files["cut"].read_bytes()[:1000])
    flipped = bytearray(files["flipped"].read_bytes())
    flipped[flipped.find(b"arrays/0000.npy") + 40] ^= 1
    files["flipped"].write_bytes(flipped)
    at = run_page("mine")
    assert not at.exception
    errors = " ".join(error.value for error in at.error)
    assert "changed after it was saved" in errors and "cut off" in errors and len(at.error) == 3
    assert [button.key for button in at.button if button.label == "Explore"] == [
        "open_other",
        "open_whole",
    ]
    press(at, "Use it anyway")
    assert library.entry("edited").broken is None
    for name in ("cut", "flipped"):
        at.button(key=f"delete_{name}").click().run()
    assert not at.exception and not at.error
    assert len(library.entries()) == 3


def test_a_changed_card_is_shown_as_changed_and_can_be_kept(dots: Dataset):
    library, model = Library(workspace() / "library"), quick().fit(dots.values)
    library.add(model, dots, "Mine")
    edit_card(library, "mine", bound=1.0)
    at = run_page("mine")
    assert not at.exception
    assert "was changed after it was saved" in at.error[0].value
    assert "1.0" not in said(at)
    press(at, "Use it anyway")
    assert not at.exception and not at.error
    assert library.entry("mine").bound == model.bound_


def test_a_broken_job_hides_no_other(dots: Dataset):
    home = workspace()
    ids = [training.here().submit(quick(), dots, name) for name in ("first", "second")]
    for id in ids:
        finished(id)
    training.here().close()
    training.queue._QUEUES.clear()
    state = home / "jobs" / f"{ids[0]}.gplvm"
    data = bytearray(state.read_bytes())
    data[data.find(b"'fortran_order'") + 1] ^= 4
    state.write_bytes(data)
    at = run_page("train")
    assert not at.exception
    assert {job.id: job.status for job in training.here().jobs()} == {
        ids[0]: "failed",
        ids[1]: "finished",
    }
    at = run_page("train", job=ids[0])
    assert not at.exception and "damaged" in said(at)


def test_a_read_only_home_shows_the_gallery_and_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dots: Dataset
):
    # A gallery of one model: the cards of all would take most of the time.
    (tmp_path / "gallery").mkdir()
    (tmp_path / "gallery" / "pendulum").symlink_to(catalogue.GALLERY_FOLDER / "pendulum")
    monkeypatch.setattr(catalogue, "GALLERY_FOLDER", tmp_path / "gallery")
    (tmp_path / "in the way").write_text("a file")
    monkeypatch.setenv("MANIFOLIO_HOME", str(tmp_path / "in the way"))
    for page in ("gallery", "mine", "train"):
        at = run_page(page)
        assert not at.exception, page
        assert ("cannot write to its folder" in said(at)) == (page != "gallery")
    with pytest.raises(ValueError, match=r"was not queued: .*Not a directory"):
        training.here().submit(quick(), dots, "x")
