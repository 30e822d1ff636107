"""The training rows of the tour's maps, and held-out rows with a hidden part."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Bool, Float, Int

from gplvm_core.datasets import load_dataset
from gplvm_core.lessons.picture import Mark, dots, figures, line
from gplvm_core.numerics import Array, BoolArray, Int64Array
from gplvm_core.simulated.runner import BONES, LEG_JOINTS, runner, runner_skeleton

KINDS = (0, 1, 3)
SHOWN, HELD_OUT = 15, 6  # training digits and held-out digits of each kind
MARKER_NOISE = 1.0  # standard deviation in cm
EVERY = 2  # every second frame is for training; every second of the other frames is held out


@dataclass(frozen=True, eq=False)
class LessonRows:
    """Training rows (shown), held-out rows (aside), and the held-out rows' hidden columns.

    what: the name of the rows. hidden_part: the name of the hidden columns. unit: the unit of the
    values. labels: classes of the training rows; None: the rows are the frames of a run, in order.
    """

    shown: Float[Array, "N D"]
    aside: Float[Array, "T D"]
    hidden: Bool[BoolArray, " D"]
    what: str
    hidden_part: str
    unit: str
    labels: Int[Int64Array, " N"] | None = None

    def marks(
        self,
        x: Float[Array, " N"],
        y: Float[Array, " N"],
        spread: Float[Array, "N 2"] | None = None,
    ) -> tuple[Mark, ...]:
        """Return the marks of the training rows on a map: coloured classes, or a path in time."""
        if self.labels is not None:
            title = f"{self.what} {', '.join(map(str, KINDS))}, by colour"
            return (dots(x, y, title=title, labels=self.labels, radius=4.2, spread=spread),)
        order = np.linspace(0.0, 1.0, len(x))
        some = slice(None, None, 3)
        bodies = self.shown[some].reshape(-1, len(BONES), 3)[:, :, :2]
        return (
            line(x, y, "muted", "frames in order", width=1.2),
            dots(x, y, title="dark: first, light: last", shade=order, radius=4.2, spread=spread),
            figures(bodies, runner_skeleton().parents, x[some], y[some]),
        )


@cache
def digits() -> LessonRows:
    """Load digits of three kinds; the lower half of the held-out digits is hidden."""
    data = load_dataset("digits")
    assert data.labels is not None
    own = [np.flatnonzero(data.labels == kind) for kind in KINDS]
    shown = np.concatenate([each[:SHOWN] for each in own])
    aside = np.concatenate([each[SHOWN : SHOWN + HELD_OUT] for each in own])
    values = data.values.astype(np.float64)
    return LessonRows(
        values[shown],
        values[aside],
        np.arange(values.shape[1]) >= values.shape[1] // 2,
        "digits",
        "lower halves",
        "shades of 16",
        np.repeat(np.arange(len(KINDS)), SHOWN),
    )


@cache
def run() -> LessonRows:
    """Return the stick man's run with measurement noise; the legs of held-out frames are hidden."""
    frames = runner()
    noise = np.random.default_rng(0).normal(0.0, MARKER_NOISE, frames.shape)
    values = (frames + noise).reshape(len(frames), -1)
    shown = np.arange(len(values)) % EVERY == 0
    legs = np.repeat([name.endswith(LEG_JOINTS) for name in BONES], 3)
    return LessonRows(values[shown], values[~shown][::EVERY], legs, "frames of a run", "legs", "cm")
