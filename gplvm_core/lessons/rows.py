"""The rows that maps of the tour are trained on, and others, of which a part is hidden."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray

from gplvm_core.datasets import load_dataset
from gplvm_core.lessons.picture import Mark, dots, line
from gplvm_core.numerics import Array
from gplvm_core.shipped.stick_man import LEGS, load_stick_man, stick_man_file

KINDS = (0, 1, 3)
SHOWN, HELD_OUT = 15, 6  # digits of each kind: trained on, and kept aside
EVERY = 3  # frame of the run is trained on, and every so many of the others kept aside


@dataclass(frozen=True, eq=False)
class LessonRows:
    """shown: trained on; aside: not. hidden: columns of these that a model is to fill in.

    what, hidden_part: in words; unit: of the values. labels: classes of what is shown; None: it is
    a movement, in its order.
    """

    shown: Float[Array, "N D"]
    aside: Float[Array, "T D"]
    hidden: Bool[NDArray[np.bool_], " D"]
    what: str
    hidden_part: str
    unit: str
    labels: Int[NDArray[np.int64], " N"] | None = None

    def marks(
        self,
        x: Float[Array, " N"],
        y: Float[Array, " N"],
        spread: Float[Array, "N 2"] | None = None,
    ) -> tuple[Mark, ...]:
        """What is shown on a map: classes by their colours, a movement by its way."""
        if self.labels is not None:
            title = f"{self.what} {', '.join(map(str, KINDS))}: a colour each"
            return (dots(x, y, title=title, labels=self.labels, radius=4.2, spread=spread),)
        order = np.linspace(0.0, 1.0, len(x))
        return (
            line(x, y, "muted", "one frame after the other", width=1.2),
            dots(x, y, title="dark: first, light: last", shade=order, radius=4.2, spread=spread),
        )


@cache
def digits() -> LessonRows:
    """Digits of three kinds; of those kept aside the lower half is hidden."""
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
def run_or_digits() -> LessonRows:
    """The stick man's run with hidden legs where its file is present, else digits.

    Raises DataError where the file is another one.
    """
    path = stick_man_file()
    if path is None:
        return digits()
    values, markers = load_stick_man(path)
    shown = np.arange(len(values)) % EVERY == 0
    legs = np.repeat([name[1:] in LEGS for name in markers], 3)
    return LessonRows(values[shown], values[~shown][::EVERY], legs, "frames of a run", "legs", "cm")
