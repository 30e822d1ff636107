"""The cells of a row that a user can select: pixels of an image, joints, or columns."""

import re
from collections.abc import Callable

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from gplvm_core.readers.drawing import Drawing, Skeleton

LEGS = re.compile(r"leg|thigh|femur|knee|shin|tibia|foot|ankle|toe", re.IGNORECASE)
ARMS = re.compile(r"arm|elbow|humerus|radius|wrist|hand|finger|thumb", re.IGNORECASE)
LEFT = re.compile(r"[Ll]eft|[Ll][_. ]|[Ll](?=[A-Z])")


def n_cells(drawing: Drawing) -> int:
    """Return the number of cells of a row: pixels (all colours together), joints, or columns."""
    if drawing.kind == "image":
        return drawing.shape[0] * drawing.shape[1]
    return drawing.shape[0]


def cell_word(drawing: Drawing) -> tuple[str, str]:
    """Return the singular and plural name of cells."""
    return {"image": ("pixel", "pixels"), "skeleton": ("joint", "joints")}.get(
        drawing.kind, ("column", "columns")
    )


def columns_of(drawing: Drawing, cells: Bool[Array, " C"]) -> Bool[Array, " D"]:
    """Return the columns of the chosen cells: a pixel's colours, a joint's three coordinates."""
    return np.repeat(cells, int(np.prod(drawing.shape)) // n_cells(drawing))


def cells_of(drawing: Drawing, columns: Bool[Array, " D"]) -> Bool[Array, " C"]:
    """Return the cells with at least one of the chosen columns."""
    return np.asarray(columns.reshape(n_cells(drawing), -1).any(axis=1))


def column_std(values: Float[Array, "N D"]) -> Float[Array, " D"]:
    """Return the standard deviation of each column's observed values; 0 for constant columns."""
    centre, spread = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    # Rounding would give a constant column a small spread instead of 0.
    constant = spread <= 1e-12 * np.abs(centre)
    return np.where(constant, 0.0, spread)


def error_units(drawing: Drawing, values: Float[Array, "N D"]) -> tuple[Float[Array, " D"], str]:
    """Return the unit of each column's errors where they are pooled, and its words.

    Pixels and coordinates share a unit; the unit of any other column is its standard deviation.
    """
    if drawing.kind in ("image", "skeleton"):
        return np.ones(values.shape[1]), ""
    spread = column_std(values)
    return np.where(spread > 0.0, spread, 1.0), " of each column's standard deviation"


def choices(drawing: Drawing) -> dict[str, Bool[Array, " C"]]:
    """Return the parts that one click hides, by name; the first is the default."""
    count = n_cells(drawing)
    if drawing.kind == "image":
        rows, columns = np.indices(drawing.shape[:2])
        return {
            "Left half": (columns < drawing.shape[1] // 2).ravel(),
            "Lower half": (rows >= (drawing.shape[0] + 1) // 2).ravel(),
        }
    if drawing.skeleton is not None:
        parts = {
            "Legs": _limbs(drawing.skeleton, lambda name: LEGS.search(name)),
            "Arms": _limbs(drawing.skeleton, lambda name: ARMS.search(name)),
            "Left side": _limbs(drawing.skeleton, lambda name: LEFT.match(name)),
        }
        known = {name: part for name, part in parts.items() if part.any() and not part.all()}
        # If the joint names are unknown, hide the later half of the joints; parents come before
        # their children.
        return known or {"Last half": np.arange(count) >= count // 2}
    return {
        "First half": np.arange(count) < count // 2,
        "Last half": np.arange(count) >= (count + 1) // 2,
    }


def _limbs(skeleton: Skeleton, chosen: Callable[[str], object]) -> Bool[Array, " J"]:
    """Return the joints whose name is chosen, and all their descendants."""
    part = np.zeros(len(skeleton.parents), dtype=bool)
    for joint, (name, parent) in enumerate(
        zip(skeleton.joint_names, skeleton.parents, strict=True)
    ):
        part[joint] = bool(chosen(name)) or (parent >= 0 and part[parent])
    return part
