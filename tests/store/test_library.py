"""Tests that the library stores models, lists them without opening them, and loses nothing."""

import dataclasses
import json
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from gplvm_core.datasets import Dataset, Drawing, load_dataset
from gplvm_core.models import (
    BayesianGPLVM,
    Capabilities,
    DeepGP,
    ManifoldRelevance,
    ProbabilisticPCA,
    SparseGPRegression,
)
from gplvm_core.readers import read_bvh
from gplvm_core.store import Library, StoreError, save, workspace
from tests.store.cards import unseal_card


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path / "library")


@pytest.fixture(scope="module")
def digits():
    return load_dataset("digits")


@pytest.fixture(scope="module")
def digits_model(digits):
    return ProbabilisticPCA(2).fit(digits.values)


def test_a_data_set_that_is_not_the_models_is_refused(library, digits, digits_model):
    for other, said in (
        (digits.targets[:40], "trained on 1,797 rows, but its data set has 40"),
        (digits.targets[:, :4], "cannot generate rows like those"),
    ):
        data = Dataset("rows", "Rows", other, Drawing.of_vector(other.shape[1]))
        with pytest.raises(StoreError, match=said):
            library.add(digits_model, data, "Digits")
    assert library.entries() == ()


def test_an_empty_library_has_no_entries_and_makes_no_folder(library):
    assert library.entries() == ()
    assert library.trash() == ()
    assert (library.disk_use().models, library.disk_use().trash) == (0, 0)
    assert not library.root.exists()


def test_a_model_comes_back_with_its_dataset(library, model, circle):
    key = library.add(model, circle, "My circle", tags=["demo", " demo ", ""])
    (entry,) = library.entries()
    assert entry == library.entry(key)
    assert (entry.id, entry.title, entry.tags) == ("my-circle", "My circle", ("demo",))
    assert (entry.model_class, entry.dataset_name) == ("BayesianGPLVM", "circle")
    assert (entry.n_points, entry.n_outputs, entry.n_latent) == (40, 4, 3)
    assert entry.bound == model.bound_
    assert entry.broken is None
    assert entry.bytes == sum(f.stat().st_size for f in (library.root / key).iterdir()) > 0
    points = np.zeros((1, 3))
    np.testing.assert_array_equal(
        library.model(key).inverse_transform(points), model.inverse_transform(points)
    )
    np.testing.assert_array_equal(library.dataset(key).targets, circle.targets)


@pytest.mark.filterwarnings("ignore:3 of 84 columns are constant")  # the root
def test_a_body_keeps_the_joints_and_channels_of_its_file(library):
    walk = Path("assets/data/cmu_01_03.bvh.gz").read_bytes()
    poses = read_bvh(walk, every=40, first_frame=1)
    model = BayesianGPLVM(n_components=2, n_inducing=5, max_iter=2, random_state=0)
    key = library.add(model.fit(poses.values), poses, "Walk")
    rig = library.dataset(key).drawing.skeleton.rig
    assert rig is not None
    assert rig == poses.drawing.skeleton.rig


def test_models_without_a_map_are_refused_in_words(library, circle):
    for regression in (SparseGPRegression(5), DeepGP((2,), 5)):
        with pytest.raises(StoreError, match="models that place rows on a map"):
            library.add(regression, circle, "no map")
    assert library.entries() == ()


def test_the_projects_own_data_sets_are_kept_by_name(library, digits, digits_model):
    key = library.add(digits_model, digits, "Digits")
    assert sorted(os.listdir(library.root / key)) == ["card.md", "entry.json", "model.gplvm"]
    np.testing.assert_array_equal(library.dataset(key).targets, digits.targets)


def test_a_changed_data_set_of_a_known_name_is_kept_as_a_file(library, digits, digits_model):
    changed = dataclasses.replace(digits, targets=digits.targets[:, ::-1])
    key = library.add(digits_model, changed, "Mirrored digits")
    np.testing.assert_array_equal(library.dataset(key).targets, changed.targets)


def test_a_data_set_that_is_another_one_in_this_installation_is_refused(
    library, digits, digits_model
):
    key = library.add(digits_model, digits, "Digits")
    unseal_card(library, key, level=digits.targets.mean() + 1.0)
    with pytest.raises(StoreError, match="is not the one that 'Digits' was trained on"):
        library.dataset(key)


def test_equal_titles_get_ids_of_their_own(library, model, circle):
    assert [library.add(model, circle, "Same") for _ in range(3)] == ["same", "same-2", "same-3"]


@pytest.mark.parametrize(
    ("title", "id", "kept"),
    [
        ("../../etc/passwd", "etc-passwd", "../../etc/passwd"),
        ("Gesichter für Ä", "gesichter-fur-a", "Gesichter für Ä"),
        ("line\nbreak\x00 and\ttab", "line-break-and-tab", "line break and tab"),
        ("顔", "model", "顔"),
        ("   ", "model", "Untitled"),
        ("x" * 500, "x" * 48, "x" * 120),
        (".trash", "trash", ".trash"),
    ],
)
def test_titles_are_cleaned_and_ids_are_safe(library, model, circle, title, id, kept):
    assert library.add(model, circle, title) == id
    assert library.entry(id).title == kept
    assert os.listdir(library.root) == [id]


@pytest.mark.parametrize("id", ["../x", "/etc", ".trash", "", "a/b", "A", "x" * 99, None])
def test_an_invalid_id_never_becomes_a_path(library, id):
    for action in (library.model, library.dataset, library.delete, library.restore):
        with pytest.raises(StoreError, match="not the id of a model"):
            action(id)


def test_an_unknown_id_is_reported(library):
    with pytest.raises(StoreError, match="no model 'gone'"):
        library.model("gone")


def test_rename_and_tag_change_the_card_only(library, model, circle):
    key = library.add(model, circle, "Old")
    before = (library.root / key / "model.gplvm").read_bytes()
    library.rename(key, "New\nname")
    library.tag(key, ["a", "b"])
    entry = library.entry(key)
    assert (entry.id, entry.title, entry.tags) == (key, "New name", ("a", "b"))
    assert (library.root / key / "model.gplvm").read_bytes() == before


def test_names_and_labels_are_kept_copied_and_exported(library, model, circle, tmp_path):
    key = library.add(model, circle, "Named")
    assert library.entry(key).dimension_names == ()
    library.name_dimensions(key, ["Angle\n", "", "x" * 60])
    named = (("", ("Angle", "", "x" * 40)),)
    library.give_labels(key, [(3, 1), (0, 2)])
    library.keep_labels(key, [("odd\n", [1, 3]), ("even", (0,))])
    own = (("odd", (1, 3)), ("even", (0,)))
    assert library.entry(key).dimension_names == named
    library.update(key, model)
    assert library.entry(key).dimension_names == named
    assert library.entry(key).own_labels == own
    assert library.entry(library.duplicate(key)).dimension_names == named
    elsewhere = Library(tmp_path / "elsewhere")
    other = elsewhere.import_file(library.export_file(key, tmp_path / "named.gplvm"))
    assert elsewhere.entry(other).dimension_names == named
    assert elsewhere.entry(other).given_labels == ((3, 1), (0, 2))
    assert elsewhere.entry(other).own_labels == own
    for wrong in ([("", [1])], [("a", [-1])], [("a", [1]), ("a", [2])]):
        with pytest.raises(StoreError, match=r"[Oo]wn labels"):
            library.keep_labels(key, wrong)
    with pytest.raises(StoreError, match="pairs of row and label"):
        library.give_labels(key, [(3, -1)])
    library.name_dimensions(key, ["<b>"], "layer 1")
    assert dict(library.entry(key).dimension_names)["layer 1"] == ("<b>",)
    with pytest.raises(StoreError, match="Two dimensions have the name 'Same'"):
        library.name_dimensions(key, ["Same", "Same"])
    library.name_dimensions(key, ["", " "])
    assert library.entry(key).dimension_names == (("layer 1", ("<b>",)),)


def test_a_duplicate_is_independent_of_the_original(library, model, circle):
    key = library.add(model, circle, "Twin", tags=["t"])
    other = library.duplicate(key)
    library.rename(key, "Changed")
    library.delete(key)
    library.empty_trash()
    assert library.entry(other).title == "Twin (copy)"
    assert library.entry(other).tags == ("t",)
    assert library.model(other).bound_ == model.bound_
    np.testing.assert_array_equal(library.dataset(other).targets, circle.targets)


def test_delete_can_be_undone(library, model, circle):
    key = library.add(model, circle, "Precious")
    library.delete(key)
    assert library.entries() == ()
    assert [entry.title for entry in library.trash()] == ["Precious"]
    assert library.disk_use().models == 0 < library.disk_use().trash
    assert library.restore(key) == key
    assert library.model(key).bound_ == model.bound_
    assert library.trash() == ()


def test_restore_gives_another_id_when_the_old_one_is_taken(library, model, circle):
    library.add(model, circle, "Name")
    library.delete("name")
    library.add(model, circle, "Name")
    assert library.restore("name") == "name-2"
    assert len(library.entries()) == 2


def test_two_deleted_models_of_one_id_can_both_be_restored(library, model, circle):
    for tag in ("first", "second"):
        library.add(model, circle, "Name", tags=[tag])
        library.delete("name")
    assert library.entry(library.restore("name")).tags == ("second",)
    assert library.entry(library.restore("name-older")).tags == ("first",)


def test_export_and_import_carry_everything(library, model, circle, tmp_path):
    key = library.add(model, circle, "Travels", tags=["far"])
    path = library.export_file(key, tmp_path / "travels.gplvm")
    elsewhere = Library(tmp_path / "elsewhere")
    with open(path, "rb") as file:
        other = elsewhere.import_file(file)
    entry = elsewhere.entry(other)
    assert (entry.title, entry.tags, entry.bound) == ("Travels", ("far",), model.bound_)
    np.testing.assert_array_equal(elsewhere.dataset(other).targets, circle.targets)


@pytest.mark.parametrize("thing", ["a model alone", "numbers", "no model inside", "rubbish"])
def test_importing_something_else_changes_nothing(library, model, circle, tmp_path, thing):
    path = tmp_path / "x.gplvm"
    bundle = {"title": "t", "tags": (), "model": 3, "dataset": circle}
    contents = {"a model alone": model, "numbers": {"n": 3}, "no model inside": bundle}
    if thing == "rubbish":
        path.write_bytes(b"PK\x03\x04 and so on")
    else:
        save(contents[thing], path)
    with pytest.raises(StoreError):
        library.import_file(path)
    assert library.entries() == ()


def test_capabilities_come_from_the_models_file_also_with_an_older_card(library, circle):
    views = {"a": (circle.values, circle.drawing), "b": (circle.values**2, circle.drawing)}
    both = Dataset.of_views("both", "Both", views)
    for id, kernel in (("still", None), ("timed", "rbf")):
        settings = {"n_inducing": 5, "max_iter": 2, "random_state": 0, "time_kernel": kernel}
        library.add(ManifoldRelevance(2, **settings).fit(both.view_values), both, id, id=id)
    found = {entry.id: entry.capabilities for entry in library.entries()}
    assert found == {
        "still": Capabilities(views=True),
        "timed": Capabilities(timed=True, views=True),
    }
    card = json.loads((library.root / "timed" / "entry.json").read_text())
    assert "capabilities" not in card["entry"]  # no version of the card has this fact
    card["entry"]["capabilities"] = {"timed": False}  # the library ignores this declaration
    del card["sha256"]
    (library.root / "timed" / "entry.json").write_text(json.dumps(card))
    assert library.entry("timed").capabilities == Capabilities(timed=True, views=True)


def test_broken_models_are_listed_with_the_reason(library, model, circle):
    names = ["fine", "cut", "no-card", "odd-card", "no-model", "no-data"]
    for name in names:
        library.add(model, circle, name)
    cut = library.root / "cut" / "model.gplvm"
    cut.write_bytes(cut.read_bytes()[:500])
    (library.root / "no-card" / "entry.json").unlink()
    (library.root / "odd-card" / "entry.json").write_text('{"entry": {"title": 3}}')
    (library.root / "no-model" / "model.gplvm").unlink()
    (library.root / "no-data" / "data.gplvm").unlink()
    (library.root / "stray.txt").write_text("not a model")
    (library.root / "__pycache__").mkdir()
    broken = {entry.id: entry.broken for entry in library.entries()}
    assert sorted(broken) == sorted(names)
    assert broken["fine"] is None
    assert "cut off" in broken["cut"]
    assert "entry.json cannot be read" in broken["no-card"]
    assert "entry.json is damaged" in broken["odd-card"]
    assert "model.gplvm does not exist" in broken["no-model"]
    assert "data.gplvm does not exist" in broken["no-data"]
    for name in names:
        library.delete(name)
    assert library.entries() == ()


def test_listing_reads_no_arrays(library, model, circle, monkeypatch):
    library.add(model, circle, "Listed")

    def read(*_arguments, **_options):
        raise AssertionError("an array was read")

    monkeypatch.setattr(np.lib.format, "read_array", read)
    assert library.entries()[0].title == "Listed"


def test_a_read_only_library_refuses_every_change(library, model, circle, tmp_path):
    key = library.add(model, circle, "Shown")
    path = library.export_file(key, tmp_path / "x.gplvm")
    shown = Library(library.root, read_only=True)
    for change in (
        lambda: shown.add(model, circle, "x"),
        lambda: shown.update(key, model),
        lambda: shown.rename(key, "x"),
        lambda: shown.tag(key, ["x"]),
        lambda: shown.duplicate(key),
        lambda: shown.delete(key),
        lambda: shown.restore(key),
        lambda: shown.import_file(path),
        shown.empty_trash,
    ):
        with pytest.raises(StoreError, match="cannot be changed"):
            change()
    assert shown.model(key).bound_ == model.bound_
    assert [entry.title for entry in library.entries()] == ["Shown"]


def test_a_failed_add_leaves_nothing(library, model, circle):
    class Unknown(BayesianGPLVM):
        """A class that files must not contain."""

    stranger = Unknown()
    with pytest.raises(StoreError, match="does not know"):
        library.add(stranger, circle, "x")
    assert os.listdir(library.root) == []


def test_update_replaces_the_model_and_keeps_the_title(library, model, circle):
    key = library.add(model, circle, "Renamed by the user", tags=["mine"])
    settings = model.get_params() | {"max_iter": 5}
    shorter = BayesianGPLVM(**settings).fit(circle.values)
    before = library.entry(key)
    library.update(key, shorter)
    after = library.entry(key)
    assert (after.title, after.tags) == (before.title, before.tags)
    assert after.bound == shorter.bound_ == library.model(key).bound_
    assert after.created > before.created


def test_a_wanted_id_is_given_or_refused(library, model, circle):
    assert library.add(model, circle, "Faces of people", id="faces") == "faces"
    with pytest.raises(StoreError, match="already a model 'faces'"):
        library.add(model, circle, "Other faces", id="faces")


def test_threads_that_add_at_once_lose_nothing(library, model, circle):
    ids = []
    threads = [
        threading.Thread(target=lambda: ids.append(library.add(model, circle, "At once")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids)) == 8
    assert sorted(entry.id for entry in library.entries()) == sorted(ids)
    assert all(entry.broken is None for entry in library.entries())


def test_the_environment_sets_the_workspace(monkeypatch, tmp_path):
    monkeypatch.setenv("MANIFOLIO_HOME", str(tmp_path))
    assert workspace() == tmp_path
    monkeypatch.delenv("MANIFOLIO_HOME")
    assert workspace().name == ".manifolio"
