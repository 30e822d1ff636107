"""The arguments and answers of the tools, with units; the protocol publishes them as schemas."""

from typing import Annotated

import numpy as np
from pydantic import BaseModel, Field

Cell = bool | float | str | None
Records = Annotated[
    list[dict[str, Cell]],
    Field(
        description="New rows, each an object from the model's column names to numbers, words or "
        "dates as text. null, or a name that is left out, means missing. At most 500 rows."
    ),
]
ModelKey = Annotated[
    str, Field(description="The model's key from list_models, such as gallery:flow.")
]
Probability = Annotated[float, Field(gt=0, lt=1, description="The probability of the intervals.")]
Factors = Annotated[
    dict[str, Cell] | None,
    Field(
        description="Only for a map that takes out known factors: the value of each factor. "
        "Left out: the most frequent value."
    ),
]

Columns = Annotated[
    list[str] | None, Field(description="Answer only about these columns; left out: all.")
]


class Answer(BaseModel, frozen=True):
    """What every answer has."""

    notes: list[str] = Field(
        default=[], description="What was left out, guessed or not calibrated. Report these."
    )


class RowAnswer(Answer, frozen=True):
    left_out: list[int] = Field(
        default=[], description="The numbers of the given rows, from 1, that have no answer."
    )


class Listed(BaseModel, frozen=True):
    model: str = Field(description="The key, for the other tools.")
    title: str
    kind: str = Field(description="The class of the model.")
    rows: int
    columns: int
    dimensions: int
    tags: list[str]
    problem: str | None = Field(description="Why the model cannot be opened; null if it can.")


class Models(Answer, frozen=True):
    models: list[Listed]


class Column(BaseModel, frozen=True):
    name: str
    kind: str = Field(description="number, count, category, yes/no, grade, …")
    words: list[str] = Field(description="The words that the model knows; [] for numbers.")
    low: float | None = Field(description="Smallest value in the training rows, in column units.")
    high: float | None = Field(description="Largest value in the training rows, in column units.")
    missing: int = Field(description="Training rows without a value in this column.")


class Dimension(BaseModel, frozen=True):
    number: int
    name: str = Field(description="The user's name of the dimension; empty if it has none.")
    relevance: float = Field(description="1/ℓ², per squared unit of the latent coordinate.")


class Described(Answer, frozen=True):
    title: str
    rows: int
    columns: list[Column] = Field(description="At most 300 columns; notes say if there are more.")
    dimensions: list[Dimension]
    labels: dict[str, int] = Field(description="How many training rows have each label.")
    known_factors: dict[str, list[Cell]] = Field(
        description="Factors that the map takes out, and some of their values."
    )
    card: str = Field(description="The model card in Markdown: data, training, trust, settings.")


class Place(BaseModel, frozen=True):
    coordinates: list[float] = Field(description="Latent coordinates (posterior mean).")
    weight: float = Field(description="The weight of this explanation; weights of a row sum to 1.")


class PlacedRow(Place, frozen=True):
    row: int = Field(description="The number of the given row, from 1.")
    std: list[float] = Field(description="Standard deviations, in units of the coordinates.")
    others: list[Place] = Field(description="Other places that explain the row.")
    nearest: list[int] = Field(description="The nearest training rows on the map, from 1.")


class Placed(RowAnswer, frozen=True):
    rows: list[PlacedRow]


class Value(BaseModel, frozen=True):
    column: str
    value: float | str | None = Field(description="In column units: the mean; a word; a count.")
    low: float | None = Field(description="Lower end of the interval, in column units.")
    high: float | None = Field(description="Upper end of the interval, in column units.")
    std: float | None = Field(description="Standard deviation with noise, in column units.")
    probabilities: dict[str, float] = Field(
        default={}, description="For words: the probabilities of the five most probable ones."
    )


class FilledRow(BaseModel, frozen=True):
    row: int = Field(description="The number of the given row, from 1.")
    gaps: list[Value] = Field(description="Values for the row's missing columns.")
    unlike: bool = Field(
        description="Whether the row is less typical than every training row; its filled values "
        "then mean little."
    )


class Filled(RowAnswer, frozen=True):
    probability: float
    calibrated: bool = Field(
        description="Whether the widths of the intervals were set on rows kept aside."
    )
    rows: list[FilledRow]


class Odd(BaseModel, frozen=True):
    column: str
    given: float | str
    expected: float | str = Field(description="What the other columns predict, in column units.")
    std: float | None = Field(description="The standard deviation of a predicted number.")
    corrected: float | None = Field(description="A value that fits: decimal point or sign changed.")
    p_without: float | None = Field(description="The row's p-value without this column.")
    sentence: str


class JudgedRow(BaseModel, frozen=True):
    row: int = Field(description="The number of the given row, from 1.")
    p: float | None = Field(
        description="The share of training rows that are at least as odd, from 0 (odd) to 1."
    )
    p_of_one_value: float | None = Field(description="The same for the most surprising value.")
    unlike: bool = Field(description="Whether it is less typical than every training row.")
    odd_columns: list[Odd] = Field(description="The most surprising first; [] if ordinary.")


class Judged(RowAnswer, frozen=True):
    compared_with: int = Field(description="The number of training rows that were compared.")
    rows: list[JudgedRow]


class Neighbour(BaseModel, frozen=True):
    row: int = Field(description="The number of the training row, from 1.")
    name: str | None
    label: str | None
    distance: float = Field(description="Distance on the map, in lengthscales.")


class Near(BaseModel, frozen=True):
    row: int = Field(description="The number of the given row, from 1.")
    neighbours: list[Neighbour]


class Neighbours(RowAnswer, frozen=True):
    rows: list[Near]


class Point(BaseModel, frozen=True):
    coordinates: list[float]
    values: list[Value]


class Predicted(Answer, frozen=True):
    probability: float
    points: list[Point]


class Drawn(RowAnswer, frozen=True):
    title: str
    across: str
    up: str


def number(value: float) -> float | None:
    """Return a number with eight digits; None for NaN, which JSON does not have."""
    return None if np.isnan(value) else float(f"{value:.8g}")


def numbers(values: np.ndarray) -> list[float]:
    """Return numbers with eight digits."""
    return [float(f"{value:.8g}") for value in values]
