"""Regression with missing inputs: semi-described learning (Damianou 2015, §4.3.1)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.bounds import Layer
from gplvm_core.models.estimator import seeds_for
from gplvm_core.models.initialise import initial_inducing, initial_latent
from gplvm_core.models.inputs import INITIAL_VARIANCE, Inputs
from gplvm_core.models.latent import PHASES
from gplvm_core.models.regression import SparseGPRegression
from gplvm_core.models.regression_problem import RegressionProblem
from gplvm_core.models.run import Run, Trained
from gplvm_core.models.scaling import Scaling, observed_counts
from gplvm_core.models.schedule import Training
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.prediction import Posterior, predict
from gplvm_core.prediction.impute import impute
from gplvm_core.statistics import Executor

# Fewer whole rows than this are no model to impute the others by.
LEAST_ROWS = 3
# Rows whose values a missing input starts from; one more start is the prior's mean.
NEIGHBOURS = 2

Flags = NDArray[np.bool_]


class SemiDescribedGPRegression(SparseGPRegression):
    """Gaussian-process regression whose inputs may be missing (NaN), at training and prediction.

    Two stages (Damianou 2015, Algorithm 1): a regression is trained on the rows whose inputs are
    whole, and imputes the missing inputs of the others, as beliefs, from their outputs; then all
    rows are trained on together: inducing inputs, noise, scale and the beliefs about missing
    inputs. Unlike there, the lengthscales stay those of the first stage: a belief costs less the
    fewer inputs matter, so that many rows with gaps would have them forget inputs that do. Each
    stage has max_iter iterations. With nothing missing this is SparseGPRegression, with every
    input missing the Bayesian GP-LVM; beside whole rows, those without any input are left out.

    A missing input has the prior N(0, 1) in units of its column's mean and standard deviation:
    so predictions at inputs with NaN average over it. `input_mean_` and `input_variance_` hold
    the imputed training inputs (the prior in rows that were left out).
    """

    def _train(
        self,
        inputs: Inputs,
        targets: Float[Array, "N D"],
        scaling: Scaling,
        run: Executor,
        callback: Callable[[Progress], None] | None,
        resume: Run | None,
    ) -> tuple[RegressionProblem, tuple[Trained, ...]]:
        whole = _whole(inputs)
        if whole.all():
            return super()._train(inputs, targets, scaling, run, callback, resume)
        if whole.sum() < LEAST_ROWS:
            problem = self._latent(inputs, targets, run)
            return problem, self._run(problem, targets, scaling, callback, resume)
        second = replace(self._problem(inputs, targets, run), kernel_held=True)
        if resume is not None and resume.anchor.belief.n_points == len(targets):
            return second, self._run(second, targets, scaling, callback, resume)
        first = self._problem(inputs.rows(whole), targets[whole], run)
        trained = self._run(first, targets[whole], scaling, callback, resume)
        best = max(trained, key=lambda each: each.restart.bound)
        second = self._joined(inputs, targets, whole, first, best, second)
        if trained[-1].restart.result.status == "stopped":
            # The caller wants no more: the imputed inputs are left where the first stage put them.
            offset = scaling.log_jacobian(observed_counts(targets))
            held = Training(second, self.optimiser, 0, self.jitter, offset).run(
                (best.restart.seed,)
            )
            restart = replace(held[0].restart, result=trained[-1].restart.result)
            return second, (replace(held[0], restart=restart),)
        return second, self._run(
            second, targets, scaling, callback, None, seeds=(best.restart.seed,)
        )

    def _joined(
        self,
        inputs: Inputs,
        targets: Array,
        whole: Bool[Flags, " N"],
        first: RegressionProblem,
        trained: Trained,
        second: RegressionProblem,
    ) -> RegressionProblem:
        """The second stage, from the first's layer and the inputs that it imputes."""
        # In internal units on both sides.
        unit = Scaling(np.zeros(targets.shape[1]), np.ones(targets.shape[1]))
        posterior, _ = first.posterior(trained.parameters, targets[whole], unit)
        partial = inputs.rows(~whole)
        found = impute(
            posterior,
            targets[~whole],
            partial.belief,
            partial.prior,
            partial.missing,
            _starts(posterior, targets[~whole], partial, first.inputs.belief.mean),
        )
        mean, variance = inputs.belief.mean.copy(), inputs.belief.variance.copy()
        mean[~whole], variance[~whole] = found.mean, found.variance
        inducing = posterior.inducing
        more = min(self.n_inducing, len(targets)) - len(inducing)
        if more > 0:
            generator = np.random.default_rng(trained.restart.seed)
            inducing = np.vstack([inducing, initial_inducing(found.mean, more, generator)[0]])
        layer = Layer(trained.parameters.layer.kernel, inducing, 1.0)
        return replace(second, inputs=inputs.starting_at(mean, variance), layer=layer)

    def _latent(self, inputs: Inputs, targets: Array, run: Executor) -> RegressionProblem:
        """One stage when (nearly) every row misses inputs: they start as latent inputs do."""
        seed = seeds_for(self.random_state, 1)[0]
        mean = _guess(inputs, targets, np.random.default_rng(seed))
        begin = inputs.starting_at(mean, np.full_like(mean, INITIAL_VARIANCE))
        return replace(self._problem(begin, targets, run), phases=PHASES)

    def _kept(self, inputs: Inputs) -> Bool[Flags, " N"]:
        kept = np.asarray(~inputs.missing.all(axis=1))
        return kept if _whole(inputs).sum() >= LEAST_ROWS else np.ones_like(kept)

    def _stage_notes(self, inputs: Inputs, n_given: int) -> tuple[str, ...]:
        notes: tuple[str, ...] = ()
        n_whole, n_kept = int(_whole(inputs).sum()), inputs.belief.n_points
        if n_kept < n_given:
            notes = (f"{n_given - n_kept} of {n_given} rows have no input: they are left out",)
        if n_whole < min(LEAST_ROWS, n_kept):
            notes += (
                f"{n_whole} rows have whole inputs, too few to impute the others by: missing "
                "inputs start from the outputs",
            )
        return notes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _whole(inputs: Inputs) -> Bool[Flags, " N"]:
    return np.asarray(~inputs.missing.any(axis=1))


def _starts(
    posterior: Posterior, targets: Array, partial: Inputs, points: Array
) -> Float[Array, "K N Q"]:
    """Missing inputs as in the whole rows nearest in outputs and in the inputs there are."""
    generated, _ = predict(posterior, points)
    near = _distance(targets, generated) + _distance(
        np.where(partial.missing, np.nan, partial.belief.mean), points
    )
    order = np.argsort(near, axis=1, kind="stable")[:, :NEIGHBOURS]
    starts = [points[column] for column in order.T]
    return np.stack([*starts, np.zeros_like(starts[0])])


def _distance(rows: Float[Array, "N D"], others: Float[Array, "T D"]) -> Float[Array, "N T"]:
    """Mean squared distance over the entries of each row that there are (0 where none is)."""
    known = ~np.isnan(rows)
    filled = np.where(known, rows, 0.0)
    square = np.sum(filled**2, axis=1)[:, None] - 2.0 * filled @ others.T + known @ (others**2).T
    return np.asarray(square / np.maximum(known.sum(axis=1), 1)[:, None])


def _guess(inputs: Inputs, targets: Array, generator: np.random.Generator) -> Float[Array, "N Q"]:
    """Missing inputs from the outputs alone: that of the nearest row which has it.

    A column that no row has takes a principal component of the outputs.
    """
    mean = inputs.belief.mean.copy()
    latent, _ = initial_latent(targets, mean.shape[1], "pca", generator)
    # Columns with gaps of their own are compared where both rows have an output.
    near = _distance(targets, np.where(np.isnan(targets), 0.0, targets))
    component = 0
    for q in range(mean.shape[1]):
        gone = inputs.missing[:, q]
        if gone.all():
            mean[:, q] = latent[:, component]
            component += 1
        elif gone.any():
            known = np.flatnonzero(~gone)
            mean[gone, q] = mean[known[np.argmin(near[np.ix_(gone, known)], axis=1)], q]
    return mean
