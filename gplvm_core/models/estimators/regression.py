"""Sparse Gaussian-process regression, with inputs that may be known exactly or with noise."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.rows import capped_notes
from gplvm_core.models.data.scaling import observed_counts
from gplvm_core.models.estimators.settings import Scale, Scaled, check_settings, preset
from gplvm_core.models.estimators.trained import whole
from gplvm_core.models.estimators.trained_regression import TrainedRegression
from gplvm_core.models.problems.edges import relevance_of
from gplvm_core.models.problems.inputs import InputNode
from gplvm_core.models.problems.regression import check_kernel
from gplvm_core.models.training.run import Run
from gplvm_core.optimise import Progress
from gplvm_core.statistics import executor_for


@preset
class SparseGPRegression(Scaled, TrainedRegression):
    """Gaussian-process regression through inducing inputs, at exact or uncertain inputs.

    The collapsed bound of Titsias (2009), with ARD lengthscales and inducing inputs learnt and
    noise and kernel variance at their optimum; with as many inducing inputs as points, exact
    Gaussian-process regression. Several outputs share one kernel, and one noise variance or, with
    noise="per_output", have a signal and a noise variance each. Every column of the inputs is
    standardised inside; all inputs and outputs of methods are in the user's units.

    The inputs may be noisy observations z of x ~ N(z, X_variance): q(x_n) = N(μ_n, S_n) is learnt
    under that prior (Damianou 2015, eq. 4.1), or, `constrained`, held centred on z_n, with the
    known variance or one of its own (§4.2.1). `input_mean_` and `input_variance_` are q(X);
    `input_noise_variance_` the variance of every input's noise, as given or as learnt.

    Parameters
    ----------
    kernel
        "rbf", "linear", "periodic", "matern12", "matern32", "matern52", or a kernel object in
        units of the standardised inputs. Exact inputs can have every kernel, sums and products
        too, such as RBF() + Periodic() or Linear() * Matern32(). Uncertain inputs (X_variance,
        missing entries) need a kernel with expectations under Gaussian inputs.
    """

    n_inducing: int = 50
    kernel: str | Kernel = "rbf"
    _: KW_ONLY
    constrained: bool = False
    scaling: Scale = "columns"

    @whole
    def fit(
        self,
        X: ArrayLike,
        Y: ArrayLike,
        *,
        X_variance: ArrayLike | Literal["learned"] | None = None,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train on inputs X (N × Q) and outputs Y (N or N × D; NaN = missing).

        X_variance: None for exact inputs; the variances of their noise in squared units of X, one
        number, (Q,) or (N, Q) (0 = that entry is exact); or "learned": one for each column, or,
        constrained, one for each entry. callback, resume: as for BayesianGPLVM.
        """
        check_settings(self)
        data = self._given(X, Y, X_variance, constrained=self.constrained)
        inputs, units, scaling = data.inputs, data.units, data.scaling
        check_kernel(self.kernel, inputs)
        given, kept = inputs.prior, self._kept(inputs)
        inputs, targets = inputs.rows(kept), data.targets[kept]
        with executor_for(self.n_jobs) as executor:
            problem, trained = self._staged(inputs, targets, scaling, executor, callback, resume)
            best = max(trained, key=lambda each: each.restart.bound)
            learnt = problem.learnt(best.parameters, (targets,))
        (node,), (layer,), (known,) = learnt.nodes, learnt.layers, problem.nodes
        assert isinstance(known, InputNode)
        belief, self.information_ = node.belief, node.information
        self.posterior_ = layer.as_posterior(scaling)
        self.bound_ = learnt.bound + scaling.log_jacobian(observed_counts(targets))
        self.relevance_ = relevance_of(self.kernel_, belief.n_latent)
        self.input_center_, self.input_scale_ = units.center, units.scale
        prior = known.prior(belief)
        # Of a row that was not trained on, no more is known than before.
        mean, spread, noise = given.center.copy(), given.variance.copy(), given.variance.copy()
        mean[kept], spread[kept], noise[kept] = belief.mean, belief.variance, prior.variance
        self.input_mean_ = units.center + units.scale * mean
        self.input_variance_ = units.scale**2 * spread
        self.input_noise_variance_ = units.scale**2 * noise
        self.restarts_ = tuple(each.restart for each in trained)
        self.result_, self.trace_ = best.restart.result, best.trace.arrays()
        notes = units.notes + scaling.notes + capped_notes(self.n_inducing, len(targets))
        self._note(notes + self._stage_notes(inputs, len(kept)))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
