"""The answers about new rows, in the user's units."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray

from gplvm_core.numerics import Array

Slip = Literal["decimal", "sign"]


@dataclass(frozen=True)
class Reason:
    """A column that makes a row odd.

    column: its number. given: the row's value. expected, std: the value that the row's other
    columns predict, without the columns of earlier reasons; std 0 if all training rows have the
    expected value. hint: the value without a slip of the decimal point or of the sign (`kind`),
    if that would fit. p_without: the row's p-value without this and the earlier columns.
    """

    column: int
    given: float
    expected: float
    std: float
    hint: float | None
    kind: Slip | None
    p_without: float


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers about rows.

    places, place_std: on the map, NaN for rows without values. filled, std: whole rows; std is 0
    where observed. p: the p-value of the whole row, from out-of-fold scores of training rows; NaN:
    not known. p_cell: that of its most surprising value. oddness: a number to rank rows by. unlike:
    a score above those of all training rows; filled values of such rows mean little. reasons: the
    columns that make a row odd, the most surprising first; none for an ordinary row, and for a row
    that is odd as a whole. nearest: the numbers of training rows on the map, the nearest first.
    known: the number of out-of-fold scores. held_out: whether the scores are out-of-fold; else they
    are those of a model that was trained with these rows (`without_density`).
    """

    places: Float[Array, "n Q"]
    place_std: Float[Array, "n Q"]
    filled: Float[Array, "n D"]
    std: Float[Array, "n D"]
    p: Float[Array, " n"]
    p_cell: Float[Array, " n"]
    oddness: Float[Array, " n"]
    unlike: Bool[NDArray[np.bool_], " n"]
    reasons: tuple[tuple[Reason, ...], ...]
    nearest: Int[NDArray[np.intp], "n k"]
    known: int
    held_out: bool = True

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The answers about several blocks of rows, in their order."""
        if not parts:
            raise ValueError("there are no answers to join: ask about at least one row")

        def stacked(name: str) -> Any:
            return np.concatenate([getattr(part, name) for part in parts])

        return cls(
            places=stacked("places"),
            place_std=stacked("place_std"),
            filled=stacked("filled"),
            std=stacked("std"),
            p=stacked("p"),
            p_cell=stacked("p_cell"),
            oddness=stacked("oddness"),
            unlike=stacked("unlike"),
            reasons=tuple(reason for part in parts for reason in part.reasons),
            nearest=stacked("nearest"),
            known=min(part.known for part in parts),
            held_out=parts[0].held_out,
        )
