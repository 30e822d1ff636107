"""Numbers in the text of new rows, read by the rule of `read_table`, block after block."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.numerics import Array, BoolArray
from gplvm_core.readers import DataError
from gplvm_core.readers.cells import Cells
from gplvm_core.readers.tables.columns import MISSING, text_column
from gplvm_core.readers.tables.lines import SNIFFED_LINES
from gplvm_core.readers.tables.numerals import decimal_sign, has_two_readings

TRUTHS = {"true": "1", "false": "0"}  # as pandas writes a column of bools to a file


@dataclass
class WrittenNumbers:
    """Reads columns of text as numbers, the same way in all blocks of a table.

    decimal: the decimal sign of the table, "" if the first block with text decides. known: the
    training rows, if they are known. notes: on numbers that may mean something else.
    """

    decimal: str = ""
    known: Float[Array, "N D"] | None = None
    notes: dict[str, str] = field(default_factory=dict)
    _sure: dict[str, str] = field(default_factory=dict)  # the decimal signs of columns
    _guessed: dict[str, str] = field(default_factory=dict)
    _evident: bool | None = None  # whether the decimal sign of the table is sure

    def look_at(self, columns: Sequence[Cells]) -> None:
        """Find the decimal sign of the table from its columns of numbers, once."""
        texts = [text for each in columns for text in _texts(each.values[:SNIFFED_LINES])]
        if self._evident is None and texts:
            self._evident = bool(decimal_sign(texts, "", ""))
            self.decimal = self.decimal or decimal_sign(texts)

    def read(self, cells: Cells, at: int, before: int) -> Cells:
        """Return a column with its text as numbers; DataError names a cell that is none.

        at: the number of the column; before: the number of rows before this block.
        """
        rows = [row for row, value in enumerate(cells.values) if isinstance(value, str)]
        texts = _texts(cells.values)
        if not texts:
            return cells
        decimal = self._sure.get(cells.name, self.decimal or ".")
        if all(text.lower() in TRUTHS for text in texts):
            texts = [TRUTHS[text.lower()] for text in texts]
        column = text_column(cells.name, texts, decimal)
        numbers = column.numbers
        bad = column.problem
        if numbers is not None:
            bad = int(np.isinf(numbers).argmax()) if np.isinf(numbers).any() else None
        if numbers is None or bad is not None:
            raise DataError(
                f"row {before + rows[bad or 0] + 1}, column “{cells.name}”: “{texts[bad or 0]}” is "
                "no number. Correct it, or leave the cell empty."
            )
        if not column.of_day:
            plain = decimal == "." and column.example is None and "," not in "".join(texts)
            self._remember(cells.name, texts, decimal, plain=plain)
            if not plain:
                self._note(cells.name, texts, numbers, at)
        values = cells.values.copy()
        for row, value in zip(rows, numbers.tolist(), strict=True):
            values[row] = None if np.isnan(value) else value
        return replace(cells, values=values)

    def _remember(self, name: str, texts: Sequence[str], decimal: str, *, plain: bool) -> None:
        """Keep the decimal sign of a column; DataError if earlier rows were read with another."""
        if plain:
            known = (text for text in texts if text.lower() not in MISSING)
            found = "." if any("." in text for text in known) else ""
        else:
            found = decimal_sign(texts, "", "")
        earlier = self._sure.get(name, self._guessed.get(name, found))
        if found and earlier != found:
            signs = {".": "decimal points", ",": "decimal commas"}
            raise DataError(
                f"column “{name}” has {signs[found]}, but earlier rows were read with "
                f"{signs[earlier]}. Write its numbers in one way."
            )
        if found:
            self._sure[name] = found
        elif any(map(has_two_readings, texts)):
            self._guessed[name] = decimal

    def _note(self, name: str, texts: Sequence[str], numbers: Array, at: int) -> None:
        """Note a number of a column that may be a thousand times as large or small."""
        either = [row for row, text in enumerate(texts) if has_two_readings(text)]
        if name in self.notes or not either:
            return
        signs = np.array(["," if "," in texts[row] else "." for row in either])
        grouped = signs != self._sure.get(name, self._guessed.get(name, self.decimal))
        read = numbers[either]
        other = np.where(grouped, read / 1000, read * 1000)
        first, like = 0, False
        if self.known is not None:
            usual = _usual(read, self.known[:, at])
            better = ~usual & _usual(other, self.known[:, at])
            if usual.all():
                return
            first, like = int(better.argmax()), bool(better.any())
        words = f"column “{name}”: “{texts[either[first]]}” was read as {read[first]:.10g}"
        if like:
            self.notes[name] = (
                f"{words}, but {other[first]:.10g} would be more like the training rows. If the "
                "text means that, write it without separators of thousands"
            )
        elif name not in self._sure and (grouped.any() or not self._evident):
            self.notes[name] = f"{words}, not as {other[first]:.10g}"


def _texts(values: Sequence[object] | np.ndarray) -> list[str]:
    return [value.strip() for value in values if isinstance(value, str)]


def _usual(numbers: Float[Array, " n"], known: Float[Array, " N"]) -> Bool[BoolArray, " n"]:
    """Whether numbers are in the training rows' range, or at most this range away from it."""
    known = known[np.isfinite(known)]
    if not len(known):
        return np.zeros(len(numbers), dtype=bool)
    low, high = float(known.min()), float(known.max())
    reach = max(high - low, 0.1 * abs(high))
    found: BoolArray = (numbers >= low - reach) & (numbers <= high + reach)
    return found
