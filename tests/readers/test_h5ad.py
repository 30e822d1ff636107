"""Tests of single cells in AnnData files, written by the package anndata."""

from types import SimpleNamespace

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from gplvm_core.readers import DataError, read_h5ad, write_h5ad
from gplvm_core.readers import packages as packages_module
from gplvm_core.readers.files import read_file
from gplvm_core.readers.tables.h5ad import HDF5_MAGIC

COUNTS = np.random.default_rng(0).poisson(0.7, (12, 6)).astype(float)


@pytest.fixture
def file(tmp_path):
    """Return twelve sparse cells of three kinds; four of the six genes are highly variable."""
    obs = pd.DataFrame(
        {
            "batch": pd.Categorical(["one"] * 12),
            "kind": pd.Categorical(["T", "B", None] * 4),
            "depth": COUNTS.sum(axis=1),
        },
        index=pd.Index([f"cell {n}" for n in range(12)], dtype=object),
    )
    var = pd.DataFrame(
        {"highly_variable": [True, False, True, True, False, True]},
        index=pd.Index([f"gene {d}" for d in range(6)], dtype=object),
    )
    cells = anndata.AnnData(sparse.csr_matrix(COUNTS), obs=obs, var=var)
    cells.obs["barcode"] = pd.Series([f"AC{n}" for n in range(12)], obs.index, dtype=object)
    cells.layers["twice"] = 2.0 * COUNTS
    cells.write_h5ad(tmp_path / "blood.h5ad")
    return tmp_path / "blood.h5ad"


def test_cells_become_rows_with_their_labels_and_numbers(file):
    data = read_file(file)
    np.testing.assert_array_equal(data.values, COUNTS[:, [0, 2, 3, 5]])
    assert data.column_names == ("gene 0", "gene 2", "gene 3", "gene 5")
    assert [data.label_word(row) for row in range(3)] == ["T", "B", None]
    np.testing.assert_array_equal(data.covariates["depth"], COUNTS.sum(axis=1))
    np.testing.assert_array_equal(read_h5ad(file, layer="twice").values, 2 * data.values)


def test_counts_get_the_library_size_of_their_cell_as_exposure(file, tmp_path):
    data = read_file(file, counts=True)
    assert data.kinds == ["count"] * 4 + ["exposure"]
    assert data.column_names[-1] == "library size"
    # The library size counts all genes of the file, not only the variable genes.
    sizes = COUNTS.sum(axis=1)
    np.testing.assert_array_equal(data.values[:, -1], sizes)
    assert data.columns[-1].unit == pytest.approx(np.exp(np.log(sizes).mean()))
    # The reader leaves out cells without molecules and genes without variation; of many genes, it
    # keeps only some.
    counts = np.random.default_rng(1).poisson(2.0, (9, 230)).astype(float)
    counts[4], counts[:, 7] = 0.0, 0.0
    counts[:4, 11] = 40.0
    anndata.AnnData(counts).write_h5ad(tmp_path / "many.h5ad")
    many = read_h5ad(tmp_path / "many.h5ad", counts=True)
    assert many.values.shape == (8, 201) and "11" in many.column_names
    assert "7" not in many.column_names and "4" not in many.row_names
    notes = " ".join(many.notes)
    assert "1 cell without any molecule" in notes and "1 gene with the same count" in notes
    assert "200 of 229 genes that vary most" in notes
    # Numbers that are not counts remain numbers.
    anndata.AnnData(counts[:3] + 0.5).write_h5ad(tmp_path / "half.h5ad")
    half = read_h5ad(tmp_path / "half.h5ad", counts=True)
    assert not half.columns and any("not counts" in note for note in half.notes)


def test_a_models_positions_are_written_back_beside_everything_that_was_there(file, tmp_path):
    rng = np.random.default_rng(1)
    model = SimpleNamespace(
        latent_mean_=rng.standard_normal((12, 2)),
        latent_variance_=rng.random((12, 2)),
        relevance_=np.array([0.5, 2.0]),
    )
    write_h5ad(file, tmp_path / "more.h5ad", model)
    before, after = anndata.read_h5ad(file), anndata.read_h5ad(tmp_path / "more.h5ad")
    np.testing.assert_array_equal(after.obsm["X_gplvm"], model.latent_mean_[:, ::-1])
    np.testing.assert_allclose(after.obsm["X_gplvm_std"] ** 2, model.latent_variance_[:, ::-1])
    expected = 0.5 * model.latent_variance_[:, 0] + 2.0 * model.latent_variance_[:, 1]
    np.testing.assert_allclose(after.obs["gplvm_uncertainty"] ** 2, expected)
    pd.testing.assert_frame_equal(after.obs[before.obs.columns], before.obs)
    np.testing.assert_array_equal(after.X.toarray(), COUNTS)
    model.latent_mean_ = model.latent_mean_[:5]
    with pytest.raises(DataError, match=r"5 rows, blood\.h5ad 12 cells"):
        write_h5ad(file, tmp_path / "more.h5ad", model)


def test_unreadable_files_are_reported(file, monkeypatch):
    with pytest.raises(DataError, match="no layer 'raw'; it has \\['twice'\\]"):
        read_h5ad(file, layer="raw")
    with pytest.raises(DataError, match="has no column 'age'"):
        read_h5ad(file, label="age")
    with pytest.raises(DataError, match="not an AnnData file"):
        read_h5ad(HDF5_MAGIC + b"and nothing more")
    monkeypatch.setattr(packages_module, "not_installed", tuple)
    with pytest.raises(DataError, match="pip install anndata"):
        read_h5ad(file)


@pytest.mark.parametrize(
    ("marks", "genes"),
    [
        ([1.0, np.nan, 0.0], ["0"]),
        (pd.array([True, None, True], dtype="boolean"), ["0", "2"]),
        (pd.Categorical(["True", "False", "False"]), ["0"]),
    ],
)
def test_missing_marks_of_variable_genes_count_as_no(marks, genes, tmp_path):
    cells = anndata.AnnData(COUNTS[:, :3])
    cells.var["highly_variable"] = marks
    cells.write_h5ad(tmp_path / "marked.h5ad")
    assert list(read_h5ad(tmp_path / "marked.h5ad").column_names) == genes


def test_repeated_entries_of_a_sparse_matrix_are_summed(tmp_path):
    matrix = sparse.csr_matrix(([2.0, 3.0, 1.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    anndata.AnnData(matrix).write_h5ad(tmp_path / "twice.h5ad")
    read = read_h5ad(tmp_path / "twice.h5ad", counts=True)
    np.testing.assert_array_equal(read.values, [[5, 0, 5], [0, 1, 1]])


def test_marks_that_choose_no_gene_are_reported(tmp_path):
    cells = anndata.AnnData(COUNTS[:, :3])
    cells.var["highly_variable"] = ["high", "low", "low"]
    cells.write_h5ad(tmp_path / "words.h5ad")
    read = read_h5ad(tmp_path / "words.h5ad")
    assert read.values.shape[1] == 3
    assert "No gene is marked as highly variable, so all genes are used." in read.notes


def test_a_sparse_matrix_of_complex_numbers_is_refused_in_words(tmp_path):
    anndata.AnnData(sparse.csr_matrix(COUNTS + 1j)).write_h5ad(tmp_path / "complex.h5ad")
    with pytest.raises(DataError, match="/X has complex numbers"):
        read_h5ad(tmp_path / "complex.h5ad")


def test_categories_of_old_files_are_read(file):
    with h5py.File(file, "a") as old:
        names = old["obs"].create_group("__categories")
        names["kind"] = np.array([b"B", b"T"], dtype=h5py.string_dtype())
        names["other"] = 1
        del old["obs/kind"]
        kind = old["obs"].create_dataset("kind", data=np.array([1, 0, -1] * 4, dtype="i1"))
        kind.attrs["categories"] = names["kind"].ref
        old["obs"].attrs["encoding-version"] = "0.1.0"
    assert [read_h5ad(file, label="kind").label_word(row) for row in range(3)] == ["T", "B", None]
    with h5py.File(file, "a") as old:  # the categories are in no group
        del old["obs/__categories/kind"]
    with pytest.raises(DataError, match=r"reference|in no group"):
        read_h5ad(file)


def test_files_without_values_and_with_complex_ones_are_refused_in_words(file):
    with h5py.File(file, "a") as changed:
        del changed["X"]
        changed["X"] = COUNTS + 1j
    for counts in (False, True):  # the tests turn warnings, as on lost parts, into errors
        with pytest.raises(DataError, match="has complex numbers"):
            read_h5ad(file, counts=counts)
    with h5py.File(file, "a") as changed:
        del changed["X"]
    only = read_h5ad(file)
    np.testing.assert_array_equal(only.values, read_h5ad(file, layer="twice").values)
    assert "The file has no X; its only layer, 'twice', was read." in only.notes
    with h5py.File(file, "a") as changed:
        changed["layers/once"] = changed["layers/twice"][()]
    with pytest.raises(DataError, match=r"no X, but the layers once, twice.*layer='once'"):
        read_h5ad(file)
