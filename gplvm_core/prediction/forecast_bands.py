"""Bands of forecasts by simple rules, which never narrow with the horizon."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.numerics import Array, IntArray

LEAST = 24  # fewest frames of which a part is enough to train a rule again
ORIGINS = 50  # frames of the past from which forecasts are tried, to find their errors


@dataclass(frozen=True)
class Rule:
    """A rule's forecasts (E, H, D) of the H frames after the first `end` frames, for every end.

    spread: the standard deviations (H, D) of the next H frames, by the rule's own model. again: the
    rule trained on the first frames only, for a rule that fits its past too well to show its errors
    there.
    """

    ahead: Callable[[Int[IntArray, " E"], int], Float[Array, "E H D"]]
    spread: Callable[[int], Float[Array, "H D"]]
    again: Callable[[int], "Rule"] | None = None

    def __call__(self, ends: Int[IntArray, " E"], horizon: int) -> Float[Array, "E H D"]:
        return self.ahead(ends, horizon)


def bands(
    series: Float[Array, "T D"], tails: Int[IntArray, " D"], rule: Rule, first: int, horizon: int
) -> Float[Array, "H D"]:
    """Standard deviations: by the rule's model, widened where errors in the past were larger.

    tails: how many frames before the end of the series each column ends; its horizon is longer by
    them. first: the fewest known frames of a forecast in the past.
    """
    most = horizon + int(tails.max(initial=0))
    std = rule.spread(most)
    errors = _past_errors(series, rule, first, most)
    tried = len(errors)
    wider = errors / np.where(std[:tried] > 0.0, std[:tried], np.inf)
    if rule.again is not None:  # two origins are too few for one step: the mean of several
        total = np.concatenate([np.zeros_like(wider[:1]), np.cumsum(wider**2, axis=0)])
        steps, before = np.arange(1, tried + 1), np.arange(1, tried + 1) // 2
        wider = np.sqrt((total[steps] - total[before]) / (steps - before)[:, None])
    wider = np.maximum.accumulate(np.maximum(wider, 1.0), axis=0)
    last = wider[-1:]
    # Trained on a part, a rule was tried too rarely to show that its errors stop growing.
    later = np.sqrt(np.arange(tried + 1, most + 1)[:, None] / tried)
    later = np.where((last > 1.0) & (rule.again is not None), later, 1.0)
    std = std * np.concatenate([wider, last * later])
    std = np.maximum.accumulate(std, axis=0)
    return np.take_along_axis(std, np.arange(horizon)[:, None] + tails, axis=0)


def _past_errors(
    series: Float[Array, "T D"], rule: Rule, first: int, most: int
) -> Float[Array, "H D"]:
    """Root mean square errors of forecasts in the past, at up to `most` steps."""
    count = len(series)
    if rule.again is not None and count >= LEAST:
        ends = np.array([count // 2, 3 * count // 4])
        tried = min(most, count - count // 2)
        forecasts = np.concatenate([rule.again(end)(np.array([end]), tried) for end in ends])
    else:
        ends = np.unique(np.linspace(min(first, count - 1), count - 1, ORIGINS).astype(int))
        # Longer forecasts were tried too few times.
        tried = min(most, max((count - int(ends[0])) // 2, 1))
        forecasts = rule(ends, tried)
    squares = np.full(forecasts.shape, np.nan)
    for n, end in enumerate(ends.tolist()):
        there = min(tried, count - end)
        squares[n, :there] = (forecasts[n, :there] - series[end : end + there]) ** 2
    known = ~np.isnan(squares)
    sums = np.where(known, squares, 0.0).sum(axis=0)
    return np.asarray(np.sqrt(sums / np.maximum(known.sum(axis=0), 1)))
