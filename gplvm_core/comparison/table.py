"""Measures of several models as a table: for a page, as CSV, as Markdown."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import numpy as np

from gplvm_core.comparison.kept_aside import BASE_LINES
from gplvm_core.comparison.measures import AT_ONCE, KEPT_ASIDE, Measure
from gplvm_core.comparison.result import Comparison, markdown_cell
from gplvm_core.readers.tables.csv_text import csv_text, html_text

SEEN, UNSEEN = "Of the rows that they learnt from", "Of rows kept aside"


@dataclass(frozen=True)
class Line:
    """A measure with a value for every model; best: the one that is so by more than chance."""

    measure: Measure
    values: tuple[float, ...]
    best: str | None = None


@dataclass(frozen=True)
class MeasureTable:
    """Lines in parts with a heading; names: of the models, the base lines last."""

    names: tuple[str, ...]
    parts: Mapping[str, tuple[Line, ...]]
    notes: tuple[str, ...] = ()

    def to_csv(self) -> str:
        """One line a measure, with all digits; empty where a model has none."""
        lines: list[tuple[object, ...]] = [("part", "measure", *self.names, "best")]
        for part, each in self.parts.items():
            for line in each:
                numbers = (repr(value) if np.isfinite(value) else "" for value in line.values)
                lines.append((part, line.measure.words, *numbers, line.best or ""))
        return csv_text(lines)

    def to_markdown(self) -> str:
        """The parts as tables, the best of a line in bold, then what the measures mean."""
        found = []
        for part, each in self.parts.items():
            names = map(markdown_cell, self.names)
            rows = [("Measure", *names), *(self._cells(line) for line in each)]
            lines = ["| " + " | ".join(row) + " |" for row in rows]
            lines.insert(1, "|---" + "|---:" * len(self.names) + "|")
            said = "\n".join(f"- {line.measure.words}: {line.measure.sentence}" for line in each)
            found += [f"## {part}", "\n".join(lines), said]
        return "\n\n".join((*found, *self.notes)) + "\n"

    def to_html(self) -> str:
        """The parts as one table, every measure with its sentence, the best of a line named so."""
        head = "".join(f'<th scope="col">{html_text(name)}</th>' for name in self.names)
        body = ""
        for part, each in self.parts.items():
            wide = len(self.names) + 1
            body += f'<tr><th colspan="{wide}" scope="rowgroup">{escape(part)}</th></tr>'
            for line in each:
                told = map(line.measure.in_words, line.values)
                cells = "".join(
                    f"<td><strong>{words}</strong> best</td>"
                    if name == line.best
                    else f"<td>{words}</td>"
                    for name, words in zip(self.names, told, strict=True)
                )
                said = f"{escape(line.measure.words)}<small>{escape(line.measure.sentence)}</small>"
                body += f'<tr><th scope="row">{said}</th>{cells}</tr>'
        return (
            '<div class="mf-table" tabindex="0" role="region" aria-label="Measures of the models">'
            f'<table><thead><tr><th scope="col">Measure</th>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )

    def _cells(self, line: Line) -> tuple[str, ...]:
        told = (
            f"**{line.measure.in_words(value)}**"
            if name == line.best
            else line.measure.in_words(value)
            for name, value in zip(self.names, line.values, strict=True)
        )
        return (line.measure.words, *told)


def table_of(at_once: Mapping[str, Mapping[str, float]], found: Comparison | None) -> MeasureTable:
    """at_once: by model, see `measured`; found: on rows kept aside, if that was done.

    Of what was measured once no best is marked: there is no error to hold the difference against.
    """
    unseen = found if found is not None and found.n_splits else None
    names = (*at_once, *(BASE_LINES if unseen is not None else ()))
    seen = tuple(
        Line(measure, tuple(at_once.get(name, {}).get(measure.key, np.nan) for name in names))
        for measure in AT_ONCE
        if any(measure.key in values for values in at_once.values())
    )
    parts = {SEEN: seen}
    if unseen is not None:
        parts[UNSEEN] = tuple(
            _kept_aside(measure, names, unseen)
            for measure in KEPT_ASIDE
            if measure.key in unseen.values
        )
    return MeasureTable(names, parts, unseen.notes if unseen is not None else ())


def _kept_aside(measure: Measure, names: tuple[str, ...], found: Comparison) -> Line:
    values = tuple(
        found.mean(measure.key, name) if name in found.names else np.nan for name in names
    )
    leading = found.leading(measure)
    return Line(measure, values, leading[0] if len(leading) == 1 else None)
