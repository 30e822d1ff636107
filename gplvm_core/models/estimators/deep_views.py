"""Deep manifold relevance determination: several views at the bottom of a deep model."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.points import checked_points, checked_variance
from gplvm_core.models.data.scaling import Noise, Scaling
from gplvm_core.models.data.views import Views, check_name, kernel_of_view
from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.models.estimators.deep import LAYERED, for_layers, widths
from gplvm_core.models.estimators.deep_gplvm import DeepGPLVM
from gplvm_core.models.estimators.deep_latent import DeepLatent
from gplvm_core.models.estimators.generative import by_name
from gplvm_core.models.estimators.views import ManifoldRelevance
from gplvm_core.models.problems.deep import Family, chain
from gplvm_core.models.problems.deep_many_rows import SampledGraph, all_trained, together
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.doctor import DeepLayer, doubts, examined
from gplvm_core.models.problems.edges import targets_for
from gplvm_core.models.problems.graph import Graph, Learnt
from gplvm_core.models.problems.many_rows import MANY, Rows
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.numerics import Array
from gplvm_core.prediction import Evidence, Projection
from gplvm_core.prediction.path_deep import FoundDeepPath
from gplvm_core.prediction.paths import Continued, FoundPath
from gplvm_core.prediction.project_deep import project_nodes
from gplvm_core.statistics import Executor


class DeepManifoldRelevance(DeepLatent, ManifoldRelevance):
    """Manifold relevance determination with layers above the space that the views share.

    Each view is a layer of its own, with its ARD weights, on the lowest of the hidden spaces, whose
    dimensions the weights divide into shared and private ones; the layers above, as in DeepGPLVM,
    say how these go together. `latent_mean_`, `transform`, `segmentation`, `transfer` and the like
    are of that lowest space, as in ManifoldRelevance; `layers_` holds the layers above it, the top
    first, `view_layers_` each view's, both with verdicts. Source: Damianou (2015), ch. 5 and 6.

    n_components : widths of the layers' inputs, the top first; one number is ManifoldRelevance.
    n_inducing, kernel : one for all layers, or a tuple with one for each, the top first, the last
        of kernel a dict from a view's name to its own if they differ.
    family : as for DeepGPLVM. time_kernel : of the top.

    Of 20,000 rows or more a sample is trained, as in DeepGPLVM.
    """

    _layered = LAYERED

    def __init__(
        self,
        n_components: int | tuple[int, ...] = (5, 10),
        n_inducing: int | tuple[int, ...] = 50,
        kernel: str | Kernel | Mapping[str, str | Kernel] | tuple[Any, ...] = "rbf",
        time_kernel: str | Kernel | None = None,
        init: str | ArrayLike = "pca",
        scaling: Literal["global", "columns", "none"] = "global",
        max_iter: int = 800,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
        noise: Noise = "shared",
        family: Family = "marginalised",
    ) -> None:
        self.n_components = n_components  # type: ignore[assignment]
        self.n_inducing = n_inducing  # type: ignore[assignment]
        self.kernel = kernel  # type: ignore[assignment]
        self.time_kernel = time_kernel
        self.init = init
        self.scaling = scaling
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.jitter = jitter
        self.optimiser = optimiser
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.noise = noise
        self.family = family

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(timed=self.time_kernel is not None, views=True, layers=True)

    def generate(
        self,
        H: ArrayLike,
        layer: int = 0,
        *,
        H_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Views | tuple[Views, Views]:
        """Every view at inputs H of a layer: 0 is the top, len(layers_) the space that views share.

        Means by name, and with return_std standard deviations; noise adds each view's observation
        noise. Moments are handed on from layer to layer.
        """
        self._check_fitted()
        if layer not in range(len(self.layers_) + 1):
            raise ValueError(
                f"layer must be a whole number from 0, the top, to {len(self.layers_)}; "
                f"got {layer!r}"
            )
        above = self._posteriors[layer:]
        points = checked_points(H, (*above, *self.posteriors_.values())[0].n_latent)
        spread = checked_variance(H_variance, points)
        found = {
            name: prediction.through((*above, own), points, spread, noise=noise)
            for name, own in self.posteriors_.items()
        }
        return by_name(found, return_std)

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Views:
        """Draws of all views together from the prior over the top: n × D by name, with noise."""
        self._check_fitted()
        generator, above = np.random.default_rng(random_state), self._posteriors
        if above:
            points = prediction.sample_prior_through(above, n_samples, generator)
        else:
            points = generator.standard_normal((n_samples, self.latent_mean_.shape[1]))
        drawn = {}
        for name, own in self.posteriors_.items():
            each = [prediction.sample(own, point[None], 1, generator)[0, 0] for point in points]
            drawn[name] = np.reshape(each, (n_samples, own.n_outputs))
        return drawn

    def score_samples(self, views: Mapping[str, ArrayLike]) -> Float[Array, " N"]:
        """log p(what is observed of a row in these views | training data) in nats, approximately.

        The difference of the bounds with and without the row in every layer: it bounds nothing.
        """
        given = self._given(views)
        evidence = list(given.values())
        known = [self.statistics_[name] for name in given]
        return self._log_density(evidence, known, self._explained(evidence))

    def of_view(self, name: str) -> Any:
        """One view as a fitted DeepGPLVM, below the same layers."""
        self._check_fitted()
        check_name(name, self.views_)
        model = DeepGPLVM(
            n_components=self.n_components,
            family=self.family,
            scaling=self.scaling,
            jitter=self.jitter,
            noise=self.noise,
            time_kernel=self.time_kernel,
        )
        model._keep_layers((*self.layers_, self.view_layers_[name]))
        model.bound_ = self.bound_ - sum(
            bound for other, bound in self.bounds_.items() if other != name
        )
        for shared in ("family_", "times_", "sequences_", "path_", "time_kernel_", "notes_"):
            setattr(model, shared, getattr(self, shared))
        model.encoder_ = None
        model.result_, model.trace_, model.restarts_ = self.result_, self.trace_, self.restarts_
        model.n_features_in_ = model.posterior_.n_outputs
        return model

    def _problem(self, internal: Views, run: Executor) -> Graph:
        wide = widths(self.n_components)
        kernels: tuple[Any, ...] = for_layers("kernel", self.kernel, len(wide))
        *above, last = kernels
        own = tuple(kernel_of_view(last, name, self.views_) for name in internal)
        n_inducing = for_layers("n_inducing", self.n_inducing, len(wide))
        values = tuple(internal.values())

        def some(rows: Rows | slice) -> Graph:
            init = self.init if isinstance(self.init, str) else np.asarray(self.init)[rows]
            parts = tuple(each[rows] for each in values)
            return self._chain(Embedded(parts, wide, n_inducing, (*above, own), init), run)

        apart = self.time_kernel is None and not together(self.family)
        if len(values[0]) < MANY or not apart:
            return some(slice(None))
        return SampledGraph.of(some, *values)

    def _chain(self, begin: Embedded, run: Executor) -> Graph:
        over = self.time_kernel
        return chain(
            LatentNode() if over is None else PathNode(self._timeline, over),
            tuple(targets_for(each, self.noise) for each in begin.outputs),
            begin,
            len(begin.n_latent) - 1,
            family=self.family,
            jitter=self.jitter,
            run=run,
            per_output=self.noise == "per_output",
        )

    def _examined(
        self, problem: Graph, learnt: Learnt, scalings: Mapping[str, Scaling]
    ) -> tuple[str, ...]:
        every = examined(problem, learnt, scalings)
        self.family_ = "marginalised" if learnt.marginalised else None
        n_hidden = len(every) - len(self.views_)
        self.layers_ = every[:n_hidden]
        self.view_layers_: dict[str, DeepLayer] = dict(
            zip(self.views_, every[n_hidden:], strict=True)
        )
        count = learnt.nodes[0].belief.n_points
        return all_trained(count, self.family) + learnt.told + doubts(every)

    def _each_alone(self, evidence: Sequence[Evidence]) -> Projection:
        return self._explained(evidence)[-1]

    def _at_all_nodes(self, evidence: Sequence[Evidence]) -> Projection:
        partial = len(evidence) < len(self.views_)
        return project_nodes(evidence, self._above, self._beliefs, partial=partial)

    def _shared_path(self, path: FoundPath, prior: Continued) -> tuple[Belief, Continued]:
        # The rows hang together at the top; below it each is what that and its outputs tell.
        assert isinstance(path, FoundDeepPath)
        spread = np.stack([np.diag(column) for column in path.lowest.variance.T])
        return path.lowest, Continued(path.lowest.mean, spread, order=prior.order)

    @property
    def _hidden(self) -> tuple[DeepLayer, ...]:
        return self.layers_

    @property
    def _beliefs(self) -> list[Belief]:
        above = [Belief(each.latent_mean_, each.latent_variance_) for each in self.layers_]
        return [*above, self._belief]
