"""Answers about new rows: their places, gaps and neighbours, and how typical they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from jaxtyping import Float
from pydantic import Field
from scipy.spatial.distance import cdist

from gplvm_core.assistant.schema import (
    Columns,
    Factors,
    Filled,
    FilledRow,
    Judged,
    JudgedRow,
    ModelKey,
    Near,
    Neighbour,
    Neighbours,
    Odd,
    Place,
    Placed,
    PlacedRow,
    Probability,
    Records,
    number,
    numbers,
)
from gplvm_core.assistant.shelf import Opened, Shelf
from gplvm_core.assistant.values import check_size, gaps_of
from gplvm_core.new_rows import Answers, Reason, answers_of, sentence_of
from gplvm_core.new_rows.places import only_answerable
from gplvm_core.new_rows.table import are_ranked_by_bound
from gplvm_core.numerics import Array
from gplvm_core.readers.misfits import code_misfits, unit_misfits
from gplvm_core.readers.new_rows import NewRows, read_records

MOST_ROWS, MOST_CELLS, MOST_LETTERS = 500, 100_000, 1000
UNCALIBRATED = "The intervals were not calibrated on rows kept aside, and may be too narrow."
SHORT_WAIT = 5.0  # seconds; until then the map fills the gaps


@dataclass(frozen=True, eq=False)
class Asked:
    """Given rows in the columns of a model."""

    opened: Opened
    rows: NewRows
    given: int

    @classmethod
    def of(cls, opened: Opened, records: Sequence[dict[str, Any]]) -> "Asked":
        """Read the records. Raises ValueError if they are too many, or fit no column."""
        cells = sum(map(len, records))
        if not records or len(records) > MOST_ROWS or cells > MOST_CELLS:
            raise ValueError(
                f"There are {len(records):,} rows with {cells:,} cells; one call takes 1 to "
                f"{MOST_ROWS} rows and up to {MOST_CELLS:,} cells. Send the rows in several calls; "
                "the page New rows of the app answers whole files."
            )
        texts = (str(each) for own in records for pair in own.items() for each in pair)
        longest = max(map(len, texts), default=0)
        if longest > MOST_LETTERS:
            raise ValueError(
                f"A cell or a column's name has {longest:,} letters; at most {MOST_LETTERS:,} are "
                "read. Shorten it."
            )
        rows = only_answerable(opened.model, opened.dataset, read_records(records, opened.dataset))
        return cls(opened, rows, len(records))

    @property
    def notes(self) -> list[str]:
        """Everything that did not fit, as the page New rows reports it."""
        data, odd = self.opened.dataset, []
        if data.drawing.kind in ("bars", "curve"):
            asked = self.rows.values, data.values, self.opened.names
            odd = code_misfits(*asked)
            if data.drawing.kind == "bars" and not data.columns:
                odd += unit_misfits(*asked)
        misfits = [each.words for each in (*self.rows.misfits, *odd)]
        return [*self.opened.at, *self.rows.notes, *misfits]

    @property
    def numbers(self) -> list[int]:
        return [self.rows.number(at) for at in range(len(self.rows.values))]

    @property
    def left_out(self) -> list[int]:
        return sorted({*range(1, self.given + 1)} - {*self.numbers})

    def answers(self, model: Any, **options: Any) -> Answers:
        parts = answers_of(model, self.opened.dataset, self.rows.values, **options)
        return Answers.joined(list(parts))


@dataclass(frozen=True)
class RowTools:
    """The tools that take new rows."""

    shelf: Shelf

    def place_rows(self, model: ModelKey, rows: Records, known_factors: Factors = None) -> Placed:
        """Place new rows on a model's map: latent coordinates with standard deviations."""
        asked = Asked.of(self.shelf.open(model, known_factors), rows)
        found = asked.answers(asked.opened.model, reasons=False)
        return Placed(
            notes=asked.notes,
            left_out=asked.left_out,
            rows=[_placed(found, at, row) for at, row in enumerate(asked.numbers)],
        )

    def fill_gaps(
        self,
        model: ModelKey,
        rows: Records,
        probability: Probability = 0.95,
        columns: Columns = None,
        known_factors: Factors = None,
    ) -> Filled:
        """Predict the missing columns of new rows, each with an interval that contains the true
        value with the given probability. Give each row the columns that are known.
        """
        asked = Asked.of(self.shelf.open(model, known_factors), rows)
        own, notes = asked.opened.model, asked.notes
        chosen = asked.opened.numbers_of(columns)
        try:
            own = asked.opened.scored(SHORT_WAIT)[0]
        except ValueError as error:
            notes.append(f"The gaps are filled by the map alone. {error}")
        density = getattr(own, "density_", None)
        calibrated = density is not None and density.fills is not None
        calibrated = calibrated or bool(getattr(own, "columns_", None) and own.columns_.widths)
        found = asked.answers(own, reasons=False)
        values, more = gaps_of(
            asked.opened,
            own,
            asked.rows.values,
            found,
            probability=probability,
            asked=chosen,
        )
        return Filled(
            notes=[*notes, *([] if calibrated else [UNCALIBRATED]), *more],
            left_out=asked.left_out,
            probability=probability,
            calibrated=calibrated,
            rows=[
                FilledRow(row=row, gaps=values[at], unlike=bool(found.unlike[at]))
                for at, row in enumerate(asked.numbers)
            ],
        )

    def judge_rows(self, model: ModelKey, rows: Records, known_factors: Factors = None) -> Judged:
        """Say how typical new rows are compared with the training rows (p-value), and which columns
        make a row odd. With the limit p ≤ 0.01, ten of 1,000 ordinary rows are odd by chance.
        """
        asked = Asked.of(self.shelf.open(model, known_factors), rows)
        own, no_p = asked.opened.scored()
        ranked = are_ranked_by_bound(own, asked.opened.dataset) and not no_p
        found = asked.answers(own, ranked=ranked)
        names = asked.opened.names
        return Judged(
            notes=[*asked.notes, *([f"Not judged: {no_p}."] if no_p else [])],
            left_out=asked.left_out,
            compared_with=found.known,
            rows=[
                JudgedRow(
                    row=row,
                    p=number(found.p[at]),
                    p_of_one_value=number(found.p_cell[at]),
                    unlike=bool(found.unlike[at]),
                    odd_columns=[_odd(each, names[each.column]) for each in found.reasons[at]],
                )
                for at, row in enumerate(asked.numbers)
            ],
        )

    def find_neighbours(
        self,
        model: ModelKey,
        rows: Records | None = None,
        training_row: Annotated[
            int | None, Field(description="The number of a training row, from 1; or give rows.")
        ] = None,
        count: Annotated[int, Field(ge=1, le=50, description="Neighbours of each row.")] = 5,
        known_factors: Factors = None,
    ) -> Neighbours:
        """Find the training rows that are nearest on the map: to new rows, or to a training row."""
        opened = self.shelf.open(model, known_factors)
        places, most = opened.model.latent_mean_, opened.dataset.n_points
        if (rows is None) == (training_row is None):
            raise ValueError("Give either rows, or the number of a training row in training_row.")
        if training_row is not None and not 1 <= training_row <= most:
            raise ValueError(f"training_row is {training_row}; the rows are 1 to {most:,}.")
        if training_row is not None:
            near = _near(opened, places[training_row - 1], count, training_row - 1)
            return Neighbours(rows=[Near(row=training_row, neighbours=near)], notes=[*opened.at])
        asked = Asked.of(opened, rows or [])
        check_size(len(asked.numbers), count)
        found = asked.answers(opened.model, reasons=False).places
        return Neighbours(
            notes=asked.notes,
            left_out=asked.left_out,
            rows=[
                Near(row=row, neighbours=_near(opened, place, count))
                for row, place in zip(asked.numbers, found, strict=True)
            ],
        )


def _placed(found: Answers, at: int, row: int) -> PlacedRow:
    first, *others = (
        Place(coordinates=numbers(place), weight=float(f"{weight:.4g}"))
        for place, weight in zip(found.explanations[at], found.weights[at], strict=True)
        if weight > 0.0
    )
    return PlacedRow(
        row=row,
        coordinates=numbers(found.places[at]),
        weight=first.weight,
        std=numbers(found.place_std[at]),
        others=others,
        nearest=(found.nearest[at] + 1).tolist(),
    )


def _odd(reason: Reason, name: str) -> Odd:
    given, expected = reason.words or (
        float(f"{value:.8g}") for value in (reason.given, reason.expected)
    )
    return Odd(
        column=name,
        given=given,
        expected=expected,
        std=number(reason.std),
        corrected=reason.hint,
        p_without=number(reason.p_without),
        sentence=sentence_of(reason, name),
    )


def _near(
    opened: Opened, place: Float[Array, " Q"], count: int, itself: int = -1
) -> list[Neighbour]:
    scale, data = opened.model.latent_scale_, opened.dataset
    away = cdist(place[None] * scale, opened.model.latent_mean_ * scale)[0]
    order = [row for row in np.argsort(away, kind="stable").tolist() if row != itself]
    names = data.row_names
    return [
        Neighbour(
            row=row + 1,
            name=None if names is None else str(names[row]),
            label=data.label_word(row),
            distance=float(f"{away[row]:.6g}"),
        )
        for row in order[:count]
    ]
