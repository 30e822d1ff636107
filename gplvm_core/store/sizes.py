"""The whole numbers of a stored value that become sizes, and what each may be at most.

A file of a few kilobytes can declare a billion columns or steps. `decode` compares every whole
number of a record or an estimator with the arrays that it belongs to, before anything uses it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from gplvm_core.store.errors import StoreError

Fields = Mapping[str, Any]

FEW = 10_000
"""Every file may contain numbers up to this one. Settings may exceed the data: training lowers a
number of inducing inputs to the number of rows."""

MOST_STEPS = 10_000_000
"""Iterations of a training, and rows whose numbers are counted up."""


def _values(fields: Fields, largest: int) -> int:
    """A size of the model is a size of one of its arrays."""
    return max(FEW, largest)


def _steps(fields: Fields, largest: int) -> int:
    return max(MOST_STEPS, largest)


def _columns(fields: Fields, largest: int) -> int:
    return int(fields["rows"].means.shape[1])


def _groups_of(field: str) -> Callable[[Fields, int], int]:
    """The numbers of groups, which count from 0, are places in another array."""
    return lambda fields, largest: len(fields[field]) - 1


def _trained(fields: Fields, largest: int) -> int:
    """Rows that were only summed are counted without limit; the others are in `latent_mean_`."""
    return _steps(fields, largest) if fields.get("trained") is None else np.iinfo(np.int64).max


# A number that sizes the model, by the class and the field. A Dataset and a View also compare the
# shape of a Drawing with their columns.
OF_MODELS = """
    Clusters.size DerivedDensity.tried Drawing.shape Edge.n_inducing Joint.parent KindsEdge.sources
    Latent.n_components LayerEdge.sources MoreInducing.more MoreInducing.now Network.known
    OverTime.n_components Trees.deepest Recipe.size Rig.points Skeleton.parents TrainedEdge.sources
    TrainedEdge.target Typicality.folds Widening.parts
"""
# Settings of estimators that size the model, by their name alone.
SETTINGS = """
    n_components n_features_in_ n_inducing n_jobs n_restarts n_samples n_starts nodes path_over
    view_components window without
"""
SIZES: dict[str, Callable[[Fields, int], int]] = {
    **dict.fromkeys(f"{OF_MODELS} {SETTINGS}".split(), _values),
    "DerivedDensity.data": _columns,
    "Posterior.groups": _groups_of("gap"),
    "Statistics.groups": _groups_of("n_points"),
    "TrainingRows.count": _trained,
    "max_iter": _steps,
}
"""What a field may be at most, as a function of the fields beside it and of the number of values in
the largest array of the file. Fields that are in neither table may be at most `MOST_STEPS`."""

SEEDS = ("Ended.seed", "Restart.seed", "Run.seeds", "random_state")
SHOWN = ("MoreInducing.n_rows", "Fill.rows", "TableDataset.n_rows", "Widening.values")
COUNTED = ("evaluations", "iteration", "iterations", "rejected")  # by their name alone
HARMLESS: dict[str, str] = {
    **dict.fromkeys(SEEDS, "the start of a random sequence"),
    **dict.fromkeys((*SHOWN, *COUNTED), "shown"),
    **dict.fromkeys(("Statistics.n_outputs", "Statistics.n_points"), "a factor in sums"),
    **dict.fromkeys(("Trees.branches", "Trees.inputs", "Trees.roots"), "places in arrays beside"),
    **dict.fromkeys(("TrainingRows.kept", "TrainingRows.trained"), "row numbers of files"),
    "Passed.until": "the next row of files to read",
    "Run.n_rows": "compared with the data's",
    "Sums.count": "only divides",
    "TableColumn.words": "compared with values",
    "TrainingRows.in_files": "the first number of further rows",
    "Typicality.rows": "row numbers of the data",
}
"""Whole numbers of any size, and why none of them becomes a size."""


def check_sizes(kind: str, fields: Fields, largest: int, where: str) -> None:
    """Raise a StoreError for a whole number that is too large for the arrays beside it.

    kind: the name of the record's class; "" for the attributes of an estimator. largest: the number
    of values in the largest array of the file.
    """
    for name, value in fields.items():
        key = f"{kind}.{name}" if kind else name
        if key in HARMLESS or name in HARMLESS:
            continue
        found = max(_numbers(value, arrays=key in SIZES), key=abs, default=0)
        if found and abs(found) > (most := SIZES.get(key, _steps)(fields, largest)):
            raise StoreError(
                f"{where}.{name} is {found}, but the arrays of the file allow at most {most}. The "
                "file was changed or is damaged; restore a copy."
            )


def _numbers(value: Any, arrays: bool) -> Iterator[int]:
    """Yield the whole numbers in nested tuples, lists and dicts, and the extremes of arrays."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        yield int(value)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _numbers(item, arrays)
    elif isinstance(value, dict):
        for pair in value.items():
            yield from _numbers(pair, arrays)
    elif arrays and isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.size:
        yield from (int(value.min()), int(value.max()))
