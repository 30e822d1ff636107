"""Sequences: the latent path of their rows together, and new ones drawn from the prior."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from gplvm_core.numerics import Array, factorise
from gplvm_core.prediction.deep import sample_through
from gplvm_core.prediction.paths import (
    MOST_STEPS,
    Continued,
    FoundPath,
    StepCallback,
    infer_path,
    likely_path,
)
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Projection
from gplvm_core.prediction.row_terms import Evidence, rows_seen
from gplvm_core.statistics import Statistics

Rows = NDArray[np.intp]
EachAlone = Callable[[Sequence[Evidence]], Projection]

# Rows of a sequence that are looked at between two calls of a callback.
ROWS_AT_ONCE = 128


def infer_sequence(
    evidence: Sequence[Evidence],
    prior: Continued,
    each_alone: EachAlone,
    callback: StepCallback | None = None,
    statistics: Sequence[Statistics] | None = None,
) -> FoundPath:
    """q(X*) of one sequence, from where its rows, each alone, make the likeliest path.

    Whole rows may be missing. statistics: the training rows', for each layer, when the new rows
    are to inform the mapping. callback(step, bound in nats) is called after every step, and with
    step 0 and −inf while rows are looked at one by one; StopIteration raised in it ends the
    inference with the best so far.
    """
    seen = np.flatnonzero(rows_seen(evidence))
    found = looked_at(evidence, seen, each_alone, callback)
    start = likely_path(found, seen[: len(found.bound)], prior)
    if len(found.bound) < len(seen):
        return replace(infer_path(evidence, prior, start, most_steps=0), ending="stopped")
    path = infer_path(evidence, prior, start, callback, MOST_STEPS)
    if statistics is not None and path.ending != "stopped":
        path = infer_path(evidence, prior, path.belief.mean, callback, MOST_STEPS, statistics)
    return path


def looked_at(
    evidence: Sequence[Evidence],
    rows: Int[Rows, " r"],
    each_alone: EachAlone,
    callback: StepCallback | None,
) -> Projection:
    """Explanations of rows, some at a time; of fewer when callback ends it."""
    parts = [each_alone([each.rows(rows[:0]) for each in evidence])]
    for begin in range(0, len(rows), ROWS_AT_ONCE):
        try:
            if callback is not None:
                callback(0, -np.inf)
        except StopIteration:
            break
        some = rows[begin : begin + ROWS_AT_ONCE]
        parts.append(each_alone([each.rows(some) for each in evidence]))
    return Projection(
        np.concatenate([part.mean for part in parts]),
        np.concatenate([part.variance for part in parts]),
        np.concatenate([part.bound for part in parts]),
    )


def sample_paths(
    posteriors: Sequence[Posterior],
    prior: Continued,
    n_samples: int,
    random_state: int | np.random.Generator | None = None,
) -> tuple[Float[Array, "S n Q"], Float[Array, "S n D"]]:
    """Paths drawn from a prior over time, the same in every dimension, and outputs along them.

    posteriors: of the layers from the path to the outputs, which are drawn without observation
    noise.
    """
    generator = np.random.default_rng(random_state)
    gram = prior.covariance[0]
    root = factorise(gram, 1e-9 * float(np.mean(np.diagonal(gram)))).lower
    paths = np.empty((n_samples, *prior.mean.shape))
    outputs = np.empty((n_samples, len(gram), posteriors[-1].n_outputs))
    for s in range(n_samples):
        paths[s] = root @ generator.standard_normal(prior.mean.shape)
        outputs[s] = sample_through(posteriors, paths[s], 1, generator, noise=False)[0]
    return paths, outputs
