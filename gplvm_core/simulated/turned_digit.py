"""One handwritten digit that is turned: many pictures with a single cause, the angle."""

from functools import cache

import numpy as np
from jaxtyping import Float, Int
from scipy.ndimage import rotate, zoom

from gplvm_core.numerics import Array, Int64Array
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.shipped.scikit_learn import load_digits

SIDE = 20
N_ANGLES = 60
PLAIN, THINNED = (1.0,), (0.55, 0.8, 1.1, 1.6, 2.3)  # exponents of the ink, one for each line width
DIGIT, STEP, NOISE = 4, 3, 0.15  # the data set's digit, degrees between rows, and noise of a pixel


@cache
def first_of(digit: int) -> Float[Array, "S S"]:
    """Return a picture of the digit with smooth edges and an empty margin, ink from 0 to 1."""
    digits = load_digits()
    assert digits.labels is not None
    small = digits.values[np.flatnonzero(digits.labels == digit)[0]].reshape(8, 8) / 16.0
    return np.clip(np.pad(zoom(small, 1.75, order=3), 3), 0.0, 1.0)


def at_angles(digit: int, angles: Float[Array, " A"]) -> Float[Array, "A D"]:
    """Return the digit turned by angles in degrees, a row for each."""
    upright = first_of(digit)
    whole = [np.clip(rotate(upright, angle, reshape=False, order=1), 0, 1) for angle in angles]
    return np.array(whole).reshape(len(angles), -1)


def turned(
    digit: int, span: float, thinned: bool
) -> tuple[Float[Array, "N D"], Float[Array, " N"], Int[Int64Array, " N"]]:
    """Return pictures as rows, their angles in degrees, and the index of their line width."""
    angles = np.linspace(0.0, span, N_ANGLES, endpoint=span < 360.0)
    powers = THINNED if thinned else PLAIN
    rows = np.concatenate([at_angles(digit, angles) ** power for power in powers])
    thinness = np.repeat(np.arange(len(powers)), N_ANGLES)
    return rows, np.tile(angles, len(powers)), thinness


def load_turned_digit() -> Dataset:
    """Load 120 pictures of one turned 4, 20 × 20 pixels, in steps of 3 degrees, with noise.

    One number, the angle, generates all rows. The rows form a loop, so a map of them needs two
    latent dimensions. `covariates["angle"]` holds the angle in degrees.
    """
    angles = np.arange(0.0, 360.0, STEP)
    clean = np.round(at_angles(DIGIT, angles), 4)
    # RandomState never changes its stream, and stored models refer to these data by name.
    noise = np.random.RandomState(0).standard_normal(clean.shape)
    return Dataset(
        name="turned_digit",
        title="A turned digit",
        targets=clean + NOISE * noise,
        drawing=Drawing("image", (SIDE, SIDE), (0.0, 1.0)),
        source=load_digits().source,
        notes=(
            f"One handwritten {DIGIT} of the digits, enlarged to {SIDE} × {SIDE} pixels, turned in "
            f"steps of {STEP} degrees, with noise of standard deviation {NOISE} on every pixel.",
            "One cause, the angle, generates all rows. They form a loop.",
        ),
        covariates={"angle": angles},
    )
