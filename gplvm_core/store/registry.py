"""Which classes a file may contain: the frozen dataclasses and estimators of the rooms below."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import is_dataclass
from types import ModuleType

from sklearn.base import BaseEstimator

from gplvm_core import beliefs, bounds, datasets, kernels, models, optimise, prediction, priors
from gplvm_core.statistics import statistics
from gplvm_core.store.codec import StoreError

# Only what holds values. Executors, for one, do not: they hold threads and connections.
ROOMS = (optimise, beliefs, datasets, kernels, priors, statistics, bounds, prediction, models)


def known_classes() -> dict[str, type]:
    """Public name → class for everything that a file may contain.

    A new kernel, prior, model or optimiser state is in it by being a frozen dataclass or an
    estimator in one of `ROOMS`; nothing is registered by hand. Raises StoreError when two classes
    share a name, since a file names classes by that alone.
    """
    found: dict[str, type] = {}
    for room in ROOMS:
        for module in _modules(room):
            for kind in vars(module).values():
                if not _is_storable(kind, module):
                    continue
                other = found.setdefault(kind.__name__, kind)
                if other is not kind:
                    raise StoreError(
                        f"Two classes are called {kind.__name__}: one in {other.__module__}, one "
                        f"in {kind.__module__}. Rename one, or files could not tell them apart."
                    )
    return found


def _modules(room: ModuleType) -> Iterator[ModuleType]:
    yield room
    for module in pkgutil.walk_packages(getattr(room, "__path__", ()), f"{room.__name__}."):
        yield importlib.import_module(module.name)


def _is_storable(kind: object, module: ModuleType) -> bool:
    if not isinstance(kind, type) or kind.__module__ != module.__name__:
        return False
    if kind.__name__.startswith("_"):
        return False
    if issubclass(kind, BaseEstimator):
        return True
    return is_dataclass(kind) and getattr(kind, "__dataclass_params__").frozen  # noqa: B009
