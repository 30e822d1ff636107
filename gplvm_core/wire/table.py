"""Pack a table with words and counts, and the numbers that convert functions to values.

The canvas gets the functions of a table centred and without units: h_d = (f_d − center_d)/unit_d,
where unit_d² is the variance of f_d among rows, noise included. A metre, a logit and the logarithm
of a count are then comparable. The browser computes distances and variances of the h_d as for
numbers of one unit. `links` has the numbers that convert h_d back to functions, and functions to
values and words. Exposures are not drawn: the browser shows counts at a usual exposure.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.figures.palette import COLOURS
from gplvm_core.likelihoods import TableColumns
from gplvm_core.prediction import Posterior
from gplvm_core.readers.kinds import FRACTION, TableColumn
from gplvm_core.readers.proposals import CONSTANT
from gplvm_core.wire.rows import DrawnData


def units(posterior: Posterior, columns: TableColumns) -> Float[Array, " D"]:
    """Return unit_d. All outputs of a column of words together have the weight of one number."""
    links = posterior.links
    assert links is not None
    own = links.in_units(1.0 / posterior.scale)
    level = float(np.mean(posterior.kernel.diag(posterior.inducing)))
    signal = level * np.array([posterior.variances.ratio(d) for d in range(posterior.n_outputs)])
    noise = np.where(links.numbers, posterior.noise_variance, own.noise)
    widths = np.concatenate([np.full(at.stop - at.start, at.stop - at.start)
                             for at in columns.places])  # fmt: skip
    shared = widths * len(columns.columns) / posterior.n_outputs
    return np.asarray(posterior.scale * np.sqrt((signal + noise) * shared))


def without_units(posterior: Posterior, columns: TableColumns) -> Posterior:
    """Return the posterior of the h_d, which are numbers."""
    scale = posterior.scale / units(posterior, columns)
    return replace(posterior, center=np.zeros(posterior.n_outputs), scale=scale, links=None)


def drawn(columns: Sequence[TableColumn]) -> list[int]:
    """Return the indices of the columns that the browser draws."""
    return [at for at, column in enumerate(columns) if column.kind not in ("exposure", CONSTANT)]


def coded_rows(dataset: DrawnData, columns: TableColumns) -> Float[Array, "N C"]:
    """Return the drawn columns of a data set; see `recoded`."""
    return recoded(dataset.values, dataset.columns, columns)[:, drawn(columns.columns)]


def recoded(
    rows: Float[Array, "N D"], columns: Sequence[TableColumn], learnt: TableColumns
) -> Float[Array, "N D"]:
    """Replace the number of a word in `columns` by its number among the model's words.

    A word that the model does not know is missing.
    """
    values = rows.copy()
    for at, (column, own) in enumerate(zip(learnt.columns, columns, strict=True)):
        if not column.is_words:
            continue
        number = {word: code for code, word in enumerate(column.words)}
        codes = np.array([number.get(word, np.nan) for word in own.words])
        known = ~np.isnan(values[:, at])
        values[known, at] = codes[values[known, at].astype(int)]
    return values


def table_drawing(dataset: DrawnData, columns: TableColumns | None) -> dict[str, Any]:
    """Return how a row of a table is drawn: its columns with their words and ranges.

    columns: the model's columns, for the order of their words; None uses the data set's columns.
    """
    own = dataset.columns if columns is None else columns.columns
    entries: list[dict[str, Any]] = []
    for at in drawn(own):
        column, values = own[at], dataset.values[:, at]
        entry: dict[str, Any] = {
            "name": column.name,
            "kind": "number" if column.kind == "robust" else column.kind,
        }
        if column.is_words:
            entry["words"] = [str(word) for word in column.words]
        else:
            seen = values[~np.isnan(values)]
            entry["range"] = [float(mark) for mark in (seen.min(), np.median(seen), seen.max())]
        entries.append(entry)
    names = [entry["name"] for entry in entries]
    return {"kind": "table", "columns": names, "table": entries, "palette": list(COLOURS)}


def pack_links(
    posterior: Posterior, columns: TableColumns, rows: Float[Array, "N C"]
) -> dict[str, Any]:
    """Return the numbers that convert h_d to columns, and the spread of the columns among the rows.

    rows: the result of `coded_rows`. The spread of a number or count is its variance; the spread of
    words is Σ_c b_c (1 − b_c), where b_c is the share of rows with word c.
    """
    links = posterior.links
    assert links is not None
    each = []
    for at, values in zip(drawn(columns.columns), rows.T, strict=True):
        column, place = columns.columns[at], columns.places[at]
        seen = values[~np.isnan(values)]
        entry: dict[str, Any] = {"start": place.start}
        if column.is_words:
            shares = np.bincount(seen.astype(int), minlength=len(column.words)) / max(len(seen), 1)
            entry["spread"] = float(np.sum(shares * (1.0 - shares)))
        else:
            entry["spread"] = float(np.var(seen))
            likelihood = links.columns[place.start]
            entry |= likelihood.browser_form(float(posterior.noise[place.start]))
        each.append(entry)
    center = np.broadcast_to(posterior.center, (posterior.n_outputs,))
    wholes = [column.unit for column in columns.columns if column.kind == FRACTION]
    return {
        **({"whole": wholes[0]} if wholes else {}),
        "columns": each,
        "center": center.tolist(),
        "unit": units(posterior, columns).tolist(),
    }
