"""Where a visitor of the map is (pair of dimensions, chosen point), and how a link says it."""

import math
from dataclasses import dataclass
from typing import Any, Self

PARAMETERS = ("dims", "at")


@dataclass(frozen=True)
class Place:
    """Dimensions counted from 0; the point has one coordinate per latent dimension, or is None."""

    dims: tuple[int, int] | None = None
    point: tuple[float, ...] | None = None

    @classmethod
    def from_query(cls, query: dict[str, str], n_axes: int) -> Self:
        """Read `dims=1,3&at=0.4,-1,…` (dimensions counted from 1, as the page shows them).

        Raises ValueError, in words, when a part cannot be meant for a model with so many axes.
        """
        dims = [_whole(text) - 1 for text in _split(query.get("dims"))] or None
        point = [_number(text) for text in _split(query.get("at"))] or None
        return cls.checked(dims, point, n_axes)

    @classmethod
    def checked(cls, dims: Any, point: Any, n_axes: int) -> Self:
        """From outside: numbers of the right count and range, or ValueError."""
        if dims is not None:
            valid = isinstance(dims, list) and all(isinstance(q, int) for q in dims)
            if not valid or len(set(dims)) != 2 or not all(0 <= q < n_axes for q in dims):
                raise ValueError(f"The dimensions must be two different ones from 1 to {n_axes}.")
        if point is not None:
            valid = isinstance(point, list) and all(isinstance(x, int | float) for x in point)
            if not valid or len(point) != n_axes or not all(map(math.isfinite, point)):
                raise ValueError(f"The point must have {n_axes} finite coordinates.")
        return cls(tuple(dims) if dims else None, tuple(map(float, point)) if point else None)

    def to_query(self) -> dict[str, str]:
        query = {}
        if self.dims is not None:
            query["dims"] = ",".join(str(q + 1) for q in self.dims)
        if self.point is not None:
            query["at"] = ",".join(f"{round(x, 4):g}" if x else "0" for x in self.point)
        return query


def _split(text: str | None) -> list[str]:
    return text.split(",") if text else []


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"“{text}” is not the number of a dimension.") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"“{text}” is not a coordinate.") from None
