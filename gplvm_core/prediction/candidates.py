"""Candidates for a density, compared by the density of held-out rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import expit

from gplvm_core.mixtures import Gaussians, LocalGaussians
from gplvm_core.numerics import Array

SAME = 5  # work of a candidate that does not depend on its size, in units of one Gaussian
# Limits of the map's share of the weight. Both parts keep some weight because fills gain by it.
LEAST_SHARE, MOST_SHARE = 0.25, 0.75
UPDATES = 50

# Called with the completed fraction of the work.
Report = Callable[[float], None]


def part_of(report: Report, at: int, count: int) -> Report:
    """Return a function that reports the progress of one of several parts of equal length."""
    return lambda share: report((at + share) / count)


@dataclass(frozen=True)
class Candidates:
    """tried: (number of Gaussians, strength, mean log density of the held-out rows). best: the best
    of these. scores: the log densities of the held-out rows by the best one.
    """

    tried: tuple[tuple[int, float, float], ...]
    scores: Float[Array, " A"]

    @property
    def best(self) -> tuple[int, float]:
        size, strength, _ = max(self.tried, key=lambda each: each[2])
        return size, strength


def compared(
    prior: Callable[[int], LocalGaussians],
    density: Callable[[LocalGaussians, float], Gaussians],
    aside: Float[Array, "A D"],
    sizes: Sequence[int],
    strengths: Sequence[float],
    report: Report,
) -> Candidates:
    """Compare sizes and strengths by the mean log density of held-out rows.

    prior: the Gaussians for a size. density: the density that is fitted with this prior and a
    strength. The search over sizes ends after two sizes that are worse than the best before them.
    The search over the strengths of a size ends in the same way.
    """
    found: list[tuple[int, float, float]] = []
    of_sizes: list[float] = []
    works = np.cumsum([0.0, *(size + SAME for size in sizes)])
    for at, size in enumerate(sizes):
        if _declines(of_sizes):
            break
        own = prior(size)
        scores: list[float] = []
        for number, strength in enumerate(strengths, 1):
            if _declines(scores):
                break
            each = density(own, strength).score_samples(aside)
            scores.append(float(each.mean()))
            if all(scores[-1] > before for *_, before in found):
                best = each
            found.append((size, strength, scores[-1]))
            done = works[at] + (size + SAME) * number / len(strengths)
            report(float(done / works[-1]))
        of_sizes.append(max(scores))
    report(1.0)
    return Candidates(tuple(found), best)


def share_of(first: Float[Array, " A"], second: Float[Array, " A"]) -> float:
    """Return the weight of the first of two densities that gives held-out rows the highest
    density, within the limits. first, second: log densities of these rows.
    """
    share = 0.5
    for _ in range(UPDATES):
        odds = first - second + np.log(share) - np.log1p(-share)
        share = float(np.clip(expit(odds).mean(), LEAST_SHARE, MOST_SHARE))
    return share


def _declines(scores: Sequence[float]) -> bool:
    """Whether the last two scores are lower than an earlier one."""
    return len(scores) > 2 and max(scores[-2:]) < max(scores[:-2])
