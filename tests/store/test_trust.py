"""Tests that broken, swapped and foreign files are reported one by one, and hide no others."""

import contextlib
import copy
import os
import shutil
import stat
import threading
import zipfile
from io import BytesIO

import numpy as np
import pytest
from sklearn.base import clone

from gplvm_core.readers.rows.files import NpyRows, RowFiles
from gplvm_core.readers.rows.folders import FolderFile
from gplvm_core.store import ChangedError, Library, StoreError, load, save
from gplvm_core.store.holding import one_by_one
from gplvm_core.store.registry import known_classes
from tests.store.cards import unseal_card
from tests.store.faults import reachable_home, refused

needs_rights = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs a system with users")


@pytest.fixture
def library(tmp_path, model, circle):
    library = Library(tmp_path / "library")
    library.add(model, circle, "fine")
    return library


def modes(root):
    """Return the rights of everything below a folder, by kind."""
    found = {"folder": set(), "file": set()}
    for folder, _, files in os.walk(root):
        found["folder"].add(stat.S_IMODE(os.stat(folder).st_mode))
        paths = (os.path.join(folder, name) for name in files)
        found["file"].update(stat.S_IMODE(os.stat(path).st_mode) for path in paths)
    return found


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ["a"]},
        {"tags": 3},
        {"tags": [3]},
        {"n_points": "many"},
        {"n_points": True},
        {"bound": "high"},
        {"created": 5},
        {"level": 10**400},
        {"by_name": "no"},
        {"model": "../fine/model.gplvm"},
        {"model": 3},
        {"model_digest": 3},
        {"entry": []},
    ],
    ids=str,
)
def test_a_card_with_wrong_types_is_shown_as_broken(library, model, circle, fields):
    library.add(model, circle, "odd")
    unseal_card(library, "odd", **fields)
    found = {entry.id: entry.broken for entry in library.entries()}
    assert found["fine"] is None
    if fields == {"level": 10**400}:  # this error is found only after the data set is read
        assert library.dataset("odd").name == "circle"
    else:
        assert "entry.json is damaged" in found["odd"]
        with pytest.raises(StoreError, match=r"entry\.json is damaged"):
            library.model("odd")


def test_words_that_no_page_can_show_are_cleaned(library):
    unseal_card(library, "fine", title="a\ud800b\x00c\nd", tags=["x\ud800", "\n"])
    entry = library.entry("fine")
    assert (entry.broken, entry.title, entry.tags) == (None, "a b c d", ("x",))


def test_another_file_in_place_of_the_model_is_reported(library, model, circle):
    for name in ("as-model", "as-data"):
        library.add(model, circle, name)
    save(circle, library.root / "as-model" / "model.gplvm")
    save(model, library.root / "as-data" / "data.gplvm")
    found = {entry.id: entry for entry in library.entries()}
    assert found["fine"].broken is None
    assert found["as-model"].changed and found["as-data"].changed
    for name in ("as-model", "as-data"):
        with pytest.raises(StoreError, match="in place of"):
            library.accept(name)


def test_swapped_models_are_reported_and_can_be_kept_on_purpose(library, model, circle):
    other = clone(model).set_params(max_iter=3).fit(circle.values)
    library.add(other, circle, "other")
    shutil.copyfile(library.root / "other" / "model.gplvm", library.root / "fine" / "model.gplvm")
    assert "changed after it was saved" in library.entry("fine").broken
    assert library.entry("fine").changed and not library.entry("other").changed
    with pytest.raises(ChangedError):
        library.model("fine")
    with pytest.raises(ChangedError):
        library.export_file("fine", library.root / "x")
    library.accept("fine")
    entry = library.entry("fine")
    assert (entry.broken, entry.bound) == (None, other.bound_)
    assert library.model("fine").bound_ == other.bound_
    np.testing.assert_array_equal(library.dataset("fine").targets, circle.targets)
    assert len(os.listdir(library.root / "fine")) == 4


def test_the_files_of_a_broken_model_can_be_exported(library):
    path = library.root / "fine" / "model.gplvm"
    path.write_bytes(path.read_bytes()[:200])
    with zipfile.ZipFile(BytesIO(library.files("fine"))) as archive:
        assert archive.namelist() == ["card.md", "data.gplvm", "entry.json", "model.gplvm"]
        assert archive.read("model.gplvm") == path.read_bytes()
    with pytest.raises(StoreError):
        library.accept("fine")


@pytest.mark.parametrize("broken", ["unfitted", "rows", "numbers"])
def test_a_model_that_cannot_be_used_is_not_imported(library, model, circle, tmp_path, broken):
    given = clone(model) if broken == "unfitted" else copy.copy(model)
    if broken == "rows":
        given.latent_mean_ = model.latent_mean_[:-1]
    if broken == "numbers":
        given.latent_mean_ = np.full((len(circle.targets), 7), np.nan)
    bundle = {"title": "x", "tags": (), "model": given, "dataset": circle}
    with pytest.raises(StoreError):
        library.import_file(save(bundle, tmp_path / "x.gplvm"))
    assert [entry.id for entry in library.entries()] == ["fine"]


def test_one_job_has_one_model(library, model, circle):
    first = library.add(model, circle, "Mine", job="mine-1")
    library.rename(first, "Renamed by the user")
    longer = clone(model).set_params(max_iter=4).fit(circle.values)
    assert library.add(longer, circle, "Mine", job="mine-1") == first
    assert library.entry(first).title == "Renamed by the user"
    assert library.model(first).bound_ == longer.bound_
    assert library.add(model, circle, "Mine", job="mine-2") != first
    twin = library.duplicate(first)
    assert library.add(model, circle, "Mine", job="mine-1") == first
    assert library.model(twin).bound_ == longer.bound_
    library.delete(first)
    assert library.add(model, circle, "Mine", job="mine-1") not in (twin, "mine-2")


def test_deleting_waits_for_other_work_on_the_model(library):
    """Without waiting, another model could take the name before the result is written."""
    with one_by_one(library.root / "fine"):
        deleting = threading.Thread(target=library.delete, args=("fine",))
        deleting.start()
        deleting.join(0.3)
        assert [entry.id for entry in library.entries()] == ["fine"]
    deleting.join(30)
    assert library.entries() == ()


def test_a_lock_belongs_to_the_folder_that_has_the_name_now(library, model, circle):
    """While a process waits for the lock, another process may replace the folder."""
    folder, worked = library.root / "fine", []

    def work():
        with one_by_one(folder):
            worked.append("done")

    working = threading.Thread(target=work)
    with contextlib.ExitStack() as later:
        with one_by_one(folder):
            working.start()
            working.join(0.2)
            folder.rename(library.root / ".aside")
            library.add(model, circle, "Other", id="fine")
            later.enter_context(one_by_one(folder))
        working.join(0.3)
        assert worked == []
    working.join(30)
    assert worked == ["done"]


def test_written_files_belong_to_the_user_only(library, model, circle, tmp_path):
    library.duplicate("fine")
    library.update("fine", model)
    library.delete("fine")
    assert modes(library.root) == {"folder": {0o700}, "file": {0o600}}
    path = library.export_file("fine-copy", tmp_path / "out.gplvm")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_library_of_before_is_tightened_and_links_are_not_followed(library, tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("x")
    outside.chmod(0o644)
    (library.root / "fine" / "link").symlink_to(outside)
    for folder, _, files in os.walk(library.root):
        os.chmod(folder, 0o755)  # noqa: S103 (as they were before)
        for name in set(files) - {"link"}:
            os.chmod(os.path.join(folder, name), 0o644)
    library.tidy()
    (library.root / "fine" / "link").unlink()
    assert modes(library.root) == {"folder": {0o700}, "file": {0o600}}
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


def test_litter_is_removed_only_when_no_process_is_at_work(library, model, circle):
    litter = [".new-0", ".emptied-0/fine", "fine/.entry.json.0.tmp", "fine/model-0badcafe.gplvm"]
    for name in litter:
        path = library.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x") if "." in path.name[1:] else path.mkdir()
    at_work, go_on = threading.Event(), threading.Event()

    class Slow(list):
        """Tags that, when they are read, pause the thread that adds a model."""

        def __iter__(self):
            at_work.set()
            go_on.wait(30)
            return iter(("tag",))

    adding = threading.Thread(
        target=lambda: library.add(model, circle, "slow", tags=Slow()), daemon=True
    )
    adding.start()
    assert at_work.wait(30)
    Library(library.root).tidy()
    assert all((library.root / name).exists() for name in litter)
    go_on.set()
    adding.join(30)
    Library(library.root).tidy()
    assert not any((library.root / name).exists() for name in litter)
    assert sorted(os.listdir(library.root)) == ["fine", "slow"]
    assert library.model("fine").bound_ == library.model("slow").bound_ == model.bound_


def test_listing_while_others_delete_never_raises(library):
    stop = threading.Event()
    errors = []

    def list_all():
        while not stop.is_set():
            try:
                assert all(entry.broken is None for entry in library.entries() + library.trash())
                library.disk_use()
            except Exception as error:
                errors.append(error)

    watching = threading.Thread(target=list_all)
    watching.start()
    for _ in range(6):
        twin = library.duplicate("fine")
        library.delete(twin)
        library.empty_trash()
    stop.set()
    watching.join(30)
    assert errors == []


def test_what_is_restored_while_the_trash_is_emptied_is_whole_or_gone(library, model):
    for _ in range(6):
        twin = library.duplicate("fine")
        library.delete(twin)
        emptying = threading.Thread(target=library.empty_trash)
        emptying.start()
        try:
            back = library.restore(twin)
        except StoreError as error:
            assert "no deleted model" in str(error)
        else:
            assert library.model(back).bound_ == model.bound_
            library.delete(back)
        emptying.join(30)


@needs_rights
@pytest.mark.parametrize("rights", [0o555, 0o000])
def test_a_library_that_the_system_refuses_loses_nothing(model, circle, rights):
    with reachable_home() as home:
        library = Library(home / "library")
        library.add(model, circle, "fine")
        with refused(home, library.root, rights):
            for options in ({}, {"id": "mine"}, {"job": "job-1"}):
                with pytest.raises(StoreError, match="Permission denied"):
                    library.add(model, circle, "x", **options)
            for change in (library.delete, library.duplicate):
                with pytest.raises(StoreError, match="Permission denied"):
                    change("fine")
            library.tidy()
        assert [entry.broken for entry in library.entries()] == [None]
        assert os.listdir(library.root) == ["fine"]


def test_a_read_only_home_has_a_clear_message(tmp_path, model, circle):
    (tmp_path / "file").write_text("in the way")
    library = Library(tmp_path / "file" / "library")
    assert library.entries() == library.trash() == ()
    library.tidy()
    with pytest.raises(StoreError, match=r"Cannot write to .*: Not a directory"):
        library.add(model, circle, "x")


@pytest.mark.parametrize("whole", [True, False])
def test_a_file_cannot_name_another_file_that_is_to_be_opened(tmp_path, circle, whole, monkeypatch):
    secret = tmp_path / "secret"
    secret.write_bytes(b"the secret of somebody else")
    state = secret.stat()
    named = FolderFile(str(tmp_path), ("secret",), state.st_dev, state.st_ino)
    # The dtype is a number here. It has the attributes of a real dtype, such as its size and type.
    rows = RowFiles((NpyRows(named, 5, 5, np.uint8(0), 0, None),))
    kinds = {kind.__name__: kind for kind in (FolderFile, NpyRows, RowFiles)}
    forged = rows if whole else {"title": "x", "tags": (), "model": rows, "dataset": circle}
    with monkeypatch.context() as patch:
        patch.setattr("gplvm_core.store.file.known_classes", lambda: known_classes() | kinds)
        path = save(forged, tmp_path / "forged.gplvm")
    with pytest.raises(StoreError, match="does not know"):
        load(path)
