"""An array of another library that NumPy's functions and operators accept."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gplvm_core.arrays.place import ArrayLibraryError, Place, to_numpy

# Operators accept Python numbers in every library; functions of the array-API standard do not.
BINARY: dict[np.ufunc, Callable[..., Any]] = {
    np.matmul: operator.matmul,
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.power: operator.pow,
    np.not_equal: operator.ne,
}
# Functions with the same name in NumPy and in the standard.
NAMED = {each: each.__name__ for each in (np.exp, np.log, np.sqrt, np.square, np.cos, np.sin)}


def _operator(
    function: Callable[..., Any], *, turned: bool = False
) -> Callable[["DeviceArray", Any], "DeviceArray"]:
    """Return the method of an operator; turned: whether the array is the right operand."""

    def method(array: "DeviceArray", other: Any) -> "DeviceArray":
        one, two = array.values, array._here(other)
        return DeviceArray(function(two, one) if turned else function(one, two), array.place)

    return method


class DeviceArray:
    """A float64 array of another library, on its device.

    NumPy's operators, the functions in `BINARY`, `NAMED` and `FUNCTIONS`, and `like=` run on the
    array's device. NumPy arguments are copied to the device. `np.asarray` copies the numbers back
    to NumPy. Any other NumPy function raises ArrayLibraryError. Only `array[...] = ` changes the
    array: `out=` and `+=` return a new array, which the caller must use. (NumPy's protocols
    `__array_ufunc__` and `__array_function__`: NEP 13, NEP 18 and NEP 35.)
    """

    __slots__ = ("place", "values")

    def __init__(self, values: Any, place: Place) -> None:
        self.values, self.place = values, place

    @classmethod
    def of(cls, values: Any, place: Place) -> "DeviceArray":
        """Move a NumPy array to the device of a `Place`."""
        return cls(place.take(values), place)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.values.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float64)

    @property
    def T(self) -> "DeviceArray":
        return self._new(self.values.T)

    def sum(self, **options: Any) -> "DeviceArray":
        return self._over("sum", self, **options)

    def any(self) -> "DeviceArray":
        return self._over("any", self)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(np.ndarray, name):
            raise self._unknown(f"ndarray.{name}")
        raise AttributeError(name)

    # These methods bypass NumPy's protocols. The protocols cost microseconds per operation, and
    # small blocks need many operations.
    __matmul__, __rmatmul__ = _operator(operator.matmul), _operator(operator.matmul, turned=True)
    __add__, __radd__ = _operator(operator.add), _operator(operator.add, turned=True)
    __sub__, __rsub__ = _operator(operator.sub), _operator(operator.sub, turned=True)
    __mul__, __rmul__ = _operator(operator.mul), _operator(operator.mul, turned=True)
    __truediv__ = _operator(operator.truediv)
    __rtruediv__ = _operator(operator.truediv, turned=True)
    __pow__ = _operator(operator.pow)

    def __neg__(self) -> "DeviceArray":
        return DeviceArray(-self.values, self.place)

    def __ne__(self, other: Any) -> Any:
        return DeviceArray(self.values != self._here(other), self.place)

    def __len__(self) -> int:
        return self.shape[0]

    def __float__(self) -> float:
        return float(self.values)

    def __bool__(self) -> bool:
        return bool(self.values)

    def __getitem__(self, key: Any) -> "DeviceArray":
        return DeviceArray(self.values[key], self.place)

    def __setitem__(self, key: Any, numbers: Any) -> None:
        self.values[key] = self._here(numbers)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(to_numpy(self.values), dtype=dtype, copy=copy)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any
    ) -> "DeviceArray":
        own = BINARY.get(ufunc)
        if own is None and ufunc in NAMED:
            own = getattr(self.place.namespace, NAMED[ufunc])
        if own is None or options or method != "__call__":
            raise self._unknown(ufunc.__name__)
        return DeviceArray(own(*[self._here(each) for each in inputs]), self.place)

    def __array_function__(
        self, function: Callable[..., Any], types: Any, arguments: Any, named: Any
    ) -> Any:
        own = FUNCTIONS.get(function)
        if own is None:
            raise self._unknown(function.__name__)
        # Remove the defaults that NumPy adds: order="C" and options that are None.
        given = {name: at for name, at in named.items() if name != "order" and at is not None}
        return own(self, *arguments, **given)

    def _new(self, values: Any) -> "DeviceArray":
        return DeviceArray(values, self.place)

    def _here(self, value: Any) -> Any:
        """Convert an argument to an array of this library, or to a Python number."""
        if type(value) is DeviceArray:
            return value.values
        if not isinstance(value, (np.ndarray, np.generic)):
            return value
        return self.place.take(np.asarray(value)) if value.ndim else value.item()

    def _unknown(self, name: str) -> ArrayLibraryError:
        return ArrayLibraryError(
            f"numpy.{name} does not work on arrays of {self.place.name}: pass numpy.asarray(Y), "
            "or choose a kernel that does not use this function (RBF, linear, bias, white noise, "
            "their sums)"
        )

    def _over(self, name: str, array: "DeviceArray", **options: Any) -> "DeviceArray":
        return self._new(getattr(self.place.namespace, name)(array.values, **options))

    def _made(self, how: str, shape: Any, *value: float) -> "DeviceArray":
        shape = shape if isinstance(shape, tuple) else (shape,)
        return self._new(self.place.made(how, shape, *value))

    def _joined(self, arrays: Any, axis: int = 0) -> "DeviceArray":
        return self._new(self.place.namespace.concat([self._here(a) for a in arrays], axis=axis))


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.sum: lambda like, array, **options: like._over("sum", array, **options),
    np.any: lambda like, array: like._over("any", array),
    np.vdot: lambda like, one, other: like._over("sum", one * other),
    np.concatenate: lambda like, arrays, axis=0: like._joined(arrays, axis),
    np.zeros_like: lambda like, array: like._made("zeros", array.shape),
    np.zeros: lambda like, shape: like._made("zeros", shape),
    np.ones: lambda like, shape: like._made("ones", shape),
    np.empty: lambda like, shape: like._made("empty", shape),
    np.full: lambda like, shape, value: like._made("full", shape, float(value)),
    # With `like=`, the argument may be a NumPy array.
    np.asarray: lambda like, array: like._new(like._here(array)),
}


def on_host(array: Any) -> bool:
    """Whether the array is in main memory, not in the memory of a GPU."""
    return not isinstance(array, DeviceArray) or array.place.on_processor
