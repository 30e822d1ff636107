"""Sparse Gaussian-process regression, with inputs that may be known exactly or with noise."""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.estimator import seeds_for
from gplvm_core.models.fitted import FittedLayer
from gplvm_core.models.inputs import Inputs, input_scaling, internal_variance
from gplvm_core.models.layers import relevance_of
from gplvm_core.models.regression_problem import RegressionProblem
from gplvm_core.models.run import Run, Trained
from gplvm_core.models.scaling import Scaling, observed_counts
from gplvm_core.models.schedule import Training, check_settings
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.prediction import predict, predict_uncertain
from gplvm_core.statistics import Executor, Targets, executor


class SparseGPRegression(FittedLayer, RegressorMixin, BaseEstimator):
    """Gaussian-process regression through inducing inputs, at exact or uncertain inputs.

    The collapsed bound of Titsias (2009), with ARD lengthscales and inducing inputs learnt and
    noise and kernel variance at their optimum; with as many inducing inputs as points, exact
    Gaussian-process regression. Several outputs share one kernel. Every column of the inputs is
    standardised inside; all inputs and outputs of methods are in the user's units.

    The inputs may be noisy observations z of x ~ N(z, X_variance): q(x_n) = N(μ_n, S_n) is learnt
    under that prior (Damianou 2015, eq. 4.1), or, `constrained`, held centred on z_n, with the
    known variance or one of its own (§4.2.1). `input_mean_` and `input_variance_` are q(X);
    `input_noise_variance_` the variance of every input's noise, as given or as learnt.
    """

    def __init__(
        self,
        n_inducing: int = 50,
        kernel: str | Kernel = "rbf",
        constrained: bool = False,
        scaling: Literal["global", "columns", "none"] = "columns",
        max_iter: int = 500,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_inducing = n_inducing
        self.kernel = kernel
        self.constrained = constrained
        self.scaling = scaling
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.jitter = jitter
        self.optimiser = optimiser
        self.random_state = random_state
        self.n_jobs = n_jobs

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
        points, outputs = self._training_data(X, Y)
        units, scaling = input_scaling(points), Scaling.of(outputs, self.scaling)
        variance = internal_variance(X_variance, points.shape, units.scale)
        inputs = Inputs.of(units.apply(points), variance, constrained=self.constrained)
        given, kept = inputs.prior, self._kept(inputs)
        inputs, targets = inputs.rows(kept), scaling.apply(outputs)[kept]
        with executor(self.n_jobs) as run:
            problem, trained = self._train(inputs, targets, scaling, run, callback, resume)
            best = max(trained, key=lambda each: each.restart.bound)
            belief = best.parameters.belief
            self.posterior_, value = problem.posterior(best.parameters, targets, scaling)
        kl_terms = problem.kl_terms(belief)
        offset = scaling.log_jacobian(observed_counts(targets))
        self.bound_ = value - float(kl_terms.sum()) + offset
        self.information_ = kl_terms.mean(axis=0)
        self.relevance_ = relevance_of(self.kernel_, belief.n_latent)
        self.input_center_, self.input_scale_ = units.center, units.scale
        prior = problem.inputs.prior.fitted(belief, problem.inputs.groups)
        # Of a row that was not trained on, no more is known than before.
        mean, spread, noise = given.center.copy(), given.variance.copy(), given.variance.copy()
        mean[kept], spread[kept], noise[kept] = belief.mean, belief.variance, prior.variance
        self.input_mean_ = units.center + units.scale * mean
        self.input_variance_ = units.scale**2 * spread
        self.input_noise_variance_ = units.scale**2 * noise
        self.restarts_ = tuple(each.restart for each in trained)
        self.result_, self.trace_ = best.restart.result, best.trace.arrays()
        notes = units.notes + scaling.notes + self._capped(len(targets))
        self._note(notes + self._stage_notes(inputs, len(points)))
        return self

    def predict(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Any:
        """Outputs at inputs X (N × Q), exact or with variances (a number, (Q,) or N × Q).

        Mean, and with return_std the standard deviation, N or N × D as Y was; noise adds the
        observation noise. At uncertain inputs the first two moments of what is no Gaussian
        (Girard et al. 2003; Titsias & Lawrence 2010, §4).
        """
        belief = self._belief(X, X_variance)
        if belief.variance.any():
            found = predict_uncertain(self.posterior_, belief.mean, belief.variance, noise=noise)
        else:
            found = predict(self.posterior_, belief.mean, noise=noise)
        mean, variance = (each[:, 0] if self.one_output_ else each for each in found)
        return (mean, np.sqrt(variance)) if return_std else mean

    def _train(
        self,
        inputs: Inputs,
        targets: Float[Array, "N D"],
        scaling: Scaling,
        run: Executor,
        callback: Callable[[Progress], None] | None,
        resume: Run | None,
    ) -> tuple[RegressionProblem, tuple[Trained, ...]]:
        """The problem that was trained, and every start's end."""
        problem = self._problem(inputs, targets, run)
        return problem, self._run(problem, targets, scaling, callback, resume)

    def _run(
        self,
        problem: RegressionProblem,
        targets: Array,
        scaling: Scaling,
        callback: Callable[[Progress], None] | None,
        resume: Run | None,
        seeds: tuple[int, ...] | None = None,
    ) -> tuple[Trained, ...]:
        if seeds is None:
            seeds = seeds_for(self.random_state, self.n_restarts)
        offset = scaling.log_jacobian(observed_counts(targets))
        training = Training(problem, self.optimiser, self.max_iter, self.jitter, offset)
        return training.run(seeds if resume is None else resume.seeds, callback, resume)

    def _problem(self, inputs: Inputs, targets: Array, run: Executor) -> RegressionProblem:
        compressed = Targets.of(targets)
        return RegressionProblem(inputs, compressed, self.kernel, self.n_inducing, self.jitter, run)

    def _kept(self, inputs: Inputs) -> Bool[NDArray[np.bool_], " N"]:
        """Which rows are trained on."""
        return np.ones(inputs.belief.n_points, dtype=bool)

    def _stage_notes(self, inputs: Inputs, n_given: int) -> tuple[str, ...]:
        """What had to be decided about rows and stages, of so many rows that were given."""
        return ()

    def _capped(self, n_points: int) -> tuple[str, ...]:
        if self.n_inducing <= n_points:
            return ()
        return (f"n_inducing = {self.n_inducing} is capped at the {n_points} points",)

    def _training_data(self, X: ArrayLike, Y: ArrayLike) -> tuple[Array, Array]:
        points = self._points(X, reset=True)
        if Y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        outputs = check_array(
            Y, ensure_2d=False, dtype=np.float64, ensure_all_finite="allow-nan", input_name="y"
        )
        check_consistent_length(points, outputs)
        self.one_output_ = outputs.ndim == 1
        return points, outputs[:, None] if self.one_output_ else outputs

    def _points(self, X: ArrayLike, *, reset: bool) -> Array:
        least = 2 if reset else 1
        finite: Any = "allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True
        return np.asarray(
            validate_data(
                self,
                X,
                reset=reset,
                dtype=np.float64,
                ensure_min_samples=least,
                ensure_all_finite=finite,
            )
        )

    def _belief(self, X: ArrayLike, X_variance: ArrayLike | None) -> Belief:
        """New inputs in internal units: what is missing has the prior's N(0, 1)."""
        check_is_fitted(self)
        points = self._points(X, reset=False)
        variance = internal_variance(X_variance, points.shape, self.input_scale_)
        if isinstance(variance, str):
            raise ValueError("X_variance of new inputs must be variances; got 'learned'")
        inputs = Inputs.of((points - self.input_center_) / self.input_scale_, variance)
        return Belief(inputs.prior.center, inputs.prior.variance)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
