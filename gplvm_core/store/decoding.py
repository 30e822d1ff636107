"""Decode JSON and plain arrays to values; only classes on a list of allowed classes are built."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from gplvm_core.store.encoding import (
    SCALAR_KINDS,
    WIDEST_FLOAT,
    Registry,
    is_estimator,
    is_fitted_name,
)
from gplvm_core.store.errors import StoreError
from gplvm_core.store.sizes import check_sizes

_MT19937_WORDS = 624


def decode(content: object, arrays: Mapping[str, np.ndarray], registry: Registry) -> Any:
    """Rebuild a value from the output of `encode`; StoreError if the content is inconsistent."""
    try:
        return _Decoder(arrays, registry).value(content, "value")
    except RecursionError:
        raise StoreError("The stored content is nested too deeply; the file is damaged.") from None


class _Decoder:
    def __init__(self, arrays: Mapping[str, np.ndarray], registry: Registry) -> None:
        self.arrays = arrays
        self.registry = registry
        self.largest = max((array.size for array in arrays.values()), default=0)

    def value(self, content: Any, where: str) -> Any:
        if content is None or type(content) in (bool, int, float, str):
            return content
        if type(content) is list:
            return [self.value(item, f"{where}[{i}]") for i, item in enumerate(content)]
        if type(content) is not dict:
            raise _damaged(where, f"a {type(content).__name__} is not allowed there")
        tag = content.get("$")
        build = getattr(self, f"build_{tag}", None)
        if build is None:
            raise _damaged(where, f"the kind {tag!r} is unknown")
        try:
            return build(content, where)
        except (StoreError, RecursionError):
            raise
        # A manipulated file can make a constructor raise any error, which is converted here.
        except Exception as error:
            raise _damaged(where, f"{type(error).__name__}: {error}") from error

    def build_float(self, content: dict[str, Any], where: str) -> float:
        if content["value"] not in ("nan", "inf", "-inf"):
            raise _damaged(where, f"{content['value']!r} is not a special float")
        return float(content["value"])

    def build_tuple(self, content: dict[str, Any], where: str) -> tuple[Any, ...]:
        return tuple(self.value(item, f"{where}[{i}]") for i, item in enumerate(content["items"]))

    def build_dict(self, content: dict[str, Any], where: str) -> dict[Any, Any]:
        return {
            self.value(key, f"a key of {where}"): self.value(item, f"{where}[{key!r}]")
            for key, item in content["items"]
        }

    def build_scalar(self, content: dict[str, Any], where: str) -> Any:
        dtype = np.dtype(content["dtype"])
        if dtype.kind not in SCALAR_KINDS or dtype.itemsize > WIDEST_FLOAT:
            raise _damaged(where, f"a scalar of type {dtype} is not allowed")
        return dtype.type(self.value(content["value"], where))

    def build_array(self, content: dict[str, Any], where: str) -> np.ndarray:
        if content["name"] not in self.arrays:
            raise _damaged(where, f"the array {content['name']!r} is missing")
        return self.arrays[content["name"]]

    def build_names(self, content: dict[str, Any], where: str) -> np.ndarray:
        items = content["items"]
        if not all(type(item) is str for item in items):
            raise _damaged(where, "names must be strings")
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return array.reshape(content["shape"])

    def build_random_state(self, content: dict[str, Any], where: str) -> np.random.RandomState:
        state = self.value(content["state"], where)
        inner = state["state"]
        key = inner["key"]
        # NumPy does not check these two values; values out of range would make NumPy read outside
        # its memory.
        if key.shape != (_MT19937_WORDS,) or not 0 <= inner["pos"] <= _MT19937_WORDS:
            raise _damaged(where, "the state of the random generator is out of range")
        result = np.random.RandomState()
        result.set_state(state)
        return result

    def build_generator(self, content: dict[str, Any], where: str) -> np.random.Generator:
        bits = np.random.PCG64()
        bits.state = self.value(content["state"], where)
        return np.random.Generator(bits)

    def build_object(self, content: dict[str, Any], where: str) -> Any:
        kind = self._known(content["class"], where)
        if not is_dataclass(kind) or is_estimator(kind):
            raise _damaged(where, f"{kind.__name__} is not a record of fields")
        known = {field.name for field in fields(kind) if field.init}
        given = {
            name: self.value(item, f"{where}.{name}") for name, item in content["fields"].items()
        }
        if not known.issuperset(given):
            extra = ", ".join(sorted(set(given) - known))
            raise StoreError(
                f"{where}: {kind.__name__} has no field {extra}. The file was probably written by "
                "a newer version of Manifolio; update and open it again."
            )
        check_sizes(kind.__name__, given, self.largest, where)
        return kind(**given)

    def build_estimator(self, content: dict[str, Any], where: str) -> Any:
        kind = self._known(content["class"], where)
        if not is_estimator(kind):
            raise _damaged(where, f"{kind.__name__} is not an estimator")
        settings, fitted = (
            {name: self.value(item, f"{where}.{name}") for name, item in content[part].items()}
            for part in ("parameters", "fitted")
        )
        for each in (settings, fitted):
            check_sizes("", each, self.largest, where)
        result = kind(**settings)
        for name, item in fitted.items():
            if not is_fitted_name(name):
                raise _damaged(where, f"{name!r} is not an attribute that fitting sets")
            setattr(result, name, item)
        return result

    def _known(self, name: Any, where: str) -> type:
        if type(name) is not str or name not in self.registry:
            raise StoreError(
                f"{where}: the file contains a {name!r}, which this version of Manifolio does not "
                "know. It was written by a newer version (update) or by another program. If it is "
                "your own kernel, define or import its class first."
            )
        return self.registry[name]


def _damaged(where: str, what: str) -> StoreError:
    return StoreError(f"The stored content is damaged at {where}: {what}. Restore a copy.")
