"""Probabilities and quantiles of a column with words or counts, in a table or in a view.

A face has the method `_table`: the columns of some data by name, a table's by the name `DATA`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray

from gplvm_core.models.data.rows import checked_levels, refuse_unseen
from gplvm_core.models.estimators.views_transfer import from_others
from gplvm_core.models.estimators.with_density import completed
from gplvm_core.models.estimators.with_known import of_rows
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA
from gplvm_core.prediction.columns import Expected, counts_of, words_of


def class_words(self: Any, column: str | int) -> tuple[Any, ...]:
    """Return the words of a column, in the order of `class_probabilities`.

    Returns
    -------
    tuple
        The words.

    Raises
    ------
    ValueError
        If all columns of the model are numbers.
    """
    return _words(self, DATA, column)


@of_rows
def class_probabilities(self: Any, Y: Any, column: str | int) -> Float[Array, "N C"]:
    """Return the probabilities of a column's words in new rows, given their other columns.

    The rows' own values in this column are not used.

    Parameters
    ----------
    Y : array_like or DataFrame of shape (n, D)
        Rows; NaN or None marks missing values.

    Returns
    -------
    ndarray of shape (n, C)
        Probabilities, in the order of `class_words`.
    """
    return _probabilities(self, Y, DATA, column)


def class_probabilities_at(
    self: Any, X: ArrayLike, column: str | int, *, X_variance: ArrayLike | None = None
) -> Float[Array, "N C"]:
    """Return the probabilities of a column's words at latent points.

    Parameters
    ----------
    X : array_like of shape (n, Q)
        Latent points.
    X_variance : array_like, optional
        Variances of the latent points; None for exact points.

    Returns
    -------
    ndarray of shape (n, C)
        Probabilities, in the order of `class_words`.
    """
    class_words(self, column)
    expected = self.fitted_.expected_at(DATA, {0: self._points(X, X_variance)})
    return expected.words(self._table(DATA).column(column))


@of_rows
def count_probabilities(self: Any, Y: Any, column: str | int, most: int) -> Float[Array, "N C"]:
    """Return the probabilities of the counts 0 to `most`, given the other columns of new rows.

    Parameters
    ----------
    Y : array_like or DataFrame of shape (n, D)
        Rows; NaN or None marks missing values.

    Returns
    -------
    ndarray of shape (n, most + 1)
        Probabilities.

    Raises
    ------
    DataError
        If the column holds no counts.
    """
    return _counts(self, Y, DATA, column, most)


@of_rows
def column_quantiles(
    self: Any, Y: Any, column: str | int, quantiles: ArrayLike = (0.05, 0.5, 0.95)
) -> NDArray[Any]:
    """Return quantiles of a column in new rows, given their other columns, with noise.

    For a fraction, the other fractions of the row are not used: they determine it.

    Parameters
    ----------
    Y : array_like or DataFrame of shape (n, D)
        Rows; NaN or None marks missing values.
    quantiles : array_like of shape (K,), default (0.05, 0.5, 0.95)
        Probabilities between 0 and 1.

    Returns
    -------
    ndarray of shape (K, n)
        Numbers, counts or fractions; for a column of grades, words.
    """
    return _quantiles(self, Y, DATA, column, quantiles)


def class_words_of_view(self: Any, view: str, column: str | int = 0) -> tuple[Any, ...]:
    """Return the words of a column of a view, in the order of `class_probabilities`.

    Parameters
    ----------
    view : str
        The name of the view.
    column : str or int, default 0
        The name or the number of the column.

    Returns
    -------
    tuple
        The words.
    """
    return _words(self, view, column)


def class_probabilities_of_view(
    self: Any, views: Mapping[str, Any], view: str, column: str | int = 0
) -> Float[Array, "N C"]:
    """Return the probabilities of a column's words in new rows, given all other values.

    `views` may also contain `view` itself: its other columns are used, but the rows' own
    values in this column are not.

    Parameters
    ----------
    views : dict of str to array_like
        One or several of the trained views by name; NaN or None marks missing values.
    column : str or int, default 0
        The name or the number of the column.

    Returns
    -------
    ndarray of shape (n, C)
        Probabilities, in the order of `class_words`.
    """
    return _probabilities(self, views, view, column)


def count_probabilities_of_view(
    self: Any, views: Mapping[str, Any], view: str, column: str | int, most: int
) -> Float[Array, "N C"]:
    """Return the probabilities of the counts 0 to `most`, given all other values of new rows.

    Parameters
    ----------
    views : dict of str to array_like
        One or several of the trained views by name; NaN or None marks missing values.

    Returns
    -------
    ndarray of shape (n, most + 1)
        Probabilities.
    """
    return _counts(self, views, view, column, most)


def column_quantiles_of_view(
    self: Any,
    views: Mapping[str, Any],
    view: str,
    column: str | int,
    quantiles: ArrayLike = (0.05, 0.5, 0.95),
) -> NDArray[Any]:
    """Return quantiles of a column in new rows, with noise, given all other values.

    For a fraction, the other fractions of the row are not used: they determine it.

    Parameters
    ----------
    views : dict of str to array_like
        One or several of the trained views by name; NaN or None marks missing values.
    quantiles : array_like of shape (K,), default (0.05, 0.5, 0.95)
        Probabilities between 0 and 1.

    Returns
    -------
    ndarray of shape (K, n)
        Numbers, counts or fractions; for a column of grades, words.
    """
    return _quantiles(self, views, view, column, quantiles)


def _words(model: Any, name: str, column: str | int) -> tuple[Any, ...]:
    columns = model._table(name)
    return words_of(columns.columns[columns.column(column)])


def _probabilities(model: Any, Y: Any, name: str, column: str | int) -> Float[Array, "N C"]:
    _words(model, name, column)
    expected, at = _of_others(model, Y, name, column)
    return expected.words(at)


def _counts(model: Any, Y: Any, name: str, column: str | int, most: int) -> Float[Array, "N C"]:
    columns = model._table(name)
    counts_of(columns.columns[columns.column(column)])
    expected, at = _of_others(model, Y, name, column)
    return expected.counts(at, most)


def _quantiles(
    model: Any, Y: Any, name: str, column: str | int, quantiles: ArrayLike
) -> NDArray[Any]:
    levels = checked_levels(quantiles)
    if name in model.fitted_.fractions:
        return _quantiles_beside_fractions(model, Y, name, column, levels)
    expected, at = _of_others(model, Y, name, column)
    return expected.quantile_values(at, levels)


def _quantiles_beside_fractions(
    model: Any, Y: Any, name: str, column: str | int, levels: Float[Array, " L"]
) -> Float[Array, "L N"]:
    """Return quantiles of one fraction, without the fractions of the row, which determine it; or of
    a number beside fractions.
    """
    fitted = model.fitted_
    parts = fitted.fractions[name]
    at, rows = parts.columns.column(column), model._rows(Y, all_seen=False)
    if name == DATA:
        known = rows[DATA].copy()
        known[:, parts.hidden_with(at)] = np.nan
        refuse_unseen(np.asarray(~np.isnan(known).all(axis=1)), where="the other columns of ")
        mean, variance = completed(fitted, {DATA: known}, None)[DATA]
    else:
        others = {view: own for view, own in rows.items() if view != name}
        mean, variance = from_others(model, others, name)
    return parts.quantiles(levels, mean, np.sqrt(variance), at)


def _of_others(model: Any, Y: Any, name: str, column: str | int) -> tuple[Expected, int]:
    """Predictions of rows without the rows' own values in one column, and the column's number."""
    at = model._table(name).column(column)
    rows = model._rows(Y, all_seen=False)
    return model.fitted_.expected_without(name, rows, at), at
