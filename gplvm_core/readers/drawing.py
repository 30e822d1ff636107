"""How one row of a data set is drawn, and the shapes of images that a row can be."""

from dataclasses import dataclass, field
from math import isqrt, prod
from typing import Literal, get_args

from gplvm_core.readers.errors import DataError, plural

Kind = Literal["image", "skeleton", "curve", "bars"]

MOST_BARS = 32
"""Plain vectors with at most this many columns are drawn as bars, longer vectors as a curve."""
LEAST_SIDE = 4
WIDEST = 4  # largest ratio of the longer side of an image to the shorter


@dataclass(frozen=True)
class Joint:
    """One joint of a BVH file, or the end of its last bone (an "End Site", without channels)."""

    name: str
    parent: int
    offset: tuple[float, float, float]
    channels: tuple[str, ...]

    @property
    def moves(self) -> bool:
        """Whether the joint has a position of its own in every frame."""
        return any(channel.endswith("position") for channel in self.channels)


@dataclass(frozen=True)
class Rig:
    """The hierarchy of a motion file, used to write positions in the file's own channels.

    Attributes
    ----------
    joints : tuple of Joint
        The file's joints in its order, with offsets in the unit of the positions.
    points : tuple of int
        The joint of the skeleton at which each of them is.
    usual : tuple of float
        All channels of a typical frame: the rotations about a bone's own axis, which positions do
        not determine, are those that are nearest to it.
    """

    joints: tuple[Joint, ...]
    points: tuple[int, ...]
    usual: tuple[float, ...]


@dataclass(frozen=True)
class Skeleton:
    """Joints and the bones between them: `parents[j]` is the parent of joint j, -1 for a root.

    Parents come before their children. rig: the hierarchy of the file, if it had one.
    """

    joint_names: tuple[str, ...]
    parents: tuple[int, ...]
    rig: Rig | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not self.joint_names or len(self.joint_names) != len(self.parents):
            raise DataError(
                f"A skeleton needs one parent per joint; got "
                f"{plural(len(self.joint_names), 'joint')} and "
                f"{plural(len(self.parents), 'parent')}."
            )
        for joint, parent in enumerate(self.parents):
            if not -1 <= parent < joint:
                raise DataError(
                    f"Joint {joint} ({self.joint_names[joint]}) has the parent {parent}; a parent "
                    "must be an earlier joint, or -1 for a root."
                )


@dataclass(frozen=True)
class Drawing:
    """The description of how one row of targets is drawn.

    kind         shape of a row
    "image"      (height, width) or (height, width, 3), row by row from the top left
    "skeleton"   (J, 3): joint positions x, y, z with y up
    "curve"      (D,), neighbouring columns joined
    "bars"       (D,), one bar per column

    `value_range` holds the values drawn as black and white (image), or the ends of the axis; with
    None, the range of the data is used.

    Examples
    --------
    >>> from gplvm_core import Drawing
    >>> digits = Drawing("image", (8, 8), value_range=(0.0, 16.0))
    >>> digits.n_outputs
    64
    """

    kind: Kind
    shape: tuple[int, ...]
    value_range: tuple[float, float] | None = None
    skeleton: Skeleton | None = None

    def __post_init__(self) -> None:
        fits = {
            "image": len(self.shape) == 2 or (len(self.shape) == 3 and self.shape[2] == 3),
            "skeleton": len(self.shape) == 2 and self.shape[1] == 3,
            "curve": len(self.shape) == 1,
            "bars": len(self.shape) == 1,
        }
        if self.kind not in fits:
            raise DataError(f"Unknown drawing {self.kind!r}; choose one of {get_args(Kind)}.")
        if not fits[self.kind] or min(self.shape) < 1:
            raise DataError(
                f"A row drawn as {self.kind} cannot have the shape {self.shape}. An image has "
                "the shape (height, width) or (height, width, 3), a skeleton (joints, 3), other "
                "kinds (columns,)."
            )
        if (self.kind == "skeleton") != (self.skeleton is not None):
            raise DataError(
                f"A drawing of kind {self.kind!r} "
                + ("needs a Skeleton." if self.kind == "skeleton" else "has no skeleton.")
            )
        if self.skeleton is not None and len(self.skeleton.joint_names) != self.shape[0]:
            raise DataError(
                f"The skeleton has {plural(len(self.skeleton.joint_names), 'joint')}, but a "
                f"row has the shape {self.shape}."
            )
        if self.value_range is not None and not self.value_range[0] < self.value_range[1]:
            raise DataError(f"The value range {self.value_range} must be (lower, higher).")

    @property
    def n_outputs(self) -> int:
        return prod(self.shape)

    @classmethod
    def of_vector(cls, n_outputs: int) -> "Drawing":
        """Return the drawing of plain numbers: bars for a short row, a curve for a long row."""
        return cls("bars" if n_outputs <= MOST_BARS else "curve", (n_outputs,))


def image_shapes(n_columns: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of images with this many values.

    The shapes closest to a square come first, and grey images come before colour images.
    """
    found: list[tuple[int, ...]] = [(high, wide) for high, wide in _rectangles(n_columns)]
    if n_columns % 3 == 0:
        found += [(high, wide, 3) for high, wide in _rectangles(n_columns // 3)]
    return tuple(sorted(found, key=lambda shape: (len(shape), abs(shape[0] - shape[1]))))


def _rectangles(n_pixels: int) -> list[tuple[int, int]]:
    pairs = [(side, n_pixels // side) for side in range(LEAST_SIDE, isqrt(n_pixels) + 1)
             if n_pixels % side == 0 and n_pixels // side <= WIDEST * side]  # fmt: skip
    return pairs + [(wide, high) for high, wide in pairs if high != wide]


def check_image_shape(shape: tuple[int, ...], n_columns: int, name: str) -> None:
    """Raise a DataError unless rows with this many columns are images of this shape."""
    valid = len(shape) in (2, 3) and min(shape) >= 1 and (len(shape) == 2 or shape[2] == 3)
    if not valid:
        raise DataError(f"image_shape must be (height, width) or (height, width, 3); got {shape}.")
    if prod(shape) != n_columns:
        size = " × ".join(map(str, shape))
        raise DataError(
            f"{name}: images of {size} have {prod(shape)} values, but its rows have {n_columns} "
            "columns to learn."
        )
