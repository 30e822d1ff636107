"""Tests of the natural-gradient steps at the beginning of a phase of training over time."""

import numpy as np
import pytest

from gplvm_core import RBF, DynamicalGPLVM, Matern32, Periodic, White
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, MixedOutputs
from gplvm_core.kernels import Kernel
from gplvm_core.likelihoods import Count, Links, Number, YesNo
from gplvm_core.models.problems import paths
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.edges import FREE, LayerEdge
from gplvm_core.models.problems.graph import Begun, Given, Graph
from gplvm_core.models.problems.kinds import any_kinds
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.problems.starts import Start
from gplvm_core.optimise import Progress
from gplvm_core.parameters import leaves
from gplvm_core.priors.temporal import Timeline
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial

TIMES = np.sort(np.random.default_rng(3).uniform(0, 6, 40))
TIMELINE = Timeline.of(TIMES[:, None], np.repeat([0, 1], 20))
ROUGH = Matern32(1.0, 0.8) + White(0.01)
JITTER = 1e-6


def waves(n_outputs: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    phases = generator.uniform(0, 6, n_outputs)
    values = np.sin(np.outer(TIMES, generator.uniform(0.5, 2, n_outputs)) + phases)
    return values - values.mean(axis=0) + 0.05 * generator.standard_normal(values.shape)


def timed(kernel: Kernel, outputs: tuple[np.ndarray, ...]) -> Graph:
    begin = Start(outputs, 2, 8, (RBF(1.0, 1.0),) * len(outputs), "pca")
    edges = tuple(LayerEdge((0,), Targets.of(values)) for values in outputs)
    return Graph((PathNode(TIMELINE, kernel),), edges, begin, JITTER)


def deep(family: str = "marginalised") -> Graph:
    generator, outputs = np.random.default_rng(1), waves(6, 0)
    beliefs = tuple(
        Belief(generator.normal(size=(40, 2)), generator.uniform(0.1, 0.4, (40, 2)))
        for _ in range(2)
    )
    layers = tuple(
        Layer(RBF(1.0, np.ones(2)), generator.normal(size=(6, 2)), 1.0) for _ in range(2)
    )
    begin = Given(Begun(beliefs, layers))
    settings = {"family": family, "jitter": JITTER, "executor": serial}
    return chain(PathNode(TIMELINE, ROUGH), Targets.of(outputs), begin, 1, **settings)


GRAPHS = {
    "one table": lambda: timed(ROUGH, (waves(6, 0),)),
    "two views": lambda: timed(ROUGH, (waves(6, 0), waves(3, 1))),
    "two layers": deep,
    "two layers of another family": lambda: deep("gated"),
    "dense algebra": lambda: timed(RBF(1.0, 0.8) + White(0.01), (waves(6, 0),)),
    "dense algebra, almost without noise": lambda: timed(
        Periodic(1.0) + White(1e-8), (waves(6, 0), waves(3, 1))
    ),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_entering_a_phase_raises_the_bound_and_moves_only_the_paths(name: str) -> None:
    graph = GRAPHS[name]()
    begun = graph.start(0)
    entered = graph.entering(begun, FREE)
    before, after = (graph.evaluate(at, FREE).bound for at in (begun, entered))
    assert after > before + 1.0
    moved = {"nodes.0.sites.dual", "nodes.0.sites.precision"}
    known = leaves(begun)
    for path, value in leaves(entered).items():
        same = np.array_equal(value, known[path])
        assert same != (path in moved), path


@pytest.mark.slow
def test_at_the_optimum_of_the_paths_the_gradient_of_their_means_vanishes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(paths, "NATURAL_STEPS", 400)
    monkeypatch.setattr(paths, "SMALL", 0.0)
    graph = GRAPHS["one table"]()
    begun = graph.start(0)
    optimum = graph.entering(begun, FREE)
    at, first = (graph.evaluate(each, FREE).gradient.nodes[0].sites for each in (optimum, begun))
    assert np.abs(at.dual).max() < 1e-4 * np.abs(first.dual).max()


def test_tables_with_words_and_counts_have_the_steps_too(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = waves(6, 0)
    values = np.column_stack([numbers[:, 0], numbers[:, 1] > 0.0, np.round(np.exp(numbers[:, 2]))])
    kinds = MixedOutputs(values, Links((Number(), YesNo(), Count())))
    begin = Start((values,), 2, 8, (RBF(1.0, 1.0),), "pca", mixed=(kinds,))
    graph = any_kinds(PathNode(TIMELINE, ROUGH), begin, JITTER, serial, ("per_output",))
    begun = graph.start(0)
    entered = graph.entering(begun, FREE)
    monkeypatch.setattr(paths, "NATURAL_STEPS", 0)
    plain = graph.entering(begun, FREE)
    np.testing.assert_array_equal(plain.nodes[0].sites.dual, begun.nodes[0].sites.dual)
    before, after = (graph.evaluate(at, FREE).bound for at in (plain, entered))
    assert after > before + 1.0


def test_without_paths_nothing_changes() -> None:
    outputs = waves(6, 0)
    begin = Start((outputs,), 2, 8, (RBF(1.0, 1.0),), "pca")
    graph = Graph((LatentNode(),), (LayerEdge((0,), Targets.of(outputs)),), begin, JITTER)
    begun = graph.start(0)
    assert graph.entering(begun, FREE) is begun


def test_the_second_phase_of_training_begins_at_a_higher_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = waves(12, 2)
    settings = {"time_kernel": "matern32", "max_iter": 40, "random_state": 0}
    model = DynamicalGPLVM(4, 12, **settings).fit(rows, times=TIMES)
    monkeypatch.setattr(paths, "NATURAL_STEPS", 0)
    plain = DynamicalGPLVM(4, 12, **settings).fit(rows, times=TIMES)
    # Before the second phase, both trainings are the same.
    phases = np.array(plain.trace_["phase"])
    first = int(np.sum(phases == phases[0]))
    np.testing.assert_array_equal(model.trace_["bound"][:first], plain.trace_["bound"][:first])
    assert model.trace_["bound"][first] > plain.trace_["bound"][first]


class Interrupted:
    """A callback that ends training before one of its evaluations."""

    def __init__(self, last: int) -> None:
        self.left, self.run = last, None

    def __call__(self, progress: Progress) -> None:
        self.run = progress.run

    def between(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise StopIteration


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_training_can_end_between_two_steps_and_continues_with_the_same_numbers() -> None:
    rows, settings = waves(12, 2), {"max_iter": 12, "random_state": 0}
    whole = DynamicalGPLVM(4, 12, **settings).fit(rows, times=TIMES)
    phases = np.array(whole.trace_["phase"])
    last = int(np.sum(phases == phases[0]))  # iterations of the first phase
    evaluations = int(whole.trace_["evaluations"][last - 1])
    ended = Interrupted(evaluations + 3)  # in the middle of the steps
    part = DynamicalGPLVM(4, 12, **settings).fit(rows, times=TIMES, callback=ended)
    assert part.result_.status == "stopped" and part.result_.iterations == last
    again = DynamicalGPLVM(4, 12, **settings).fit(rows, times=TIMES, resume=ended.run)
    np.testing.assert_array_equal(again.trace_["bound"], whole.trace_["bound"])
