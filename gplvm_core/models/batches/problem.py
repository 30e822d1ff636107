"""Training on batches of rows: natural gradients for an explicit q(u), and Adam for the rest.

Training starts from a trained sample of the rows. Training by batches alone, from principal
components, takes far longer. Between batches, the problem stores no q(x_n). An encoder, which is
trained too, computes q(x_n) for the rows of a batch. Without an encoder, a few steps with the
present q(u) compute q(x_n). They start from the nearest rows of the sample. Damianou (2015),
§3.3.3; Chamberlin (2016), §2.6 and §3.3; MATHEMATICS.md, section 7.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, gram_factor
from gplvm_core.models.batches.adam import Adam, AdamState
from gplvm_core.models.batches.bound import Explicit, scaled_up, whitened
from gplvm_core.models.data.scaling import Noise, Scaling
from gplvm_core.models.problems.edges import Settled
from gplvm_core.models.problems.encoded import EncodedNode
from gplvm_core.models.problems.graph import Parameters
from gplvm_core.models.problems.many_rows import Completed, ManyRows, left_over, placing_watch
from gplvm_core.models.problems.nodes import Believed, LatentNode
from gplvm_core.models.training.objective import PhaseObjective
from gplvm_core.models.training.run import Evaluated, Phase
from gplvm_core.models.training.work import PLACING, Work
from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.parameters import Layout, Leaf, add, scale_leaves
from gplvm_core.prediction import Evidence, Posterior, project
from gplvm_core.prediction.place import place
from gplvm_core.prediction.project import Effort
from gplvm_core.priors import StandardNormal
from gplvm_core.priors.encoder import Head
from gplvm_core.statistics import Statistics, Targets, reduce_statistics
from gplvm_core.statistics.executors import place_of

# Settings of the search for q(x_n) of a batch's rows, accurate to a hundredth of a nat.
STEPS = Effort(starts=1, starts_of_partial=1, iterations=20, tolerance=0.1, tile=256)
# The scales of the kernel's parameters are computed as if there were this number of rows.
SCALE_OF_ROWS = 1000


@dataclass(frozen=True)
class RunningMeans:
    """Running means of the batches' statistics, scaled up to all rows.

    They determine q(u), the noise, the kernel's scale and the bound.
    """

    statistics: Statistics  # whitened
    divergence: Float[Array, " Q"]  # KL of q(X), nats


@dataclass(frozen=True)
class BatchParameters:
    """The parameters that batches train, and the anchors."""

    anchors: Belief  # q(X) of the sample, from which the search for q(x_n) of other rows starts
    layer: Layer
    seen: RunningMeans
    head: Head | None = None  # the head of the encoder, if the model has an encoder


class BatchesOfPhase:
    """The objective of a phase, evaluated on batches."""

    def __init__(self, whole: PhaseObjective) -> None:
        self.whole = whole

    @property
    def natural(self) -> Bool[BoolArray, " P"]:
        return self.whole.layout.below("seen")

    def batch(self, x: Float[Array, " P"], number: int, /) -> tuple[float, Float[Array, " P"]]:
        problem = self.whole.problem
        assert isinstance(problem, Stochastic)  # the problem whose last phase this is
        return self.whole.negative(x, lambda at: problem.batch(at, number))


@dataclass(frozen=True)
class ByBatches:
    """Adam as the optimiser of a phase."""

    adam: Adam

    def start(self, x: Float[Array, " P"], objective: Any) -> AdamState:
        return self.adam.start(x, BatchesOfPhase(objective))

    def step(self, state: AdamState, objective: Any) -> AdamState:
        return self.adam.step(state, BatchesOfPhase(objective))

    def rescaled(self, state: AdamState, ratio: Float[Array, " P"]) -> None:
        """Return None: Adam's moments cannot be rescaled."""


@dataclass(frozen=True)
class Stochastic:
    """A training problem whose last phase uses batches of `batch_size` rows.

    sample: the problem of the earlier phases; its own last phase is not run. encoder: an encoded
    node for all rows, or None.
    """

    sample: ManyRows
    batch_size: int
    max_iter: int
    encoder: EncodedNode | None = None
    recipes = ("",)

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        before, name = self.sample.phases[:-1], f"batches of {self.batch_size:,} rows"
        used = sum(int(np.ceil(phase.share * self.max_iter)) for phase in before)
        iterations = max(1, self.max_iter - used)
        optimiser = ByBatches(Adam(iterations=iterations))
        return (*before, Phase(name, iterations, optimiser=optimiser, once=True))

    def start(self, seed: int, recipe: str = "") -> Parameters:
        return self.sample.start(seed)

    def notes(self, seed: int) -> tuple[str, ...]:
        return self.sample.notes(seed)

    def entering(
        self,
        parameters: Parameters | BatchParameters,
        phase: Phase,
        ask: Callable[[], None] | None = None,
    ) -> Parameters | BatchParameters:
        if not isinstance(parameters, Parameters):
            return parameters
        if phase is self.phases[-1]:
            return self._begun(parameters)
        return self.sample.entering(parameters, phase, ask)

    def layout(self, anchor: Parameters | BatchParameters, phase: Phase) -> Layout:
        if isinstance(anchor, Parameters):
            return self.sample.layout(anchor, phase)
        node = LatentNode()
        spread = node.spread(anchor.anchors, refreshed=True)
        edge = self.sample.samples[0].edges[0]
        free = edge.free("layer", anchor.layer, spread, SCALE_OF_ROWS)
        if self.encoder is not None and anchor.head is not None:
            free |= self.encoder.free("head", anchor.head, anchor.anchors, refreshed=True)
        statistics = ("psi0", "psi1_targets", "psi2", "yy")
        free |= {f"seen.statistics.{each}": Leaf() for each in statistics}
        return Layout(anchor, free | {"seen.divergence": Leaf()})

    def evaluate(self, parameters: Parameters | BatchParameters, phase: Phase) -> Evaluated:
        if isinstance(parameters, Parameters):
            return self.sample.evaluate(parameters, phase)
        return self.batch(parameters, 0)

    def batch(self, parameters: BatchParameters, number: int) -> Evaluated:
        """The bound from the running means, and the gradient from the batch with this number."""
        explicit, rows = self._explicit(parameters), self._drawn(number)
        share = self._n_rows / len(rows)
        node = self._believed(parameters, explicit, rows)
        targets = self._chunk(rows)
        at = explicit.batch(node.belief, targets, share, self.sample.executor)
        seen, moved = parameters.seen, at.gradients
        divergence = share * StandardNormal().kl_terms(node.belief).sum(axis=0)
        head = None
        if parameters.head is not None:
            adjoint = Belief(moved.mean / share, moved.variance / share)
            head = scale_leaves(node.pullback(adjoint), share)
        gradient = replace(
            parameters,
            layer=replace(parameters.layer, kernel=moved.kernel, inducing=moved.inducing),
            seen=RunningMeans(_less(at.statistics, seen.statistics), divergence - seen.divergence),
            head=head,
        )
        noise = float(explicit.layer.noise_variance)
        return Evaluated(explicit.value - float(seen.divergence.sum()), gradient, noise)

    def describe(self, parameters: Parameters | BatchParameters) -> tuple[Array, Array, Array]:
        if isinstance(parameters, Parameters):
            return self.sample.describe(parameters)
        near = Parameters((parameters.anchors,), (parameters.layer,))
        relevance, _, mean = self.sample.describe(near)
        return relevance, parameters.seen.divergence / self._n_rows, mean

    def verdicts(self, parameters: Parameters | BatchParameters) -> tuple[str, ...]:
        return ()

    def work(self, max_iter: int) -> Work:
        *before, _ = self.sample.work(max_iter).stretches
        following = 0 if self.encoder is not None else self._n_rows + self.sample.further
        batch = PLACING * self.batch_size * Adam().batches
        return Work((*before, (math.inf, batch)), following)

    def completed(
        self, parameters: Parameters | BatchParameters, report: Callable[[str, int], bool]
    ) -> Completed:
        """The graph of all rows: q(x_n) of each row is computed with the learnt q(u).

        report: see `placing_watch`.
        """
        note = f"trained on batches of {self.batch_size:,} rows, drawn from {self._n_rows:,} rows"
        if isinstance(parameters, Parameters):
            note = f"training ended before it used a batch of the {self._n_rows:,} rows"
            parameters = self._begun(parameters)
        graph = self.sample.graph(self.sample.begin)
        if self.encoder is not None:
            own = Parameters((parameters.head,), (parameters.layer,))
            return Completed(replace(graph, nodes=(self.encoder,)), own, None, (note,))
        evidence = Evidence(self._posterior(self._explicit(parameters)), self._outputs)
        watch = placing_watch(report, self._n_rows)
        belief, placed = place((evidence,), parameters.anchors, self.sample.executor, watch)
        own = Parameters((belief,), (parameters.layer,))
        return Completed(graph, own, None, (note, *left_over(self._n_rows - placed)))

    @property
    def _outputs(self) -> Float[Array, "N D"]:
        return self.sample.begin.outputs[0]

    @cached_property
    def _targets(self) -> Targets:
        return Targets.whole(self._outputs)

    def _chunk(self, rows: Int[IntArray, " B"]) -> Targets:
        """The targets of some rows, in the executor's array library."""
        return self._targets.chunk(rows).at(place_of(self.sample.executor))

    @cached_property
    def _n_points(self) -> Int[IntArray, " G"]:
        """The number of rows in which each group of columns is observed."""
        patterns = self._targets.patterns
        if patterns is None:
            return np.array([self._n_rows])
        return np.asarray(patterns.rows.sum(axis=0).astype(np.intp))

    @property
    def _n_rows(self) -> int:
        return self.sample.n_rows

    def _drawn(self, number: int) -> Int[IntArray, " B"]:
        generator = np.random.default_rng((1, number))
        return np.sort(generator.choice(self._n_rows, self.batch_size, replace=False))

    def _explicit(self, parameters: BatchParameters) -> Explicit:
        jitter, seen = self.sample.jitter, parameters.seen.statistics
        return Explicit.of(parameters.layer, seen, jitter=jitter, most_ratio=1.0 / jitter)

    def _posterior(self, explicit: Explicit) -> Posterior:
        settled = Settled(explicit.layer, explicit.seen, explicit.informed, explicit.jitter)
        return settled.as_posterior(Scaling.none(self._outputs.shape[1]))

    def _believed(
        self, parameters: BatchParameters, explicit: Explicit, rows: Int[IntArray, " B"]
    ) -> Believed:
        """q(x_n) of some rows, from the encoder or from a few steps with q(u) fixed."""
        if self.encoder is not None and parameters.head is not None:
            return self.encoder.rows(rows).believed(parameters.head)
        evidence = Evidence(self._posterior(explicit), self._outputs[rows])
        found = project((evidence,), parameters.anchors, effort=STEPS)
        return LatentNode().believed(found.best)

    def _begun(self, parameters: Parameters) -> BatchParameters:
        """Start from a trained sample; its statistics are scaled up to all rows."""
        belief, layer, head = parameters.nodes[0], parameters.layers[0], None
        rows, executor = self.sample.order[: belief.n_points], self.sample.executor
        if self.encoder is not None:
            own = self.encoder.rows(rows)
            head = own.start(belief, 0)
            belief = own.believed(head).belief
        share, seen = self._n_rows / len(rows), self._chunk(rows)
        gram = gram_factor(layer.kernel, layer.inducing, self.sample.jitter, relative=True)
        found, _ = reduce_statistics(layer.kernel, belief, layer.inducing, seen, executor)
        means = RunningMeans(
            scaled_up(whitened(found, gram), share, self._n_points),
            share * StandardNormal().kl_terms(belief).sum(axis=0),
        )
        return BatchParameters(belief, layer, means, head)


def _less(first: Statistics, second: Statistics) -> Statistics:
    """The difference of two statistics."""
    return add(first, scale_leaves(second, -1.0))


def check_batches(size: int, n_rows: int, noise: Noise) -> None:
    """Raise ValueError for an invalid size of batches, or for noise per output."""
    if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 1:
        raise ValueError(f"batch_size must be None or a whole number of at least 1; got {size!r}")
    if size > n_rows:
        raise ValueError(
            f"batch_size is {size:,}, but there are {n_rows:,} rows: give at most that, or "
            "None to train without batches"
        )
    if noise != "shared":
        raise ValueError(
            "batches need one noise variance for all outputs: noise='shared', perhaps with "
            "scaling='columns'"
        )
