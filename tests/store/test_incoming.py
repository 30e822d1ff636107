"""Tests of imported models: their allowed content and size, and the import into a library."""

import io
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gplvm_core.datasets import NamedBytes
from gplvm_core.readers.limits import MODEL_FREE, MODEL_GROWTH, MOST_MODEL, MOST_MODEL_TEXT
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.sandbox import perform
from gplvm_core.store import ChangedError, Library, StoreError, load, read_manifest, save
from gplvm_core.store.file import read
from gplvm_core.store.incoming import check_growth
from gplvm_core.store.manifest import digest_of, seal_of

READY = Path(__file__).parents[2] / "assets" / "models"


@pytest.fixture
def bundle(model, circle):
    return {"title": "Travels", "tags": ("far",), "model": model, "dataset": circle}


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path / "library")


def files_of(bundle, folder):
    """Prepare a file as the subprocess for uploads does."""
    path = save(bundle, folder / "travels.gplvm")
    return perform("model", NamedBytes(path.name, path.read_bytes()))


def with_array(path, array):
    """Return the same file with an unused array and valid digests."""
    name, member = "arrays/9999.npy", io.BytesIO()
    np.lib.format.write_array(member, array)
    with zipfile.ZipFile(path) as archive:
        contents = {each: archive.read(each) for each in archive.namelist()}
    manifest = json.loads(contents["manifest.json"])
    declared = {"dtype": array.dtype.str, "shape": list(array.shape), "sha256": digest_of(array)}
    manifest["arrays"][name] = declared
    contents |= {"manifest.json": json.dumps(manifest).encode(), name: member.getvalue()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, data in contents.items():
            archive.writestr(each, data)
        archive.comment = seal_of(digest_of(contents["manifest.json"]))
    return path


def test_arrays_that_the_content_does_not_use_are_refused_before_any_is_read(
    bundle, tmp_path, monkeypatch
):
    path = with_array(save(bundle, tmp_path / "x.gplvm"), np.zeros(1000))

    def unexpected(*_arguments, **_options):
        raise AssertionError("an array was read")

    monkeypatch.setattr(np.lib.format, "read_array", unexpected)
    for look in (load, read_manifest, lambda path: read(path, trusted=True)):
        with pytest.raises(StoreError, match=r"'arrays/9999\.npy', which its content does not use"):
            look(path)


def test_a_model_that_names_a_table_of_its_machine_is_refused(bundle, tmp_path):
    named = TableDataset(**vars(bundle["dataset"]), table="/home/ada/table.csv", n_rows=40)
    with pytest.raises(StoreError, match="names a table of another machine"):
        files_of(bundle | {"dataset": named}, tmp_path)


def test_few_bytes_that_unpack_to_many_are_refused_though_all_are_used(bundle, tmp_path):
    zeros = np.zeros((40, 3_000_000), dtype=np.uint8)
    grown = replace(bundle["dataset"], covariates={"zeros": zeros})
    path = save(bundle | {"dataset": grown}, tmp_path / "x.gplvm")
    assert path.stat().st_size < 200_000
    with pytest.raises(StoreError, match=r"would need 114\.\d MB of memory; .* may need \d\d\.\d"):
        perform("model", NamedBytes(path.name, path.read_bytes()))
    assert load(path)["title"] == "Travels"  # the limit applies only to uploads


def test_growth_is_limited_by_the_files_size_and_in_all(bundle, tmp_path):
    manifest = read_manifest(save(bundle, tmp_path / "x.gplvm"))

    def zeros(size):
        return replace(manifest, arrays={"a": (np.dtype(np.uint8), (size,))})

    for file_bytes in (1, 10_000, 2_000_000):
        most = min(MODEL_FREE + MODEL_GROWTH * file_bytes, MOST_MODEL)
        check_growth(zeros(most), file_bytes, "x.gplvm")
        with pytest.raises(StoreError, match=r"x\.gplvm has .* Export the model again"):
            check_growth(zeros(most + 1), file_bytes, "x.gplvm")


def test_notes_without_end_are_refused(bundle, tmp_path):
    endless = replace(bundle["dataset"], notes=("x" * (MOST_MODEL_TEXT + 1),))
    with pytest.raises(
        StoreError, match=r"4\.0 MB of names, notes and single numbers; up to 4\.0 MB are read"
    ):
        files_of(bundle | {"dataset": endless}, tmp_path)


def test_a_prepared_model_is_the_one_that_is_imported(library, bundle, tmp_path):
    imported = library.import_file(save(bundle, tmp_path / "x.gplvm"))
    taken = library.take_in(files_of(bundle, tmp_path))
    assert (imported, taken) == ("travels", "travels-2")
    one, other = library.entries()
    assert replace(one, id="", created="", bytes=0) == replace(other, id="", created="", bytes=0)
    assert (other.title, other.tags, other.broken) == ("Travels", ("far",), None)
    assert library.model(taken).bound_ == bundle["model"].bound_
    np.testing.assert_array_equal(library.dataset(taken).targets, bundle["dataset"].targets)


@pytest.mark.parametrize(
    ("title", "id", "kept"), [("  \n", "untitled", "Untitled"), ("a\0b", "a-b", "a b")]
)
def test_titles_from_elsewhere_are_cleaned(library, bundle, tmp_path, title, id, kept):
    assert library.take_in(files_of(bundle | {"title": title}, tmp_path)) == id
    assert library.entry(id).title == kept


def test_a_data_set_of_the_project_is_taken_in_by_name(library, tmp_path):
    ready = Library(READY, read_only=True)
    path = ready.export_file("flow", tmp_path / "flow.gplvm")
    files = perform("model", NamedBytes(path.name, path.read_bytes()))
    assert sorted(files) == ["card.md", "entry.json", "model.gplvm"]
    id = library.take_in(files)
    assert library.entry(id).bound == ready.entry("flow").bound
    np.testing.assert_array_equal(library.dataset(id).targets, ready.dataset("flow").targets)


def test_taking_in_reads_no_arrays(library, bundle, tmp_path, monkeypatch):
    files = files_of(bundle, tmp_path)

    def unexpected(*_arguments, **_options):
        raise AssertionError("an array was read")

    monkeypatch.setattr(np.lib.format, "read_array", unexpected)
    library.take_in(files)
    assert [entry.title for entry in library.entries()] == ["Travels"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda files: files.pop("entry.json"), "entry.json cannot be read"),
        (lambda files: files.pop("model.gplvm"), "model.gplvm does not exist"),
        (lambda files: files.pop("data.gplvm"), "data.gplvm does not exist"),
        (lambda files: files.update({"../x": b"x"}), "is not a file of a model"),
        (lambda files: files.update({"code.py": b"x"}), "is not a file of a model"),
        (lambda files: files.update({"model.gplvm": files["data.gplvm"]}), "changed"),
        (lambda files: files.update({"data.gplvm": files["data.gplvm"][:-9]}), "cut off"),
        (
            lambda files: files.update(
                {"entry.json": bytes(files["entry.json"]).replace(b"Travels", b"Trawels")}
            ),
            "changed",
        ),
    ],
    ids=["card", "model", "data", "path", "more", "swapped", "cut", "edited"],
)
def test_files_that_are_not_whole_are_not_taken_in(library, bundle, tmp_path, change, error):
    files = files_of(bundle, tmp_path)
    change(files)
    with pytest.raises(StoreError, match=error) as raised:
        library.take_in(files)
    assert isinstance(raised.value, ChangedError) == (error == "changed")
    assert os.listdir(library.root) == []
    with pytest.raises(StoreError, match="cannot be changed"):
        Library(library.root, read_only=True).take_in(files)
