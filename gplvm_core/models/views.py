"""Manifold relevance determination: several views of the same things on one latent space."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.bayesian import BayesianGPLVM
from gplvm_core.models.dynamical_problem import DynamicalProblem
from gplvm_core.models.estimator import ON
from gplvm_core.models.fitted import Saved
from gplvm_core.models.latent import LatentProblem
from gplvm_core.models.layers import OneLayer, Parameters, Settled, Start, relevance_of
from gplvm_core.models.run import Run
from gplvm_core.models.scaling import Scaling, gaps_in_words, observed_counts
from gplvm_core.models.schedule import check_settings
from gplvm_core.models.segmentation import (
    LEAST_DROP,
    LEAST_WEIGHT,
    Segments,
    drops,
    segments,
    used_by_weight,
)
from gplvm_core.models.several_layers import SeveralLayers
from gplvm_core.models.timeline import checked_timeline, timeline_notes
from gplvm_core.models.trained import Trainable
from gplvm_core.models.views_data import Views, check_name, checked_views, training_views
from gplvm_core.models.views_queries import ViewsQueries
from gplvm_core.optimise import Progress, Result
from gplvm_core.prediction import Posterior
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Executor, Statistics, Targets, executor
from gplvm_core.statistics.executors import serial


class ManifoldRelevance(Trainable, ViewsQueries, Saved, BaseEstimator):
    """Manifold relevance determination (Damianou, Ek, Titsias & Lawrence 2012).

    Each view is a Gaussian-process layer, with its own kernel, ARD weights, inducing inputs and
    noise, on latent inputs that all views share: their weights divide the latent dimensions
    softly into shared and private ones (`segmentation`). Source: Damianou (2015), ch. 5.

    kernel : one for all views (name or object), or a dict from a view's name to its own.
    time_kernel : None for x ~ N(0, I), or a kernel over time as for DynamicalGPLVM.
    init : "pca" of the views side by side, each of the same total variance; "pca_each", the
        components of each view side by side; "isomap", "random", or the means, N × Q.
    n_jobs : threads over the views.
    Everything else as for BayesianGPLVM. Views are dicts of arrays by name throughout; missing
    entries are NaN, and a row may be missing from some views.
    """

    restarts_: tuple[Any, ...]
    result_: Result

    def __init__(
        self,
        n_components: int = 10,
        n_inducing: int = 50,
        kernel: str | Kernel | Mapping[str, str | Kernel] = "rbf",
        time_kernel: str | Kernel | None = None,
        init: str | ArrayLike = "pca",
        scaling: Literal["global", "columns", "none"] = "global",
        max_iter: int = 500,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_inducing = n_inducing
        self.kernel = kernel
        self.time_kernel = time_kernel
        self.init = init
        self.scaling = scaling
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.jitter = jitter
        self.optimiser = optimiser
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        views: Mapping[str, ArrayLike],
        y: Any = None,
        *,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train on views of the same N rows, {name: N × D_v}, NaN for missing. `y` is ignored.

        times and sequences, for a model with a time_kernel, as for DynamicalGPLVM; callback and
        resume as for BayesianGPLVM. Raises DataError for views whose rows do not align, and for
        one in which nothing varies.
        """
        check_settings(self)
        given = checked_views(views)
        internal, scalings = training_views(given, self.scaling)
        n_points = len(next(iter(internal.values())))
        self.views_ = tuple(given)
        self.times_ = self.sequences_ = self.path_ = self.time_kernel_ = None
        if self.time_kernel is not None:
            self.times_, self.sequences_ = checked_timeline(times, sequences, n_points)
        with executor(self.n_jobs) as run:
            data = self._layers(internal, run)
            problem = self._problem(data)
            counts = {name: observed_counts(values) for name, values in internal.items()}
            offsets = {name: scalings[name].log_jacobian(counts[name]) for name in self.views_}
            parameters, seed = self._train(problem, sum(offsets.values()), callback, resume)
            belief, kl = self._believed(problem, parameters)
            settled = data.settled(Parameters(belief, parameters.layer), tuple(internal.values()))
            pairs = zip(data.views, settled, strict=True)
            found = data.run(lambda pair: drops(pair[0], pair[1], belief), pairs)
        self.seen_ = {
            name: np.asarray(~np.isnan(values).all(axis=1)) for name, values in internal.items()
        }
        self._keep(dict(zip(self.views_, settled, strict=True)), belief, scalings)
        self.drops_ = dict(zip(self.views_, found, strict=True))
        self.bounds_ = {
            name: own.posterior.value + offsets[name]
            for name, own in zip(self.views_, settled, strict=True)
        }
        self.information_ = kl / n_points
        self.bound_ = sum(self.bounds_.values()) - float(kl.sum())
        exact = tuple(
            f"view {name!r}: {note}"
            for name, own in zip(self.views_, settled, strict=True)
            for note in own.notes
        )
        self._note(data.notes(seed) + self._odd(scalings) + exact)
        timed = times is not None or sequences is not None
        self.notes_ += self._facts(internal, timed=timed)
        return self

    def segmentation(self, threshold: float = LEAST_DROP) -> Segments:
        """The latent dimensions that each set of views uses, and no other; frozenset(): none.

        A view uses a dimension when setting its weight to 0 lowers F_v by more than the
        threshold, in nats a row.
        """
        return segments(self._uses(threshold))

    def segmentation_by_weight(self, delta: float = LEAST_WEIGHT) -> Segments:
        """The same by the sources' rule: w/max w > δ (Damianou 2015, §5.2.2)."""
        self._check_fitted()
        return segments(used_by_weight(self.relevance_, delta))

    def agreement(self, threshold: float = LEAST_DROP, delta: float = LEAST_WEIGHT) -> float:
        """The share of pairs of view and dimension on which the two rules agree."""
        by_drop, by_weight = self._uses(threshold), used_by_weight(self.relevance_, delta)
        return float(np.mean([by_drop[name] == by_weight[name] for name in self.views_]))

    def of_view(self, name: str) -> BayesianGPLVM:
        """One view as a fitted model of its own, on the shared latent space."""
        self._check_fitted()
        check_name(name, self.views_)
        model = BayesianGPLVM(
            n_components=self.n_components,
            n_inducing=self.n_inducing,
            kernel=self._kernel(name),
            scaling=self.scaling,
            jitter=self.jitter,
        )
        model.posterior_, model.statistics_ = self.posteriors_[name], self.statistics_[name]
        model.latent_mean_, model.latent_variance_ = self.latent_mean_, self.latent_variance_
        model.relevance_ = self.relevance_[name]
        # What a view does not use is off in a model of that view alone.
        model.information_ = np.where(self._uses(LEAST_DROP)[name], self.information_, 0.0)
        model.bound_ = self.bounds_[name] - float(self.information_.sum()) * len(self.latent_mean_)
        model.encoder_, model.notes_ = None, self.notes_
        model.result_, model.trace_, model.restarts_ = self.result_, self.trace_, self.restarts_
        model.n_features_in_ = model.posterior_.n_outputs
        return model

    @property
    def n_effective_(self) -> int:
        """How many latent dimensions are on: information above 0.05 nats a point."""
        return int(np.sum(self.information_ > ON))

    @property
    def n_iter_(self) -> int:
        """Accepted iterations of the start that was kept."""
        return max(self.result_.iterations, 1)

    def _layers(self, internal: Views, run: Executor) -> SeveralLayers:
        # Views are worked on side by side; within one, threads would wait for each other.
        within, across = (run, serial) if len(internal) == 1 else (serial, run)
        views = []
        for name, targets in internal.items():
            begin = Start(
                targets, self.n_components, self.n_inducing, self._kernel(name), self.init
            )
            views.append(OneLayer(begin, Targets.of(targets), self.jitter, within))
        return SeveralLayers(tuple(views), across)

    def _kernel(self, name: str) -> str | Kernel:
        if not isinstance(self.kernel, Mapping):
            return self.kernel
        missing = [view for view in self.views_ if view not in self.kernel]
        unknown = [view for view in self.kernel if view not in self.views_]
        if missing or unknown:
            raise ValueError(
                f"kernel must name a kernel for each of {', '.join(self.views_)}; got them for "
                f"{', '.join(map(str, self.kernel)) or 'none'}"
            )
        return self.kernel[name]

    def _problem(self, data: SeveralLayers) -> Any:
        if self.time_kernel is None:
            return LatentProblem(data)
        return DynamicalProblem(data, self._timeline, self.time_kernel)

    def _believed(self, problem: Any, parameters: Any) -> tuple[Belief, Float[np.ndarray, " Q"]]:
        """q(X) at the end of training, and its KL per dimension in nats."""
        if self.time_kernel is None:
            belief = parameters.belief
            return belief, StandardNormal().kl_terms(belief).sum(axis=0)
        self.path_, self.time_kernel_ = problem.path(parameters), parameters.time_kernel
        found = problem.marginals(parameters)
        return found.belief, found.kl

    def _keep(
        self, settled: Mapping[str, Settled], belief: Belief, scalings: Mapping[str, Scaling]
    ) -> None:
        self.latent_mean_, self.latent_variance_ = belief.mean, belief.variance
        self.posteriors_: dict[str, Posterior] = {
            name: own.as_posterior(scalings[name]) for name, own in settled.items()
        }
        self.statistics_: dict[str, Statistics] = {
            name: own.statistics for name, own in settled.items()
        }
        self.relevance_ = {
            name: relevance_of(own.layer.kernel, belief.n_latent) for name, own in settled.items()
        }

    def _odd(self, scalings: Mapping[str, Scaling]) -> tuple[str, ...]:
        """What the user should know about the data before trusting the model."""
        odd = tuple(
            f"view {name!r}: {note}" for name, scaling in scalings.items() for note in scaling.notes
        )
        if self.time_kernel_ is None:
            return odd
        return odd + timeline_notes(self.times_, self.sequences_, self.time_kernel_)

    def _facts(self, internal: Views, *, timed: bool) -> tuple[str, ...]:
        facts = tuple(
            f"view {name!r}: {fact}"
            for name, values in internal.items()
            for fact in gaps_in_words(values)
        )
        unused = timed and self.time_kernel is None
        return facts + ("times and sequences are not used: the model has no time_kernel",) * unused
