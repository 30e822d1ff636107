"""Train a deep regression on one curve with every variational family, and compare the fits."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.lessons.bend import GRID, Curve
from gplvm_core.models import DeepGP
from gplvm_core.models.problems.deep import FAMILIES, Family
from gplvm_core.models.training.watched import Step, Watch, trainings
from gplvm_core.optimise import Progress
from gplvm_core.wire.frame import frame, unframe

WIDTH, N_INDUCING, MAX_ITER = 2, 10, 200
BAND = (0.025, 0.975)
N_DRAWS = 600


@dataclass(frozen=True, eq=False)
class FamilyFit:
    """A family's fit on the grid: median, 95 % band of a new observation, and its scores.

    bound: in nats. score: the mean log density of an unseen point, in nats. inside: the fraction of
    unseen points in the band. seconds: the CPU time of training. note: a remark if the model
    switched from the requested family to the marginalised one.
    """

    family: str
    bound: float
    score: float
    inside: float
    seconds: float
    middle: Float[Array, " G"]
    low: Float[Array, " G"]
    high: Float[Array, " G"]
    note: str = ""


@dataclass(frozen=True, eq=False)
class FamilyFits:
    """The fits of all families to the same points, in the order of FAMILIES."""

    x: Float[Array, " N"]
    y: Float[Array, " N"]
    fits: tuple[FamilyFit, ...]


def family_fits(
    curve: Curve,
    seed: int,
    callback: Callable[[Step], None] | None = None,
) -> FamilyFits:
    """Train every family on points drawn with this seed, for the same number of iterations.

    callback(step) is called during each training; `step.name` is the family. If it raises
    StopIteration, the function returns the fits of the families whose training is complete.
    """
    x, y = curve.drawn(curve.n_points, seed)

    def train(_: int, place: int, watch: Watch) -> FamilyFit:
        return _fit(FAMILIES[place], curve, x, y, watch)

    fits = (fit for _, _, fit in trainings([FAMILIES], train, callback))
    return FamilyFits(x, y, tuple(fits))


def _fit(
    family: Family, curve: Curve, x: Array, y: Array, follow: Callable[[Progress], None]
) -> FamilyFit:
    began = time.thread_time()
    model: Any = DeepGP((WIDTH,), N_INDUCING, family=family, max_iter=MAX_ITER, random_state=0)
    model.fit(x[:, None], y, callback=follow)
    seconds = time.thread_time() - began
    new, wanted = curve.unseen()
    low, high = model.predict_quantiles(new[:, None], BAND, N_DRAWS)
    inside = float(np.mean((wanted >= low) & (wanted <= high)))
    score = float(np.mean(model.score_samples(new[:, None], wanted, N_DRAWS)))
    levels = (BAND[0], 0.5, BAND[1])
    low, middle, high = model.predict_quantiles(GRID[:, None], levels, N_DRAWS)
    note = "ended as marginalised" if model.family_ not in (None, family) else ""
    bound = float(model.bound_)
    return FamilyFit(family, bound, score, inside, seconds, middle, low, high, note)


def pack_families(found: FamilyFits) -> bytes:
    """Pack the fits into bytes for unpack_families."""
    arrays = {"x": found.x, "y": found.y}
    header = {}
    for fit in found.fits:
        header[fit.family] = {"bound": fit.bound, "score": fit.score, "inside": fit.inside,
                              "seconds": fit.seconds, "note": fit.note}  # fmt: skip
        drawn = np.array([fit.middle, fit.low, fit.high], dtype=np.float32)
        arrays[fit.family] = drawn
    return frame({"families": header}, arrays)


def unpack_families(data: bytes) -> FamilyFits:
    """Read the bytes of pack_families."""
    header, arrays = unframe(data)
    fits = [
        FamilyFit(
            family, **numbers, **dict(zip(("middle", "low", "high"), arrays[family], strict=True))
        )
        for family, numbers in header["families"].items()
    ]
    return FamilyFits(arrays["x"], arrays["y"], tuple(fits))
