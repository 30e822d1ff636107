"""Tests that files are valid or refused, with the problem, the value found and a remedy."""

import io
import json
import os
import tracemalloc
import zipfile

import numpy as np
import pytest

from gplvm_core.datasets import Dataset
from gplvm_core.store import ChangedError, StoreError, load, read_manifest, save
from gplvm_core.store import file as file_module
from gplvm_core.store.file import read
from gplvm_core.store.migrations import SCHEMA
from gplvm_core.store.registry import known_classes

THING = {"weights": np.arange(6.0).reshape(2, 3), "pixels": np.zeros((4, 4), np.uint8), "n": 3}


def rewritten(source, target, change_manifest=None, members=None, drop=(), sealed=False):
    """Write a copy with a changed manifest or members, like files from before the digests."""
    with zipfile.ZipFile(source) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
        comment = archive.comment
    manifest = json.loads(contents["manifest.json"])
    manifest["sealed"] = sealed
    if change_manifest is not None:
        change_manifest(manifest)
    if change_manifest is not None or not sealed:
        contents["manifest.json"] = json.dumps(manifest).encode()
    contents |= members or {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            if name not in drop:
                archive.writestr(name, data)
        archive.comment = comment
    return target


def npy(array, **options):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, **options)
    return buffer.getvalue()


@pytest.fixture
def path(tmp_path):
    return save(THING, tmp_path / "thing.gplvm")


def test_a_model_gives_identical_predictions_after_loading(model, circle, tmp_path):
    loaded = load(save(model, tmp_path / "model.gplvm"))
    points = np.random.default_rng(0).standard_normal((5, 3))
    for one, other in zip(
        model.inverse_transform(points, return_std=True),
        loaded.inverse_transform(points, return_std=True),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(loaded.transform(circle.values), model.transform(circle.values))
    np.testing.assert_array_equal(
        loaded.sample(points, 2, random_state=1), model.sample(points, 2, random_state=1)
    )
    assert loaded.bound_ == model.bound_
    assert loaded.result_ == model.result_
    assert loaded.get_params() == model.get_params()


def test_a_model_saves_itself(model, tmp_path):
    model.save(tmp_path / "own.gplvm")
    assert load(tmp_path / "own.gplvm").bound_ == model.bound_


def test_a_run_taken_up_from_a_file_gives_the_same_numbers(circle, model, tmp_path):
    runs = []
    fresh = type(model)(**model.get_params())
    whole = fresh.fit(circle.values, callback=lambda progress: runs.append(progress.run))
    run = load(save(runs[7], tmp_path / "run.gplvm"))
    resumed = type(model)(**model.get_params()).fit(circle.values, resume=run)
    np.testing.assert_array_equal(resumed.trace_["bound"], whole.trace_["bound"])
    np.testing.assert_array_equal(resumed.latent_mean_, whole.latent_mean_)


def test_a_dataset_comes_back_with_everything_beside_the_targets(circle, tmp_path):
    loaded = load(save(circle, tmp_path / "data.gplvm"))
    assert isinstance(loaded, Dataset)
    np.testing.assert_array_equal(loaded.targets, circle.targets)
    np.testing.assert_array_equal(loaded.labels, circle.labels)
    np.testing.assert_array_equal(loaded.covariates["angle"], circle.covariates["angle"])
    assert (loaded.drawing, loaded.notes) == (circle.drawing, circle.notes)


def test_loading_takes_an_open_file_too(path):
    with open(path, "rb") as file:
        assert load(file)["n"] == 3
    assert load(io.BytesIO(path.read_bytes()))["n"] == 3


def test_the_manifest_lists_class_versions_and_arrays(path):
    manifest = read_manifest(path)
    assert (manifest.schema, manifest.class_name) == (SCHEMA, "dict")
    assert manifest.versions["numpy"] == np.__version__
    assert sorted(shape for _, shape in manifest.arrays.values()) == [(2, 3), (4, 4)]
    assert manifest.array_bytes == 6 * 8 + 16


def test_a_failed_save_leaves_the_old_file_and_nothing_else(path):
    before = path.read_bytes()
    with pytest.raises(StoreError, match="does not know"):
        save({"function": print}, path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_save_cut_off_in_the_middle_leaves_the_old_file(path, monkeypatch):
    before = path.read_bytes()

    def full(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file_module.np.lib.format, "write_array", full)
    with pytest.raises(StoreError, match="No space left on device"):
        save(THING, path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_saving_into_a_missing_folder_is_reported(tmp_path):
    with pytest.raises(StoreError, match="does not exist"):
        save(THING, tmp_path / "nowhere" / "x.gplvm")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_refused(path, share):
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(StoreError, match=r"cut off|is not a"):
        load(path)


def test_a_flipped_byte_is_noticed_wherever_it_is(path):
    data = path.read_bytes()
    original = load(path)
    for position in range(0, len(data), 7):
        changed = bytearray(data)
        changed[position] ^= 0x55
        try:
            loaded = load(io.BytesIO(bytes(changed)))
        except StoreError:
            continue
        # Some bytes of a zip (dates, rights) are irrelevant, but the numbers must be right.
        np.testing.assert_array_equal(loaded["weights"], original["weights"])
        np.testing.assert_array_equal(loaded["pixels"], original["pixels"])


def test_a_missing_file_a_folder_and_another_file_have_different_messages(tmp_path):
    with pytest.raises(StoreError, match="does not exist"):
        load(tmp_path / "gone.gplvm")
    with pytest.raises(StoreError, match="is a folder"):
        load(tmp_path)
    (tmp_path / "text.gplvm").write_text("hello")
    with pytest.raises(StoreError, match=r"text\.gplvm is not a \.gplvm file, or was "):
        load(tmp_path / "text.gplvm")
    np.savez(tmp_path / "arrays.npz", a=np.zeros(2))
    with pytest.raises(StoreError, match=r"without manifest\.json"):
        load(tmp_path / "arrays.npz")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.update(schema=99), "newer Manifolio .schema 99.*Update"),
        (lambda m: m.update(schema="1"), "schema '1'"),
        (lambda m: m.update(format="other"), "another program's"),
        (lambda m: m.pop("content"), "damaged"),
        (lambda m: m.update(arrays=[]), "damaged"),
        (lambda m: m["content"].update({"$": "object", "class": "Popen"}), "Popen"),
        (lambda m: m["arrays"]["arrays/0000.npy"].update(dtype="|O"), "type object"),
        (lambda m: m["arrays"]["arrays/0000.npy"].update(shape=[-2, 3]), "shape"),
        (lambda m: m["arrays"]["arrays/0000.npy"].update(shape=[3, 2]), "the manifest declares"),
        (lambda m: m["arrays"]["arrays/0000.npy"].update(shape=[2, 300]), "unpacks to"),
        (lambda m: m["arrays"]["arrays/0000.npy"].update(dtype="<i8"), "the manifest declares"),
    ],
)
def test_a_changed_manifest_is_refused(path, tmp_path, change, words):
    changed = rewritten(path, tmp_path / "changed.gplvm", change)
    with pytest.raises(StoreError, match=words):
        load(changed)


def test_a_file_of_before_digests_is_read(path, tmp_path):
    unsealed = rewritten(path, tmp_path / "old.gplvm")
    assert not read_manifest(unsealed).sealed
    np.testing.assert_array_equal(load(unsealed)["weights"], THING["weights"])


def test_an_edited_number_or_array_is_reported_in_a_valid_file(path, tmp_path):
    def edit(manifest):
        manifest["content"]["items"][2][1] = 4

    other = npy(THING["weights"] + 1e-9)
    for change in ({"change_manifest": edit}, {"members": {"arrays/0000.npy": other}}):
        changed = rewritten(path, tmp_path / "changed.gplvm", sealed=True, **change)
        with pytest.raises(ChangedError, match=r"changed after it was saved"):
            load(changed)
        assert read(changed, trusted=True)[0]["n"] in (3, 4)
    # If another program packs the same members into an archive, the archive is reported as changed.
    with pytest.raises(ChangedError):
        with_comment = rewritten(path, tmp_path / "again.gplvm", sealed=True)
        data = with_comment.read_bytes()
        with_comment.write_bytes(data[:-71][:-2] + b"\0\0")
        load(with_comment)


@pytest.mark.parametrize(
    "array",
    [
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(6.0)[::-2],
        np.array(3.5),
        np.array(["a", "äß"]),
        np.array([b"x", b"yz"]),
        np.zeros((0, 3)),
        np.array([1 + 2j]),
        np.array([True, False]),
        np.arange(3, dtype=">i4"),
    ],
    ids=str,
)
def test_every_kind_of_array_is_sealed_and_read(tmp_path, array):
    loaded = load(save({"a": array}, tmp_path / "a.gplvm"))["a"]
    assert loaded.dtype == array.dtype
    np.testing.assert_array_equal(loaded, array)


def test_a_header_of_broken_text_is_the_stores_own_error(path, tmp_path):
    """NumPy's tokenizer can read headers that Python cannot, and raises other errors."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), '"
    member = b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117) + b"\n" + b"\0" * 48
    changed = rewritten(path, tmp_path / "changed.gplvm", members={"arrays/0000.npy": member})
    with pytest.raises(StoreError, match=r"The file .*, in arrays/0000\.npy, is damaged"):
        load(changed)


@pytest.mark.parametrize("name", ["../outside.npy", "/etc/outside", "arrays/9999.npy", "code.py"])
def test_members_that_nobody_declared_are_refused(path, tmp_path, name):
    changed = rewritten(path, tmp_path / "changed.gplvm", members={name: b"x"})
    with pytest.raises(StoreError, match="does not declare"):
        load(changed)
    assert not (tmp_path.parent / "outside.npy").exists()


def test_a_missing_array_is_named(path, tmp_path):
    changed = rewritten(path, tmp_path / "changed.gplvm", drop=["arrays/0001.npy"])
    with pytest.raises(StoreError, match=r"lacks 'arrays/0001\.npy'"):
        load(changed)


def test_an_array_of_objects_is_never_unpickled(path, tmp_path):
    buffer = io.BytesIO()
    header = {"descr": "|O", "fortran_order": False, "shape": (6,)}
    np.lib.format.write_array_header_1_0(buffer, header)
    buffer.write(b"\x80\x04K\x01." + b"\0" * 43)
    changed = rewritten(
        path, tmp_path / "changed.gplvm", members={"arrays/0000.npy": buffer.getvalue()}
    )
    with pytest.raises(StoreError, match="the manifest declares"):
        load(changed)


def test_a_file_that_would_unpack_to_too_much_is_refused_before_it_is_read(tmp_path):
    big = np.zeros(30_000_000, np.uint8)
    path = save({"big": big}, tmp_path / "big.gplvm")
    assert path.stat().st_size < 200_000
    del big
    tracemalloc.start()
    try:
        with pytest.raises(StoreError, match=r"28\.6 MB of arrays, more than the limit of 1\.0 MB"):
            load(path, max_bytes=2**20)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_a_bomb_that_declares_less_than_it_holds_is_refused(path, tmp_path):
    bomb = npy(np.zeros(20_000_000, np.uint8))
    changed = rewritten(path, tmp_path / "bomb.gplvm", members={"arrays/0000.npy": bomb})
    with pytest.raises(StoreError, match="unpacks to 20000128 bytes"):
        load(changed)


def test_a_manifest_that_is_a_bomb_is_refused(tmp_path):
    path = tmp_path / "bomb.gplvm"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b" " * (33 * 2**20))
    with pytest.raises(StoreError, match=r"of names, notes and single numbers; up to 32\.0 MB"):
        load(path)


def test_deeply_nested_content_is_refused(path, tmp_path):
    changed = tmp_path / "deep.gplvm"
    with zipfile.ZipFile(changed, "w") as archive:
        archive.writestr("manifest.json", b"[" * 200_000)
    with pytest.raises(StoreError, match="damaged"):
        load(changed)


def test_no_two_classes_that_can_be_stored_share_a_name():
    known = known_classes()
    assert {"BayesianGPLVM", "Dataset", "RBF", "Sum", "Posterior", "LBFGSState", "Run"} <= set(
        known
    )
    assert all(name == kind.__name__ for name, kind in known.items())
