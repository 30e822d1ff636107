"""Estimate rows, time and memory of a training from a short trial on this machine.

The estimate is for the Bayesian GP-LVM. It assumes that an evaluation takes the same time for every
row, and that placing a row takes as long as in `extend`. Both times are measured on a thousand
rows, so they include delays by other work on the machine. The number of steps is unknown, so
the maximum is assumed.
"""

import time
import warnings
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array
from sklearn.base import clone

from gplvm_core.models import BayesianGPLVM
from gplvm_core.models.problems.many_rows import MANY, SAMPLES, are_many, growing
from gplvm_core.models.training.run import FEW_ROWS, HEAT, STARTS
from gplvm_core.statistics.reduce import FEW, points_kept

TRIED, PLACED = 1000, 256  # rows of the trial training, and rows that are added to it
STEPS = 8  # steps of the trial training
COPIES = 6  # additional arrays of the size of q(X): gradient, steps of L-BFGS, parts
WORKING = 45_000_000  # bytes of blocks and up to FEW stored exponentials; measured


@dataclass(frozen=True)
class Foreseen:
    """The numbers of trained, mapped and all rows, and the estimated seconds and bytes."""

    trained: int
    kept: int
    total: int
    seconds: float
    bytes: int

    @property
    def placed(self) -> int:
        """The number of rows that are on the map, but were not used for training."""
        return self.kept - self.trained

    @property
    def passed_by(self) -> int:
        """The number of rows that are streamed: only their summed statistics are stored."""
        return self.total - self.kept


def foreseen(
    model: BayesianGPLVM,
    some: Float[Array, "n D"],
    n_rows: int,
    *,
    stored: bool,
    known: bool = False,
) -> Foreseen:
    """Estimate from a sample of the n_rows rows.

    stored: whether the rows are in files. known: whether known factors are taken out; training then
    uses all rows.
    """
    alone = model.encoder is None and model.time_kernel is None and not known
    many = are_many(n_rows) and alone
    kept = min(n_rows, MANY) if stored and many else n_rows
    trained = SAMPLES[-1] if many else n_rows
    step, row = _measured(model, some)
    most = int(model.max_iter)
    if model.n_restarts != "auto":
        starts = float(model.n_restarts)
    else:
        starts = 1.0 + (STARTS - 1) * HEAT if n_rows <= FEW_ROWS else 1.0
    if many:
        work = growing(most, n_rows, n_rows).steps(most)
    else:
        work = most * n_rows
    seconds = starts * work * step + (n_rows - trained) * row
    width = some.shape[1]
    latent = int(model.n_components)
    pairs = model.n_inducing * (model.n_inducing + 1) // 2
    exponentials = max(0, points_kept(trained, model.n_inducing) * pairs - FEW)
    size = WORKING + 8 * (exponentials + kept * (2 * width + COPIES * latent))
    size += 0 if stored else 8 * n_rows * width
    return Foreseen(trained, kept, n_rows, seconds, size)


def _measured(model: BayesianGPLVM, some: Float[Array, "n D"]) -> tuple[float, float]:
    """Return the seconds per row of a training step, and of placing a row."""
    known = some[~np.isnan(some).all(axis=1)]
    tried, further = known[:TRIED], known[TRIED : TRIED + PLACED]
    own = clone(model).set_params(
        max_iter=STEPS,
        n_restarts=1,
        n_inducing=min(model.n_inducing, len(tried)),
        encoder=None,
        second_stage="off",
    )
    times: list[float] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # too few steps to converge
        own.fit(tried, callback=lambda progress: times.append(progress.seconds))
        begin = time.perf_counter()
        added = further if len(further) else tried[:PLACED]
        own.extend(added)
    row = (time.perf_counter() - begin) / len(added)
    steps = np.diff(times) if len(times) > 1 else np.array(times)
    return float(np.mean(steps)) / len(tried), row
