"""A data set: what to learn from, what is known beside it, and how to draw one row."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal, get_args

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.datasets.checks import check_targets, describe
from gplvm_core.datasets.errors import DataError
from gplvm_core.datasets.missing import missing_entries, unmasked

Array = NDArray[np.float64]
Kind = Literal["image", "skeleton", "curve", "bars"]

MOST_BARS = 32
"""Plain vectors with at most this many columns are drawn as bars, longer ones as a curve."""


@dataclass(frozen=True)
class Skeleton:
    """Joints and the bones between them: joint j hangs on joint `parents[j]`, a root on -1.

    Parents come before their children.
    """

    joint_names: tuple[str, ...]
    parents: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.joint_names or len(self.joint_names) != len(self.parents):
            raise DataError(
                f"A skeleton needs one parent per joint; got {len(self.joint_names)} joints and "
                f"{len(self.parents)} parents."
            )
        for joint, parent in enumerate(self.parents):
            if not -1 <= parent < joint:
                raise DataError(
                    f"Joint {joint} ({self.joint_names[joint]}) hangs on {parent}; a parent is an "
                    "earlier joint, or -1 for a root."
                )


@dataclass(frozen=True)
class Drawing:
    """How one row of targets is drawn.

    kind         shape of a row
    "image"      (height, width) or (height, width, 3), row by row from the top left
    "skeleton"   (J, 3): joint positions x, y, z with y up
    "curve"      (D,), neighbouring columns joined
    "bars"       (D,), one bar a column

    `value_range` holds the values drawn as black and white (image) or the axis' ends; None: fit.
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
                f"A row drawn as {self.kind} cannot have the shape {self.shape}: an image is "
                "(height, width) or (height, width, 3), a skeleton (joints, 3), others (columns,)."
            )
        if (self.kind == "skeleton") != (self.skeleton is not None):
            raise DataError(
                f"A drawing of kind {self.kind!r} "
                + ("needs a Skeleton." if self.kind == "skeleton" else "has no skeleton.")
            )
        if self.skeleton is not None and len(self.skeleton.joint_names) != self.shape[0]:
            raise DataError(
                f"The skeleton has {len(self.skeleton.joint_names)} joints, but a row has the "
                f"shape {self.shape}."
            )
        if self.value_range is not None and not self.value_range[0] < self.value_range[1]:
            raise DataError(f"The value range {self.value_range} must be (lower, higher).")

    @classmethod
    def of_vector(cls, n_outputs: int) -> "Drawing":
        """Bars for a short row of plain numbers, a curve for a long one."""
        return cls("bars" if n_outputs <= MOST_BARS else "curve", (n_outputs,))


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows to learn from, and everything known about them.

    targets        N × D, uint8 (pixels) or floating; NaN, or masked, is missing, none infinite
    labels         N class numbers, indices into `label_names`
    column_names   D names, where the columns have any
    times          N times in seconds, or in the unit of the column they came from
    sequences      N numbers: rows with the same one follow each other in time
    source         where the data come from, their terms, and whom to credit
    notes          everything that the loader did: rescaled, dropped, subsampled
    covariates     further facts per row, first axis N; never trained on

    Labels and sequences are kept as int64, times as float64, all arrays as read-only views. Raises
    DataError when the parts do not fit together.
    """

    name: str
    title: str
    targets: NDArray[Any]
    drawing: Drawing
    labels: NDArray[Any] | None = None
    label_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] | None = None
    times: NDArray[Any] | None = None
    sequences: NDArray[Any] | None = None
    source: str = ""
    notes: tuple[str, ...] = ()
    covariates: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        targets = np.asarray(unmasked(self.targets))
        check_targets(targets, missing=True, column_names=self._names_of(targets))
        if targets.dtype != np.uint8 and targets.dtype.kind != "f":
            raise DataError(
                f"{self.name}: targets are uint8 or floating, got {targets.dtype}; "
                "convert them with .astype(float)."
            )
        self._check_columns(targets.shape[1])
        self._keep("targets", targets)
        self._keep("labels", self._per_row("labels", self.labels, "iu", np.int64))
        self._keep("times", self._per_row("times", self.times, "fiu", np.float64))
        self._keep("sequences", self._per_row("sequences", self.sequences, "iu", np.int64))
        self._check_labels()
        self._check_covariates()

    @property
    def n_points(self) -> int:
        return int(self.targets.shape[0])

    @property
    def n_outputs(self) -> int:
        return int(self.targets.shape[1])

    @property
    def values(self) -> Float[Array, "N D"]:
        """The targets as float64, NaN where missing."""
        return self.targets.astype(np.float64, copy=False)

    @property
    def missing(self) -> Bool[NDArray[np.bool_], "N D"] | None:
        """Which targets are missing; None when the data are complete."""
        return missing_entries(self.targets)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about the targets, in words (`describe`)."""
        one_unit = self.drawing.kind in ("image", "skeleton")
        return describe(self.targets, self._names_of(self.targets), one_unit=one_unit)

    def _names_of(self, targets: NDArray[Any]) -> tuple[str, ...] | None:
        """The columns' names, as far as they fit: what does not is refused elsewhere."""
        width = targets.shape[1] if targets.ndim == 2 else 0
        if self.column_names is not None and len(self.column_names) == width:
            return self.column_names
        if self.drawing.kind == "image":
            return tuple(f"pixel {d}" for d in range(width))
        return None

    def _keep(self, attribute: str, array: NDArray[Any] | None) -> None:
        if array is None:
            return
        view = array.view()
        view.flags.writeable = False
        object.__setattr__(self, attribute, view)

    def _check_columns(self, n_outputs: int) -> None:
        if prod(self.drawing.shape) != n_outputs:
            raise DataError(
                f"{self.name}: a row has {n_outputs} values, but is to be drawn as "
                f"{self.drawing.kind} of shape {self.drawing.shape}."
            )
        if self.column_names is not None and len(self.column_names) != n_outputs:
            raise DataError(
                f"{self.name}: {len(self.column_names)} column names for {n_outputs} columns."
            )

    def _per_row(
        self, what: str, array: NDArray[Any] | None, kinds: str, dtype: type
    ) -> NDArray[Any] | None:
        if array is None:
            return None
        array = np.asarray(array)
        if array.shape != (len(self.targets),):
            raise DataError(
                f"{self.name}: {what} must be one number per row, shape ({len(self.targets)},); "
                f"got shape {array.shape}."
            )
        if array.dtype.kind not in kinds or not np.isfinite(array).all():
            wanted = "finite numbers" if "f" in kinds else "whole numbers"
            raise DataError(f"{self.name}: {what} must be {wanted}; got dtype {array.dtype}.")
        return array.astype(dtype, copy=False)

    def _check_labels(self) -> None:
        if self.labels is None:
            if self.label_names:
                raise DataError(f"{self.name}: label names without labels.")
            return
        low, high = int(self.labels.min()), int(self.labels.max())
        if low < 0 or (self.label_names and high >= len(self.label_names)):
            raise DataError(
                f"{self.name}: labels run from {low} to {high}, but there are "
                f"{len(self.label_names)} label names; labels are their indices, from 0."
            )

    def _check_covariates(self) -> None:
        kept: dict[str, NDArray[Any]] = {}
        for name, array in self.covariates.items():
            view = np.asarray(array).view()
            if view.ndim == 0 or len(view) != len(self.targets):
                raise DataError(
                    f"{self.name}: covariate {name!r} has the shape {view.shape}; its first axis "
                    f"must be the {len(self.targets)} rows."
                )
            view.flags.writeable = False
            kept[name] = view
        object.__setattr__(self, "covariates", kept)
