"""Deep manifold relevance determination: a deep model of several views."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.views import Views, check_name, kernel_of_view
from gplvm_core.models.estimators.base import NOTHING, Capabilities
from gplvm_core.models.estimators.deep import edge_of, for_layers, one_noise, outputs_from, widths
from gplvm_core.models.estimators.deep_gplvm import DeepGPLVM
from gplvm_core.models.estimators.settings import preset
from gplvm_core.models.estimators.trained import Ended, top_node
from gplvm_core.models.estimators.views_model import ViewsModel, take_shared
from gplvm_core.models.problems.deep import Family
from gplvm_core.models.problems.deep_latent import LatentChain
from gplvm_core.models.problems.deep_many_rows import all_trained
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.doctor import DeepLayer, doubts, examined
from gplvm_core.models.problems.graph import Graph, Learnt
from gplvm_core.models.problems.several import ways_to_views
from gplvm_core.prediction import Network, TrainedEdge
from gplvm_core.statistics import Executor

Widths = int | tuple[int, ...]
OneKernel = str | Kernel | Mapping[str, str | Kernel]
ViewWidths = Widths | Mapping[str, Widths] | None


@preset
class DeepManifoldRelevance(ViewsModel):
    """Manifold relevance determination with layers above the space that the views share.

    Each view is the output of a layer whose inputs are the lowest shared space. The ARD weights of
    these layers divide the dimensions of this space into shared and private ones. The layers above,
    as in DeepGPLVM, model how these dimensions depend on each other. `latent_mean_`, `transform`,
    `segmentation` and `transfer` refer to the lowest shared space, as in ManifoldRelevance. Source:
    Damianou (2015), ch. 5 and 6.

    For 20,000 rows or more, training uses a sample, as in DeepGPLVM; with view_components, training
    uses all rows.

    Parameters
    ----------
    n_components
        The dimensions of the layers' inputs, the top first; one number gives the model of
        ManifoldRelevance.
    n_inducing
        The number of inducing inputs, one number for all layers, or a tuple, the top first.
    kernel
        The kernel of all layers, or a tuple with one kernel for each layer, the top first. The last
        entry may be a dict by view name. Private layers of a view use the kernel of the view's last
        layer.
    time_kernel
        None, or the kernel over time of the latent inputs at the top, as for BayesianGPLVM.
    view_components
        The dimensions of the private hidden spaces of the views, below the shared space, the
        highest first: one number or a tuple for every view, or a dict by view name, such as
        {"faces": 6} if only "faces" has a private space. None: no private spaces. Private spaces
        need the family "marginalised" or "mean_field". Rows that a view lacks still have points in
        the view's private spaces. These points make the bound looser, so avoid private spaces for
        views that lack many rows.

    Attributes
    ----------
    layers_ : tuple of DeepLayer
        The layers above the lowest shared space, the top first, each with a verdict in words
        (`verdict_`).
    view_layers_ : dict of str to DeepLayer
        The layer of each view that generates its data, with a verdict in words.
    own_layers_ : dict of str to tuple of DeepLayer
        The private hidden layers of each view, the highest first.
    relevance_ : dict of str to ndarray of shape (Q,)
        The ARD weights of each view's first layer below the shared space.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import DeepManifoldRelevance
    >>> rng = np.random.default_rng(0)
    >>> Y = np.outer(rng.standard_normal(30), [1.0, -2.0, 0.5, 1.0])
    >>> Y += 0.02 * rng.standard_normal((30, 4))
    >>> views = {"left": Y[:, :2], "right": Y[:, 2:]}
    >>> model = DeepManifoldRelevance((1, 2), 8, max_iter=20, random_state=0).fit(views)
    >>> model.transfer({"left": [[1.0, -2.0]]}, "right").round(1)
    array([[0.5, 1. ]])
    """

    n_components: int | tuple[int, ...] = (5, 10)
    n_inducing: int | tuple[int, ...] = 50
    _: KW_ONLY
    kernel: OneKernel | tuple[OneKernel, ...] = "rbf"
    time_kernel: str | Kernel | None = None
    max_iter: int = 800
    family: Family = "marginalised"
    view_components: ViewWidths = None

    _can = Capabilities(views=True, layers=True)
    _ranks_sound, _one_noise = True, property(one_noise)
    family_ = NOTHING

    def generate(
        self,
        H: ArrayLike,
        layer: int = 0,
        *,
        H_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Views | tuple[Views, Views]:
        """Predict all views at inputs of a layer.

        Means and variances are propagated from layer to layer.

        Parameters
        ----------
        H : array_like of shape (n, Q)
            Inputs of the layer.
        layer : int, default 0
            The number of the layer in `layers_`; 0 is the top, len(layers_) the shared space.
        H_variance : array_like of shape (n, Q), optional
            Variances of the inputs; None for exact inputs.

        Returns
        -------
        dict of str to ndarray of shape (n, D_v), or two of them
            The means by view, and with return_std the standard deviations.
        """
        given = H, H_variance, layer, len(self.layers_) + 1
        found = outputs_from(self, *given, noise=noise)
        means = {name: mean for name, (mean, _) in found.items()}
        if not return_std:
            return means
        return means, {name: np.sqrt(variance) for name, (_, variance) in found.items()}

    def of_view(self, name: str) -> Any:
        """Return the model of one view as a fitted DeepGPLVM with the same layers above the view.

        Parameters
        ----------
        name : str
            The name of the view.

        Returns
        -------
        DeepGPLVM
            The fitted model.

        Raises
        ------
        DataError
            If there is no such view.
        """
        self._check_fitted()
        check_name(name, self.views_)
        (own_spaces,) = own_widths(self.view_components, (name,), self.views_)
        model = DeepGPLVM(
            n_components=(*widths(self.n_components), *own_spaces),
            family=self.family,
            scaling=self.scaling,
            jitter=self.jitter,
            noise="shared" if self.posteriors_[name].each is None else "per_output",
            time_kernel=self.time_kernel,
        )
        own = self.own_layers_.get(name, ())
        model._set_layers((*self.layers_, *own, self.view_layers_[name]))
        model.bound_ = self.bound_ - sum(self.bounds_[each] for each in self.views_ if each != name)
        take_shared(model, self)
        model.family_ = self.family_
        return model

    def _problem(self, internal: Views, executor: Executor) -> Graph:
        wide = widths(self.n_components)
        spaces = own_widths(self.view_components, tuple(internal), self.views_)
        kernels: tuple[Any, ...] = for_layers("kernel", self.kernel, len(wide))
        *above, last = kernels
        own = tuple(kernel_of_view(last, name, self.views_) for name in internal)
        n_inducing = for_layers("n_inducing", self.n_inducing, len(wide))
        begin = Embedded(
            tuple(internal.values()), wide, n_inducing, (*above, own), self.init, spaces
        )
        deep = LatentChain(
            partial(top_node, self), self.family, self._noises, self.jitter, executor
        )
        return deep.graph(begin, alone=self.time_kernel is None)

    def _examined(
        self, ended: Ended, learnt: Learnt, scalings: Mapping[str, Scaling]
    ) -> tuple[str, ...]:
        every = examined(ended.problem, learnt, scalings, self._shared_node)
        self.family_ = "marginalised" if learnt.marginalised else None
        self.layers_ = every[: self._shared_node]
        ways = ways_to_views(ended.problem, len(self.views_), self._shared_node)
        self.own_layers_, self.view_layers_ = {}, {}
        for name, (*own, last) in zip(self.views_, ways, strict=True):
            self.own_layers_[name] = tuple(every[at] for at in own)
            self.view_layers_[name] = every[last]
        why = "views have hidden spaces of their own" if any(self.own_layers_.values()) else None
        count = learnt.nodes[0].belief.n_points
        return all_trained(count, self.family, why) + learnt.remarks + doubts(every)

    @property
    def _shared_node(self) -> int:  # type: ignore[override]
        return len(widths(self.n_components)) - 1

    @property
    def _network(self) -> Network:
        """The layers above the shared space, then the private and last layers of every view."""
        beliefs = [Belief(each.latent_mean_, each.latent_variance_) for each in self.layers_]
        beliefs.append(self._belief)
        edges = [self._hidden_edge(each, at, at + 1) for at, each in enumerate(self.layers_)]
        for name in self.views_:
            at = self._shared_node
            below = [*self.own_layers_.get(name, ()), self.view_layers_[name]]
            for layer, next_ in pairwise(below):
                beliefs.append(Belief(next_.latent_mean_, next_.latent_variance_))
                edges.append(self._hidden_edge(layer, at, len(beliefs) - 1))
                at = len(beliefs) - 1
            last = self.posteriors_[name], self.statistics_[name]
            edges.append(TrainedEdge(name, (at,), name, *last))
        return Network(tuple(map(str, range(len(beliefs)))), tuple(edges), (), tuple(beliefs))

    def _hidden_edge(self, layer: DeepLayer, above: int, below: int) -> TrainedEdge:
        """The edge of a hidden layer from the node `above` to the node `below`."""
        return TrainedEdge(str(below - 1), (above,), below, *edge_of(self, layer))


def own_widths(
    given: ViewWidths, names: Sequence[str], views: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    """The dimensions of the private hidden spaces of each named view.

    given: the setting `view_components`. Raises DataError for an unknown view, and ValueError for a
    dimension that is not a whole number of at least 1.
    """
    if isinstance(given, Mapping):
        for name in given:
            check_name(name, views)
    else:
        given = dict.fromkeys(names, () if given is None else given)
    found = tuple(widths(given.get(name, ())) for name in names)
    for width in (each for own in found for each in own):
        if not isinstance(width, Integral) or isinstance(width, bool) or width < 1:
            raise ValueError(f"view_components must be whole numbers of at least 1; got {width!r}")
    return found
