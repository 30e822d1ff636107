"""A visitor's place on the map (two dimensions and a point), and its form in a link."""

from dataclasses import dataclass
from typing import Any, Self

from gplvm_core.readers.errors import shortened

# Parameters for the map's display and path, which the browser reads.
LOOK = (
    *("show", "shade", "by", "level", "wall", "unsure", "noise"),
    *("path", "way", "seconds", "names", "zoom"),
)
FARTHEST = 1e6
"""The largest valid coordinate; the data are within a few units of 0."""
PARAMETERS = ("dims", "at", "hold", *LOOK)
OF_A_MODEL = (*PARAMETERS, "layer")  # parameters of the link that apply to one model only


@dataclass(frozen=True)
class MapPlace:
    """A place: two dimensions, counted from 0, and a point with a coordinate per dimension, or
    None.

    follow: whether the hidden dimensions follow the data.
    """

    dims: tuple[int, int] | None = None
    point: tuple[float, ...] | None = None
    follow: bool = True

    @classmethod
    def from_query(cls, query: dict[str, str], n_axes: int) -> Self:
        """Read `dims=1,3&at=0.4,-1,…&hold=1` (dimensions counted from 1, as the page shows them).

        Raises ValueError if a part is invalid for a model with this number of axes.
        """
        dims = [_whole(text) - 1 for text in _split(query.get("dims"))] or None
        point = [_number(text) for text in _split(query.get("at"))] or None
        return cls.checked(dims, point, n_axes, "hold" not in query)

    @classmethod
    def checked(cls, dims: Any, point: Any, n_axes: int, follow: Any = True) -> Self:
        """Check untrusted values. Raises ValueError for a wrong number or range."""
        if dims is not None:
            valid = isinstance(dims, list) and all(isinstance(q, int) for q in dims)
            if not valid or len(set(dims)) != 2 or not all(0 <= q < n_axes for q in dims):
                raise ValueError(
                    f"The dimensions must be two different numbers from 1 to {n_axes}."
                )
        if point is not None:
            valid = isinstance(point, list) and all(isinstance(x, int | float) for x in point)
            if not valid or len(point) != n_axes or not all(abs(x) <= FARTHEST for x in point):
                raise ValueError(
                    f"The point must have {n_axes} coordinates between −{FARTHEST:,.0f} and "
                    f"{FARTHEST:,.0f}."
                )
        place = tuple(map(float, point)) if point else None
        return cls(tuple(dims) if dims else None, place, bool(follow))

    def to_data(self) -> dict[str, Any]:
        """Return the place in the canvas's format."""
        return {"dims": self.dims, "point": self.point, "follow": self.follow}


def _split(text: str | None) -> list[str]:
    return text.split(",") if text else []


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"“{shortened(text)}” is not the number of a dimension.") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"“{shortened(text)}” is not a coordinate.") from None
