"""Tests of chains of layers: a chain of one is a known model, and bounds are below the evidence."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import (
    RBF,
    BayesianGPLVM,
    DeepGP,
    DeepGPLVM,
    DeepManifoldRelevance,
    DynamicalGPLVM,
    ManifoldRelevance,
)
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.edges import FREE, targets_for, to_data
from gplvm_core.models.problems.encoded import EncodedNode
from gplvm_core.models.problems.graph import Begun, Given, Graph
from gplvm_core.models.problems.nodes import HiddenNode, InputNode, LatentNode, Node
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.problems.regression import regression
from gplvm_core.models.problems.several import several_views
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.training.run import Phase
from gplvm_core.numerics import NotPositiveDefiniteError
from gplvm_core.parameters import leaves
from gplvm_core.prediction import (
    DATA,
    Network,
    draw_jointly,
    moments,
    predict,
    predict_covariance,
)
from gplvm_core.priors.temporal import Timeline
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial

JITTER = 1e-6


def outputs(n_points: int = 12, n_outputs: int = 3) -> np.ndarray:
    generator = np.random.default_rng(0)
    found = np.tanh(generator.normal(size=(n_points, 2)) @ generator.normal(size=(2, n_outputs)))
    return found - found.mean(axis=0)


def of_depth(n_hidden: int, top: Node, *, family: str = "marginalised") -> Graph:
    """Return a chain of layers with two inputs each, on random beliefs."""
    generator = np.random.default_rng(1)
    beliefs = tuple(
        Belief(generator.normal(size=(12, 2)), generator.uniform(0.1, 0.4, (12, 2)))
        for _ in range(n_hidden + 1)
    )
    layers = tuple(
        Layer(RBF(1.0, generator.uniform(0.8, 1.5, 2)), generator.normal(size=(5, 2)), 1.0)
        for _ in range(n_hidden + 1)
    )
    begin = Given(Begun(beliefs, layers))
    settings = {"family": family, "jitter": JITTER, "executor": serial}
    return chain(top, Targets.of(outputs()), begin, n_hidden, **settings)


def same(first: Graph, second: Graph) -> None:
    at, other = (graph.evaluate(graph.start(0), FREE) for graph in (first, second))
    assert at.bound == pytest.approx(other.bound, rel=1e-10)
    expected = leaves(other.gradient)
    for path, value in leaves(at.gradient).items():
        np.testing.assert_allclose(value, expected[path], rtol=1e-8, atol=1e-8)


TIMELINE = Timeline.of(np.arange(12.0)[:, None], np.repeat([0, 1], 6))
TOPS = {
    "latent": LatentNode,
    "path": lambda: PathNode(TIMELINE, "rbf"),
    "tied to the outputs": lambda: PathNode(Timeline.of(outputs()), "rbf"),
    "encoded": lambda: EncodedNode.of(outputs(), 2, "kernel"),
}


@pytest.mark.parametrize("top", TOPS)
def test_a_chain_of_one_layer_is_the_shallow_model(top: str) -> None:
    start, node = Start((outputs(),), 2, 5, ("rbf",), "pca"), TOPS[top]()
    shallow = Graph((node,), (to_data(outputs(), serial, "shared"),), start, JITTER)
    settings = {"family": "marginalised", "jitter": JITTER, "executor": serial}
    same(chain(node, Targets.of(outputs()), start, 0, **settings), shallow)


def test_training_of_one_layer_begins_like_that_of_the_shallow_model() -> None:
    deep = DeepGPLVM(2, 5, max_iter=12, random_state=0).fit(outputs())
    plain = BayesianGPLVM(2, 5, max_iter=12, random_state=0)
    # Both models have the same start, and their first steps, with fixed noise, are the same.
    np.testing.assert_allclose(deep.trace_["bound"][0], plain.fit(outputs()).trace_["bound"][0])


def two_views() -> dict[str, np.ndarray]:
    first, second = outputs(14, 3), outputs(14, 2) ** 2
    second = second - second.mean(axis=0)
    first[3], second[5, 0] = np.nan, np.nan
    return {"first": first, "second": second}


def test_a_chain_of_one_layer_to_several_views_is_the_shallow_model() -> None:
    values = tuple(two_views().values())
    start = Start(values, 2, 5, ("rbf", "rbf"), "pca")
    shallow = several_views(start, LatentNode(), JITTER, serial, ["shared"] * 2)
    targets = tuple(targets_for(each, "shared") for each in values)
    settings = {"family": "marginalised", "jitter": JITTER, "executor": serial}
    same(chain(LatentNode(), targets, start, 0, **settings), shallow)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_one_layer_views_answer_like_the_shallow_model() -> None:
    """Both models have the same fitted layers and predict the same rows."""
    views, settings = two_views(), {"n_inducing": 5, "max_iter": 12, "random_state": 0}
    deep = DeepManifoldRelevance(2, **settings).fit(views)
    shallow = ManifoldRelevance(2, **settings).fit(views)
    assert deep.layers_ == () and list(deep.view_layers_) == ["first", "second"]
    for name, value in vars(deep).items():
        if name.endswith("_"):
            setattr(shallow, name, value)
    assert deep.segmentation() == shallow.segmentation()
    one = {"first": views["first"][5:9]}
    for ask in ("transform", "score_samples"):
        np.testing.assert_allclose(getattr(deep, ask)(one), getattr(shallow, ask)(one), atol=1e-6)
    np.testing.assert_allclose(
        deep.transfer(one, "second"), shallow.transfer(one, "second"), atol=1e-6
    )
    points = deep.latent_mean_[:3]
    for name, found in deep.generate(points).items():
        np.testing.assert_array_equal(found, shallow.inverse_transform(points)[name])
    ours, theirs = (model.of_view("second") for model in (deep, shallow))
    rows = views["second"][5:9]
    np.testing.assert_allclose(ours.score_samples(rows), theirs.score_samples(rows), atol=1e-6)


def test_a_chain_of_one_layer_below_inputs_is_the_sparse_regression() -> None:
    inputs = Inputs.of(np.random.default_rng(2).normal(size=(12, 2)), None)
    begin = Given(
        Begun((inputs.belief,), (Layer(RBF(1.0, np.ones(2)), inputs.belief.mean[:5], 1.0),))
    )
    targets = Targets.of(outputs())
    plain = regression(inputs, targets, begin, n_inducing=5, jitter=JITTER, executor=serial)
    settings = {"family": "mean_field", "jitter": JITTER, "executor": serial}
    same(chain(InputNode(inputs), targets, begin, 0, **settings), plain)


def test_one_layer_infers_rows_in_time_like_the_shallow_model() -> None:
    """Both models have the same fitted layer. The test compares forecasts, gaps, missing rows and
    new paths.
    """
    times, rows = np.arange(12.0), outputs()
    settings = {"n_inducing": 5, "max_iter": 12, "random_state": 0, "time_kernel": "rbf"}
    deep = DeepGPLVM(2, **settings).fit(rows, times=times)
    shallow = DynamicalGPLVM(2, **settings).fit(rows, times=times)
    for name in ("posterior_", "latent_mean_", "latent_variance_", "path_", "time_kernel_"):
        setattr(shallow, name, getattr(deep, name))
    np.testing.assert_allclose(deep.forecast([12.5]), shallow.forecast([12.5]))
    gaps = rows[2:9].copy()
    gaps[2:4], gaps[5, 0] = np.nan, np.nan
    for coupled in (True, False):
        ours, theirs = (
            model.complete(gaps, times=times[2:9], coupled=coupled, return_std=True)
            for model in (deep, shallow)
        )
        for first, second in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(first, second, atol=1e-5)
    first, second = (
        model.sample_sequence(times[:3], n_samples=2, random_state=0) for model in (deep, shallow)
    )
    np.testing.assert_allclose(first, second)


@pytest.mark.parametrize("size", [1e100, 1e160, np.inf, np.nan])
def test_beliefs_without_bounds_are_refused(size: float) -> None:
    """A line search may try extreme values; training must reject them and continue."""
    graph = of_depth(1, LatentNode())
    start = graph.start(0)
    hidden = start.nodes[1]
    for belief in (
        Belief(hidden.mean, np.full_like(hidden.variance, size)),
        Belief(size * hidden.mean, hidden.variance),
        Belief(size * hidden.mean, size * hidden.variance),
    ):
        with np.errstate(all="ignore"):
            try:
                bound = graph.evaluate(replace(start, nodes=(start.nodes[0], belief)), FREE).bound
            except NotPositiveDefiniteError:
                continue
        # If a hidden layer is pure noise, the data below it are noise as well, in any unit.
        assert not bound > -20.0


@pytest.mark.parametrize("n_hidden", [1, 2, 3])
def test_integrating_inducing_outputs_out_first_is_never_lower(n_hidden: int) -> None:
    first, second = (
        of_depth(n_hidden, LatentNode(), family=family) for family in ("marginalised", "mean_field")
    )
    gain = first.evaluate(first.start(0), FREE).bound - second.evaluate(second.start(0), FREE).bound
    assert gain > 0.0


def test_a_held_noise_leaves_the_best_signal() -> None:
    """The bound at this noise is highest at the returned scales, and the noise does not change."""
    graph = of_depth(1, LatentNode())
    start, held = graph.start(0), Phase("held", 1, hidden_noise_held=True)
    layer = replace(start.layers[0], noise_variance=0.05)
    found, _ = graph.values(replace(start, layers=(layer, start.layers[1])), held)
    assert found.layer.noise_variance == 0.05
    best, targets = found.layer.kernel.variance, Targets.believed(start.nodes[1])
    for factor in (0.5, 0.95, 1.0, 1.05, 2.0):
        other = replace(layer, kernel=RBF(factor * best, layer.kernel.lengthscale))
        value = evaluate_layer(other, start.nodes[0], targets, jitter=JITTER).value
        assert value == pytest.approx(found.value) if factor == 1.0 else value < found.value


def test_the_order_of_points_does_not_matter() -> None:
    graph = of_depth(2, LatentNode())
    order, start = np.random.default_rng(3).permutation(12), graph.start(0)
    moved = Begun(
        tuple(Belief(each.mean[order], each.variance[order]) for each in start.nodes), start.layers
    )
    settings = {"family": "marginalised", "jitter": JITTER, "executor": serial}
    other = chain(LatentNode(), Targets.of(outputs()[order]), Given(moved), 2, **settings)
    assert other.evaluate(other.start(0), FREE).bound == pytest.approx(
        graph.evaluate(start, FREE).bound, rel=1e-10
    )


def test_the_unit_of_a_hidden_layer_does_not_matter() -> None:
    """The beliefs of a hidden layer and the next layer's inducing inputs and lengthscales are
    multiplied by a number.
    """
    graph, factor = of_depth(1, LatentNode()), 7.0
    start = graph.start(0)
    hidden, layer = start.nodes[1], start.layers[1]
    scaled = Belief(factor * hidden.mean, factor**2 * hidden.variance)
    lengthscale = factor * np.asarray(layer.kernel.lengthscale)
    below = Layer(RBF(1.0, lengthscale), factor * layer.inducing, 1.0)
    settings = {"family": "marginalised", "jitter": JITTER, "executor": serial}
    begin = Given(Begun((start.nodes[0], scaled), (start.layers[0], below)))
    other = chain(LatentNode(), Targets.of(outputs()), begin, 1, **settings)
    assert other.evaluate(other.start(0), FREE).bound == pytest.approx(
        graph.evaluate(start, FREE).bound, rel=1e-9
    )
    found = [HiddenNode().believed(each).information for each in (hidden, scaled)]
    np.testing.assert_allclose(found[0], found[1])


@pytest.mark.parametrize("family", ["marginalised", "mean_field"])
def test_the_bound_is_below_the_evidence(family: str) -> None:
    """The evidence log p(y | x) of three layers is estimated by draws from the prior."""
    x, y = np.array([[-1.0], [-0.4], [0.5], [1.0]]), np.array([[-1.0], [-0.9], [0.8], [1.1]])
    inputs, spread = Inputs.of(x, None), np.full((4, 1), 0.05)
    beliefs = (inputs.belief, Belief(x, spread), Belief(0.7 * (x + y), spread))
    layers = tuple(Layer(RBF(1.0, np.ones(1)), x, 0.05) for _ in beliefs)
    settings = {"family": family, "jitter": 1e-8, "executor": serial}
    begin = Given(Begun(beliefs, layers))
    graph = chain(InputNode(inputs), Targets.of(y), begin, 2, **settings)
    held = Phase("held", 1, ratio=20.0, hidden_noise_held=True)
    bound = graph.evaluate(graph.start(0), held).bound
    first, second, last = (at.layer for at in graph.values(graph.start(0), held))
    generator, n_draws = np.random.default_rng(4), 40_000
    h = np.broadcast_to(x[:, 0], (n_draws, 4))
    for layer in (first, second):
        root = np.linalg.cholesky(covariances(layer, h))
        h = (root @ generator.standard_normal((n_draws, 4, 1)))[:, :, 0]
    given = covariances(last, h)
    fit = np.linalg.solve(given, np.broadcast_to(y, (n_draws, 4, 1)))[:, :, 0] @ y[:, 0]
    weights = np.exp(-0.5 * (fit + np.linalg.slogdet(2.0 * np.pi * given)[1]))
    evidence, error = np.log(weights.mean()), weights.std() / weights.mean() / np.sqrt(n_draws)
    assert error < 0.02
    assert bound < evidence + 4.0 * error


def covariances(layer: Layer, points: np.ndarray) -> np.ndarray:
    """Return K + σ²I of a layer at draws of one-dimensional points."""
    distance = (points[:, :, None] - points[:, None, :]) / layer.kernel.lengthscale
    noise = float(layer.noise_variance) * np.eye(points.shape[1])
    return layer.kernel.variance * np.exp(-0.5 * distance**2) + noise


@pytest.fixture(scope="module")
def trained() -> DeepGP:
    generator = np.random.default_rng(5)
    x = np.sort(generator.uniform(-1.0, 1.0, 25))[:, None]
    y = np.sign(x[:, 0]) + 0.1 * generator.normal(size=25)
    outputs = np.column_stack([y, 0.1 * generator.normal(size=25) - y])
    model = DeepGP((2,), 8, max_iter=60, random_state=0).fit(x, outputs)
    assert model.layers_[0].freedom_ > 2.0
    return model


@pytest.mark.slow
def test_moments_and_draws_agree(trained: DeepGP) -> None:
    """For two layers at exact inputs, the moments are exact."""
    x = np.linspace(-1.2, 1.2, 7)[:, None]
    mean, std = trained.predict(x, return_std=True)
    # Points from different places in the list form pairs, so that one set of draws tests both
    # moments.
    draws = trained.sample(x, 1500, random_state=0)
    assert draws.shape == (1500, 7, 2)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=5.0 * std.max() / np.sqrt(1500))
    np.testing.assert_allclose(draws.std(axis=0), std, rtol=0.12)


def test_variances_of_hidden_functions_match_draws(trained: DeepGP) -> None:
    """Compare the variance of f at new inputs with draws of h from its belief and of u given h."""
    first, second = trained.layers_[0], trained.layers_[1]
    posterior, x = first.posterior_, first.latent_mean_
    gram = posterior.kernel.K(posterior.inducing) + posterior.jitter * np.eye(8)
    cross, noise = posterior.kernel.K(x, posterior.inducing), posterior.noise_variance
    inner = np.linalg.inv(gram + cross.T @ cross / noise)
    at = posterior.kernel.K(np.array([[0.1], [2.0]]), posterior.inducing)
    _, found = predict(posterior, np.array([[0.1], [2.0]]))
    inverse = np.linalg.inv(gram)
    for d in range(2):
        to_mean = gram @ inner @ cross.T / noise
        spread = gram @ inner @ gram + (to_mean * second.latent_variance_[:, d]) @ to_mean.T
        expected = posterior.kernel.variance - np.sum((at @ inverse) * at, axis=1)
        expected += np.sum((at @ inverse @ spread @ inverse) * at, axis=1)
        np.testing.assert_allclose(found[:, d], expected, rtol=1e-4)


def test_uncertain_inputs_pass_through_by_their_moments(trained: DeepGP) -> None:
    posteriors = [layer.posterior_ for layer in trained.layers_]
    points, spread = np.array([[0.3]]), np.array([[0.05]])
    network, given = Network.chain(posteriors), {0: Belief(points, spread)}
    mean, variance = moments(network, given, noise=False)[DATA]
    draws = draw_jointly(network, given, 1500, 1, noise=False)[DATA][:, 0]
    np.testing.assert_allclose(draws.mean(axis=0), mean[0], atol=0.15 * np.sqrt(variance[0]).max())
    np.testing.assert_allclose(draws.std(axis=0), np.sqrt(variance[0]), rtol=0.25)


def test_the_density_is_that_of_the_draws(trained: DeepGP) -> None:
    """Compare a histogram of draws at one input with score_samples."""
    x = np.array([[0.4]])
    draws = trained.sample(x, 3000, random_state=2)[:, 0]
    y = np.array([draws.mean(axis=0)])
    width = 0.5 * draws.std(axis=0)
    share = np.mean((np.abs(draws - y) < width).all(axis=1))
    corners = y[0] + width * np.array([(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)])
    weights = np.outer([1, 4, 1], [1, 4, 1]).ravel() / 9.0
    density = np.exp(trained.score_samples(np.repeat(x, 9, axis=0), corners, n_samples=2000))
    expected = float(weights @ density) * float(np.prod(width))
    assert share == pytest.approx(expected, rel=0.12)


def test_a_layer_with_a_slope_adds_a_linear_mean_of_its_inputs(trained: DeepGP) -> None:
    """Compare the moments of x slope + f(x) at uncertain inputs with draws of x.

    The bound equals that of f for the data minus the linear mean.
    """
    posterior = replace(trained.layers_[0].posterior_, slope=None)
    bent = replace(posterior, slope=np.array([[0.7, -1.2]]))
    point, spread = np.array([[0.3]]), np.array([[0.2]])
    given = {0: Belief(point, spread)}
    mean, variance = moments(Network.chain([bent]), given, noise=False)[DATA]
    x = point + np.sqrt(spread) * np.random.default_rng(6).standard_normal((40_000, 1))
    means, variances = predict(bent, x)
    np.testing.assert_allclose(means, predict(posterior, x)[0] + x @ bent.slope)
    np.testing.assert_allclose(means.mean(axis=0), mean[0], atol=0.02)
    np.testing.assert_allclose(variances.mean(axis=0) + means.var(axis=0), variance[0], rtol=0.03)
    _, covariance = predict_covariance(bent, point[0], spread[0])
    np.testing.assert_allclose(np.diag(covariance), variance[0])
    np.testing.assert_allclose(covariance[0, 1], np.cov(means.T)[0, 1], atol=0.02)
    x = np.random.default_rng(7).normal(size=(12, 2))
    slope, plain = np.ones((2, 3)), Layer(RBF(1.0, np.ones(2)), x[:5], 0.3)
    inputs, data = Belief.certain(x), outputs()
    first = evaluate_layer(replace(plain, slope=slope), inputs, Targets.of(data), jitter=JITTER)
    second = evaluate_layer(plain, inputs, Targets.of(data - x @ slope), jitter=JITTER)
    assert first.value == pytest.approx(second.value, rel=1e-12)
