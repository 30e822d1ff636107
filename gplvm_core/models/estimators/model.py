"""A model of one's own: any graph of beliefs and Gaussian-process layers without circles."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, TransformerTags

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Scaling, gaps_in_words
from gplvm_core.models.data.timeline import checked_timeline
from gplvm_core.models.data.views import (
    Views,
    checked_views,
    log_jacobians,
    notes_by_view,
    training_views,
)
from gplvm_core.models.estimators.fitted import Optimised, Saved
from gplvm_core.models.estimators.questions import Questions, check_inputs
from gplvm_core.models.estimators.settings import Iterative, Scale, check_settings, preset
from gplvm_core.models.estimators.trained import Trainable, whole
from gplvm_core.models.problems.doctor import DeepLayer, doubts, examined, sound
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
from gplvm_core.models.training.run import Run, Trained
from gplvm_core.optimise import Progress
from gplvm_core.prediction.network import Network, TrainedEdge
from gplvm_core.priors.temporal import Path, Timeline
from gplvm_core.readers import DataError
from gplvm_core.statistics import executor_for


@preset
class Model(Iterative, Questions, Optimised, Saved, Trainable, BaseEstimator):
    """A graph of named nodes and edges, trained as one model (Damianou 2015, ch. 3 to 6).

    A node is a belief about a point for every row; an edge is a Gaussian-process layer from one
    node or several to another node or to data. Any graph without circles will do, and the order in
    which nodes and edges are listed does not matter. `bound_` is a lower bound on log p(data) in
    nats, for the data as given.

    `beliefs_` holds the training rows' points by node, `layers_` every layer by the name of its
    edge, with a verdict on it in words (`verdict_`).

    Parameters
    ----------
    nodes
        For every node its dimensions, or its kind: `Latent`, `KnownInputs`, `OverTime`, or one of
        your own (`NodeKind`). A node that no edge ends in has the prior N(0, I).
    edges
        The layers, a list of `Edge` or a dict that names them. A target that is no node is the
        name of data.
    scaling
        The units of data whose columns share one noise: one scale ("global"), one a column
        ("columns"), or as they are ("none").
    """

    nodes: Mapping[str, int | NodeKind]
    edges: Mapping[str, Edge] | Sequence[Edge]
    _: KW_ONLY
    scaling: Scale = "global"
    max_iter: int = 800

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
        """Train on data of the same N rows, {name: N × D}, with NaN for missing values.

        Y may be one array where there is one edge to data. inputs: points of `KnownInputs` nodes,
        {name: N × Q}. times, sequences: of the rows, for nodes `OverTime`. callback and resume as
        for BayesianGPLVM. `y` is ignored. Raises ValueError for a graph that does not fit together,
        and DataError for data that do not fit the graph.
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
            ended = self._train(problem, total, callback, resume, wiring.data)
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
        self.notes_ += notes_by_view({name: gaps_in_words(own) for name, own in internal.items()})
        if self.times_ is None and not (times is None and sequences is None):
            self.notes_ += ("times and sequences are not used: no node of the model is over time",)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Its transform answers by the names of nodes, for data by name.
        tags.transformer_tags = TransformerTags(preserves_dtype=[])
        tags.input_tags.allow_nan = tags.input_tags.dict = True
        tags.input_tags.two_d_array = False
        return tags

    def _worth(self, problem: Any, trained: Trained) -> Any:
        """The bound; but a start that fits hidden points one by one comes after all others."""
        return sound(problem, trained.parameters), trained.restart.bound

    def _data(self, Y: ArrayLike | Mapping[str, ArrayLike], wiring: Wiring) -> Views:
        """Checked data by name, in the wiring's order."""
        names = wiring.data
        data = checked_views(Y if isinstance(Y, Mapping) else {names[0]: Y})
        if set(data) != set(names):
            raise DataError(
                f"the edges lead to the data {', '.join(map(repr, names))}; got "
                f"{', '.join(map(repr, data))}"
            )
        return {name: data[name] for name in names}

    def _scaled(self, data: Views, per_output: set[str]) -> tuple[Views, dict[str, Scaling]]:
        """Data in internal units; those with a noise of its own for every column by columns."""
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
        """What was given for every node, and the units of inputs."""
        timeline = self.times_ = self.sequences_ = None
        # Kinds of a user's own may need times, too.
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
                f"inputs were given for {', '.join(map(repr, given))}, which are no nodes with "
                f"KnownInputs; those are {', '.join(map(repr, sorted(expected))) or 'none'}"
            )
        return facts


def _network(wiring: Wiring, layers: Mapping[str, DeepLayer], known: tuple[str, ...]) -> Network:
    """The trained graph, ready for questions."""
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
