"""The dynamical GP-LVM (VGPDS): a Gaussian-process prior over time on the latent space."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core.kernels import Kernel
from gplvm_core.models.bayesian import BayesianGPLVM
from gplvm_core.models.dynamical_problem import Dynamical, DynamicalProblem
from gplvm_core.models.layers import OneLayer, Start, relevance_of
from gplvm_core.models.run import Run
from gplvm_core.models.scaling import Scaling, observed_counts
from gplvm_core.models.timed import Timed
from gplvm_core.models.timeline import checked_timeline, checked_times, timeline_notes
from gplvm_core.numerics import Array, factorise
from gplvm_core.optimise import Progress
from gplvm_core.prediction import Evidence, Projection, predict_uncertain, sample
from gplvm_core.prediction.paths import FoundPath, StepCallback, continued, forecast
from gplvm_core.statistics import Executor, Statistics, Targets


class DynamicalGPLVM(Timed, BayesianGPLVM):
    """Variational Gaussian-process dynamical system (Damianou, Titsias & Lawrence 2011).

    A BayesianGPLVM whose latent points lie on smooth paths: every latent dimension is a Gaussian
    process over time (or over any observed inputs), independent between sequences. time_kernel:
    "rbf" (smooth), "matern52", "matern32" (a little rough), "matern12" (rough), "periodic", each
    with a little white noise; or a kernel object, of which the first variance stays as it is, and
    what it holds: (Periodic(1.0) + RBF(0.1)).holding("variance") + White(0.01) repeats nearly, with
    a given share of anything smooth (§3.5.4).
    transform, score_samples, denoise, and complete without times take every row alone, x ~ N(0, I).
    Source: Damianou (2015), §3.2.1 and §3.3.6.
    """

    def __init__(
        self,
        n_components: int = 10,
        n_inducing: int = 50,
        kernel: str | Kernel = "rbf",
        time_kernel: str | Kernel = "matern32",
        init: str | ArrayLike = "pca",
        scaling: Literal["global", "columns", "none"] = "global",
        max_iter: int = 500,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_components=n_components,
            n_inducing=n_inducing,
            kernel=kernel,
            init=init,
            scaling=scaling,
            max_iter=max_iter,
            n_restarts=n_restarts,
            jitter=jitter,
            optimiser=optimiser,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.time_kernel = time_kernel

    def fit(
        self,
        Y: ArrayLike,
        y: Any = None,
        *,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train on outputs Y (N × D), NaN for missing ones. `y` is ignored.

        times: of each row, N or (vector inputs) N × P; by default 0, 1, 2, … within a sequence.
        sequences: N labels; rows with the same one lie on one path, different paths are
        independent. callback and resume as for BayesianGPLVM. Raises DataError for times and
        sequences that do not fit the rows.
        """
        shape = np.asarray(Y).shape
        count = shape[0] if shape else 0
        self.times_, self.sequences_ = checked_timeline(times, sequences, count)
        return super().fit(Y, callback=callback, resume=resume)

    def forecast(
        self, times: ArrayLike, *, sequence: Any = None, return_std: bool = False
    ) -> Float[Array, "n D"] | tuple[Float[Array, "n D"], Float[Array, "n D"]]:
        """Outputs at times after, between or before those of a trained sequence.

        Mean, and with return_std the standard deviation, noise included, in the user's units: the
        uncertainty of the path is carried through the mapping. sequence: its label, needed where
        there are several. Source: Damianou (2015), §3.4.2.
        """
        mean, variance = self.forecast_latent(times, sequence=sequence)
        outputs, spread = predict_uncertain(self.posterior_, mean, variance, noise=True)
        return (outputs, np.sqrt(spread)) if return_std else outputs

    def forecast_latent(
        self, times: ArrayLike, *, sequence: Any = None
    ) -> tuple[Float[Array, "n Q"], Float[Array, "n Q"]]:
        """Mean and variance of the latent path at new times of a trained sequence."""
        found = forecast(*self._so_far(checked_times(times, None), self._rows_of(sequence)))
        return found.mean, found.variance

    def complete(
        self,
        Y: ArrayLike,
        *,
        times: ArrayLike | None = None,
        sequence: Any = None,
        coupled: bool = True,
        adapt: bool = False,
        callback: StepCallback | None = None,
        return_std: bool = False,
        return_cov: bool = False,
    ) -> Float[Array, "n D"] | tuple[Float[Array, "n D"], Float[Array, "..."]]:
        """Whole rows: observed entries as given, missing ones (NaN) at their predictive mean.

        With times the rows are one sequence, inferred together; rows with nothing observed are
        allowed then. sequence: the trained one that they belong to, None for one of its own.
        coupled: rows inform each other through the prior (Damianou 2015, App. B.4, with the
        training rows held); else each row has its own prior at its time, which is cheaper. adapt:
        they inform the mapping as well, which suits a sequence unlike the trained ones of which
        some rows are whole; else q(u) is held, which is cheaper.
        callback(step, bound in nats) is called after each step, and with step 0 and −inf while
        rows are looked at one by one; StopIteration raised in it ends with the best path so far.
        Without times every row stands alone. return_std and return_cov as for BayesianGPLVM
        (return_cov without times only).
        """
        if times is None:
            if callback is not None or sequence is not None or adapt:
                raise ValueError(
                    "sequence, adapt and callback are about rows in time: give times, too"
                )
            return super().complete(Y, return_std=return_std, return_cov=return_cov)
        if return_cov:
            raise ValueError("return_cov needs rows that stand alone: leave out times")
        path, outputs = self._infer_path(Y, times, sequence, coupled, adapt, callback)
        belief, (posterior,) = path.belief, path.posteriors
        mean, variance = predict_uncertain(posterior, belief.mean, belief.variance, noise=True)
        missing = np.isnan(outputs)
        whole = np.where(missing, mean, outputs)
        return (whole, np.where(missing, np.sqrt(variance), 0.0)) if return_std else whole

    def transform_sequence(
        self,
        Y: ArrayLike,
        *,
        times: ArrayLike,
        sequence: Any = None,
        coupled: bool = True,
        adapt: bool = False,
        callback: StepCallback | None = None,
        return_std: bool = False,
    ) -> Float[Array, "n Q"] | tuple[Float[Array, "n Q"], Float[Array, "n Q"]]:
        """Latent path of the rows of one sequence, inferred together (see complete)."""
        belief = self._infer_path(Y, times, sequence, coupled, adapt, callback)[0].belief
        return (belief.mean, np.sqrt(belief.variance)) if return_std else belief.mean

    def sample_sequence(
        self,
        times: ArrayLike,
        *,
        n_samples: int = 1,
        random_state: int | None = None,
        return_latent: bool = False,
    ) -> Float[Array, "S n D"] | tuple[Float[Array, "S n D"], Float[Array, "S n Q"]]:
        """New sequences: a path drawn from the prior over time, then the outputs along it.

        Outputs are draws of the mapping without observation noise, S × n × D; return_latent adds
        the paths, S × n × Q.
        """
        if n_samples < 1:
            raise ValueError(f"n_samples must be at least 1; got {n_samples}")
        generator = np.random.default_rng(random_state)
        prior = continued(*self._so_far(checked_times(times, None), np.empty(0, dtype=np.intp)))
        gram = prior.covariance[0]
        root = factorise(gram, 1e-9 * float(np.mean(np.diagonal(gram)))).lower
        paths, draws = [], []
        for _ in range(n_samples):
            paths.append(root @ generator.standard_normal(prior.mean.shape))
            draws.append(sample(self.posterior_, paths[-1], 1, generator, noise=False)[0])
        outputs = np.stack(draws)
        return (outputs, np.stack(paths)) if return_latent else outputs

    def _infer_path(
        self,
        Y: ArrayLike,
        times: ArrayLike,
        sequence: Any,
        coupled: bool,
        adapt: bool,
        callback: StepCallback | None,
    ) -> tuple[FoundPath, Array]:
        check_is_fitted(self)
        outputs = self._checked(Y, reset=False)
        empty = np.empty(0, dtype=np.intp)
        rows = empty if sequence is None else self._rows_of(sequence)
        prior = continued(*self._so_far(checked_times(times, len(outputs)), rows))
        if not coupled:
            prior = prior.independent
        evidence = (Evidence(self.posterior_, outputs),)
        known = (self.statistics_,) if adapt else None
        path = self._inferred_path(evidence, prior, self._each_alone, callback, known)
        return path, outputs

    def _each_alone(self, evidence: Sequence[Evidence]) -> Projection:
        return self._project(evidence[0].outputs)

    def _problem(self, begin: Start, run: Executor) -> Any:
        data = OneLayer(begin, Targets.of(begin.targets), self.jitter, run)
        return DynamicalProblem(data, self._timeline, self.time_kernel)

    def _settle(
        self, problem: Any, parameters: Dynamical, targets: Array, scaling: Scaling
    ) -> tuple[str, ...]:
        path = problem.path(parameters)
        found = problem.marginals(parameters)
        belief = found.belief
        settled = problem.data.settled(problem.with_belief(parameters, belief), targets)
        self.latent_mean_, self.latent_variance_ = belief.mean, belief.variance
        self.path_, self.time_kernel_ = path, parameters.time_kernel
        self.information_ = found.kl / belief.n_points
        self.relevance_ = relevance_of(settled.layer.kernel, belief.n_latent)
        offset = scaling.log_jacobian(observed_counts(targets))
        self.bound_ = settled.posterior.value - float(found.kl.sum()) + offset
        self.statistics_: Statistics = settled.statistics
        self.posterior_ = settled.as_posterior(scaling)
        odd = timeline_notes(self.times_, self.sequences_, self.time_kernel_)
        return odd + settled.notes
