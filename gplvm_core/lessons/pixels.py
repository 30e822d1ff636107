"""Random black-and-white pictures, and a digit that is turned or has flipped pixels."""

from functools import cache

import numpy as np
from jaxtyping import Bool, Float
from scipy.ndimage import label, rotate, zoom
from scipy.special import logsumexp
from scipy.stats import binom
from sklearn.neighbors import KNeighborsClassifier

from gplvm_core.datasets import load_dataset
from gplvm_core.lessons.picture import LessonPicture, Panel, dots, line, number, pictures_panel
from gplvm_core.numerics import Array, BoolArray

SHAPE = (64, 57)
N_PIXELS = SHAPE[0] * SHAPE[1]
"""3,648, as in the picture of a six at the beginning of Lawrence's lecture (2014)."""

MARGIN, SIDE = 4, 8
N_RANDOM = 5
LOOPS = {6: 1, 9: 1}
ANGLES = np.arange(0.0, 361.0, 6.0)
DEGREES = 360.0

Picture = Bool[BoolArray, "64 57"]


@cache
def ink_of(digit: int) -> Float[Array, "64 57"]:
    """Return an enlarged digit with smooth edges, ink from 0 to 1.

    It is the digit's first picture in which no loop is filled (a six and a nine have one loop).
    """
    digits = load_dataset("digits")
    assert digits.labels is not None
    inner = [(size - 2 * MARGIN) / SIDE for size in SHAPE]
    areas = 1 + LOOPS.get(digit, 0)  # connected white areas: the surroundings and each loop
    for small in digits.values[digits.labels == digit].reshape(-1, SIDE, SIDE) / 16.0:
        ink = np.pad(np.clip(zoom(small, inner, order=3), 0.0, 1.0), MARGIN)
        if label(ink <= 0.5)[1] == areas:
            break
    return ink


@cache
def turned_ink(digit: int, angle: float) -> Picture:
    """Return the digit in black and white, turned by an angle in degrees."""
    return np.asarray(rotate(ink_of(digit), angle, reshape=False, order=1) > 0.5)


@cache
def reader() -> KNeighborsClassifier:
    """Return a classifier that names the digit in 8 × 8 pixels by its nearest neighbour."""
    digits = load_dataset("digits")
    return KNeighborsClassifier(1).fit(digits.values, digits.labels)


def read(picture: Picture) -> int:
    """Return the digit that a picture shows, according to its nearest neighbour of 1,797 digits."""
    inside = picture[MARGIN:-MARGIN, MARGIN:-MARGIN].astype(np.float64)
    blocks = [np.array_split(np.arange(size), SIDE) for size in inside.shape]
    small = np.array([[inside[np.ix_(r, c)].mean() for c in blocks[1]] for r in blocks[0]])
    return int(reader().predict(16.0 * small.reshape(1, -1))[0])


def flipped(picture: Picture, share: float, seed: int) -> Picture:
    """Return the picture with a random fraction `share` of its pixels flipped."""
    order = np.random.default_rng(seed).permutation(N_PIXELS)
    changed = picture.ravel().copy()
    changed[order[: round(share * N_PIXELS)]] ^= True
    return changed.reshape(SHAPE)


def random_pictures(ink: float, seed: int) -> Bool[BoolArray, "N D"]:
    """Return pictures whose pixels are independently black with the probability `ink`."""
    return np.random.default_rng(seed).random((N_RANDOM, N_PIXELS)) < ink


def pixels(digit: int, per_cent: float, angle: float, seed: int) -> LessonPicture:
    """Draw random pictures, the changed digit, and how far the digit moves when it turns."""
    upright, turned = turned_ink(digit, 0.0), turned_ink(digit, angle)
    shown = flipped(turned, per_cent / 100.0, seed)
    drawn = random_pictures(float(upright.mean()), seed)
    apart = np.array([np.mean(turned_ink(digit, float(a)) != upright) for a in ANGLES])
    far = float(np.mean(drawn != upright.ravel()))
    own = float(np.mean(shown != upright))
    pictures = np.array([upright, turned, shown]).reshape(3, -1)
    panels = (
        pictures_panel(
            "Random pictures with as much ink",
            1.0 - drawn,
            SHAPE,
            (0.0, 1.0),
            f"{N_RANDOM} random pictures: grey noise without a shape.",
            ("",) * N_RANDOM,
            wide=True,
            tall=0.6,
        ),
        pictures_panel(
            f"A {digit}",
            1.0 - pictures,
            SHAPE,
            (0.0, 1.0),
            f"A {digit} upright, turned by {angle:.0f}°, and with {per_cent:.0f} % flipped pixels.",
            ("upright", "turned", "turned and flipped"),
        ),
        Panel(
            "Pixels that differ from the upright picture",
            (0.0, DEGREES),
            (0.0, 110.0 * max(far, own, float(apart.max()))),
            (
                line(ANGLES, 100.0 * apart, title="turned"),
                line(np.array([0.0, DEGREES]), np.full(2, 100.0 * far), "muted", "random pictures"),
                dots([angle], [100.0 * own], "warm", "the picture", radius=7, hollow=True),
            ),
            "The percentage of pixels that differ from the upright picture; for random pictures it "
            f"is {number(100.0 * far)} %.",
            axes=("degrees", "per cent"),
        ),
    )
    return LessonPicture(panels, summary(digit, shown, turned, angle, own))


def summary(
    digit: int, shown: Picture, turned: Picture, angle: float, own: float
) -> tuple[str, ...]:
    """State the number of pictures, the probability of the digit, and what a classifier reads."""
    agree = 1.0 - own
    enough = np.arange(np.ceil(0.95 * N_PIXELS), N_PIXELS + 1.0)
    chance = logsumexp(binom.logpmf(enough, N_PIXELS, 0.5)) / np.log(10.0)
    tens = N_PIXELS * np.log10(2.0)
    return (
        f"There are 2^{N_PIXELS:,} pictures of {N_PIXELS:,} black or white pixels: a number with "
        f"{int(tens) + 1:,} digits. If a fair coin decides every pixel, only one in "
        f"10^{-chance:,.0f} pictures agrees with the {digit} in 95 % of the pixels.",
        f"The last picture agrees with the upright {digit} in {number(100.0 * agree, 1)} % of the "
        f"pixels. A nearest-neighbour classifier reads it as a {read(shown)}, and the picture "
        f"without flipped pixels as a {read(turned)}.",
        "A turn changes many pixels at once, but one number describes it: the angle, now "
        f"{number(angle, 0)}°. Flips need one number for every pixel.",
    )
