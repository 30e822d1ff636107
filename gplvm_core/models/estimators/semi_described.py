"""Regression with missing inputs: semi-described learning (Damianou 2015, §4.3.1)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.bounds import Layer
from gplvm_core.models.data.inputs import INITIAL_VARIANCE, Inputs
from gplvm_core.models.data.rows import inducing_count
from gplvm_core.models.data.scaling import Scaling, observed_counts
from gplvm_core.models.estimators.regression import SparseGPRegression
from gplvm_core.models.estimators.settings import preset
from gplvm_core.models.problems.graph import PHASES, Begun, Given, Graph
from gplvm_core.models.problems.initialise import initial_inducing
from gplvm_core.models.problems.nodes import guess_inputs
from gplvm_core.models.problems.shallow import LEAST_ROWS, imputed_by, rows_with_inputs, whole_rows
from gplvm_core.models.training.run import Run, Trained, seeds_for
from gplvm_core.models.training.schedule import Training
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.optimise import Progress
from gplvm_core.statistics import Executor


@preset
class SemiDescribedGPRegression(SparseGPRegression):
    """Gaussian-process regression whose inputs may be missing (NaN), at training and prediction.

    Training has two stages (Damianou 2015, Algorithm 1), each with max_iter iterations. First, a
    regression is trained on the rows with complete inputs. It imputes the missing inputs of the
    other rows from their outputs, as distributions. Second, inducing inputs, noise, scale and the
    distributions of the missing inputs are trained on all rows. Unlike in the source, the second
    stage does not change the lengthscales. With many incomplete rows the lengthscales would grow,
    because a model that ignores an input has a higher bound.

    If all inputs are complete, the model is SparseGPRegression; if all are missing, it is the
    Bayesian GP-LVM. If there are complete rows, rows without any input are left out. A missing
    input has the prior N(0, 1) in standardised units, and predictions average over this prior.

    Attributes
    ----------
    input_mean_ : ndarray of shape (N, Q)
        The posterior means of the training inputs, in the user's units. Missing inputs have imputed
        values; rows that were left out have prior means.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import SemiDescribedGPRegression
    >>> t = np.linspace(0.0, 6.0, 30)
    >>> X = np.column_stack([t, -t])
    >>> X[:3, 1] = np.nan
    >>> model = SemiDescribedGPRegression(8, max_iter=30, random_state=0).fit(X, t)
    >>> model.predict([[2.0, -2.0]]).round(1)
    array([2.])
    """

    def _staged(
        self,
        inputs: Inputs,
        targets: Float[Array, "N D"],
        scaling: Scaling,
        executor: Executor,
        callback: Callable[[Progress], None] | None,
        resume: Run | None,
    ) -> tuple[Graph, tuple[Trained, ...]]:
        whole = whole_rows(inputs)
        if whole.all():
            return super()._staged(inputs, targets, scaling, executor, callback, resume)
        if whole.sum() < LEAST_ROWS:
            problem = self._latent(inputs, targets, executor)
            return problem, self._run(problem, targets, scaling, callback, resume)
        if resume is not None and resume.anchor.nodes[0].n_points == len(targets):
            second = self._problem(inputs, targets, executor, kernel_held=True)
            return second, self._run(second, targets, scaling, callback, resume)
        first = self._problem(inputs.rows(whole), targets[whole], executor)
        trained = self._run(first, targets[whole], scaling, callback, resume)
        best = max(trained, key=lambda each: each.restart.bound)
        (found,) = first.learnt(best.parameters, (targets[whole],)).layers
        joined = imputed_by(found, inputs, targets)
        layer = self._layer(best, joined.belief.mean[~whole], len(targets))
        begun = Given(Begun((joined.belief,), (layer,)))
        second = self._problem(joined, targets, executor, begun, kernel_held=True)
        if trained[-1].restart.result.status == "stopped":
            # The caller stopped training: use the inputs that the first stage imputed.
            offset = scaling.log_jacobian(observed_counts(targets))
            held = Training(second, 0, self.jitter, offset).run((best.restart.seed,))
            restart = replace(held[0].restart, result=trained[-1].restart.result)
            return second, (replace(held[0], restart=restart),)
        return second, self._run(
            second, targets, scaling, callback, None, seeds=(best.restart.seed,)
        )

    def _layer(self, trained: Trained, imputed: Float[Array, "n Q"], count: int) -> Layer:
        """The layer of the first stage, with further inducing inputs among the imputed rows."""
        layer: Layer = trained.parameters.layers[0]
        inducing = layer.inducing
        more = min(inducing_count(self.n_inducing, count), count) - len(inducing)
        if more > 0:
            generator = np.random.default_rng(trained.restart.seed)
            inducing = np.vstack([inducing, initial_inducing(imputed, more, generator)[0]])
        return Layer(layer.kernel, inducing, 1.0)

    def _latent(self, inputs: Inputs, targets: Array, executor: Executor) -> Graph:
        """The only stage for data with too few complete rows.

        Missing inputs start at values from rows with similar outputs.
        """
        seed = seeds_for(self.random_state, 1)[0]
        mean = guess_inputs(inputs, targets, np.random.default_rng(seed))
        begin = inputs.starting_at(mean, np.full_like(mean, INITIAL_VARIANCE))
        return self._problem(begin, targets, executor, phases=PHASES)

    def _kept(self, inputs: Inputs) -> tuple[Bool[BoolArray, " N"], tuple[str, ...]]:
        return rows_with_inputs(inputs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
