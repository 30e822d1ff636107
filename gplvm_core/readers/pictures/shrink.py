"""Shrink images by a whole factor, with the same result on every machine."""

import numpy as np
from jaxtyping import Shaped, UInt8

from gplvm_core.numerics import AnyNDArray, ByteArray


def shrink(images: Shaped[AnyNDArray, "N H W"], factor: int) -> UInt8[ByteArray, "N h w"]:
    """Return means over factor × factor blocks of pixels in 0…255, rounded; H and W are multiples
    of the factor.

    Stored models refer to a data set by its name, so the pixels must not depend on the version of
    an image library.
    """
    n_images, height, width = images.shape
    blocks = images.reshape(n_images, height // factor, factor, width // factor, factor)
    means = blocks.mean(axis=(2, 4), dtype=np.float64)
    return np.floor(np.clip(means, 0, 255) + 0.5).clip(0, 255).astype(np.uint8)
