"""The sentence on a page about a model's intervals: how many held-out values were inside."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.predicted import INTERVAL
from gplvm_core.prediction.intervals import Asked, Intervals, Widening
from gplvm_core.readers.kinds import FRACTION
from pages.ui.shared.words import percent

FORECAST = (Asked("forecast"),)
GAPS = (Asked("frames"), Asked("values"))
WORDS = {"frames": " in hidden rows", "values": " in partly hidden rows"}

ENDS = ("lower end (95 %)", "upper end (95 %)")


def ends_of(dataset: Dataset, values: Array, std: Array, columns: Sequence[int]) -> Array:
    """Return the ends (n, 2K) of 95 % intervals of some columns, lower and upper in turn.

    values: (n, D). std: (n, K). Counts and fractions are not negative, and fractions at most their
    whole.
    """
    kinds = [dataset.all_columns[d] for d in columns]
    low = [-np.inf if each.kind not in ("count", FRACTION) else 0.0 for each in kinds]
    high = [each.unit if each.kind == FRACTION else np.inf for each in kinds]
    middle = np.asarray(values, dtype=float)[:, list(columns)]
    ends = np.clip([middle - INTERVAL * std, middle + INTERVAL * std], low, high)
    return np.moveaxis(ends, 0, -1).reshape(len(middle), -1)


def of_film(given: str, to: str) -> tuple[Asked, ...]:
    """The question for a film: predict one view from another, over time."""
    return (Asked("transfer", to, (given,), "nearest", timed=True),)


def inside_in_words(model: Any, asked: Sequence[Asked], *, new: bool = True) -> str:
    """State the shares of held-out values inside calibrated intervals; "" without calibration.

    new: whether the question is about a new sequence, which may update the mapping.
    """
    intervals: Intervals | None = getattr(model, "intervals_", None)
    if intervals is None:
        return ""
    found = [intervals.of(intervals.decided(each) if new else each) for each in asked]
    shares = [
        (percent(own.inside), WORDS.get(own.asked.what, "") if len(asked) > 1 else "")
        for own in found
        if own is not None and own.inside == own.inside
    ]
    if not shares:
        return ""
    (first, where), *others = shares
    words = [f"{first} of held-out values inside{where}", *(f"{s}{w}" for s, w in others)]
    return f"Error bars: {', '.join(words)} (95 % promised)."


def learning_in_words(model: Any, asked: Sequence[Asked]) -> str:
    """State that a new sequence updates the mapping; "" if it does not."""
    intervals: Intervals | None = getattr(model, "intervals_", None)
    if intervals is None or not any(intervals.decided(each).adapted for each in asked):
        return ""
    return (
        "The model also learns from the given rows, because held-out sequences were predicted "
        "better in this way."
    )


def ready_intervals(path: Path, name: str) -> Intervals | None:
    """The factors that come with a ready model, from `assets/models/train.py --intervals`.

    path: the file's path; name: the model's name and bound.
    """
    stored = json.loads(path.read_text()) if path.exists() else {}
    if name not in stored:
        return None

    def asked(what: str, to: str, given: list[str], how: str, timed: bool, adapted: bool) -> Asked:
        return Asked(what, to, tuple(given), how, timed, adapted)

    own = stored[name]
    return Intervals(
        tuple(
            Widening(asked(*question), np.array(widened), *shares)
            for question, widened, *shares in own["factors"]
        ),
        tuple(asked(*question) for question in own["adapting"]),
    )
