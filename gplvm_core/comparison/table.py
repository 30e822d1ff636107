"""A table of the measures of several models, as HTML, CSV and Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from gplvm_core.comparison.kept_aside import BASE_LINES, OF_TABLES
from gplvm_core.comparison.measures import AT_ONCE, KEPT_ASIDE, PURPOSES, Measure
from gplvm_core.comparison.result import Comparison, markdown_cell, markdown_table
from gplvm_core.readers.tables.csv_text import csv_text, html_text

COST = "Cost"
SEEN, UNSEEN = "seen", "new"  # training rows and held-out rows


@dataclass(frozen=True)
class Line:
    """A measure with its value for every model; best: the model that wins by more than chance."""

    measure: Measure
    values: tuple[float, ...]
    best: str | None = None


@dataclass(frozen=True)
class MeasureTable:
    """A table of measures, with a part for each purpose; the part for cost is last.

    names: the models, baselines last. parts: the lines of each part.
    """

    names: tuple[str, ...]
    parts: Mapping[str, tuple[Line, ...]]
    notes: tuple[str, ...] = ()

    def to_csv(self) -> str:
        """Return a CSV with a line for each measure, with all digits; empty cells for NaN."""
        lines: list[tuple[object, ...]] = [("purpose", "rows", "measure", *self.names, "best")]
        for part, each in self.parts.items():
            for line in each:
                numbers = (repr(value) if np.isfinite(value) else "" for value in line.values)
                rows = UNSEEN if line.measure.kept_aside else SEEN
                lines.append((part, rows, line.measure.words, *numbers, line.best or ""))
        return csv_text(lines)

    def to_markdown(self) -> str:
        """Return a Markdown table for each part, with the best values bold, and explanations."""
        found = []
        for part, each in self.parts.items():
            names = map(markdown_cell, self.names)
            rows = [("Measure", *names), *(self._cells(line) for line in each)]
            meanings = "\n".join(
                f"- {line.measure.words}: {line.measure.sentence}" for line in each
            )
            found += [f"## {part}", markdown_table(rows), meanings]
        return "\n\n".join((*found, *self.notes)) + "\n"

    def to_html(self) -> str:
        """Return HTML with a foldable table for each part, and an explanation of each measure."""
        head = "".join(f'<th scope="col">{html_text(name)}</th>' for name in self.names)
        return "".join(self._fold(part, each, head) for part, each in self.parts.items())

    def _fold(self, part: str, each: Sequence[Line], head: str) -> str:
        body = ""
        for line in each:
            texts = map(line.measure.in_words, line.values)
            cells = "".join(
                f"<td><strong>{words}</strong> best</td>"
                if name == line.best
                else f"<td>{words}</td>"
                for name, words in zip(self.names, texts, strict=True)
            )
            measure = line.measure
            what = (
                f'<details class="mf-what"><summary aria-label="What “{escape(measure.words)}” '
                f'means">?</summary><p>{escape(measure.sentence)}</p></details>'
            )
            rows = f"<small>{UNSEEN if measure.kept_aside else SEEN} rows</small>"
            of = "" if part == COST else rows
            body += f'<tr><th scope="row">{escape(measure.words)} {what}{of}</th>{cells}</tr>'
        return (
            f'<details class="mf-fold"><summary>{escape(part)}</summary>'
            f'<div class="mf-table" tabindex="0" role="region" aria-label="{escape(part)}">'
            f'<table><thead><tr><th scope="col">Measure</th>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div></details>"
        )

    def _cells(self, line: Line) -> tuple[str, ...]:
        texts = (
            f"**{line.measure.in_words(value)}**"
            if name == line.best
            else line.measure.in_words(value)
            for name, value in zip(self.names, line.values, strict=True)
        )
        return (line.measure.words, *texts)


def table_of(at_once: Mapping[str, Mapping[str, float]], found: Comparison | None) -> MeasureTable:
    """Make a table of all measures.

    at_once: the result of `measured` for each model. These measures have a single value without a
    standard error, so no best model is marked. found: the comparison on held-out rows, if it was
    run.
    """
    unseen = found if found is not None and found.n_splits else None
    tested = () if unseen is None else unseen.names
    names = (*at_once, *(name for name in (*BASE_LINES, *OF_TABLES) if name in tested))
    lines = [
        Line(measure, tuple(at_once.get(name, {}).get(measure.key, np.nan) for name in names))
        for measure in AT_ONCE
        if any(measure.key in values for values in at_once.values())
    ]
    if unseen is not None:
        lines += [
            _kept_aside(measure, names, unseen)
            for measure in KEPT_ASIDE
            if measure.key in unseen.values
        ]
    titles = {purpose.key: purpose.words for purpose in PURPOSES} | {"cost": COST}
    parts = {
        title: tuple(line for line in lines if line.measure.purpose == key)
        for key, title in titles.items()
    }
    notes = unseen.notes if unseen is not None else ()
    return MeasureTable(names, {title: each for title, each in parts.items() if each}, notes)


def _kept_aside(measure: Measure, names: tuple[str, ...], found: Comparison) -> Line:
    values = tuple(
        found.mean(measure.key, name) if name in found.names else np.nan for name in names
    )
    leading = found.leading(measure)
    return Line(measure, values, leading[0] if len(leading) == 1 else None)
