"""Manifold relevance determination: several views of the same things on one latent space."""

from collections.abc import Mapping
from dataclasses import KW_ONLY

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.views import Views, check_name, kernel_of_view
from gplvm_core.models.estimators.bayesian import BayesianGPLVM
from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.models.estimators.one_view import one_view
from gplvm_core.models.estimators.settings import LatentSettings, preset
from gplvm_core.models.estimators.trained_views import TrainedViews
from gplvm_core.models.problems.graph import Graph
from gplvm_core.models.problems.many_rows import ManyRows, are_many
from gplvm_core.models.problems.nodes import LatentNode, Node
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.problems.several import several_views
from gplvm_core.models.problems.starts import Start
from gplvm_core.statistics import Executor


@preset
class ManifoldRelevance(LatentSettings, TrainedViews):
    """Manifold relevance determination (Damianou, Ek, Titsias & Lawrence 2012).

    Each view is a Gaussian-process layer, with its own kernel, ARD weights, inducing inputs and
    noise, on latent inputs that all views share: their weights divide the latent dimensions
    softly into shared and private ones (`segmentation`). Source: Damianou (2015), ch. 5.

    Views are dicts of arrays by name throughout; missing entries are NaN, and a row may be missing
    from some views.

    Of 20,000 rows or more, without a time_kernel, a growing sample is trained and the others are
    placed, as in BayesianGPLVM; `rows_.trained` says which were trained (None: all). Views are
    worked on in memory by NumPy: those of `RowFiles` are read whole and no row passes by, and sums
    over rows are not made in another array library.

    Parameters
    ----------
    kernel
        The covariance function of the mappings (name or object): one for all views, or a dict
        from a view's name to its own.
    init
        The latent means that training starts from: "pca" of the views side by side, each of the
        same total variance; "pca_each", the components of each view side by side; "isomap";
        "random"; or the means themselves, N × Q.
    n_jobs
        The number of threads that share the views; None is one, −1 all processors.
    """

    n_components: int = 10
    n_inducing: int = 50
    _: KW_ONLY
    kernel: str | Kernel | Mapping[str, str | Kernel] = "rbf"
    time_kernel: str | Kernel | None = None

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(timed=self.time_kernel is not None, views=True)

    def of_view(self, name: str) -> BayesianGPLVM:
        """One view as a fitted model of its own, on the shared latent space and its paths."""
        self._check_fitted()
        check_name(name, self.views_)
        return one_view(self, name)

    def _problem(self, internal: Views, executor: Executor) -> Graph | ManyRows:
        outputs = tuple(internal.values())
        kernels = tuple(kernel_of_view(self.kernel, name, self.views_) for name in internal)
        begin = Start(outputs, self.n_components, self.n_inducing, kernels, self.init)
        over = self.time_kernel
        if over is None and are_many(len(outputs[0])):
            return ManyRows(begin, self.jitter, executor, self.noise)
        node: Node = LatentNode() if over is None else PathNode(self._timeline, over)
        return several_views(begin, node, self.jitter, executor, self.noise)
