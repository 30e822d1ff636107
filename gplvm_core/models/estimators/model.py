"""User-defined models: any acyclic graph of latent nodes and Gaussian-process layers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, TransformerTags

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Scaling, gaps_in_words, noise_in_words
from gplvm_core.models.data.timeline import checked_timeline
from gplvm_core.models.data.views import (
    Views,
    checked_views,
    log_jacobians,
    named_views,
    notes_by_view,
    training_views,
)
from gplvm_core.models.estimators.questions import Questions, check_inputs
from gplvm_core.models.estimators.settings import check_settings, preset
from gplvm_core.models.estimators.trained import train, whole
from gplvm_core.models.problems.doctor import DeepLayer, doubts, examined
from gplvm_core.models.problems.network import NetworkStart, network
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.problems.wiring import (
    Edge,
    Facts,
    KnownInputs,
    Latent,
    NodeKind,
    OverTime,
    Wiring,
)
from gplvm_core.models.training.run import Run
from gplvm_core.optimise import Progress
from gplvm_core.prediction.network import Network, TrainedEdge
from gplvm_core.priors.temporal import Path, Timeline
from gplvm_core.readers import DataError
from gplvm_core.statistics import executor_for


@preset
class Model(Questions):
    """A graph of named nodes and edges, trained as one model (Damianou 2015, ch. 3 to 6).

    For every row, a node has a point with a posterior. An edge is a Gaussian-process layer from
    one or several nodes to another node or to data. The graph must be acyclic; the order of nodes
    and edges does not matter. `bound_` is a lower bound on log p(data).

    Parameters
    ----------
    nodes
        A dict by name. Its values are numbers of dimensions or kinds of nodes: `Latent`,
        `KnownInputs`, `OverTime`, or a `NodeKind` of your own. A number means `Latent`: if no edge
        ends in the node, its prior is N(0, I).
    edges
        The layers, a list of `Edge` or a dict by name. A target that is not a node is the name of
        data.
    scaling
        The units of data whose columns share one noise variance: "global", one scale for all
        columns; "columns", one scale for each column; "none", the units of the given data.

    Attributes
    ----------
    layers_ : dict of str to DeepLayer
        The trained layers by the names of their edges, each with a verdict in words (`verdict_`).

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import Edge, Model
    >>> rng = np.random.default_rng(0)
    >>> Y = np.outer(rng.standard_normal(30), [1.0, -2.0, 0.5, 1.0])
    >>> Y += 0.02 * rng.standard_normal((30, 4))
    >>> edges = {"layer": Edge("x", "data", n_inducing=8)}
    >>> model = Model({"x": 2}, edges, max_iter=50, random_state=0).fit(Y)
    >>> model.complete([[1.0, np.nan, 0.5, 1.0]])["data"].round(1)
    array([[ 1. , -2. ,  0.5,  1. ]])
    """

    nodes: Mapping[str, int | NodeKind]
    edges: Mapping[str, Edge] | Sequence[Edge]

    @whole
    def fit(
        self,
        Y: ArrayLike | Mapping[str, ArrayLike],
        y: Any = None,
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train the model.

        Parameters
        ----------
        Y : dict of str to array_like of shape (N, D), or array_like
            Data of the same N rows by name; NaN marks missing values. If only one edge leads to
            data, an array is enough.
        inputs : dict of str to array_like of shape (N, Q), optional
            The points of the nodes with `KnownInputs`.
        times : array_like of shape (N,) or (N, P), optional
            Times of the rows, or other observed inputs, for nodes with `OverTime`. Default:
            0, 1, 2, … within each sequence.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If the graph is not valid, or if a setting is out of range.
        DataError
            If the data do not match the graph.
        """
        check_settings(self)
        wiring = Wiring.of(self.nodes, self.edges)
        data = self._data(Y, wiring)
        per_output = {edge.target for _, edge in wiring.edges if edge.noise == "per_output"}
        internal, scalings = self._scaled(data, per_output)
        n_points = len(next(iter(internal.values())))
        facts = self._facts(wiring, n_points, inputs, times, sequences)
        nodes = tuple(
            kind.node(facts[name], hidden=name in wiring.hidden) for name, kind in wiring.nodes
        )
        points = {name: each.inputs for name, each in facts.items() if each.inputs is not None}
        total = sum(log_jacobians(internal, scalings).values())
        with executor_for(self.n_jobs) as executor:
            problem = network(NetworkStart(wiring, internal, points), nodes, self.jitter, executor)
            ended = train(self, problem, total, callback, resume, wiring.data)
            learnt = ended.learnt(tuple(internal[name] for name in wiring.data))
        ordered = {name: scalings[name] for name in wiring.data}
        each = examined(problem, learnt, ordered)
        self.layers_: dict[str, DeepLayer] = dict(zip(problem.names, each, strict=True))
        believed = zip(wiring.names, learnt.nodes, strict=True)
        self.beliefs_: dict[str, Belief] = {name: node.belief for name, node in believed}
        paths = {
            name: (node.path(own), own.kernel)
            for name, node, own in zip(wiring.names, nodes, ended.parameters.nodes, strict=True)
            if isinstance(node, PathNode)
        }
        self.paths_: dict[str, Path] = {name: path for name, (path, _) in paths.items()}
        self.time_kernels_: dict[str, Kernel] = {name: own for name, (_, own) in paths.items()}
        self.bound_ = learnt.bound + total
        self.network_ = _network(wiring, self.layers_, tuple(points))
        notes = ended.start_notes + learnt.notes + doubts(each)
        notes += notes_by_view({name: scaling.notes for name, scaling in scalings.items()})
        self._note(notes)
        told = {
            name: gaps_in_words(own) + noise_in_words("shared", scalings[name])
            for name, own in internal.items()
        }
        self.notes_ += notes_by_view(told) + ended.told
        if self.times_ is None and not (times is None and sequences is None):
            self.notes_ += ("times and sequences are not used: no node is `OverTime`",)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # scikit-learn's wrapper of `transform` would refuse the dicts that the methods take and
        # return.
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        tags.input_tags.allow_nan = tags.input_tags.dict = True
        tags.input_tags.two_d_array = False
        return tags

    def _data(self, Y: ArrayLike | Mapping[str, ArrayLike], wiring: Wiring) -> Views:
        """Check the data and return them by name, in the wiring's order."""
        names = wiring.data
        data = checked_views(named_views(Y, names[0]))
        if set(data) != set(names):
            raise DataError(
                f"the edges lead to the data {', '.join(map(repr, names))}; got "
                f"{', '.join(map(repr, data))}"
            )
        return {name: data[name] for name in names}

    def _scaled(self, data: Views, per_output: set[str]) -> tuple[Views, dict[str, Scaling]]:
        """Data in internal units; data with noise="per_output" are scaled by columns."""
        internal, scalings = training_views(data, self.scaling)
        for name in per_output:
            scalings[name] = Scaling.of(data[name], "columns", empty_rows=True)
            internal[name] = scalings[name].apply(data[name])
        return internal, scalings

    def _facts(
        self,
        wiring: Wiring,
        n_points: int,
        inputs: Mapping[str, ArrayLike] | None,
        times: ArrayLike | None,
        sequences: ArrayLike | None,
    ) -> dict[str, Facts]:
        """The given inputs and times of every node; also sets `times_`, `sequences_` and units."""
        timeline = self.times_ = self.sequences_ = None
        # User-defined kinds may need times, too.
        others = [kind for _, kind in wiring.nodes if not isinstance(kind, Latent | KnownInputs)]
        timed = times is not None or any(isinstance(kind, OverTime) for kind in others)
        if others and timed:
            self.times_, self.sequences_ = checked_timeline(times, sequences, n_points)
            numbers = np.unique(self.sequences_, return_inverse=True)[1]
            timeline = Timeline.of(self.times_, numbers)
        given = {} if inputs is None else checked_views(inputs)
        expected = {name for name, kind in wiring.nodes if isinstance(kind, KnownInputs)}
        self.input_units_: dict[str, Scaling] = {}
        facts = {}
        for name, _ in wiring.nodes:
            own = given.pop(name, None) if name in expected else None
            if own is not None:
                check_inputs(name, own, n_points)
                self.input_units_[name] = Scaling.of(own, "columns")
                own = self.input_units_[name].apply(own)
            facts[name] = Facts(own, timeline)
        if given:
            raise DataError(
                f"inputs were given for {', '.join(map(repr, given))}, which are not nodes with "
                "KnownInputs; the nodes with KnownInputs are "
                f"{', '.join(map(repr, sorted(expected))) or 'none'}"
            )
        return facts


def _network(wiring: Wiring, layers: Mapping[str, DeepLayer], known: tuple[str, ...]) -> Network:
    """The trained graph."""
    edges = tuple(
        TrainedEdge(
            name,
            wiring.sources(edge),
            wiring.names.index(edge.target) if edge.target in wiring.names else edge.target,
            layers[name].posterior_,
        )
        for name, edge in wiring.edges
    )
    return Network(wiring.names, edges, tuple(sorted(map(wiring.names.index, known))))
