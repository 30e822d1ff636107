"""Encode values as JSON and plain arrays.

The content is a JSON tree. Numbers, strings, booleans, null and lists are JSON values. Everything
else is a JSON object whose key "$" names its kind: an array (the name of its member), a tuple, a
dict, a NumPy scalar, a frozen dataclass (its fields) or an estimator (its parameters and fitted
attributes). Floats are restored exactly: JSON stores the shortest digits that give the same
float, and NaN and infinities are stored by name.
"""

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from gplvm_core.store.errors import StoreError

Registry = Mapping[str, type]

# The estimators of scikit-learn that a file may contain, and their modules. Models of this project
# train such estimators, whose fitted state consists of plain arrays.
OF_SCIKIT_LEARN = {"LogisticRegression": "sklearn.linear_model"}

SCALAR_KINDS = "biuf"
_ARRAY_KINDS = "biufcUS"
# Wider floats differ between platforms (80 or 128 bits) and have no exact decimal in JSON.
WIDEST_FLOAT = 8


@dataclass(frozen=True)
class Encoded:
    """A value as JSON content and the arrays that the content refers to by name."""

    content: Any
    arrays: dict[str, np.ndarray]


def encode(thing: object, registry: Registry) -> Encoded:
    """Convert a value to JSON content and arrays.

    ``registry`` maps public names to the classes that may occur. An array that occurs twice is
    stored once. Raises StoreError for values that cannot be stored exactly; the message names their
    path.
    """
    encoder = _Encoder(registry)
    try:
        content = encoder.value(thing, "value")
    except RecursionError:
        raise StoreError(
            f"This {type(thing).__name__} is nested too deeply to be stored (or contains itself). "
            "Store a flatter value."
        ) from None
    return Encoded(content, encoder.arrays)


def is_estimator(kind: type) -> bool:
    """Return whether a class is an estimator, without importing scikit-learn."""
    names = ((base.__module__, base.__name__) for base in kind.__mro__)
    return ("sklearn.base", "BaseEstimator") in names


class _Encoder:
    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.arrays: dict[str, np.ndarray] = {}
        # The keys are addresses in memory, which is safe because `arrays` keeps the arrays alive.
        self._names: dict[tuple[Any, ...], str] = {}

    def value(self, thing: Any, where: str) -> Any:
        kind = type(thing)
        if thing is None or kind in (bool, int, str):
            return thing
        if kind is float:
            return thing if math.isfinite(thing) else {"$": "float", "value": repr(thing)}
        if kind is list:
            return [self.value(item, f"{where}[{i}]") for i, item in enumerate(thing)]
        if kind is tuple:
            items = [self.value(item, f"{where}[{i}]") for i, item in enumerate(thing)]
            return {"$": "tuple", "items": items}
        if kind is dict:
            pairs = [
                [self.value(key, f"a key of {where}"), self.value(item, f"{where}[{key!r}]")]
                for key, item in thing.items()
            ]
            return {"$": "dict", "items": pairs}
        if isinstance(thing, np.generic):
            return self._scalar(thing, where)
        if isinstance(thing, np.ndarray):
            return self._array(thing, where)
        if kind in (np.random.RandomState, np.random.Generator):
            return self._random(thing, where)
        return self._object(thing, where)

    def _scalar(self, thing: np.generic, where: str) -> Any:
        if isinstance(thing, np.str_):
            return str(thing)
        dtype = thing.dtype
        if dtype.kind not in SCALAR_KINDS or dtype.itemsize > WIDEST_FLOAT:
            raise StoreError(
                f"{where} is a NumPy scalar of type {dtype}, which has no exact text. "
                "Convert it to a float, an int or an array."
            )
        return {"$": "scalar", "dtype": dtype.str, "value": self.value(thing.item(), where)}

    def _array(self, thing: np.ndarray, where: str) -> Any:
        if type(thing) not in (np.ndarray, np.memmap):
            raise StoreError(
                f"{where} is a {type(thing).__name__}; only plain NumPy arrays are stored. "
                "Convert it with numpy.asarray (store a mask as a separate array, or it is lost)."
            )
        if thing.dtype == object and all(type(item) is str for item in thing.flat):
            # scikit-learn stores the column names of a data frame as an object array of strings.
            return {"$": "names", "shape": list(thing.shape), "items": list(thing.flat)}
        check_dtype(thing.dtype, where)
        # The key is not the object's identity: a data set makes read-only views, and all views of
        # an array are stored once.
        address, _ = thing.__array_interface__["data"]
        place = (address, thing.shape, thing.strides, thing.dtype.str)
        if place not in self._names:
            name = f"arrays/{len(self._names):04d}.npy"
            self._names[place] = name
            self.arrays[name] = thing
        return {"$": "array", "name": self._names[place]}

    def _random(self, thing: Any, where: str) -> Any:
        if isinstance(thing, np.random.RandomState):
            tag, state = "random_state", thing.get_state(legacy=False)
        else:
            tag, state = "generator", thing.bit_generator.state
        expected = "MT19937" if tag == "random_state" else "PCG64"
        if state["bit_generator"] != expected:
            raise StoreError(
                f"{where} is a random generator on {state['bit_generator']}; only {expected} is "
                "stored here. Use an int or numpy.random.default_rng(seed)."
            )
        return {"$": tag, "state": self.value(state, where)}

    def _object(self, thing: Any, where: str) -> Any:
        name = type(thing).__name__
        if self.registry.get(name) is not type(thing):
            raise StoreError(
                f"{where} is a {type(thing).__module__}.{type(thing).__qualname__}, which the "
                "store does not know. It can store numbers, strings, lists, tuples, dicts, "
                f"arrays, Manifolio's classes and {', '.join(OF_SCIKIT_LEARN)} of scikit-learn. "
                "Use one of these."
            )
        if is_dataclass(thing) and not is_estimator(type(thing)):
            return {
                "$": "object",
                "class": name,
                "fields": {
                    field.name: self.value(getattr(thing, field.name), f"{where}.{field.name}")
                    for field in fields(thing)
                    if field.init
                },
            }
        estimator: Any = thing
        parameters = estimator.get_params(deep=False)
        usual = inspect.signature(type(estimator)).parameters
        return {
            "$": "estimator",
            "class": name,
            "parameters": {
                key: self.value(item, f"{where}.{key}")
                for key, item in parameters.items()
                # Defaults of other packages are not stored, since they change between versions.
                if name not in OF_SCIKIT_LEARN or item != usual[key].default
            },
            "fitted": {
                key: self.value(item, f"{where}.{key}")
                for key, item in vars(estimator).items()
                if is_fitted_name(key)
            },
        }


def array_names(content: Any) -> frozenset[str]:
    """Return the names of all arrays that a tree of content refers to, at any depth."""
    found, left = set(), [content]
    while left:
        node = left.pop()
        if isinstance(node, list):
            left.extend(node)
        elif isinstance(node, dict):
            left.extend(node.values())
            if node.get("$") == "array" and isinstance(node.get("name"), str):
                found.add(node["name"])
    return frozenset(found)


def is_fitted_name(name: str) -> bool:
    """Whether an attribute is set by fitting: scikit-learn's trailing "_"."""
    return name.endswith("_") and not name.startswith("_")


def check_dtype(dtype: np.dtype[Any], where: str) -> None:
    """Raise StoreError for arrays without a plain, portable format (objects, records, …)."""
    wide = dtype.kind == "f" and dtype.itemsize > WIDEST_FLOAT
    wide = wide or (dtype.kind == "c" and dtype.itemsize > 2 * WIDEST_FLOAT)
    if dtype.kind not in _ARRAY_KINDS or wide or dtype.hasobject:
        raise StoreError(
            f"{where} is an array of type {dtype}; only booleans, integers, floats up to 64 bits, "
            "complex numbers and fixed-width strings are stored. Convert it with .astype(…)."
        )
