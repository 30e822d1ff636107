"""Libraries of arrays and their devices, through the array-API standard."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Libraries whose arrays can be changed in place. Arrays of other libraries are converted to NumPy
# arrays, as lists are.
LIBRARIES = ("torch", "cupy", "array_api_strict")


class ArrayLibraryError(ValueError):
    """A library, a device or a function that cannot be used; the message gives the reason."""


@dataclass(frozen=True)
class Place:
    """An array library and one of its devices; this device computes the sums over points."""

    namespace: Any
    device: Any

    @classmethod
    def of(cls, values: Any) -> "Place | None":
        """Return the library and device of the values; None for NumPy and for values that are
        converted to NumPy.

        Raises ArrayLibraryError without array-api-compat, and for a device without float64.
        """
        if not _of_a_library(values):
            return None
        compat = _compat()
        place = cls(compat.array_namespace(values), compat.device(values))
        place._check()
        return place

    @property
    def name(self) -> str:
        """The library's name."""
        return str(self.namespace.__name__.rpartition(".")[2])

    @property
    def on_processor(self) -> bool:
        """Whether the device is the CPU."""
        return "cpu" in str(self.device).lower()

    def take(self, values: NDArray[Any]) -> Any:
        """Copy a NumPy array to this device."""
        return self.namespace.asarray(
            np.require(values, requirements=("C", "W")), device=self.device
        )

    def made(self, how: str, *arguments: Any) -> Any:
        """Create a float64 array on this device; how: `zeros`, `ones`, `empty` or `full`."""
        xp = self.namespace
        return getattr(xp, how)(*arguments, dtype=xp.float64, device=self.device)

    def _check(self) -> None:
        try:
            found = self.made("zeros", (1,)).dtype == self.namespace.float64
        except (AttributeError, RuntimeError, TypeError, ValueError):
            found = False
        if not found:
            raise ArrayLibraryError(
                f"the device {self.device} of {self.name} has no float64; float32 is not precise "
                "enough for the gradients of a trained model: choose another device, or pass "
                "numpy.asarray(Y)"
            )


def to_numpy(values: Any) -> Any:
    """Copy an array of another library to NumPy; return anything else unchanged."""
    if not _of_a_library(values):
        return values
    compat = _compat()
    if hasattr(values, "detach"):
        values = values.detach()
    strict = "strict" in type(values).__module__
    here = compat.array_namespace(values).Device("CPU_DEVICE") if strict else "cpu"
    return np.asarray(compat.to_device(values, here))


def _of_a_library(values: Any) -> bool:
    return type(values).__module__.partition(".")[0] in LIBRARIES


def _compat() -> Any:
    try:
        import array_api_compat
    except ImportError as error:
        raise ArrayLibraryError(
            "arrays of another library than NumPy need the package array-api-compat: "
            "pip install 'manifolio[arrays]', or pass numpy.asarray(Y)"
        ) from error
    return array_api_compat
