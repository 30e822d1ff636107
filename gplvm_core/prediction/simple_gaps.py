"""Gaps of a series filled by simple rules, from the rows before and after them."""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.prediction.simple_forecasts import simple_forecasts


def across_gaps(
    series: Float[Array, "T D"], name: str, period: int | None
) -> tuple[Float[Array, "T D"], Float[Array, "T D"]]:
    """Means and standard deviations of the rows without a value, by a rule of `simple_forecasts`.

    The rule forecasts every gap from the rows before it, and backwards from the rows after it; the
    precisions weight both. A side that is shorter than two periods, or too short for the rule, does
    not count; nor does a column without a value there. NaN in rows with a value, and in gaps
    without a side that counts.
    """
    empty = np.isnan(series).all(axis=1)
    mean, std = np.full((2, *series.shape), np.nan)
    ends = np.flatnonzero(np.diff(empty, prepend=False, append=False)).reshape(-1, 2)
    for begin, end in ends.tolist():
        count, sides = end - begin, []
        for side, turn in ((series[:begin], 1), (series[end:][::-1], -1)):
            if len(side) and (period is None or len(side) >= 2 * period):
                rules = {rule.name: rule for rule in simple_forecasts(side, count, period)}
                if name in rules:
                    empty_there = np.isnan(side).all(axis=0)
                    own = np.where(empty_there, 0.0, rules[name].mean[::turn])
                    spread = np.where(empty_there, np.inf, rules[name].std[::turn])
                    sides.append((own, spread))
        if sides:
            precisions = [1.0 / np.maximum(spread, 1e-100) ** 2 for _, spread in sides]
            weighted = [own * weight for (own, _), weight in zip(sides, precisions, strict=True)]
            total = np.sum(precisions, axis=0)
            total[total == 0.0] = np.nan
            mean[begin:end], std[begin:end] = np.sum(weighted, axis=0) / total, total**-0.5
    return mean, std
