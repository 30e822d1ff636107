"""Manifold relevance determination: several views of the same things on one latent space."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Int
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Noise, Scaling, gaps_in_words, units_for
from gplvm_core.models.data.timeline import checked_timeline, timeline_notes
from gplvm_core.models.data.views import (
    Views,
    check_name,
    checked_views,
    kernel_of_view,
    log_jacobians,
    notes_by_view,
    training_views,
)
from gplvm_core.models.estimators.bayesian import BayesianGPLVM
from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.models.estimators.fitted import Optimised, Saved
from gplvm_core.models.estimators.one_view import one_view
from gplvm_core.models.estimators.trained import Trainable
from gplvm_core.models.estimators.views_transfer import ViewsTransfer
from gplvm_core.models.problems.graph import Graph, Learnt
from gplvm_core.models.problems.many_rows import MANY, Completed, ManyRows
from gplvm_core.models.problems.nodes import LatentNode, Node
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.problems.several import drops_by_view, several_views, ways_to_views
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.training.run import Run
from gplvm_core.models.training.schedule import check_settings
from gplvm_core.optimise import Progress
from gplvm_core.statistics import Executor, executor


class ManifoldRelevance(Trainable, ViewsTransfer, Optimised, Saved, BaseEstimator):
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

    Of 20,000 rows or more, without a time_kernel, a growing sample is trained and the others are
    placed, as in BayesianGPLVM; `trained_rows_` says which were trained (None: all). Views are
    worked on in memory by NumPy: those of `RowFiles` are read whole and no row passes by, and sums
    over rows are not made in another array library.
    """

    trained_rows_: Int[NDArray[np.intp], " T"] | None
    restarts_: tuple[Any, ...]
    _layered: tuple[str, ...] = ()

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
        noise: Noise = "shared",
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
        self.noise = noise

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(timed=self.time_kernel is not None, views=True)

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

        times and sequences, with a time_kernel, as for DynamicalGPLVM; callback and resume (a run
        of the same views, in their order) as for BayesianGPLVM. Raises DataError for views whose
        rows do not align, and for one in which nothing varies.
        """
        check_settings(self, layered=self._layered)
        given = checked_views(views)
        internal, scalings = training_views(given, units_for(self.scaling, self.noise))
        self.views_, n_points = tuple(given), len(next(iter(internal.values())))
        self.times_ = self.sequences_ = self.path_ = self.time_kernel_ = None
        if self.time_kernel is not None:
            self.times_, self.sequences_ = checked_timeline(times, sequences, n_points)
        with executor(self.n_jobs) as run:
            asked = self._problem(internal, run)
            offsets = log_jacobians(internal, scalings)
            total = sum(offsets.values())
            found, seed = self._train(asked, total, callback, resume, self.views_)
            notes, self.trained_rows_ = asked.notes(seed), None
            if isinstance(found, Completed):
                problem, parameters = found.problem, found.parameters
                notes, self.trained_rows_ = notes + found.notes, found.trained
            else:
                assert not isinstance(asked, ManyRows)
                problem, parameters = asked, found
            learnt = problem.learnt(parameters, tuple(internal.values()))
            lost = drops_by_view(problem, learnt, self.views_, self._shared_node)
        node, top = problem.nodes[0], parameters.nodes[0]
        if isinstance(node, PathNode):
            self.path_, self.time_kernel_ = node.path(top), top.kernel
        ways = ways_to_views(problem, len(self.views_), self._shared_node)
        of_views = dict(zip(self.views_, ways, strict=True))
        self.seen_ = {name: problem.edges[way[-1]].data.seen for name, way in of_views.items()}
        own = {name: learnt.layers[way[-1]] for name, way in of_views.items()}
        leading = {name: learnt.layers[way[0]] for name, way in of_views.items()}
        self._keep(learnt.nodes[self._shared_node], own, leading, lost, scalings)
        self.bounds_ = {
            name: offsets[name]
            + sum(learnt.layers[at].posterior.value for at in way)
            + sum(learnt.nodes[at + 1].own for at in way[:-1])
            for name, way in of_views.items()
        }
        self.bound_ = learnt.bound + total
        notes += self._examined(problem, learnt, scalings)
        notes += notes_by_view({name: scaling.notes for name, scaling in scalings.items()})
        if self.time_kernel_ is not None:
            notes += timeline_notes(self.times_, self.sequences_, self.time_kernel_)
        self._note(notes + notes_by_view({name: each.notes for name, each in own.items()}))
        self.notes_ += notes_by_view({name: gaps_in_words(each) for name, each in internal.items()})
        if self.time_kernel is None and not (times is None and sequences is None):
            self.notes_ += ("times and sequences are not used: the model has no time_kernel",)
        return self

    def of_view(self, name: str) -> BayesianGPLVM:
        """One view as a fitted model of its own, on the shared latent space and its paths."""
        self._check_fitted()
        check_name(name, self.views_)
        return one_view(self, name)

    # Of the graph, the node whose points views share.
    _shared_node = 0

    def _examined(
        self, problem: Graph, learnt: Learnt, scalings: Mapping[str, Scaling]
    ) -> tuple[str, ...]:
        """What else is kept of the layers; notes on them."""
        return ()

    def _problem(self, internal: Views, run: Executor) -> Graph | ManyRows:
        outputs = tuple(internal.values())
        kernels = tuple(kernel_of_view(self.kernel, name, self.views_) for name in internal)
        begin = Start(outputs, self.n_components, self.n_inducing, kernels, self.init)
        over = self.time_kernel
        if over is None and len(outputs[0]) >= MANY:
            return ManyRows(begin, self.jitter, run, self.noise)
        node: Node = LatentNode() if over is None else PathNode(self._timeline, over)
        return several_views(begin, node, self.jitter, run, self.noise)
