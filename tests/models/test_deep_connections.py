"""Tests of deep models in which every layer also receives the model's inputs, known or latent."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import RBF, DeepGP, load
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems import regression
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.graph import Begun, Given
from gplvm_core.models.problems.nodes import InputNode, LatentNode
from gplvm_core.prediction import (
    DATA,
    Network,
    explain,
    log_density,
    log_density_sampled,
    moments,
)
from gplvm_core.prediction.row_bound import RowBound
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial

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
        mean, std = model.predict(new, X_variance=variance, return_std=True)
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
    layers = list(plain.layers)
    for at, own in ((1, 2), (2, 3)):
        kernel, inducing = layers[at].kernel, layers[at].inducing
        scales = np.append(np.broadcast_to(kernel.lengthscale, own), [1e8, 1e8])
        whole = np.hstack([inducing, np.zeros((len(inducing), 2))])
        layers[at] = replace(layers[at], kernel=replace(kernel, lengthscale=scales), inducing=whole)
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
