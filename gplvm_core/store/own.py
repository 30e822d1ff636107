"""Find out whether a data set comes with the project, so that a library stores only its name."""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from gplvm_core.datasets import list_datasets, load_dataset
from gplvm_core.readers import Dataset


def is_own(dataset: Dataset) -> bool:
    """Whether `load_dataset` returns exactly this data set for its name."""
    if dataset.name not in list_datasets():
        return False
    try:
        own = load_dataset(dataset.name)
    except (OSError, ImportError, ValueError, MemoryError):
        # If the data set cannot be loaded, it cannot be compared; it is then stored as a file.
        return False
    return same(dataset, own)


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal in all parts; dataclasses are compared field by field."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(
            one, other, equal_nan=one.dtype.kind == "f"
        )
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if is_dataclass(one):
        names = [field.name for field in fields(one)]
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    return bool(one == other)
