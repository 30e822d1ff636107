"""Arrays of other libraries, through the array-API standard: on a GPU, say.

Whatever has a row a point may be such an array, in float64; all else is NumPy's. What the standard
does not have (`out=`, `triu_indices`, `bincount`, triangular solves) is needed there alone.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gplvm_core.numerics.linalg import Array

# Of NumPy or of another library: one code serves both.
AnyArray = Any
# Those whose arrays can be written to in parts. Others become NumPy arrays, as lists do.
LIBRARIES = ("torch", "cupy", "array_api_strict")


class ArrayLibraryError(ValueError):
    """A library or a device whose arrays cannot be worked with; the message says why."""


@dataclass(frozen=True)
class Place:
    """A library and one of its devices: where sums over points are made."""

    namespace: Any
    device: Any

    @classmethod
    def of(cls, values: Any) -> "Place | None":
        """Where the values are; None for NumPy and for all that becomes a NumPy array.

        Raises ArrayLibraryError without array-api-compat, and for a device without float64.
        """
        if not _of_a_library(values):
            return None
        compat = _compat()
        place = cls(compat.array_namespace(values), compat.device(values))
        place._check()
        return place

    def take(self, values: Array) -> AnyArray:
        """NumPy's numbers as an array of this place."""
        return self.namespace.asarray(np.ascontiguousarray(values), device=self.device)

    def filled(self, shape: tuple[int, ...], value: float) -> AnyArray:
        """An array of this place with one number everywhere."""
        xp = self.namespace
        return xp.full(shape, value, dtype=xp.float64, device=self.device)

    def _check(self) -> None:
        try:
            found = self.filled((1,), 0.0).dtype == self.namespace.float64
        except (AttributeError, RuntimeError, TypeError, ValueError):
            found = False
        if not found:
            name = self.namespace.__name__.rpartition(".")[2]
            raise ArrayLibraryError(
                f"the device {self.device} of {name} has no float64, and in float32 the gradients "
                "of a trained model lose all their digits: take another device, or hand in "
                "numpy.asarray(Y)"
            )


def namespace(array: AnyArray) -> Any:
    """The functions for an array: NumPy's, or its library's by the names of the standard."""
    return np if isinstance(array, np.ndarray) else _compat().array_namespace(array)


def beside(values: Array, array: AnyArray) -> AnyArray:
    """NumPy's numbers where an array is: in its library, on its device."""
    return values if isinstance(array, np.ndarray) else _place(array).take(values)


def filled(shape: tuple[int, ...], value: float, array: AnyArray) -> AnyArray:
    """One number everywhere, where an array is."""
    if isinstance(array, np.ndarray):
        return np.full(shape, value)
    return _place(array).filled(shape, value)


def to_numpy(values: Any) -> Any:
    """An array of another library as one of NumPy; everything else as it is."""
    if isinstance(values, np.ndarray) or not _of_a_library(values):
        return values
    compat = _compat()
    if hasattr(values, "detach"):
        values = values.detach()
    strict = "strict" in type(values).__module__
    here = compat.array_namespace(values).Device("CPU_DEVICE") if strict else "cpu"
    return np.asarray(compat.to_device(values, here))


def on_host(array: AnyArray) -> bool:
    """Whether the processor works on it, whose cache is small, and not a device of many cores."""
    return isinstance(array, np.ndarray) or "cpu" in str(_compat().device(array)).lower()


def _place(array: AnyArray) -> Place:
    return Place(_compat().array_namespace(array), _compat().device(array))


def _of_a_library(values: Any) -> bool:
    return type(values).__module__.partition(".")[0] in LIBRARIES


def _compat() -> Any:
    try:
        import array_api_compat
    except ImportError as error:
        raise ArrayLibraryError(
            "arrays of another library than NumPy need the package array-api-compat: "
            "pip install 'manifolio[arrays]', or hand in numpy.asarray(Y)"
        ) from error
    return array_api_compat
