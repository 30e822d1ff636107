"""Tests of user-defined models: they equal the estimators that they rebuild."""

import dataclasses
import itertools

import numpy as np
import pytest

import gplvm_core
from gplvm_core import (
    BayesianGPLVM,
    DynamicalGPLVM,
    Edge,
    KnownInputs,
    Latent,
    ManifoldRelevance,
    Model,
    OverTime,
)
from gplvm_core.datasets import DataError
from gplvm_core.models import Facts
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.graph import Given, Graph
from gplvm_core.models.problems.network import NetworkStart, network
from gplvm_core.models.problems.nodes import LatentNode, PointNode
from gplvm_core.models.problems.wiring import Wiring
from gplvm_core.prediction import predict
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial
from tests.until import Until

FEW = {"max_iter": 40, "random_state": 0}


def drawn() -> dict[str, np.ndarray]:
    """Return two tables of 60 items: both depend on a cause, only the second on a mood."""
    generator = np.random.default_rng(0)
    cause, mood = generator.uniform(-2.0, 2.0, 60), generator.standard_normal(60)
    first = np.column_stack([np.sin(cause), np.cos(cause), cause]) @ generator.normal(size=(3, 5))
    second = np.column_stack([np.tanh(2 * cause), mood]) @ generator.normal(size=(2, 4))
    noise = 0.1 * generator.standard_normal((60, 9))
    return {"face": first + noise[:, :5], "voice": second + noise[:, 5:]}


DATA = drawn()
# The graph has a top node, a hidden node, and a connection that skips the hidden node.
NODES = {"cause": 1, "shape": 2}
EDGES = {
    "bend": Edge("cause", "shape", n_inducing=12),
    "look": Edge("shape", "face", n_inducing=15),
    "speak": Edge(("shape", "cause"), "voice", n_inducing=15),
}


@pytest.fixture(scope="module")
def skipping() -> Model:
    return Model(NODES, EDGES, max_iter=120, random_state=0).fit(DATA)


def test_one_node_and_one_edge_are_the_bayesian_gplvm():
    own = Model({"x": 2}, [Edge("x", "Y", n_inducing=10)], **FEW).fit(DATA["face"])
    known = BayesianGPLVM(2, n_inducing=10, noise="shared", **FEW).fit(DATA["face"])
    assert own.bound_ == pytest.approx(known.bound_, rel=1e-12)
    rows = DATA["face"][:4].copy()
    rows[:, 2] = np.nan
    np.testing.assert_allclose(own.complete(rows)["Y"], known.complete(rows), rtol=1e-4)


def test_one_node_and_two_edges_are_manifold_relevance():
    edges = [Edge("x", "face", n_inducing=10), Edge("x", "voice", n_inducing=10)]
    own = Model({"x": 3}, edges, **FEW).fit(DATA)
    known = ManifoldRelevance(3, n_inducing=10, noise="shared", **FEW).fit(DATA)
    assert own.bound_ == pytest.approx(known.bound_, rel=1e-12)


def test_a_node_over_time_is_the_dynamical_gplvm():
    times = np.linspace(0.0, 3.0, 60)
    node = {"x": OverTime(2, "matern32")}
    own = Model(node, [Edge("x", "Y", n_inducing=10)], **FEW).fit(DATA["face"], times=times)
    settings = {"time_kernel": "matern32", "noise": "shared", "data_weight": 1.0}
    known = DynamicalGPLVM(2, n_inducing=10, **settings, **FEW)
    known.fit(DATA["face"], times=times)
    assert own.bound_ == pytest.approx(known.bound_, rel=1e-12)
    # Compare separate rows, rows of a new sequence, rows that continue a trained sequence, and
    # forecasts.
    gaps = DATA["face"][10:16].copy()
    gaps[2], gaps[3:, 1] = np.nan, np.nan
    alone = own.transform(gaps[:2])["x"]
    np.testing.assert_allclose(alone, known.transform(gaps[:2]), atol=1e-4)
    for sequence, new in ((None, times[10:16]), (0, times[10:16] + 3.1)):
        whole, std = own.complete(gaps, times=new, sequence=sequence, return_std=True)
        expected = known.complete(gaps, times=new, sequence=sequence, return_std=True)
        np.testing.assert_allclose(whole["Y"], expected[0], atol=1e-4)
        np.testing.assert_allclose(std["Y"], expected[1], atol=1e-4)
        path = own.transform(gaps, times=new, sequence=sequence)["x"]
        expected = known.transform_sequence(gaps, times=new, sequence=sequence)
        np.testing.assert_allclose(path, expected, atol=1e-4)
    np.testing.assert_allclose(own.forecast([3.2])["Y"], known.forecast([3.2]), atol=1e-6)
    drawn = own.sample_sequence(times[:5], n_samples=2, random_state=0)["Y"]
    expected = known.sample_sequence(times[:5], n_samples=2, random_state=0)
    np.testing.assert_allclose(drawn, expected, atol=1e-5)
    with pytest.raises(ValueError, match="give times, too"):
        own.complete(gaps[:2], sequence=0)


@pytest.mark.slow
def test_two_paths_and_a_top_without_time_answer_together(tmp_path):
    """Rows of one table over time predict the other table, which also depends on its own node."""
    times = np.linspace(0.0, 6.0, 40)
    turns = np.column_stack([np.sin(times), np.cos(1.3 * times)])
    generator = np.random.default_rng(1)
    face = np.tanh(turns @ generator.normal(size=(2, 6)))
    voice = np.sin(1.5 * turns @ generator.normal(size=(2, 4)))
    nodes = {"slow": OverTime(1), "fast": OverTime(1, "matern32"), "shape": 2, "mood": 1}
    edges = [
        Edge(("slow", "fast"), "shape", n_inducing=8),
        Edge("shape", "face", n_inducing=8),
        Edge(("shape", "mood"), "voice", n_inducing=8),
    ]
    own = Model(nodes, edges, max_iter=30, random_state=0)
    own.fit({"face": face, "voice": voice}, times=times)
    gaps = face[10:16].copy()
    gaps[2], gaps[3:, 0] = np.nan, np.nan
    whole, std = own.complete({"face": gaps}, times=times[10:16], return_std=True)
    assert np.abs(whole["face"] - face[10:16]).max() < 0.3
    assert np.mean(np.abs(whole["voice"] - voice[10:16]) < 3.0 * std["voice"]) > 0.8
    points = own.transform({"face": gaps}, times=times[10:16])
    assert {name: each.shape[1] for name, each in points.items()} == {
        "fast": 1,
        "mood": 1,
        "shape": 2,
        "slow": 1,
    }
    drawn = own.sample_sequence(times[:4], n_samples=2, random_state=0)
    assert drawn["voice"].shape == (2, 4, 4) and drawn["face"].shape == (2, 4, 6)
    assert set(own.quantiles({"shape": np.zeros((1, 2))})) == {"face"}
    own.save(tmp_path / "paths.gplvm")
    back = gplvm_core.load(tmp_path / "paths.gplvm")
    np.testing.assert_array_equal(back.forecast([7.0])["face"], own.forecast([7.0])["face"])


def test_times_that_no_node_uses_are_reported_and_times_of_before_are_forgotten():
    edges, times = [Edge("x", "Y", n_inducing=5)], np.arange(60.0)
    model = Model({"x": OverTime(2)}, edges, max_iter=2, random_state=0).fit(DATA["face"])
    model.set_params(nodes={"x": 2}).fit(DATA["face"], times=times)
    assert any("times and sequences are not used" in note for note in model.notes_)
    assert model.transform(DATA["face"][:3])["x"].shape == (3, 2)


def graph_of(nodes: dict, edges: list[Edge]) -> Graph:
    wiring = Wiring.of(nodes, edges)
    kinds = tuple(
        kind.node(Facts(None, None), hidden=name in wiring.hidden) for name, kind in wiring.nodes
    )
    centred = DATA["face"] - DATA["face"].mean(axis=0)
    return network(NetworkStart(wiring, {"face": centred}, {}), kinds, 1e-6, serial)


def test_a_skip_connection_has_the_bound_of_input_connections():
    """At the same beliefs and layers, the bound equals that of the estimator's graph."""
    edges = [Edge("a", "b", n_inducing=8), Edge(("b", "a"), "face", n_inducing=9)]
    own = graph_of({"a": 1, "b": 2}, edges)
    parameters = own.start(0)
    # Nodes are sorted by name: the edge from node “a” comes first, as in the chain.
    begun = Given(own.begin(0))
    targets = Targets.of(DATA["face"] - DATA["face"].mean(axis=0))
    settings = {"family": "marginalised", "jitter": 1e-6, "executor": serial, "connected": True}
    known = chain(LatentNode(), targets, begun, 1, **settings)
    phase = own.phases[-1]
    assert own.evaluate(parameters, phase).bound == pytest.approx(
        known.evaluate(parameters, phase).bound, rel=1e-12
    )


@pytest.mark.slow
def test_the_order_in_which_a_graph_is_listed_does_not_matter(skipping: Model):
    for names in itertools.permutations(EDGES):
        nodes = dict(reversed(NODES.items()))
        other = Model(nodes, {name: EDGES[name] for name in names}, max_iter=3, random_state=0)
        same = Model(NODES, EDGES, max_iter=3, random_state=0).fit(DATA)
        other.fit(dict(reversed(DATA.items())))
        assert other.bound_ == same.bound_
        assert list(other.layers_) == list(same.layers_) == sorted(EDGES)
    assert [skipping.layers_[name].verdict_ for name in sorted(EDGES)] == [
        "edge 'bend' is on",
        "edge 'look' is on",
        "edge 'speak' is on",
    ]


def test_a_graph_is_examined_with_any_order_of_its_edges():
    edges = [Edge("a", "b", n_inducing=5), Edge("b", "face", n_inducing=6)]
    graph = graph_of({"a": 1, "b": 2}, edges)
    begun = graph.begin(0)
    turned = dataclasses.replace(
        graph,
        edges=graph.edges[::-1],
        begin=Given(dataclasses.replace(begun, layers=begun.layers[::-1])),
        names=(),
    )
    plain = dataclasses.replace(graph, names=())
    said = [set(each.verdicts(each.start(0))) for each in (plain, turned)]
    assert said[0] == said[1] == {"layer 1 of 2 is on", "layer 2 of 2 is on"}


def test_an_edge_without_information_is_named():
    """The layer that leads to pure noise is off, and a warning names its edge."""
    noise = np.random.default_rng(5).standard_normal((40, 12))
    edges = {"bend": Edge("cause", "shape", n_inducing=8), "look": Edge("shape", "Y", n_inducing=8)}
    with pytest.warns(UserWarning, match="edge '(bend|look)' is off"):
        Model(NODES, edges, max_iter=60, random_state=0).fit(noise)


def test_moments_come_from_any_node_that_data_follow_from(skipping: Model):
    points = np.array([[-1.0], [0.3], [1.2]])
    both = skipping.generate({"cause": points})
    assert set(both) == {"face", "voice"}
    hidden = predict(skipping.layers_["bend"].posterior_, points)[0]
    assert set(skipping.generate({"shape": hidden})) == {"face"}
    held = skipping.generate({"cause": points, "shape": hidden})
    direct = predict(skipping.layers_["speak"].posterior_, np.hstack([hidden, points]))[0]
    np.testing.assert_allclose(held["voice"], direct)
    mean, std = skipping.generate({"cause": points}, return_std=True)
    drawn_ = through_draws(skipping, points, 4000)
    for name, values in drawn_.items():
        np.testing.assert_allclose(mean[name], values.mean(axis=0), atol=0.1 * values.std())
        assert (std[name] > 0).all()


def through_draws(model: Model, points: np.ndarray, count: int) -> dict[str, np.ndarray]:
    """Draw outputs at points of the top through draws of the hidden points, without the package's
    code.
    """
    generator = np.random.default_rng(1)
    posteriors = {name: layer.posterior_ for name, layer in model.layers_.items()}
    many = np.tile(points, (count, 1))
    mean, variance = predict(posteriors["bend"], many, noise=True)
    hidden = mean + np.sqrt(variance) * generator.standard_normal(mean.shape)
    found = {
        "face": predict(posteriors["look"], hidden)[0],
        "voice": predict(posteriors["speak"], np.hstack([hidden, many]))[0],
    }
    return {name: values.reshape(count, len(points), -1) for name, values in found.items()}


def test_one_table_predicts_the_other_and_every_node_above_it(skipping: Model):
    found, deviation = skipping.complete({"face": DATA["face"]}, return_std=True)
    left = np.mean((found["voice"] - DATA["voice"]) ** 2) / np.mean(DATA["voice"].var(axis=0))
    assert left < 0.75  # only the voice depends on the mood
    inside = np.abs(found["voice"] - DATA["voice"]) < 1.96 * deviation["voice"]
    assert inside.mean() > 0.85
    points = skipping.transform({"face": DATA["face"][:2]})
    assert points["cause"].shape == (2, 1) and points["shape"].shape == (2, 2)
    draws = skipping.sample(500, random_state=0)
    np.testing.assert_allclose(draws["face"].std(axis=0), DATA["face"].std(axis=0), rtol=0.4)


def test_known_inputs_predict_data_in_any_units():
    dose = np.linspace(0.0, 10.0, 60)[:, None]
    answer = np.column_stack([np.sin(dose[:, 0]), np.cos(dose[:, 0])])
    answer += 0.05 * np.random.default_rng(3).standard_normal(answer.shape)
    nodes, edges = (
        {"dose": KnownInputs(), "state": 2},
        [
            Edge("dose", "state", n_inducing=15),
            Edge("state", "answer", n_inducing=15),
        ],
    )
    one = Model(nodes, edges, max_iter=60, random_state=0).fit(answer, inputs={"dose": dose})
    other = Model(nodes, edges, max_iter=60, random_state=0)
    other.fit(answer, inputs={"dose": 1000.0 * dose + 7.0})
    new = np.array([[2.5], [7.1]])
    mean, std = one.generate({"dose": new}, return_std=True)
    truth = np.column_stack([np.sin(new[:, 0]), np.cos(new[:, 0])])
    assert (np.abs(mean["answer"] - truth) < 3.0 * std["answer"] + 0.05).all()
    assert np.abs(mean["answer"] - truth).max() < 0.2
    again = other.generate({"dose": 1000.0 * new + 7.0})
    np.testing.assert_allclose(again["answer"], mean["answer"], atol=1e-3)
    half = answer[:3].copy()
    half[:, 1] = np.nan
    filled = one.complete(half, inputs={"dose": dose[:3]})["answer"]
    assert np.abs(filled[:, 1] - answer[:3, 1]).max() < 0.3
    with pytest.raises(DataError, match="the model needs inputs 'dose'; got none"):
        one.complete(half)


@dataclasses.dataclass(frozen=True)
class AtPoints:
    """A user-defined kind of node: most probable points instead of beliefs."""

    n_components: int

    def node(self, facts: Facts, *, hidden: bool) -> PointNode:
        return PointNode()


def test_a_kind_of_node_of_ones_own_is_trained_like_the_others():
    own = Model({"x": AtPoints(2)}, [Edge("x", "Y", n_inducing=10)], **FEW).fit(DATA["face"])
    assert (own.beliefs_["x"].variance == 0.0).all()
    assert np.isfinite(own.bound_)
    # Without a distribution to sample from, importance sampling raises an error.
    with pytest.raises(DataError, match="points of node 'x' have no variance"):
        own.score_samples(DATA["face"][:2])


def test_a_training_that_was_stopped_continues_with_the_same_numbers():
    runs = Until(5)
    whole = Model(NODES, EDGES, max_iter=12, random_state=0).fit(DATA)
    first = Model(NODES, EDGES, max_iter=12, random_state=0).fit(DATA, callback=runs)
    assert first.result_.status == "stopped"
    rest = Model(NODES, EDGES, max_iter=12, random_state=0).fit(DATA, resume=runs.last.run)
    assert rest.bound_ == whole.bound_


def test_a_file_gives_back_the_same_answers(skipping: Model, tmp_path):
    skipping.save(tmp_path / "own.gplvm")
    loaded = gplvm_core.load(tmp_path / "own.gplvm")
    assert loaded.nodes == NODES and loaded.edges == EDGES
    rows = {"face": DATA["face"][:2]}
    for name, values in skipping.complete(rows).items():
        np.testing.assert_array_equal(loaded.complete(rows)[name], values)


@pytest.mark.parametrize(
    ("nodes", "edges", "words"),
    [
        ({}, [], "at least one node and one edge"),
        ({"x": 2}, [Edge("z", "Y")], "starts from 'z'; the nodes are 'x'"),
        ({"x": 2}, [Edge((), "Y")], "starts from nothing"),
        ({"x": 2}, [Edge(("x", "x"), "Y")], "names a source twice"),
        ({"x": 2, "z": 1}, [Edge("x", "Y")], "no edge starts from node 'z'"),
        ({"x": 2}, [Edge("x", "Y"), Edge("x", "Y")], "two edges x → Y"),
        ({"x": 2, "z": 1}, [Edge("x", "Y"), Edge("z", "Y")], "both end in 'Y'"),
        ({"x": 2, "z": 1}, [Edge("x", "z"), Edge("z", "x")], "no edge ends in data"),
        (
            {"a": 1, "b": 1, "c": 1},
            [Edge("a", "b"), Edge(("b", "c"), "c"), Edge("c", "Y")],
            "cycle among the nodes 'c'",
        ),
        ({"x": 0}, [Edge("x", "Y")], "needs at least 1"),
        ({"x": 2}, [Edge("x", "Y", mean_field=True)], "mean_field is only for edges to nodes"),
        (
            {"x": 2, "z": 1},
            [Edge("x", "z", noise="per_output"), Edge("z", "Y")],
            "is only for data",
        ),
        ({"x": KnownInputs()}, [Edge("x", "Y")], "known inputs are missing"),
        (
            {"x": 2, "z": KnownInputs()},
            [Edge("x", "z"), Edge("z", "Y")],
            "cannot be the target of an edge",
        ),
        ({"x": 2, "z": OverTime(2)}, [Edge("x", "z"), Edge("z", "Y")], "over time cannot be"),
    ],
)
def test_a_graph_that_does_not_fit_together_is_refused_in_words(nodes, edges, words):
    with pytest.raises(ValueError, match=words):
        Model(nodes, edges, max_iter=2).fit(DATA["face"])


def test_data_that_do_not_fit_the_graph_are_refused_in_words(skipping: Model):
    with pytest.raises(DataError, match="lead to the data 'face', 'voice'; got 'face'"):
        Model(NODES, EDGES).fit({"face": DATA["face"]})
    with pytest.raises(DataError, match="rows"):
        Model(NODES, EDGES).fit({"face": DATA["face"][:5], "voice": DATA["voice"]})
    with pytest.raises(DataError, match="not nodes with KnownInputs"):
        Model(NODES, EDGES).fit(DATA, inputs={"cause": np.ones((60, 1))})
    with pytest.raises(DataError, match="no node 'mood'"):
        skipping.generate({"mood": np.zeros((1, 1))})
    with pytest.raises(DataError, match="1 × 1 finite numbers; got shape"):
        skipping.generate({"cause": np.zeros((1, 2))})
    with pytest.raises(DataError, match="there is no view 'smell'"):
        skipping.complete({"smell": np.zeros((1, 2))})
    with pytest.raises(DataError, match="nothing is observed"):
        skipping.complete({"face": np.full((1, 5), np.nan)})
    assert Model({"x": Latent(2)}, [Edge("x", "Y")]).get_params()["scaling"] == "auto"
