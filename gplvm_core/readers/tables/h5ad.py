"""Read single cells from AnnData files (.h5ad), and write them with latent positions."""

import tempfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.numerics import Array
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError, listed, parsing, plural
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.limits import MOST_VALUES, check_at_most
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.sources import Source, named, read_source
from gplvm_core.readers.tables.hdf5 import check_hdf5

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
NEEDS = ("AnnData files", ("anndata",))
LIBRARY_SIZE = "library size"
MOST_GENES = 200  # for counts, where each gene costs as much as a column with its own gaps
MOST_LABELS = 50  # a column with more categories is not used as labels


def read_h5ad(
    source: Source,
    *,
    layer: str | None = None,
    label: str | None = None,
    counts: bool = False,
) -> Dataset:
    """Read an AnnData file: cells are rows, genes are columns.

    layer: None reads X. If var marks highly variable genes, only these are used. counts: read whole
    numbers from 0 as counts. Their exposure is the library size, the cell's sum over all genes. At
    most 200 genes are used: the genes that vary most. Values that are not counts are read as
    numbers. label: the column of obs with the labels, by default its first categorical column.
    Numeric columns of obs become covariates. Raises DataError for files that cannot be read, and
    without the package anndata.

    Examples
    --------
    >>> import tempfile
    >>> import anndata
    >>> import numpy as np
    >>> from gplvm_core import read_h5ad
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     anndata.AnnData(np.array([[0.0, 3.0], [1.0, 2.0]])).write_h5ad(f"{folder}/cells.h5ad")
    ...     cells = read_h5ad(f"{folder}/cells.h5ad")
    >>> cells.values, cells.column_names
    (array([[0., 3.],
           [1., 2.]]), ('0', '1'))
    """
    cells, filename = _opened(source)
    notes = [f"{plural(cells.n_obs, 'cell')} × {plural(cells.n_vars, 'gene')} in {filename}."]
    layers = sorted(name for name in cells.layers if name is not None)  # anndata 0.13: None is X
    if cells.X is None and layer is None and len(layers) == 1:
        layer = layers[0]
        notes.append(f"The file has no X; its only layer, {layer!r}, was read.")
    stored = cells.X if layer is None else cells.layers.get(layer)
    if np.iscomplexobj(stored):
        raise DataError(
            f"{filename} has complex numbers. Store their real and imaginary parts as genes, or "
            "their absolute values."
        )
    sizes = _library_sizes(stored) if counts else None
    if sizes is not None and not sizes.all():
        notes.append(f"Left out: {plural(int(np.sum(sizes == 0)), 'cell')} without any molecule.")
        cells, sizes = cells[sizes > 0], sizes[sizes > 0]
    marked = _marked(cells.var)
    if marked.any():
        cells = cells[:, marked]
        notes.append(f"Only highly variable genes are used: {cells.n_vars}.")
    elif "highly_variable" in cells.var:
        notes.append("No gene is marked as highly variable, so all genes are used.")
    values = _values(cells, layer, layers, filename)
    labels, names, chosen = _labels(cells.obs, label, filename)
    if chosen:
        notes.append(f"Labels: {chosen}.")
    genes, columns = tuple(map(str, cells.var_names)), tuple[TableColumn, ...]()
    if counts and sizes is None:
        notes.append("The values are not counts, so they are read as numbers.")
    elif sizes is not None:
        values, columns, words = _as_counts(values, sizes, genes)
        genes = tuple(column.name for column in columns)
        notes.extend(words)
    return Dataset(
        **named(filename, "an AnnData file"),
        targets=values,
        drawing=Drawing.of_vector(values.shape[1]),
        columns=columns,
        labels=labels,
        label_names=names,
        column_names=genes,
        row_names=np.array(cells.obs_names, dtype=np.str_),
        notes=tuple(notes),
        covariates={
            str(name): column.to_numpy(dtype=float, na_value=np.nan)
            for name, column in cells.obs.items()
            if column.dtype.kind in "iuf"
        },
    )


def _values(cells: Any, layer: str | None, layers: list[str], name: str) -> Float[Array, "N D"]:
    """Return X, or a layer, as a dense array, which a Gaussian process needs."""
    advice = "Mark highly variable genes, or leave out cells."
    check_at_most(cells.n_obs * cells.n_vars, MOST_VALUES, "values", name, advice)
    if layer is not None and layer not in layers:
        raise DataError(f"{name} has no layer {layer!r}; it has {layers}.")
    values = cells.X if layer is None else cells.layers[layer]
    if values is None and layers:
        raise DataError(
            f"{name} has no X, but the layers {listed(layers)}. Save it with one of them as X.",
            script=f"Or name one: layer={layers[0]!r}.",
        )
    if values is None:
        raise DataError(
            f"{name} has no values (neither X nor layers), only facts about cells and genes. "
            "Save it with its matrix."
        )
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=float)


def _marked(var: Any) -> NDArray[np.bool_]:
    """Return which genes are marked as highly variable; a missing mark counts as no.

    The marks may be booleans, numbers, or the words "True" and "False".
    """
    if "highly_variable" not in var:
        return np.zeros(len(var), dtype=bool)
    words = (str(mark).strip().lower() for mark in var["highly_variable"].to_list())
    return np.array([word in ("true", "1", "1.0", "yes") for word in words], dtype=bool)


def _library_sizes(values: Any) -> Float[Array, " N"] | None:
    """Return the sum of every cell's counts over all genes; None if the values are not counts."""
    if values is None:
        return None
    own = np.asarray(values.data if hasattr(values, "toarray") else values)
    if not np.isfinite(own).all() or (own < 0).any() or (own != np.round(own)).any():
        return None
    return np.asarray(values.sum(axis=1), dtype=float).ravel()


def _as_counts(
    counts: Float[Array, "N D"], sizes: Float[Array, " N"], genes: tuple[str, ...]
) -> tuple[Float[Array, "N K"], tuple[TableColumn, ...], list[str]]:
    """Return the counts of the genes that vary most beside the library sizes, the columns, and
    notes.

    A gene's variation is compared with chance at equal shares of the gene in all cells. The measure
    is Pearson's: Σ (y − e)²/e, with e the count expected from the library size.
    """
    expected = sizes[:, None] * (counts.sum(axis=0) / sizes.sum())
    beyond = np.sum((counts - expected) ** 2 / np.maximum(expected, 1e-12), axis=0)
    varying = np.flatnonzero(np.ptp(counts, axis=0) > 0)
    used = np.sort(varying[np.argsort(-beyond[varying], kind="stable")[:MOST_GENES]])
    notes = ["Counts, with the library size of each cell as exposure: it does not shape the map."]
    if len(varying) < counts.shape[1]:
        still = plural(counts.shape[1] - len(varying), "gene")
        notes.append(f"Left out: {still} with the same count in all cells.")
    if len(used) < len(varying):
        notes.append(f"Only the {len(used)} of {len(varying):,} genes that vary most are used.")
    unit = float(np.exp(np.mean(np.log(sizes))))
    columns = (
        *(TableColumn(genes[at], "count") for at in used),
        TableColumn(LIBRARY_SIZE, "exposure", unit=unit),
    )
    return np.column_stack([counts[:, used], sizes]), columns, notes


def write_h5ad(source: Source, path: str | PathLike[str], model: Any) -> None:
    """Write a copy of the file with a model's latent positions of the cells.

    model: a model fitted to these cells, with `latent_mean_`, `latent_variance_` and `relevance_`.
    The copy has three more entries: obsm["X_gplvm"], the latent positions, most relevant dimension
    first; obsm["X_gplvm_std"], their standard deviations; and obs["gplvm_uncertainty"], the square
    root of each cell's summed variances in units of the squared lengthscales. Raises DataError if
    the numbers of cells differ, and without the package anndata.
    """
    cells, filename = _opened(source)
    mean, variance = np.asarray(model.latent_mean_), np.asarray(model.latent_variance_)
    if len(mean) != cells.n_obs:
        raise DataError(
            f"The model has {plural(len(mean), 'row')}, {filename} {plural(cells.n_obs, 'cell')}."
        )
    relevance = np.asarray(model.relevance_, dtype=float)
    order = np.argsort(-relevance, kind="stable")
    cells.obsm["X_gplvm"] = mean[:, order]
    cells.obsm["X_gplvm_std"] = np.sqrt(variance[:, order])
    cells.obs["gplvm_uncertainty"] = np.sqrt(variance @ relevance)
    for table in (cells.obs, cells.var, *([] if cells.raw is None else [cells.raw.var])):
        _as_plain_words(table)
    cells.write_h5ad(Path(path))


def _as_plain_words(table: Any) -> None:
    """Convert text to Python objects; anndata cannot write the text type of pandas 3."""
    import pandas

    table.index = table.index.astype(object)
    for name, column in table.items():
        if isinstance(column.dtype, pandas.StringDtype):
            table[name] = column.astype(object)


def _opened(source: Source) -> tuple[Any, str]:
    """Return a file as an object of anndata, and the file's name."""
    data, name = read_source(source, "an AnnData file")
    if not data.startswith(HDF5_MAGIC):
        raise DataError(f"{name} is not an AnnData file (.h5ad, an HDF5 format). Save it as one.")
    require_packages(*NEEDS)
    import anndata

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cells.h5ad"  # anndata can read only from a path
        file.write_bytes(data)
        with parsing(name, "is not an AnnData file, or it is cut off"):
            check_hdf5(file, name)
            return anndata.read_h5ad(file), name


def _labels(obs: Any, wanted: str | None, name: str) -> tuple[Any, tuple[str, ...], str | None]:
    """Return labels as numbers (−1: missing), their names, and the column of obs with them."""
    import pandas

    if wanted is not None and wanted not in obs:
        raise DataError(f"{name} has no column {wanted!r} in obs; it has {list(obs)}.")
    possible = [
        str(column)
        for column in obs
        if isinstance(obs[column].dtype, pandas.CategoricalDtype)
        and 1 < len(obs[column].cat.categories) <= MOST_LABELS
    ]
    chosen = wanted or next(iter(possible), None)
    if chosen is None:
        return None, (), None
    column = obs[chosen].astype("category")
    # pandas' code of a missing category is −1, as for our labels.
    return column.cat.codes.to_numpy(dtype=np.int64), tuple(map(str, column.cat.categories)), chosen
