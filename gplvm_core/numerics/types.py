"""Types of arrays for annotations with shapes, such as Float[Array, "N Q"].

mypy reads the type of the numbers. jaxtyping checks it from the annotation's own name (Float, Bool,
Int) and needs a class, which NumPy's NDArray is not in every version.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    AnyNDArray = NDArray[Any]
    BoolArray = NDArray[np.bool_]
    ByteArray = NDArray[np.uint8]
    Int64Array = NDArray[np.int64]
    IntArray = NDArray[np.intp]
else:
    Array = AnyNDArray = BoolArray = ByteArray = Int64Array = IntArray = np.ndarray
