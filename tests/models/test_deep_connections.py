"""Tests of deep models in which every layer also receives the model's inputs, known or latent."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import RBF, DeepGP, DeepGPLVM, load
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems import regression
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.deep_starts import Connected, Embedded
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.graph import Begun, Given
from gplvm_core.models.problems.inputs import InputNode
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.prediction import (
    DATA,
    Network,
    draw_jointly,
    explain,
    log_density,
    log_density_sampled,
    moments,
)
from gplvm_core.prediction.row_bound import RowBound
from gplvm_core.statistics import Targets
from gplvm_core.statistics.executors import serial
from tests.models.row_slopes import check_slopes

QUICK = {"max_iter": 8, "random_state": 0}
ROWS = np.arange(4)


@pytest.fixture
def quick_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the training of the shallow regression at the start."""
    monkeypatch.setattr(regression, "SUBSET_ITERATIONS", 1)
    monkeypatch.setattr(regression, "SUBSET", 10)


def step(n_points: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    x = np.sort(generator.uniform(-1.0, 1.0, n_points))[:, None]
    return x, np.sign(x[:, 0]) + x[:, 0] + 0.05 * generator.normal(size=n_points)


def bent_rows(n_points: int = 40) -> np.ndarray:
    generator = np.random.default_rng(1)
    signals = np.tanh(2.0 * generator.normal(size=(n_points, 2)))
    return np.sin(signals @ generator.normal(size=(2, 6)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_moments_with_input_connections_match_draws(tmp_path) -> None:
    """Compare moments and densities at exact and uncertain inputs with draws through the layers."""
    x, y = step(20)
    model = DeepGP((1, 2), 6, input_connections=True, max_iter=25, random_state=0).fit(x, y)
    assert [len(layer.relevance_) for layer in model.layers_] == [1, 2, 3]
    assert [layer.posterior_.n_latent for layer in model.layers_] == [1, 2, 3]
    assert np.sqrt(np.mean((model.predict(x) - y) ** 2)) < 0.3
    new = np.array([[-0.6], [0.4]])
    for variance in (None, 0.01):
        mean, std = model.predict(new, X_variance=variance, return_std=True, noise=True)
        draws = model.sample(new, 1200, random_state=0, X_variance=variance)
        np.testing.assert_allclose(draws.mean(axis=0), mean, atol=0.3 * std.max())
        np.testing.assert_allclose(draws.std(axis=0), std, rtol=0.3)
    width = 0.5 * draws[:, 0].std()
    near = np.mean(np.abs(draws[:, 0] - mean[0]) < width)
    places = mean[0] + width * np.array([-1.0, 0.0, 1.0])
    ask = {"n_samples": 1000, "X_variance": 0.01}
    density = np.exp(model.score_samples(np.repeat(new[:1], 3, axis=0), places, **ask))
    assert near == pytest.approx(width / 3.0 * float(density @ [1.0, 4.0, 1.0]), rel=0.15)
    model.save(tmp_path / "deep.gplvm")
    np.testing.assert_array_equal(load(tmp_path / "deep.gplvm").predict(new), model.predict(new))


def test_input_connections_with_weight_0_change_nothing() -> None:
    """Input connections with ARD weights of 0 do not change the bound and the predictions."""
    x, y = step(12)
    inputs, targets = Inputs.of(x, None), Targets.of((y - y.mean())[:, None])
    hidden = Belief(np.tanh(3.0 * x), np.full((12, 1), 0.05))
    first = Layer(RBF(1.0, np.ones(1)), x[:6], 0.01)
    last = Layer(RBF(1.0, np.ones(1)), hidden.mean[:5], 0.01)
    blind = replace(
        last,
        kernel=RBF(1.0, np.array([1.0, 1e12])),
        inducing=np.hstack([last.inducing, x[:5]]),
    )
    bounds = [
        chain(
            InputNode(inputs),
            targets,
            Given(Begun((inputs.belief, hidden), (first, below))),
            1,
            family="marginalised",
            jitter=1e-6,
            executor=serial,
            connected=connected,
        )
        for below, connected in ((last, False), (blind, True))
    ]
    plain, seen = (graph.evaluate(graph.start(0), FREE).bound for graph in bounds)
    assert seen == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("family", ["marginalised", "mean_field"])
def test_connections_to_the_top_with_long_lengthscales_change_nothing(family: str) -> None:
    """The lengthscales for the top are very long. Compare the bound, inferred rows, densities and
    moments.
    """
    rows = bent_rows(24)
    rows -= rows.mean(axis=0)
    plain, new = Embedded(rows, (2, 2, 3), (8, 8, 8), ("rbf",) * 3, "pca")(0), rows[:4] + 0.1
    layers = list(Connected(Given(plain), ("rbf",) * 3)(0).layers)
    for at in (1, 2):
        scales = np.array(layers[at].kernel.lengthscale)
        scales[-2:] = 1e8
        layers[at] = replace(layers[at], kernel=replace(layers[at].kernel, lengthscale=scales))
    answers = []
    for begun in (plain, replace(plain, layers=tuple(layers))):
        settings = {
            "family": family,
            "jitter": 1e-6,
            "executor": serial,
            "connected": begun is not plain,
        }
        graph = chain(LatentNode(), Targets.whole(rows), Given(begun), 2, **settings)
        parameters = graph.start(0)
        learnt = graph.learnt(parameters, (rows,))
        widths = (layer.posterior.weights.shape[1] for layer in learnt.layers)
        units = zip(learnt.layers, map(Scaling.none, widths), strict=True)
        beliefs = [node.belief for node in learnt.nodes]
        network = Network.chain(
            [layer.as_posterior(unit) for layer, unit in units],
            beliefs,
            [layer.statistics for layer in learnt.layers],
            mean_field=family == "mean_field",
        )
        given = {DATA: new}
        found = explain(network, given)
        answers.append(
            (
                graph.evaluate(parameters, FREE).bound,
                RowBound.of(network, given).data([b.rows(slice(4)) for b in beliefs], ROWS)[0],
                *(each.mean for each in found.found),
                log_density(network, given, found),
                log_density_sampled(network, given, found, 50, 0),
                *moments(network, {0: beliefs[0]}, noise=False)[DATA],
            )
        )
    for blind, expected in zip(*answers, strict=True):
        np.testing.assert_allclose(blind, expected, rtol=1e-6, atol=1e-8)


def test_the_top_starts_with_little_weight_below_the_first_layer() -> None:
    """The weight of the top is small for every kind of kernel."""
    for kind in ("rbf", "linear"):
        kinds = ("rbf", kind, kind)
        begin = Embedded(bent_rows(20), (2, 2, 3), (8, 8, 8), kinds, "pca")
        for layer, width in zip(Connected(begin, kinds)(0).layers[1:], (2, 3), strict=True):
            own, top = np.split(layer.kernel.relevance, [width])
            assert len(top) == 2 and top.max() < 0.1 * own.max()


@pytest.fixture(scope="module")
def latent() -> DeepGPLVM:
    settings = {"max_iter": 60, "random_state": 0, "input_connections": True}
    return DeepGPLVM((2, 2, 3), 12, **settings).fit(bent_rows())


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_deep_map_with_input_connections_fills_and_infers_rows(
    latent: DeepGPLVM, tmp_path
) -> None:
    rows = bent_rows()
    assert [layer.posterior_.n_latent for layer in latent.layers_] == [2, 4, 5]
    assert [len(layer.relevance_) for layer in latent.layers_] == [2, 4, 5]
    some = rows[:8].copy()
    some[:, 2] = np.nan
    filled = latent.complete(some)
    assert np.sqrt(np.mean((filled[:, 2] - rows[:8, 2]) ** 2)) < 0.3 * rows[:, 2].std()
    weights, places, whole = latent.alternatives(some, 2)
    assert weights.shape == (8, 2) and places.shape == (8, 2, 2) and whole.shape == (8, 2, 6)
    near = latent.transform(rows[:8]) - latent.latent_mean_[:8]
    assert np.abs(near).max() < 0.2
    bounds, drawn = latent.score_samples(rows[:8]), latent.score_samples(rows[:8], 300)
    assert bounds.mean() > latent.score_samples(rows[:8, ::-1]).mean() + 1.0
    assert abs(bounds.mean() - drawn.mean()) < 2.0
    latent.save(tmp_path / "connected.gplvm")
    again = load(tmp_path / "connected.gplvm")
    np.testing.assert_array_equal(again.transform(rows[:4]), latent.transform(rows[:4]))


def test_moments_from_the_top_match_draws_through_all_layers(latent: DeepGPLVM) -> None:
    """Compare moments from the top with draws through all layers.

    The inputs of a layer are its own inputs, followed by those of the top.
    """
    point = latent.latent_mean_[:1]
    mean, std = latent.generate(point, return_std=True, noise=True)
    drawn = latent.sample(np.repeat(point, 2, axis=0), 3000, random_state=0)[:, 0]
    np.testing.assert_allclose(drawn.mean(axis=0), mean[0], atol=4.0 * std.max() / np.sqrt(3000))
    np.testing.assert_allclose(drawn.std(axis=0), std[0], rtol=0.15)
    hidden = np.hstack([latent.layers_[2].latent_mean_[:1], point])
    below = latent.generate(hidden, 2)
    top = Belief.certain(point)
    given = {0: top, 2: Belief.certain(hidden[:, :3])}
    each = draw_jointly(latent._network, given, 3000, 0, noise=False)[DATA][:, 0]
    np.testing.assert_allclose(each.mean(axis=0), below[0], atol=0.02)
    middle = np.hstack([latent.layers_[1].latent_mean_[:1], point])
    found, spread = latent.generate(middle, 1, return_std=True)
    given = {0: top, 1: Belief.certain(middle[:, :2])}
    each = draw_jointly(latent._network, given, 3000, 1, noise=False)[DATA][:, 0]
    np.testing.assert_allclose(each.mean(axis=0), found[0], atol=0.02 + 0.1 * spread.max())


def test_inference_of_a_row(latent: DeepGPLVM) -> None:
    """Compare the gradients of the row's bound, for the beliefs at all nodes, with differences."""
    generator = np.random.default_rng(3)
    bound = RowBound.of(latent._network, {DATA: bent_rows()[:3]})
    beliefs = [
        Belief(
            layer.latent_mean_[:3] + 0.1 * generator.normal(size=layer.latent_mean_[:3].shape),
            layer.latent_variance_[:3] + 0.05,
        )
        for layer in latent.layers_
    ]
    check_slopes(bound, beliefs, 4)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_over_time_resumed_and_grown() -> None:
    rows, times, runs = bent_rows(24), np.arange(24.0), []
    settings = {**QUICK, "input_connections": True, "time_kernel": "rbf"}
    model = DeepGPLVM((1, 2), 6, **settings)
    model.fit(rows, times=times, callback=lambda progress: runs.append(progress.run))
    assert model.forecast([24.5]).shape == (1, 6)
    assert model.sample_sequence(times[:4], n_samples=2).shape == (2, 4, 6)
    gaps = rows[3:9].copy()
    gaps[2] = np.nan
    assert np.isfinite(model.complete(gaps, times=times[3:9])).all()
    again = DeepGPLVM((1, 2), 6, **settings).fit(rows, times=times, resume=runs[2])
    assert again.bound_ == model.bound_
    settings = {**QUICK, "input_connections": True}
    grown = DeepGPLVM((1, 2), 6, grow=True, mean="linear", **settings).fit(rows)
    assert [layer.posterior_.n_latent for layer in grown.layers_] == [1, 3]
    assert grown.layers_[0].posterior_.slope is not None
    encoded = DeepGPLVM((1, 2), 6, encoder="kernel", **settings).fit(rows)
    np.testing.assert_allclose(encoded.transform(rows[:3]), encoded.latent_mean_[:3])
    with pytest.raises(ValueError, match="input connections need the family 'mean_field' or"):
        DeepGPLVM((1, 2), 6, family="gated", **settings).fit(rows)
