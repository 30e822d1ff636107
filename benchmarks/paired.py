"""Train by the estimator and by the plain schedule on the same data, with the same measures."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.judge import held_out, neighbour_errors
from benchmarks.plain import plain_schedule
from gplvm_core import BayesianGPLVM
from gplvm_core.beliefs import Belief
from gplvm_core.models.estimators.fitted import ON
from gplvm_core.numerics import Array
from gplvm_core.priors import StandardNormal

EVALUATIONS = 500


def standardised(train: Array, test: Array) -> tuple[Array, Array]:
    """Centre both arrays by the training columns' means, and divide them by one global scale."""
    centre = train.mean(axis=0)
    scale = np.sqrt(np.mean((train - centre) ** 2))
    return (train - centre) / scale, (test - centre) / scale


def bound_within(bounds: Array, evaluations: Array, most: int) -> float:
    """Return the best bound that was reached within a number of evaluations."""
    return float(np.max(bounds[evaluations <= most]))


def train_default(
    train: Array,
    test: Array,
    labels: NDArray[np.int_] | None,
    seed: int,
    **settings: Any,
) -> dict[str, Any]:
    """Train BayesianGPLVM with its defaults (except `settings`), in globally standardised units."""
    targets, new = standardised(train, test)
    begin = time.perf_counter()
    model = BayesianGPLVM(random_state=seed, **settings).fit(targets)
    seconds = time.perf_counter() - begin
    # The data's scale is already 1, so the Jacobian is 1 up to rounding.
    by_bound, by_sampling = held_out(
        model.posterior_,
        model.statistics_,
        Belief(model.latent_mean_, model.latent_variance_),
        new,
    )
    found = {
        "bound": model.bound_,
        "bound_at_500_evaluations": bound_within(
            model.trace_["bound"], model.trace_["evaluations"], EVALUATIONS
        ),
        "evaluations": model.result_.evaluations,
        "rejected": model.result_.rejected,
        "seconds": seconds,
        "dimensions_on": int(model.n_effective_),
        "held_out_by_bound": by_bound,
        "held_out_by_sampling": by_sampling,
    }
    if labels is not None:
        found["neighbour_errors"] = neighbour_errors(model.latent_mean_, model.relevance_, labels)
    return found


def train_plain(
    train: Array,
    test: Array,
    labels: NDArray[np.int_] | None,
    seed: int,
    *,
    evaluations: int,
    n_components: int = 10,
    n_inducing: int = 50,
) -> dict[str, Any]:
    """Train by the plain schedule on the same data, from the same start."""
    targets, new = standardised(train, test)
    plain = plain_schedule(targets, n_components, n_inducing, evaluations=evaluations, seed=seed)
    by_bound, by_sampling = held_out(plain.posterior, plain.statistics, plain.belief, new)
    found = {
        "bound": plain.bound,
        "bound_at_500_evaluations": float(plain.best[:EVALUATIONS][-1]),
        "evaluations": len(plain.best),
        "seconds": plain.seconds,
        "dimensions_on": int(np.sum(StandardNormal().kl_terms(plain.belief).mean(axis=0) > ON)),
        "held_out_by_bound": by_bound,
        "held_out_by_sampling": by_sampling,
    }
    if labels is not None:
        found["neighbour_errors"] = neighbour_errors(plain.belief.mean, plain.relevance, labels)
    return found


def median(runs: list[dict[str, Any]]) -> dict[str, float]:
    """Return the median of every measure over the runs."""
    return {key: float(np.median([run[key] for run in runs])) for key in runs[0]}
