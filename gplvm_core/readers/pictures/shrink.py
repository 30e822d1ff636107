"""Shrink images by a whole factor, with the same result on every machine."""

from typing import Any

import numpy as np
from jaxtyping import Shaped, UInt8
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


def shrink(images: Shaped[NDArray[Any], "N H W"], factor: int) -> UInt8[Bytes, "N h w"]:
    """Return means over factor × factor blocks of pixels in 0…255, rounded; H and W are multiples
    of the factor.

    Stored models refer to a data set by its name, so the pixels must not depend on the version of
    an image library.
    """
    n_images, height, width = images.shape
    blocks = images.reshape(n_images, height // factor, factor, width // factor, factor)
    means = blocks.mean(axis=(2, 4), dtype=np.float64)
    return np.floor(np.clip(means, 0, 255) + 0.5).clip(0, 255).astype(np.uint8)
