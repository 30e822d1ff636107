"""The classes that a file may contain: those of the packages below, and users' kernels."""

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import is_dataclass
from types import ModuleType
from typing import Any

from gplvm_core.kernels import Kernel
from gplvm_core.store.encoding import OF_SCIKIT_LEARN, is_estimator
from gplvm_core.store.errors import StoreError

# Only classes that contain values are allowed. Executors, for example, contain threads and
# connections. The packages are given by name to avoid a cyclic import: estimators use the store to
# save themselves.
ROOMS = (
    "gplvm_core.optimise",
    "gplvm_core.beliefs",
    "gplvm_core.readers",
    "gplvm_core.shipped",
    "gplvm_core.simulated",
    "gplvm_core.kernels",
    "gplvm_core.priors",
    "gplvm_core.statistics.statistics",
    "gplvm_core.likelihoods",
    "gplvm_core.mixtures",
    "gplvm_core.bounds",
    "gplvm_core.prediction",
    "gplvm_core.models",
)

# These classes open the files that their fields name, so a stored file must not contain such
# classes.
OPENING = ("gplvm_core.readers.rows.folders", "gplvm_core.readers.rows.files")


def known_classes() -> dict[str, type]:
    """Return the classes that a file may contain, by their public names.

    Every frozen dataclass and estimator in `ROOMS` is included; no class is registered by hand.
    Kernels that a script or a notebook defines are also included; of several kernels with the same
    name, only the last. Raises StoreError if two classes in `ROOMS` share a name, since a file
    identifies classes only by their names.
    """
    own = {kind.__name__: kind for kind in _below(Kernel) if _is_frozen(kind)}
    of_scikit_learn = {
        name: getattr(importlib.import_module(room), name) for name, room in OF_SCIKIT_LEARN.items()
    }
    return own | classes_of(*ROOMS) | of_scikit_learn


@functools.cache
def classes_of(*rooms: str) -> dict[str, type]:
    """Return the storable classes of these packages, by their names."""
    found: dict[str, type] = {}
    for room in rooms:
        for module in _modules(importlib.import_module(room)):
            for kind in vars(module).values():
                if not _is_storable(kind, module):
                    continue
                other = found.setdefault(kind.__name__, kind)
                if other is not kind:
                    raise StoreError(
                        f"Two classes are called {kind.__name__}: one in {other.__module__}, one "
                        f"in {kind.__module__}. Rename one, since files identify classes by name."
                    )
    return found


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    for child in kind.__subclasses__():
        yield child
        yield from _below(child)


def _modules(room: ModuleType) -> Iterator[ModuleType]:
    yield room
    for module in pkgutil.walk_packages(getattr(room, "__path__", ()), f"{room.__name__}."):
        yield importlib.import_module(module.name)


def _is_storable(kind: object, module: ModuleType) -> bool:
    if not isinstance(kind, type) or kind.__module__ != module.__name__:
        return False
    if kind.__name__.startswith("_") or kind.__module__ in OPENING:
        return False
    return is_estimator(kind) or _is_frozen(kind)


def _is_frozen(kind: type) -> bool:
    return is_dataclass(kind) and getattr(kind, "__dataclass_params__").frozen  # noqa: B009
