"""Probabilities of words and counts in views with columns of several kinds."""

from collections.abc import Mapping
from typing import Any

from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray

from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.data.points import checked_levels
from gplvm_core.models.data.views import check_name
from gplvm_core.models.estimators.views_transfer import ViewsTransfer
from gplvm_core.numerics import Array
from gplvm_core.prediction.columns import Expected, counts_of, expected_of_others, words_of
from gplvm_core.readers import DataError

Name = str | int


class ViewsWords(ViewsTransfer):
    """Methods of `ManifoldRelevance` for views with columns of several kinds (`kinds_`)."""

    def class_words(self, view: str, column: Name = 0) -> tuple[Any, ...]:
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
        columns = self._table(view)
        return words_of(columns.columns[columns.column(column)])

    def class_probabilities(
        self, views: Mapping[str, Any], view: str, column: Name = 0
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
        self.class_words(view, column)
        expected, at = self._of_others(views, view, column)
        return expected.words(at)

    def count_probabilities(
        self, views: Mapping[str, Any], view: str, column: Name, most: int
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
        columns = self._table(view)
        counts_of(columns.columns[columns.column(column)])
        expected, at = self._of_others(views, view, column)
        return expected.counts(at, most)

    def column_quantiles(
        self,
        views: Mapping[str, Any],
        view: str,
        column: Name,
        quantiles: ArrayLike = (0.05, 0.5, 0.95),
    ) -> NDArray[Any]:
        """Return quantiles of a column in new rows, with noise, given all other values.

        Parameters
        ----------
        views : dict of str to array_like
            One or several of the trained views by name; NaN or None marks missing values.
        quantiles : array_like of shape (K,), default (0.05, 0.5, 0.95)
            Probabilities between 0 and 1.

        Returns
        -------
        ndarray of shape (K, n)
            Numbers or counts; for a column of grades, words.
        """
        levels = checked_levels(quantiles)
        expected, at = self._of_others(views, view, column)
        return expected.quantile_values(at, levels)

    def _of_others(self, views: Mapping[str, Any], view: str, column: Name) -> tuple[Expected, int]:
        """Predict a view without the values of one column; also return the column's number."""
        columns = self._table(view)
        at = columns.column(column)
        given = self._given(views, empty_rows=True)
        return expected_of_others(self._network, columns, view, given, at), at

    def _table(self, view: str) -> TableColumns:
        """The columns of a view; DataError for a view of only numbers."""
        self._check_fitted()
        check_name(view, self.views_)
        if view not in self._tables:
            raise DataError(
                f"all columns of the view {view!r} are numbers; fit with kinds={{{view!r}: …}} for "
                "columns of other kinds"
            )
        return self._tables[view]
