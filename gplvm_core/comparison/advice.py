"""Which one should I use? Three plain sentences from what was measured, and no more than that."""

from collections.abc import Mapping, Sequence

import numpy as np

from gplvm_core.comparison.kept_aside import BASE_LINES
from gplvm_core.comparison.measures import AT_ONCE, KEPT_ASIDE, TOGETHER, Measure
from gplvm_core.comparison.result import Comparison
from gplvm_core.readers.errors import listed

Measured = Mapping[str, Mapping[str, float]]
ALIKE = 0.01  # maps closer than this in a measure are not told apart: no errors are known there
NOT_YET = (
    "For new rows nothing can be said yet: have the models tried on rows kept aside.",
    "Nor for filling in what is missing: how well a model draws rows that it learnt by heart does "
    "not tell.",
)


def advice(at_once: Measured, found: Comparison | None) -> tuple[str, str, str]:
    """For new rows, for what is missing, for looking at.

    at_once: by model, see `measured`; found: on rows kept aside, if that was done.
    """
    if found is None or found.n_splits < 2:
        return (*NOT_YET, for_looking(at_once))
    return (
        _claim("To tell likely rows from odd ones", "density", found) + _by_bounds(found),
        _claim("To fill in what is missing", "missing", found) + _calibration(found),
        for_looking(at_once),
    )


def for_looking(at_once: Measured) -> str:
    """By the labels' neighbours where there are some, else by trustworthiness."""
    key = "neighbours_map"
    if not any(key in values for values in at_once.values()):
        key = "trustworthiness"
    measure = _measure(AT_ONCE, key)
    known = {name: values[key] for name, values in at_once.items() if key in values}
    if len(known) < 2:
        return "To look at: there are no two maps to compare yet."
    losses = {name: value if measure.better == "less" else -value for name, value in known.items()}
    order = sorted(losses, key=losses.__getitem__)
    best = [name for name in order if losses[name] - losses[order[0]] < ALIKE]
    values = "; ".join(f"{name} {measure.in_words(known[name])}" for name in order)
    what = (
        "rows of one label are neighbours most often (errors: {})"
        if key == "neighbours_map"
        else "what is near is near in the data most often (trustworthiness: {})"
    ).format(values)
    other = _truer(at_once, best)
    if len(best) > 1:
        drawing = [name for name in best if "reconstruction" in at_once[name]]
        draws = "" if len(drawing) == len(best) else " Take one that can draw, too."
        return f"To look at: {' and '.join(best)} do alike; {what}{other}.{draws}"
    tail = "" if "reconstruction" in at_once[best[0]] else ", but it cannot draw a new row"
    return f"To look at: {best[0]}, where {what}{tail}{other}; this is of rows that it has seen."


def _truer(at_once: Measured, best: Sequence[str]) -> str:
    """Which map keeps the data's neighbours better than those that keep the labels' best."""
    known = {
        name: values["trustworthiness"]
        for name, values in at_once.items()
        if "trustworthiness" in values
    }
    top = max(known, key=known.__getitem__, default=None)
    rival = max((known[name] for name in best if name in known), default=None)
    if top is None or rival is None or top in best or known[top] - rival < ALIKE:
        return ""
    return f"; the data's own neighbours stay together better in {top}"


def _claim(what: str, key: str, found: Comparison) -> str:
    measure = _measure(KEPT_ASIDE, key)
    leading = found.leading(measure)
    if not leading:
        return f"{what}: none of these models can."
    each = [f"{name} ({measure.in_words(found.mean(key, name))})" for name in leading]
    simple = [name for name in leading if name in BASE_LINES]
    able = "" if all(np.isfinite(found.mean(key, name)) for name in found.names) else " that can"
    if len(simple) == len(leading):
        words = f"{what}: the base line {each[0]} is better than all models here{able}"
        return f"{words}, and {each[1]} does as well." if each[1:] else f"{words}."
    if len(leading) == 1:
        return f"{what}: {each[0]}, better than all others{able} by more than chance."
    words = f"{what}: {listed(each)} are not told apart by these splits"
    if simple:
        return f"{words}, so a base line may do as well."
    return f"{words}."


def _by_bounds(found: Comparison) -> str:
    """Where the draws, which are low on average, and the bounds do not agree on the best."""
    leading = found.leading(_measure(KEPT_ASIDE, "density"))
    if not leading or "density_bounds" not in found.values:
        return ""
    value = found.mean("density", leading[0])
    ahead = [
        name
        for name in found.names
        if name not in leading and found.mean("density_bounds", name) > value
    ]
    if not ahead:
        return ""
    return f" By bounds {listed(ahead)} would be ahead, so there it is not settled."


def _calibration(found: Comparison) -> str:
    leading = found.leading(_measure(KEPT_ASIDE, "missing"))
    if not leading:
        return ""
    share = f"{100 * found.mean('inside_95', leading[0]):.0f}{TOGETHER}%"
    return f" Of the 95{TOGETHER}% intervals of {leading[0]}, {share} hold the truth."


def _measure(measures: Sequence[Measure], key: str) -> Measure:
    return next(measure for measure in measures if measure.key == key)
