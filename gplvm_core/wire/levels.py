"""Values of known factors that a map took out: the browser switches between them by itself.

At a value, every k(z_m, x) has a factor of its own (`fades`), and the outputs have another centre.
All else is the same at all values, so that few numbers describe a further one.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray as Array

from gplvm_core.prediction import Posterior
from gplvm_core.prediction.factors import at_level, fades


def numbers_of(rows: Float[Array, "N C"], points: Float[Array, "V C"]) -> Int[Array, " N"]:
    """Return which point each row equals; −1 for none."""
    same = (rows[:, None] == points).all(axis=2)
    return np.where(same.any(axis=1), same.argmax(axis=1), -1)


@dataclass(frozen=True, eq=False)
class Levels:
    """The values to choose from.

    words: the values in words. first: the initial one. numbers: whether they are points on a scale.
    points: their inputs; none if the bytes have the map at another value. posterior: the layer
    whose last C inputs are the factors. other: the words of a last choice that needs other bytes.
    of_rows: the number of every training row's own value; empty if the values are a scale, on which
    rows are between the points.
    """

    name: str
    words: tuple[str, ...]
    first: int
    numbers: bool
    points: Float[Array, "V C"]
    posterior: Posterior
    of_rows: Int[Array, " N"]
    other: str = ""

    @classmethod
    def of(cls, model: Any) -> Self:
        """Return the values to choose from of a fitted model from which factors were taken out."""
        known, points = model.known_, model.known_.choices
        same = (points == known.levels[0]).all(axis=1)
        numbers = len(known.factors) == 1 and not known.factors[0].values
        return cls(
            ", ".join(known.names),
            tuple(known.words(point) for point in points),
            int(np.argmax(same)),
            numbers,
            points,
            model.posterior_,
            np.zeros(0, dtype=int) if numbers else numbers_of(known.points, points),
        )

    @property
    def alone(self) -> "Levels | None":
        """The values for a page without a server; None if it has only another one."""
        return replace(self, other="") if len(self.points) else None

    @property
    def header(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "words": [*self.words, *([self.other] if self.other else [])],
            "first": self.first,
            "numbers": self.numbers,
        }

    def arrays(self, seen: Posterior) -> dict[str, Array]:
        """Return fades (V × M) and centres (V × D); seen: the layer in the units of the page."""
        centers = [at_level(seen, point).center for point in self.points]
        return {
            "level_fades": fades(seen, self.points),
            "level_centers": np.stack(centers).astype(np.float32),
        }
