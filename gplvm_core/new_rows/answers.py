"""The answers about new rows, in the user's units."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Bool, Float, Int

from gplvm_core.numerics import Array, BoolArray, IntArray

Slip = Literal["decimal", "sign"]


@dataclass(frozen=True)
class Reason:
    """A column that makes a row odd.

    column: the column's number. given: the row's value. expected, std: the value that the row's
    other columns predict, and its standard deviation. Columns of earlier reasons are not used; std
    is 0 if all training rows have the expected value. hint: the value with its decimal point or its
    sign corrected (`kind`), if the corrected value fits; else None. p_without: the row's p-value
    without this column and the columns of earlier reasons. words, chance: in a column of words, the
    row's word, the most likely word, and its probability; given and expected are then their
    numbers, and std is NaN.
    """

    column: int
    given: float
    expected: float
    std: float
    hint: float | None
    kind: Slip | None
    p_without: float
    words: tuple[str, str] | None = None
    chance: float = np.nan


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers about some rows.

    places, place_std: positions on the map and their standard deviations; NaN for rows without
    values. explanations, weights: the positions of a row's explanations, the best first, and their
    weights, which sum to 1; NaN and 0 where a row has fewer. The first one is the row's place.
    filled, std: rows with their gaps filled, and standard deviations, which are 0 where observed.
    p: the p-value of the whole row, from out-of-fold scores of training rows; NaN if unknown.
    p_cell: the p-value of the row's most surprising value. oddness: a number by which rows
    can be ranked. unlike: whether the row scores above all training rows; filled values of such
    rows mean little. reasons: the columns that make a row odd, the most surprising first. Ordinary
    rows, and rows that are odd as a whole, have none. nearest: the numbers of the nearest training
    rows on the map, the nearest first. known: the number of compared training rows.
    held_out: whether the layer that scored a training row had not seen it.
    """

    places: Float[Array, "n Q"]
    place_std: Float[Array, "n Q"]
    explanations: Float[Array, "n K Q"]
    weights: Float[Array, "n K"]
    filled: Float[Array, "n D"]
    std: Float[Array, "n D"]
    p: Float[Array, " n"]
    p_cell: Float[Array, " n"]
    oddness: Float[Array, " n"]
    unlike: Bool[BoolArray, " n"]
    reasons: tuple[tuple[Reason, ...], ...]
    nearest: Int[IntArray, "n k"]
    known: int
    held_out: bool = True

    def rows(self, chosen: Int[IntArray, " k"]) -> Self:
        """The answers about some rows, in this order."""
        arrays: dict[str, Any] = {
            each.name: value[chosen]
            for each in fields(self)
            if isinstance(value := getattr(self, each.name), np.ndarray)
        }
        return replace(self, **arrays, reasons=tuple(self.reasons[at] for at in chosen))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Join the answers about several blocks of rows, in their order."""
        if not parts:
            raise ValueError("there are no answers to join: ask about at least one row")

        others = ("reasons", "known", "held_out")
        arrays = [each.name for each in fields(cls) if each.name not in others]
        stacked: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in arrays
        }
        return cls(
            **stacked,
            reasons=tuple(reason for part in parts for reason in part.reasons),
            known=min(part.known for part in parts),
            held_out=parts[0].held_out,
        )
