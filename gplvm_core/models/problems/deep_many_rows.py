"""Deep models of many rows: train on a sample, then place the other rows at every node."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.problems.inputs import InputNode
from gplvm_core.models.problems.many_rows import (
    SAMPLES,
    Completed,
    Rows,
    are_many,
    left_over,
    placing_watch,
    sampled_in_words,
    spread_over,
)
from gplvm_core.models.problems.variational import family_named
from gplvm_core.models.training.work import Work
from gplvm_core.numerics import Array
from gplvm_core.prediction import Network, TrainedEdge
from gplvm_core.prediction.place import place_rows
from gplvm_core.readers.errors import plural


def sample_of(count: int) -> Rows:
    """The rows to train on, out of `count`."""
    return np.sort(np.random.default_rng(0).permutation(count)[: SAMPLES[-1]])


@dataclass(frozen=True, kw_only=True)
class SampledGraph(Graph):
    """The chain of a sample of the rows, and the chain of all rows.

    Every row has a separate q(x_n) at each node.
    """

    whole: Graph
    rows: Rows  # the rows of the sample
    outputs: tuple[Float[Array, "N _D"], ...]

    @classmethod
    def of(cls, build: Callable[[Rows], Graph], *outputs: Float[Array, "N _D"]) -> Self:
        """Draw a sample and build both chains.

        build: a function that makes the chain of some rows. outputs: the outputs of one table, or
        of every view.
        """
        count = len(outputs[0])
        rows = sample_of(count)
        sample = build(rows)
        own = {each.name: getattr(sample, each.name) for each in fields(Graph)}
        return cls(**own, whole=build(np.arange(count)), rows=rows, outputs=outputs)

    @property
    def n_rows(self) -> int:
        return len(self.outputs[0])

    def of_rows(self, rows: Rows) -> tuple[Float[Array, "n _D"], ...]:
        return tuple(each[rows] for each in self.outputs)

    def describe(self, parameters: Parameters) -> tuple[Array, Array, Array]:
        """Describe the sample; the latent means of the other rows are linear predictions from
        their outputs.
        """
        relevance, information, mean = super().describe(parameters)
        return relevance, information, spread_over(self.outputs, self.rows, mean)

    def work(self, max_iter: int) -> Work:
        return Work(((math.inf, float(len(self.rows))),), self.n_rows - len(self.rows))

    def completed(self, parameters: Parameters, report: Callable[[str, int], bool]) -> Completed:
        """Infer q(x_n) of all other rows at every node, with the trained layers.

        report: see `placing_watch`.
        """
        learnt = self.learnt(parameters, self.of_rows(self.rows))
        posteriors = [
            layer.as_posterior(Scaling.none(layer.posterior.weights.shape[1]))
            for layer in learnt.layers
        ]
        total = self.n_rows
        others = np.setdiff1d(np.arange(total), self.rows)
        outputs = {f"data {at}": values for at, values in enumerate(self.of_rows(others))}
        ends, training = iter(outputs), parameters.nodes
        edges = tuple(
            TrainedEdge(
                str(at),
                edge.sources,
                edge.outputs if isinstance(edge.outputs, int) else next(ends),
                posterior,
            )
            for at, (edge, posterior) in enumerate(zip(self.edges, posteriors, strict=True))
        )
        inputs = self._inputs(others)
        names = tuple(str(at) for at in range(len(training)))
        network = Network(names, edges, tuple(inputs), training)
        watch = placing_watch(report, len(others), self._where)
        believed, placed = place_rows(network, outputs, inputs, self.executor, watch)
        found = [believed[at] for at in range(len(training))]
        back = np.argsort(np.concatenate([self.rows, others]))
        nodes = tuple(
            Belief(
                np.concatenate([own.mean, new.mean])[back],
                np.concatenate([own.variance, new.variance])[back],
                None if own.observed is None else np.ones((total, own.n_latent), dtype=bool),
            )
            for own, new in zip(training, found, strict=True)
        )
        notes = self._notes(len(others), len(others) - placed)
        return Completed(self.whole, Parameters(nodes, parameters.layers), self.rows, notes)

    _where = "on the map"

    def _notes(self, placed: int, left: int) -> tuple[str, ...]:
        return (sampled_in_words(len(self.rows), self.n_rows), *left_over(left))

    def _inputs(self, rows: Rows) -> dict[int, Float[Array, "n _Q"]]:
        """The points of these rows at nodes with exactly known inputs."""
        return {}


@dataclass(frozen=True, kw_only=True)
class SampledRegression(SampledGraph):
    """A sampled chain whose inputs are known exactly, so only hidden points are placed."""

    _where = "in the hidden layers"

    def describe(self, parameters: Parameters) -> tuple[Array, Array, Array]:
        return Graph.describe(self, parameters)

    def _notes(self, placed: int, left: int) -> tuple[str, ...]:
        note = (
            f"the model was trained on {len(self.rows):,} of {self.n_rows:,} rows; the other "
            f"{placed:,} rows were then placed in the hidden layers, and the layers were updated "
            "from all rows"
        )
        if not left:
            return (note,)
        return note, (
            f"stopped while rows were placed: {plural(left, 'row')} kept the position that the "
            "layers "
            "above predict"
        )

    def _inputs(self, rows: Rows) -> dict[int, Float[Array, "n _Q"]]:
        node = self.whole.nodes[0]
        assert isinstance(node, InputNode)
        return {0: node.inputs.belief.rows(rows).mean}


def together(family: str) -> str | None:
    """The reason why a family cannot train on a sample of the rows; None if it can."""
    return family_named(family).dependent_rows


def all_trained(total: int, family: str, why: str | None = None) -> tuple[str, ...]:
    """A note if training uses all rows of a large table; why: by default, the family's reason."""
    why = why or together(family)
    if why is None or not are_many(total):
        return ()
    return (f"training used all {total:,} rows, which takes long: {why}",)
