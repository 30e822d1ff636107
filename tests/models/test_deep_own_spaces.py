"""Tests of views that branch at any layer: separate hidden spaces below the shared space."""

import numpy as np
import pytest
from scipy.special import logsumexp

from gplvm_core import RBF, DeepManifoldRelevance, load
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.datasets import DataError
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.graph import Begun, Given
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.prediction import Posterior
from gplvm_core.prediction.row_bound import RowBound
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial
from tests.cases import quickly
from tests.models.row_slopes import check_slopes

JITTER = 1e-6
QUICK = {"max_iter": 8, "random_state": 0}


def circle(n_points: int = 50) -> dict[str, np.ndarray]:
    """Return two differently distorted views of a circle; the first also has a private signal."""
    generator = np.random.default_rng(0)
    angle = np.linspace(0.0, 2.0 * np.pi, n_points, endpoint=False)
    shared = np.column_stack([np.cos(angle), np.sin(angle)])
    own = generator.uniform(-1.0, 1.0, (n_points, 1))
    first = np.tanh(2.0 * np.hstack([shared, own]) @ generator.normal(size=(3, 6)))
    second = np.sin(1.5 * shared @ generator.normal(size=(2, 5)))
    return {
        name: view + 0.03 * generator.normal(size=view.shape)
        for name, view in (("first", first), ("second", second))
    }


@pytest.fixture(scope="module")
def both() -> DeepManifoldRelevance:
    """Train a model with a hidden space for each view, below a shared top."""
    model = DeepManifoldRelevance((3,), 12, max_iter=100, random_state=0, view_components=3)
    return model.fit(circle())


@pytest.fixture(scope="module")
def one() -> DeepManifoldRelevance:
    """Train a model with a hidden space for the first view; the second view depends directly on the
    top.
    """
    settings = {"max_iter": 100, "random_state": 0, "view_components": {"first": 3}}
    return DeepManifoldRelevance((3,), 12, **settings).fit(circle())


def test_the_bound_is_the_sum_over_layers_and_nodes() -> None:
    generator = np.random.default_rng(1)
    outputs = [generator.normal(size=(12, 4)) for _ in range(2)]
    beliefs = tuple(
        Belief(generator.normal(size=(12, 2)), generator.uniform(0.1, 0.4, (12, 2)))
        for _ in range(3)
    )
    layers = tuple(
        Layer(RBF(1.0, generator.uniform(0.8, 1.5, 2)), generator.normal(size=(5, 2)), 1.0)
        for _ in range(4)
    )
    targets = tuple(map(Targets.of, outputs))
    settings = {"family": "marginalised", "jitter": JITTER, "executor": serial, "own": (1, 1)}
    begin = Given(Begun(beliefs, layers))
    graph = chain(LatentNode(), targets, begin, 0, **settings)
    top, first, second = beliefs
    ways = (
        (top, Targets.believed(first)),
        (top, Targets.believed(second)),
        (first, targets[0]),
        (second, targets[1]),
    )
    expected = -StandardNormal().kl(top)[0] + first.entropy()[0] + second.entropy()[0]
    for layer, (source, below) in zip(layers, ways, strict=True):
        most = {"profile": True, "most_ratio": 1.0 / JITTER}
        expected += evaluate_layer(layer, source, below, jitter=JITTER, **most).value
    assert graph.evaluate(graph.start(0), FREE).bound == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_views_part_below_the_top(both: DeepManifoldRelevance, tmp_path) -> None:
    views = circle()
    assert both.layers_ == () and both.latent_mean_.shape == (50, 3)
    for name in views:
        (own,) = both.own_layers_[name]
        assert own.verdict_.startswith(f"layer 1 of 2, view '{name}', is on")
        assert both.view_layers_[name].verdict_.startswith(f"layer 2 of 2, view '{name}', is on")
        # Shared and private dimensions belong to the layer directly below the top.
        np.testing.assert_array_equal(both.relevance_[name], own.relevance_)
        alone = both.of_view(name)
        error = alone.generate(alone.layers_[1].latent_mean_, 1) - views[name]
        assert np.sqrt(np.mean(error**2)) < 0.2 * views[name].std()
    assert len(both.segmentation()[frozenset({"first", "second"})]) >= 2
    # All dimensions of the second view are shared; the first view's space contains more than the
    # top.
    errors = {
        name: np.sqrt(np.mean((found - views[name]) ** 2)) / views[name].std()
        for name, found in both.generate(both.latent_mean_).items()
    }
    assert errors["second"] < 0.1 < 0.3 < errors["first"]
    drawn = both.sample(60, random_state=0)
    assert np.abs(drawn["second"].mean(axis=0) - views["second"].mean(axis=0)).max() < 0.6
    rows = {name: view[:6] for name, view in views.items()}
    both.save(tmp_path / "own.gplvm")
    back = load(tmp_path / "own.gplvm")
    np.testing.assert_array_equal(back.transform(rows), both.transform(rows))
    for name, found in back.complete(rows).items():
        np.testing.assert_array_equal(found, rows[name])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("which", ["both", "one"])
def test_one_view_predicts_the_other(which: str, request: pytest.FixtureRequest) -> None:
    model, views = request.getfixturevalue(which), circle()
    rows, std = slice(3, 40, 5), views["second"].std()
    found, spread = model.transfer(
        {"first": views["first"][rows]}, "second", return_std=True, private="prior"
    )
    assert np.sqrt(np.mean((found - views["second"][rows]) ** 2)) < 0.5 * std
    assert np.mean(np.abs(found - views["second"][rows]) < 3.0 * spread) > 0.85
    gaps = {"first": views["first"][rows], "second": np.full((8, 5), np.nan)}
    assert np.sqrt(np.mean((model.complete(gaps)["second"] - found) ** 2)) < 0.05 * std
    # Half of a row of the first view, which has its own space, predicts the other half.
    half = views["first"][rows].copy()
    half[:, ::2] = np.nan
    filled = model.complete({"first": half, "second": views["second"][rows]})["first"]
    assert np.sqrt(np.mean((filled - views["first"][rows]) ** 2)) < 0.5 * views["first"].std()
    some = {name: view[rows] for name, view in views.items()}
    assert model.score(some) > model.score(some | {"second": some["second"][::-1]}) + 0.3
    matched, _ = model.correspondences({"first": views["first"][rows]}, "second", 3)
    assert np.mean(np.abs(matched[:, 0] - np.arange(3, 40, 5)) < 4) > 0.7


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("which", quickly(["both", "one"], ["one"]))
def test_a_view_without_entries_has_no_influence(
    which: str, request: pytest.FixtureRequest
) -> None:
    """If a view is empty, no two explanations differ only in this view's own space."""
    model, views = request.getfixturevalue(which), circle()
    for name, other in (("first", "second"), ("second", "first")):
        alone = {name: views[name][::7]}
        beside = alone | {other: np.full_like(views[other][::7], np.nan)}
        np.testing.assert_allclose(
            model.score_samples(beside), model.score_samples(alone), atol=0.02
        )


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_bound_is_below_the_density_by_sampling() -> None:
    """log p of five rows is estimated by draws of the points in all spaces from their priors."""
    generator, count, draws = np.random.default_rng(0), 5, 20_000
    line = np.linspace(-1.5, 1.5, count)[:, None]
    shapes = {"first": [1.0, -1.0, 1.0], "second": [1.0, 0.5, -1.0]}
    noise = 0.6 * generator.normal(size=(2, count, 3))
    views = {
        name: line * shape + own for (name, shape), own in zip(shapes.items(), noise, strict=True)
    }
    settings = {"scaling": "none", "max_iter": 2, "random_state": 0, "view_components": 1}
    model = DeepManifoldRelevance((1,), 5, **settings).fit(views)

    def root(posterior: Posterior, at: np.ndarray) -> np.ndarray:
        apart = (at[:, :, None, 0] - at[:, None, :, 0]) / posterior.kernel.lengthscale
        gram = posterior.kernel.variance * np.exp(-0.5 * apart**2)
        return np.linalg.cholesky(gram + posterior.noise_variance * np.eye(count))

    top, told = generator.standard_normal((draws, count, 1)), np.zeros(draws)
    for name, view in views.items():
        (own,) = model.own_layers_[name]
        hidden = root(own.posterior_, top) @ generator.standard_normal((draws, count, 1))
        lower = root(model.posteriors_[name], hidden)
        data = np.broadcast_to(view - view.mean(axis=0), (draws, *view.shape))
        told -= 0.5 * np.sum(np.linalg.solve(lower, data) ** 2, axis=(1, 2))
        told -= 3.0 * np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
        told -= 0.5 * data[0].size * np.log(2.0 * np.pi)
    found = logsumexp(told) - np.log(draws)
    weights = np.exp(told - logsumexp(told))
    assert 1.0 / np.sum(weights**2) > 500.0
    assert found - 15.0 < model.bound_ < found


def test_a_view_at_the_top_and_one_below(one: DeepManifoldRelevance) -> None:
    assert [len(one.own_layers_[name]) for name in ("first", "second")] == [1, 0]
    assert one.view_layers_["second"].verdict_.startswith("layer 1 of 2, view 'second'")
    deep, shallow = one.of_view("first"), one.of_view("second")
    assert [len(each.layers_) for each in (deep, shallow)] == [2, 1]
    found = one.generate(one.latent_mean_[:4])
    np.testing.assert_allclose(deep.generate(one.latent_mean_[:4]), found["first"])
    np.testing.assert_allclose(shallow.generate(one.latent_mean_[:4]), found["second"])
    rows = circle()["first"][:3]
    np.testing.assert_allclose(
        deep.score_samples(rows), one.score_samples({"first": rows}), atol=0.1
    )


def test_inference_of_a_row_through_layers_of_a_view(both: DeepManifoldRelevance) -> None:
    """Compare gradients with central differences; a row's missing view and its layers have no
    influence.
    """
    views = circle()
    rows = {name: view[:3].copy() for name, view in views.items()}
    rows["second"][1] = np.nan
    network = both._network
    beliefs = [Belief(each.mean[:3] + 0.1, each.variance[:3]) for each in network.beliefs]
    bound, every = RowBound.of(network, rows), np.arange(3)
    value, slopes = bound.data(beliefs, every)
    np.testing.assert_array_equal(slopes[2].mean[1], 0.0)
    alone = RowBound.of(network, {"first": rows["first"]}).data(beliefs[:2], every)[0]
    assert value[1] == pytest.approx(alone[1])
    check_slopes(bound, beliefs, 2)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_over_time_and_resumed() -> None:
    views, runs = circle(30), []
    settings = {**QUICK, "view_components": {"second": (2, 2)}, "time_kernel": "rbf"}
    model = DeepManifoldRelevance((1, 2), 6, **settings)
    model.fit(views, times=np.arange(30.0), callback=lambda progress: runs.append(progress.run))
    assert [len(each) for each in model.own_layers_.values()] == [0, 2]
    assert len(model.of_view("second").layers_) == 4
    found = model.transfer({"second": views["second"][:6]}, "first", times=np.arange(6.0))
    assert found.shape == (6, 6) and np.isfinite(found).all()
    again = DeepManifoldRelevance((1, 2), 6, **settings)
    again.fit(views, times=np.arange(30.0), resume=runs[2])
    assert again.bound_ == model.bound_


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_verdicts_on_the_way_name_the_levels() -> None:
    told = []
    model = DeepManifoldRelevance((2,), 6, max_iter=20, random_state=0, view_components=2)
    model.fit(circle(20), callback=told.append)
    assert [each.rpartition(" is ")[0] for each in told[-1].verdicts] == [
        "layer 1 of 2",
        "layer 2 of 2",
    ]


def test_impossible_settings_are_refused() -> None:
    views = circle(12)
    for settings, words, kind in (
        ({"view_components": 0}, "view_components must be whole numbers of at least 1", ValueError),
        ({"view_components": {"third": 2}}, "there is no view 'third'", DataError),
        ({"view_components": 2, "family": "gated"}, "need the family 'mean_field'", ValueError),
    ):
        with pytest.raises(kind, match=words):
            DeepManifoldRelevance((2,), 5, **settings, **QUICK).fit(views)
