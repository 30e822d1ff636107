"""Columns of any kind: find a column's kind, and convert its values to numbers and back."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.cells import Cells, cells_of
from gplvm_core.readers.errors import DataError, listed, plural
from gplvm_core.readers.limits import LARGEST
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.proposals import (
    CONSTANT,
    MOST_WORDS,
    Proposal,
    in_order,
    of_cells,
    of_counts,
    yes_first,
)

# Every kind, and the module and class of its likelihood in gplvm_core/likelihoods. The readers do
# not import this class; the table of a model finds it by this name.
KINDS = {
    "number": "numbers.Number",
    "robust": "robust.Robust",
    "yes/no": "logistic.YesNo",
    "category": "logistic.YesNo",
    "grade": "logistic.YesNo",
    "count": "counts.Count",
    "exposure": "numbers.Exposure",
    "fraction": "numbers.Number",  # of the coordinates of all fractions of a table
    CONSTANT: "logistic.YesNo",  # a constant column has no outputs
}
FRACTION = "fraction"
NO_VALUE = "no value is given, and the model needs at least one"
LACKS = "two or more fractions are missing"  # in notes on rows without a usable value
# With the layer's Gaussian noise, with a noise of their own, and with the noise of coordinates.
NUMBERS = ("number", "robust", FRACTION)
QUANTITIES = (*NUMBERS, "count")  # targets of a regression, and columns to draw beside a map
EVERY = ("auto", "robust")  # words that stand for the kinds of all columns, as FRACTION does
OF_WORDS = ("yes/no", "category", "grade", CONSTANT)
MOST_COUNTED = 2**53  # up to here, every whole number is a floating-point number


@dataclass(frozen=True)
class TableColumn:
    """A column of a table: its name, its kind and its words.

    words: a category's words by decreasing frequency, a grade's words in order, or (yes, no).
    A word is stored as its number in `words`. unit: for an exposure, the geometric mean in the
    training rows. If a row's exposure is not known, its counts are predicted at this exposure.
    slips: pairs of a misspelt word and the word that is meant, which new rows are read by, too.
    """

    name: str
    kind: str
    words: tuple[Any, ...] = ()
    unit: float = 1.0
    slips: tuple[tuple[str, Any], ...] = ()

    def slips_in(self, values: Iterable[Any]) -> tuple[str, ...]:
        """A note if misspelt words are among the values."""
        seen, meant = Counter(map(str, values)), dict(self.slips)
        read = [f"“{word}” as “{meant[word]}” ({seen[word]} ×)" for word in meant if seen[word]]
        return (f"Misspelt words of “{self.name}” were read: {listed(read)}.",) if read else ()

    @property
    def is_words(self) -> bool:
        return bool(self.words)

    @property
    def is_number(self) -> bool:
        return self.kind in NUMBERS


def usable(rows: Float[Array, "N D"], columns: Sequence[TableColumn]) -> Float[Array, "N D"]:
    """Return the rows as models see them: if two or more fractions of a row are missing, all are.

    columns: of the rows; empty if all are numbers.
    """
    own = np.array([column.kind == FRACTION for column in columns], dtype=bool)
    lost = own & (np.isnan(rows[:, own]).sum(axis=1) > 1)[:, None] if own.any() else False
    return np.where(lost, np.nan, rows)


def columns_of(
    table: Sequence[Cells], kinds: Any, *, fractions: bool = False
) -> tuple[tuple[TableColumn, ...], tuple[str, ...]]:
    """Return the columns of training data, and notes with the kinds that were chosen automatically
    and with the columns that are left out because they are constant.

    kinds: "auto"; "robust", which is "auto" with robust noise for all numbers; a list with one
    entry per column; or a dict by column name or number. An entry is a kind, the words of a grade
    in their order, or a `TableColumn` whose kind and slips are used. "auto" also applies to the
    columns that a dict leaves out. fractions: whether columns may be fractions. Raises DataError
    for unknown kinds, and for values that do not fit their kind.
    """
    asked = _asked(table, kinds)
    if FRACTION in [kind for kind in asked if isinstance(kind, str)] and not fractions:
        raise DataError(
            "only latent variable models take fractions (BayesianGPLVM, BayesianPCA, "
            "ManifoldRelevance): make these columns numbers here"
        )
    given = Proposal((), "")
    found = [given if kind else proposal(cells) for cells, kind in zip(table, asked, strict=True)]
    columns, chosen, notes = [], [], []
    for cells in table:
        if len(cells.seen) < 2:
            raise DataError(
                f"column {cells.name!r} has {plural(len(cells.seen), 'value')} in "
                f"{plural(len(cells.values), 'row')}: nothing can be learnt from it. Leave it out"
            )
    robust = isinstance(kinds, str) and kinds == "robust"
    chosen_now = chosen_kinds(asked, [cells.name for cells in table], found, robust=robust)
    for cells, kind, each in zip(table, chosen_now, found, strict=True):
        columns.append(_column(cells, kind))
        if each is not given:
            why = f" ({each.reason})" if each.reason else ""
            chosen.append(f"{cells.name!r} {columns[-1].kind}{why}")
        if columns[-1].kind == CONSTANT:
            notes.append(
                f"the column {cells.name!r} is constant ({columns[-1].words[0]!r}): it is left "
                "out, and gaps in it are filled with this value"
            )
    used = {column.kind for column in columns}
    if all(_constant(cells) for cells in table):
        raise DataError("every column of the table is constant: there is nothing to learn")
    if "exposure" in used and "count" not in used:
        raise DataError("an exposure multiplies counts, but no column of the table is of counts")
    if chosen:
        notes.insert(0, f"kinds of columns: {'; '.join(chosen)}")
    return tuple(columns), tuple(notes)


def _asked(table: Sequence[Cells], kinds: Any) -> list[Any]:
    """Return the kind that the user gave for each column; None if the user gave none."""
    names = [cells.name for cells in table]
    if kinds is None:
        return ["number"] * len(names)
    if isinstance(kinds, str):
        if kinds not in (*EVERY, FRACTION):
            raise DataError(
                'kinds must be None, "auto", "robust", "fraction", or a list or dict of kinds; got '
                f"{kinds!r}"
            )
        return [FRACTION if kinds == FRACTION else None] * len(names)
    if isinstance(kinds, Mapping):
        found: dict[str, Any] = {}
        for key, kind in kinds.items():
            number = isinstance(key, int) and str(key) not in names
            name = names[key] if number and -len(names) <= key < len(names) else str(key)
            if name not in names:
                raise DataError(
                    f"kinds names the column {key!r}, which is not in the table; its columns are "
                    f"{listed(names)}"
                )
            found[name] = kind
        return [found.get(name) for name in names]
    if len(kinds) != len(names):
        raise DataError(f"kinds has {len(kinds)} entries for {plural(len(names), 'column')}")
    return list(kinds)


def chosen_kinds(
    asked: Sequence[Any], names: Sequence[str], found: Sequence[Proposal], *, robust: bool
) -> list[Any]:
    """Return the given kinds and, for None, the proposed ones; a grade of words is the list of
    its words. robust: whether all numbers have robust noise.

    If no column has words, none has a given kind other than those of `NUMBERS`, and the table is
    not one of counts, all columns are numbers.
    Raises DataError for text that cannot be learnt.
    """
    given = any(kind not in (None, *NUMBERS) for kind in asked)
    mixed = given or any(
        kind is None and each.is_text for kind, each in zip(asked, found, strict=True)
    )
    mixed = mixed or of_counts([each.reason for each in found])
    kinds = list(asked)
    for at, (name, each) in enumerate(zip(names, found, strict=True)):
        if kinds[at] is not None:
            continue
        if each.is_text and not each.kinds:
            raise DataError(
                f"the column {name!r} cannot be learnt: {each.reason}. Leave it out, or name its "
                "kind"
            )
        kinds[at] = each.kinds[0] if mixed and each.kinds else "number"
        if kinds[at] == "grade" and each.is_text:
            kinds[at] = list(each.words)
    return ["robust" if robust and kind == "number" else kind for kind in kinds]


def proposal(cells: Cells) -> Proposal:
    """Propose the kind of a column by its values, unless its data type declares the kind."""
    declared = {
        "ordered": ("grade", "ordered categories"),
        "category": ("category", "categories"),
        "bool": ("yes/no", "True and False"),
    }
    seen = cells.seen
    if cells.dtype in declared and seen:
        kind, reason = declared[cells.dtype]
        return Proposal((kind,), reason, cells.levels, is_text=True)
    numbers = None
    if cells.dtype in ("int", "float"):
        numbers = np.array([np.nan if v is None else v for v in cells.values], dtype=float)
    share = sum(isinstance(value, int | float) for value in seen) / max(len(seen), 1)
    return of_cells(numbers, share, lambda: ["" if v is None else str(v) for v in cells.values])


def _column(cells: Cells, kind: Any) -> TableColumn:
    if isinstance(kind, TableColumn):
        meant = dict(kind.slips)
        values = np.array([meant.get(word, word) for word in cells.values], dtype=object)
        return replace(_column(replace(cells, values=values), kind.kind), slips=kind.slips)
    if isinstance(kind, Sequence) and not isinstance(kind, str):
        return _grade(cells, tuple(kind))
    if not isinstance(kind, str) or kind not in KINDS:
        raise DataError(
            f"column {cells.name!r}: kind must be one of {', '.join(KINDS)}, or the words of a "
            f"grade in their order; got {kind!r}"
        )
    if kind in (*NUMBERS, "count", "exposure"):
        check_values(cells, kind)
    if kind in ("number", FRACTION):
        return TableColumn(cells.name, kind)
    if kind in NUMBERS:
        # The scale of a column's own noise is unknown if all values are equal.
        return TableColumn(cells.name, "number" if _constant(cells) else kind)
    if kind == "count":
        return _constant(cells) or TableColumn(cells.name, kind)
    if kind == "exposure":
        if len(cells.seen) < len(cells.values):
            row = next(row for row, value in enumerate(cells.values) if value is None)
            raise DataError(
                f"the exposure {cells.name!r} is missing in {cells.place(row)}: training needs it "
                "in every row. Fill it in, or leave the row out"
            )
        unit = float(np.exp(np.mean(np.log(np.array(cells.seen, dtype=float)))))
        return TableColumn(cells.name, kind, unit=unit)
    if kind == "grade":
        return _grade(cells, _levels(cells))
    found = Counter(cells.seen)
    if constant := _constant(cells):
        return constant
    if len(found) > {CONSTANT: 1, "yes/no": 2}.get(kind, len(found)):
        remedy = "; make it a category" if kind == "yes/no" else ""
        raise DataError(
            f"column {cells.name!r} should be {kind} but has {len(found)} values "
            f"({listed([str(word) for word in found])}){remedy}"
        )
    if kind == "yes/no":
        return TableColumn(cells.name, kind, yes_first(map(plain, found)))
    _few_words(cells, len(found))
    # Frequent words first: the yes/no columns then have more rows, and bounds are higher.
    words = sorted(in_order(found), key=found.__getitem__, reverse=True)
    return TableColumn(cells.name, kind, tuple(map(plain, words)))


def plain(word: Any) -> Any:
    """Return a whole number as an integer: gaps make data frames store whole numbers as floats."""
    return int(word) if isinstance(word, float) and word.is_integer() else word


def _levels(cells: Cells) -> tuple[Any, ...]:
    """Return the words of a grade in their order."""
    if cells.levels:
        return cells.levels
    found = Counter(cells.seen)
    if all(isinstance(word, int | float) for word in found):
        return in_order(map(plain, found))
    raise DataError(
        f"column {cells.name!r} should be a grade, but the order of its words "
        f"({listed([str(word) for word in found])}) is unknown: give the words in their order",
        script='As in kinds={"size": ["small", "medium", "large"]}, or an ordered category.',
    )


def _grade(cells: Cells, levels: tuple[Any, ...]) -> TableColumn:
    coded_column(TableColumn(cells.name, "grade", levels), cells)
    found = Counter(cells.seen)
    if constant := _constant(cells):
        return constant
    # nothing can be learnt about a word that does not occur in any row
    used = tuple(level for level in levels if level in found)
    _few_words(cells, len(used))
    return TableColumn(cells.name, "grade", used)


def _constant(cells: Cells) -> TableColumn | None:
    """Return the column if it has one value in all rows that have any, else None."""
    first = plain(cells.seen[0])
    if any(value != first for value in cells.seen):
        return None
    return TableColumn(cells.name, CONSTANT, (first,))


def _few_words(cells: Cells, count: int) -> None:
    if count > MOST_WORDS:
        raise DataError(
            f"column {cells.name!r} has {count:,} different words in {len(cells.values):,} rows; "
            f"at most {MOST_WORDS} can be learnt. Leave the column out (names and free text are "
            "not categories), or join rare words into one"
        )


def check_values(cells: Cells, kind: str) -> None:
    """Raise DataError unless all values are finite numbers; exposures are above 0, and counts are
    whole numbers from 0.
    """
    rows: Iterable[int] = range(len(cells.values))
    if kind in NUMBERS and cells.values.dtype == np.float64:
        rows = np.flatnonzero(np.abs(cells.values) > LARGEST).tolist()
    for row in rows:
        value = cells.values.item(row)
        if value is None:
            continue
        if not isinstance(value, int | float) or value != value or abs(value) == np.inf:
            raise DataError(
                f"column {cells.name!r} holds numbers, but {cells.place(row)} has {value!r}. Make "
                "the column a category, or leave the value out"
            )
        if abs(value) > LARGEST:
            raise DataError(
                f"column {cells.name!r} has a number beyond ±{LARGEST:g} in {cells.place(row)}: "
                "its square is too large to compute with. Change the units, or leave the value out"
            )
        if kind == "exposure" and value <= 0:
            raise DataError(
                f"column {cells.name!r} holds exposures, but {cells.place(row)} has {value!r}: an "
                "exposure multiplies the expected counts of its row and is above 0"
            )
        if kind == "count" and (value < 0 or value != int(value) or value > MOST_COUNTED):
            raise DataError(
                f"column {cells.name!r} holds counts, but {cells.place(row)} has {value!r}: counts "
                f"are whole numbers from 0 to {MOST_COUNTED}. Make it a column of numbers"
            )


def coded_column(column: TableColumn, cells: Cells) -> Float[Array, " N"]:
    """Return a column as numbers: a word as its number in `words`, NaN where missing.

    Raises DataError for values that a column of its kind cannot have, and for unknown words.
    """
    if not column.is_words:
        check_values(cells, column.kind)
        if cells.values.dtype == np.float64:
            return cells.values
        return np.array([np.nan if value is None else value for value in cells.values], dtype=float)
    number = {word: at for at, word in enumerate(column.words)}
    number |= {word: number[meant] for word, meant in column.slips if meant in number}
    found = np.full(len(cells.values), np.nan)
    for row, value in enumerate(cells.values):
        if value is None:
            continue
        if value not in number:
            raise DataError(
                f"column {column.name!r} ({column.kind}) has {value!r} in {cells.place(row)}; its "
                f"words are {listed([repr(word) for word in column.words], 10)}. Correct it, or "
                "leave the value out"
            )
        found[row] = number[value]
    return found


def coded_table(columns: Sequence[TableColumn], table: Any) -> Float[Array, "N C"]:
    """Convert a data frame, or rows of the columns' own values, to numbers by `coded_column`."""
    cells = cells_of(table)
    if len(cells) != len(columns):
        raise DataError(
            f"the rows have {plural(len(cells), 'column')} instead of the {len(columns)} "
            f"({listed([column.name for column in columns], 20)})"
        )
    return np.column_stack([*map(coded_column, columns, cells)])


def check_coded(columns: Sequence[TableColumn], values: Float[Array, "N C"], name: str) -> None:
    """Raise DataError unless these are values that `coded_column` can return for the columns."""
    if len(columns) != values.shape[1]:
        raise DataError(
            f"{name}: {plural(len(columns), 'kind')} for {plural(values.shape[1], 'column')}."
        )
    for column, own in zip(columns, values.T, strict=True):
        if column.kind not in KINDS or column.is_words != (column.kind in OF_WORDS):
            raise DataError(f"{name}: the column {column.name!r} cannot be {column.kind!r}.")
        if column.is_number:
            continue
        seen = own[~np.isnan(own)]
        if column.kind == "exposure":
            if (seen <= 0.0).any():
                raise DataError(f"{name}: the exposure {column.name!r} must be above 0.")
            continue
        most = len(column.words) - 1 if column.is_words else np.inf
        if (seen < 0).any() or (seen > most).any() or (seen != np.round(seen)).any():
            what = f"numbers of its {plural(len(column.words), 'word')}" * column.is_words
            raise DataError(
                f"{name}: the values of the column {column.name!r} ({column.kind}) must be "
                f"{what or 'whole numbers'} from 0."
            )


def kinds_of(columns: Sequence[TableColumn]) -> list[Any]:
    """Return the argument `kinds` of a model for these columns; a grade is the list of its
    words, and a column with slips is itself.
    """
    return [
        column if column.slips else list(column.words) if column.kind == "grade" else column.kind
        for column in columns
    ]


def in_own_values(columns: Sequence[TableColumn], values: Float[Array, "n C"]) -> Any:
    """Return a data frame of the columns' own values: words, whole counts, or numbers.

    values: the columns as `coded_column` returns them. Missing values are None or NaN in the data
    frame.
    """
    require_packages("Tables with words", ("pandas",))
    import pandas

    def own(column: TableColumn, coded: Float[Array, " n"]) -> Any:
        if column.is_number or column.kind == "exposure":
            return coded
        cells = np.full(len(coded), None, dtype=object)
        for row in np.flatnonzero(~np.isnan(coded)):
            number = int(coded[row])
            cells[row] = column.words[number] if column.is_words else number
        return cells

    found = [own(column, each) for column, each in zip(columns, values.T, strict=True)]
    # Columns are identified by number, because names may occur twice.
    frame = pandas.DataFrame(dict(enumerate(found)))
    return frame.set_axis([column.name for column in columns], axis=1)
