"""Deep models of many rows: train on a sample, then place the other rows at every node.

Also here: a start that grows a deep model layer by layer, from the lowest layer to the top.

Each layer is trained before the next layer is added above it. The top layer is untrained when the
main training begins (MATHEMATICS.md, section 6.7).
"""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.deep import family_named
from gplvm_core.models.problems.deep_starts import HIDDEN_NOISE, UPPER_VARIANCE, Embedded
from gplvm_core.models.problems.doctor import LEAST_FREEDOM, freedom
from gplvm_core.models.problems.edges import FREE, relevance_of
from gplvm_core.models.problems.graph import PHASES, Beginning, Begun, Given, Graph, Parameters
from gplvm_core.models.problems.initialise import initial_latent
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
from gplvm_core.models.problems.nodes import INITIAL_VARIANCE, InputNode
from gplvm_core.models.problems.starts import start_layer
from gplvm_core.models.training.run import Evaluated, Phase, Work
from gplvm_core.models.training.schedule import Training
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

    def describe(self, parameters: Parameters, at: Evaluated) -> tuple[Array, Array, Array]:
        """Describe the sample; the latent means of the other rows are linear predictions from
        their outputs.
        """
        relevance, information, mean = super().describe(parameters, at)
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
            replace(
                own.followed_by(new).rows(back),
                observed=None if own.observed is None else np.ones((total, own.n_latent), bool),
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

    def describe(self, parameters: Parameters, at: Evaluated) -> tuple[Array, Array, Array]:
        return Graph.describe(self, parameters, at)

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
            "layers above predict"
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


# Iterations of training before another layer is added.
ITERATIONS = 300
# Phases of training after a layer was added; the new layer first adapts with its noise fixed.
GROWING = (
    Phase("noise held everywhere", 75, 0.25, ratio=300.0, hidden_noise_held=True),
    Phase("hidden noise held", 150, 0.5, hidden_noise_held=True),
    Phase("all free", 75, 0.25),
)
# Makes a chain from a start, a number of hidden nodes, and phases.
ChainOf = Callable[[Beginning, int, Sequence[Phase]], Graph]


@dataclass(frozen=True)
class Grown:
    """A start that adds a new top to layers that were trained without this top.

    `whole` is a start without growth; its settings also apply to the grown layers. If a trained
    layer is off, no layer is added: a warning is issued, and the start is `whole`.
    """

    whole: Embedded
    chain: ChainOf
    max_iter: int

    def __call__(self, seed: int, /) -> Begun:
        whole, depth = self.whole, len(self.whole.n_latent)
        lowest = replace(
            whole,
            n_latent=whole.n_latent[-1:],
            n_inducing=whole.n_inducing[-1:],
            kernels=whole.kernels[-1:],
        )
        begun = lowest(seed)
        for at in reversed(range(depth - 1)):
            n_hidden = depth - 2 - at
            problem = self.chain(Given(begun), n_hidden, GROWING if n_hidden else PHASES)
            most = min(ITERATIONS, self.max_iter)
            (trained,) = Training(problem, most, problem.jitter, 0.0).run((seed,))
            found = problem.values(trained.parameters, FREE)
            if any(freedom(each.posterior) < LEAST_FREEDOM for each in found):
                warnings.warn(
                    "a trained layer is off, so no layer was added above it: this start is like "
                    "the other starts",
                    UserWarning,
                    stacklevel=2,
                )
                return whole(seed)
            layers = tuple(
                replace(layer, noise_variance=value.layer.noise_variance)
                if edge.ends_in_node
                else layer
                for edge, layer, value in zip(
                    problem.edges, trained.parameters.layers, found, strict=True
                )
            )
            beliefs = tuple(node.belief for node in problem.believed(trained.parameters))
            begun = _with_top(whole, at, Begun(beliefs, layers, begun.notes), seed)
        return begun


def _with_top(whole: Embedded, at: int, below: Begun, seed: int) -> Begun:
    """Add a top layer whose inputs are principal components of the old top's points.

    The old points are first divided by their lengthscales.
    """
    generator, old = np.random.default_rng(seed), below.beliefs[0]
    weights = relevance_of(below.layers[0].kernel, old.n_latent)
    centred = (old.mean - old.mean.mean(axis=0)) * np.sqrt(weights)
    mean, notes = initial_latent((centred,), whole.n_latent[at], "pca", generator)
    kind = whole.kernels[at]
    assert not isinstance(kind, tuple)
    noise = HIDDEN_NOISE * float(np.mean(old.mean.var(axis=0)))
    layer, more = start_layer(kind, mean, whole.n_inducing[at], noise, generator)
    # Without the division by the lengthscales, dimensions with a large variance would make the KL
    # term of the new layer large.
    hidden = Belief(old.mean, np.minimum(old.variance, INITIAL_VARIANCE))
    return Begun(
        (Belief(mean, np.full_like(mean, UPPER_VARIANCE)), hidden, *below.beliefs[1:]),
        (layer, *below.layers),
        tuple(dict.fromkeys((*below.notes, *notes, *more))),
    )
