"""The result of a comparison: values of all models on all splits, paired differences, tables."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float
from scipy.stats import t as student

from gplvm_core.comparison.measures import OF_NEW_ROWS, Measure
from gplvm_core.numerics import Array
from gplvm_core.readers.tables.csv_text import csv_text

MARKS = re.compile(r"[\\`*_\[\]<>~$#|&]")  # special characters of Markdown and HTML
SURE = 0.95  # confidence level at which a difference counts


@dataclass(frozen=True)
class Difference:
    """A mean over splits (or rows), with its standard error; a single one has no finite error."""

    mean: float
    error: float
    n_splits: int

    @classmethod
    def of(cls, values: Float[Array, " S"], overlap: float = 0.0) -> Self:
        """overlap: the ratio of test rows to training rows, if the splits share rows."""
        if len(values) < 2:
            return cls(float(values.mean()) if len(values) else np.nan, np.inf, len(values))
        error = values.std(ddof=1) * np.sqrt(1.0 / len(values) + overlap)
        return cls(float(values.mean()), float(error), len(values))

    @property
    def in_errors(self) -> float:
        """The mean in standard errors; very large if all values are the same, but not 0."""
        return self.mean / max(self.error, np.finfo(float).tiny)

    @property
    def sure(self) -> bool:
        """Whether the difference is significant in Student's t-test.

        Student's t accounts for the poor estimate of the standard error from few splits.
        """
        if self.n_splits < 2:
            return False
        most = student.ppf(0.5 + 0.5 * SURE, self.n_splits - 1) * self.error
        return bool(abs(self.mean) > most)

    def __str__(self) -> str:
        return f"{self.mean:+.{self._digits}f} ± {self.error:.{self._digits}f}"

    @property
    def unsigned(self) -> str:
        """The difference as text without its sign, for sentences that state the direction."""
        return f"{abs(self.mean):.{self._digits}f} ± {self.error:.{self._digits}f}"

    @property
    def _digits(self) -> int:
        """The number of decimals that shows the first digit of the error."""
        if not np.isfinite(self.error) or self.error <= 0.0:
            return 2
        return int(np.clip(np.ceil(-np.log10(self.error)), 0, 6))


@dataclass(frozen=True)
class Comparison:
    """Every measure of every model (columns) on every finished split (rows).

    values: the values by key of the measure (`OF_NEW_ROWS`); NaN if a model does not have the
    measure. reference: the model with which all other models are compared. overlap: the mean ratio
    of test rows to training rows; it corrects errors for rows that splits share. answer: the result
    in words. notes: explanations of the method and the measures.
    """

    names: tuple[str, ...]
    values: Mapping[str, Float[Array, "S C"]]
    reference: str
    overlap: float
    answer: str = ""
    notes: tuple[str, ...] = ()

    @property
    def n_splits(self) -> int:
        return len(next(iter(self.values.values())))

    def mean(self, measure: str, name: str) -> float:
        """Return the mean over the splits; NaN unless the model has the measure on every split."""
        values = self._of(measure, name)
        return float(values.mean()) if len(values) else np.nan

    def difference(self, measure: str, name: str, other: str | None = None) -> Difference:
        """Return the mean of name − other (default: the reference), paired by split.

        The splits share training rows, so their differences are correlated. With n test and m
        training rows, the variance of the mean is therefore s² (1/S + n/m), not s²/S. Source:
        Nadeau & Bengio (2003).
        """
        values = self._of(measure, name) - self._of(measure, other or self.reference)
        return Difference.of(values, self.overlap)

    def gain(self, measure: Measure, name: str, other: str) -> Difference:
        """Return how much better `name` is than `other` in a measure; negative if it is worse."""
        worse, better = (measure.loss(self._of(measure.key, each)) for each in (other, name))
        return Difference.of(worse - better, self.overlap)

    def leading(self, measure: Measure) -> tuple[str, ...]:
        """Return the model with the best mean, and all models that are not clearly worse.

        The result is empty if the measure has no better direction or was not measured.
        """
        if measure.key not in self.values or not self.n_splits:
            return ()
        losses = {
            name: float(np.mean(measure.loss(self._of(measure.key, name)))) for name in self.names
        }
        known = sorted((loss, name) for name, loss in losses.items() if np.isfinite(loss))
        if not known:
            return ()
        best = known[0][1]
        return (
            best,
            *(name for _, name in known[1:] if not self.gain(measure, best, name).sure),
        )

    def rows(self) -> tuple[dict[str, str], ...]:
        """Return a table row for each model: its means, and its differences from the reference."""
        if not self.n_splits:
            return ()
        compared = [measure for measure in self.values if measure != "seconds"]
        found = []
        for name in self.names:
            row = {"model": name}
            for measure in compared:
                words = OF_NEW_ROWS[measure].words
                row[words] = OF_NEW_ROWS[measure].in_words(self.mean(measure, name))
                difference = self.difference(measure, name)
                known = name != self.reference and np.isfinite(difference.mean)
                row[f"{words}: difference from {self.reference}"] = str(difference) if known else ""
            row["CPU seconds"] = f"{self.mean('seconds', name):.2g}"
            found.append(row)
        return tuple(found)

    def to_csv(self) -> str:
        """Return a CSV with a line for every split and model, with all digits."""
        lines: list[tuple[object, ...]] = [("split", "model", *self.values)]
        for split in range(self.n_splits):
            for at, name in enumerate(self.names):
                numbers = (repr(float(each[split, at])) for each in self.values.values())
                lines.append((split, name, *numbers))
        return csv_text(lines)

    def to_markdown(self) -> str:
        """Return the answer, the table and the notes as Markdown."""
        rows, parts = self.rows(), [self.answer]
        if rows:
            lines = (tuple(rows[0]), *(tuple(row.values()) for row in rows))
            parts.append(markdown_table([list(map(markdown_cell, line)) for line in lines]))
        return "\n\n".join((*parts, *self.notes)) + "\n"

    def _of(self, measure: str, name: str) -> Float[Array, " S"]:
        """Return a model's values on the splits where any model has the measure."""
        taken = self.values[measure]
        known = taken[~np.isnan(taken).all(axis=1)]
        return np.asarray(known[:, self.names.index(name)])


def markdown_cell(text: str) -> str:
    """Escape text for a cell of a Markdown table."""
    return MARKS.sub(r"\\\g<0>", " ".join(text.split()))


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; the first row is its head, and the first column names the rows."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---" + "|---:" * (len(rows[0]) - 1) + "|")
    return "\n".join(lines)
