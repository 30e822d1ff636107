"""Tests of structures of deep models: inputs with gaps, paths over time, encoders."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from gplvm_core import RBF, DeepGP, DeepGPLVM, SemiDescribedGPRegression, load
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.datasets import DataError
from gplvm_core.models import Capabilities
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.estimators.trained import worth
from gplvm_core.models.problems import regression
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.deep_many_rows import Grown
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.graph import Beginning, Begun, Given, Graph, Recipes
from gplvm_core.models.problems.nodes import InputNode, LatentNode
from gplvm_core.models.problems.shallow import imputed
from gplvm_core.models.training.run import Phase, Run, Trained
from gplvm_core.models.training.schedule import Training
from gplvm_core.optimise import Progress
from gplvm_core.prediction import DATA, moments
from gplvm_core.prediction.row_bound import RowBound
from gplvm_core.prediction.sequence import BelowPath
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial

QUICK = {"max_iter": 8, "random_state": 0}


@pytest.fixture
def quick_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the training of the shallow regression at the start."""
    monkeypatch.setattr(regression, "SUBSET_ITERATIONS", 1)
    monkeypatch.setattr(regression, "SUBSET", 10)


def test_a_longer_run_continues_with_a_start_that_is_sound() -> None:
    """A resumed run avoids the start with the higher bound, because this start overfits."""
    points = np.linspace(-1.5, 1.5, 12)[:, None]
    inputs, targets = Inputs.of(points, None), Targets.of(np.sign(np.sin(6.0 * points)))

    def begun(hidden: np.ndarray, lengthscale: float) -> Given:
        layers = tuple(Layer(RBF(1.0, np.full(1, at)), points, 1e-3) for at in (lengthscale, 1.0))
        return Given(Begun((inputs.belief, Belief(hidden, np.full((12, 1), 1e-3))), layers))

    begin = Recipes({"tame": begun(points, 2.0), "wild": begun(np.sin(6.0 * points), 0.25)})
    settings = {"family": "marginalised", "jitter": 1e-6, "executor": serial}
    graph = chain(InputNode(inputs), targets, begin, 1, **settings)
    told = list[Run]()

    def train(max_iter: int, resume: Run | None = None) -> tuple[Trained, ...]:
        def watch(progress: Progress) -> None:
            told.append(progress.run)

        training = Training(graph, max_iter, 1e-6, 0.0, (), partial(worth, DeepGP(), graph))
        return training.run((0, 1), watch, resume)

    tame, wild = (each.restart for each in train(1))
    assert wild.bound > tame.bound
    last, went_on = (each.restart for each in train(2, told[-1]))
    assert (last.seed, went_on.seed) == (wild.seed, tame.seed)
    assert (last.recipe, went_on.recipe) == ("wild", "tame")
    assert last.result.iterations == 1 and went_on.result.iterations == 2


def gappy(n_points: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return inputs, the same inputs with gaps, and outputs that determine both inputs."""
    generator = np.random.default_rng(1)
    x = generator.uniform(-1.0, 1.0, (n_points, 2))
    y = np.column_stack([np.tanh(6.0 * x[:, 0]), x[:, 1] + 0.3 * x[:, 0]])
    gaps = x.copy()
    gaps[generator.random(n_points) < 0.5, 1] = np.nan
    gaps[generator.random(n_points) < 0.2, 0] = np.nan
    return x, gaps, y + 0.05 * generator.normal(size=y.shape)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rows_with_missing_inputs_add_information() -> None:
    x, gaps, y = gappy(30)
    every = DeepGP((2,), 8, max_iter=12, random_state=0).fit(gaps, y)
    assert np.abs(every.predict(x) - y).mean() < 0.2 * y.std()
    # The outputs determine the missing inputs, and known inputs do not change.
    inputs = every.input_center_ + every.input_scale_ * every.layers_[0].latent_mean_
    seen = ~np.isnan(gaps).all(axis=1)
    missing = np.isnan(gaps[seen])
    np.testing.assert_allclose(inputs[~missing], gaps[seen][~missing])
    assert np.abs(inputs - x[seen])[missing].mean() < 0.5 * x.std()
    assert any("they have no input" in note for note in every.notes_)
    # Predictions average over a missing new input.
    new = np.array([[0.5, 0.2], [0.5, np.nan]])
    _, std = every.predict(new, return_std=True)
    assert std[1, 1] > 2.0 * std[0, 1]


@pytest.mark.usefixtures("quick_starts")
def test_missing_inputs_are_treated_as_by_the_shallow_regression() -> None:
    """Both regressions use the same rows and report the same notes; without gaps nothing is
    imputed.
    """
    _, gaps, y = gappy(12)
    for lost in (0, 11):
        gaps[:lost, 1] = np.nan
        with pytest.warns(UserWarning) as ours:
            DeepGP((1,), 5, **QUICK).fit(gaps, y)
        with pytest.warns(UserWarning) as theirs:
            SemiDescribedGPRegression(5, **QUICK).fit(gaps, y)
        for told in theirs:
            assert str(told.message) in [str(each.message) for each in ours]
    known = Inputs.of(np.ones((12, 2)), None)
    assert imputed(known, y, 5, 1e-6, serial) is known


def waving(n_points: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Return times, and outputs that follow a path with steps."""
    generator, times = np.random.default_rng(0), np.arange(n_points) / 6.0
    hidden = np.column_stack([np.tanh(4.0 * np.sin(times)), np.cos(times)])
    rows = np.tanh(hidden @ generator.normal(size=(2, 6)))
    return times, rows + 0.03 * generator.normal(size=rows.shape)


@pytest.fixture(scope="module")
def dynamical() -> DeepGPLVM:
    times, rows = waving()
    return DeepGPLVM((2, 3), 10, time_kernel="rbf", max_iter=40, random_state=0).fit(
        rows, times=times
    )


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_path_continues_through_all_layers(dynamical: DeepGPLVM, tmp_path) -> None:
    times, rows = waving()
    assert dynamical.capabilities == Capabilities(timed=True, layers=True)
    between = times[:-1] + 1.0 / 12.0
    mean, std = dynamical.forecast(between, return_std=True)
    middle = 0.5 * (rows[1:] + rows[:-1])
    assert np.sqrt(np.mean((mean - middle) ** 2)) < 0.3 * rows.std()
    # Compare moments through the layers with draws of the path and of every layer.
    at, spread = dynamical.forecast_latent(between[:1])
    draws = dynamical.sample(at, 1500, 0, X_variance=spread)[:, 0]
    np.testing.assert_allclose(draws.mean(axis=0), mean[0], atol=0.2 * std[0].max())
    np.testing.assert_allclose(draws.std(axis=0), std[0], rtol=0.25)
    # Far from all times, the uncertainty is that of the prior.
    _, far = dynamical.forecast([1e3], return_std=True)
    assert (far > 2.0 * std.mean(axis=0)).all()
    drawn, paths = dynamical.sample_sequence(times[:5], n_samples=2, return_latent=True)
    assert drawn.shape == (2, 5, 6) and paths.shape == (2, 5, 2)
    dynamical.save(tmp_path / "deep.gplvm")
    back = load(tmp_path / "deep.gplvm")
    np.testing.assert_array_equal(back.forecast(between), mean)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rows_in_time_are_completed_together(dynamical: DeepGPLVM) -> None:
    """The model places completely missing rows on the path of the others."""
    times, rows = waving()
    gaps, steps = rows[5:20].copy(), list[float]()
    gaps[6:8], gaps[10:, :2] = np.nan, np.nan
    missing = np.isnan(gaps)

    def watch(step: int, bound: float) -> None:
        steps.append(bound)

    whole, std, *found = dynamical.complete(
        gaps, times=times[5:20], callback=watch, return_std=True, return_latent=True
    )
    np.testing.assert_array_equal(whole[~missing], gaps[~missing])
    assert np.sqrt(np.mean((whole - rows[5:20])[missing] ** 2)) < 0.35 * rows.std()
    assert (std[missing] > 0.0).all()
    # Every step raises the bound, with hidden points at their optimum.
    assert len(steps) > 3 and (np.diff(steps[1:]) > -1e-6).all()
    path, spread = dynamical.transform_sequence(gaps, times=times[5:20], return_std=True)
    assert path.shape == spread.shape == (15, 2)
    np.testing.assert_array_equal(found, (path, spread))
    # Without any data, the outputs of a sequence follow the prior over time.
    nothing = dynamical.complete(np.full((3, 6), np.nan), times=times[:3])
    given = {0: Belief(np.zeros((3, 2)), np.ones((3, 2)))}
    mean, variance = moments(dynamical._network, given, noise=False)[DATA]
    assert np.abs(nothing - mean).max() < np.sqrt(variance).max()

    def stop(step: int, bound: float) -> None:
        raise StopIteration

    assert dynamical.complete(gaps, times=times[5:20], callback=stop).shape == gaps.shape


def test_hidden_points_below_a_path_are_at_their_optimum(dynamical: DeepGPLVM) -> None:
    """The gradient for the belief at the top is computed with hidden points at their optimum."""
    _, rows = waving()
    network = dynamical._network
    hidden = {1: Belief(dynamical.layers_[1].latent_mean_[:2], np.full((2, 3), 0.01))}
    usual = {at: each.variance.mean(axis=0) for at, each in enumerate(network.beliefs)}
    below = BelowPath(RowBound.of(network, {DATA: rows[:2]}), (0,), hidden, usual)
    mean, variance = np.array([[0.3, 0.0], [-0.5, 1.0]]), np.full((2, 2), 0.2)
    for _ in range(5):
        _, d_mean, d_variance = below(Belief(mean, variance))

    def value(x: np.ndarray) -> float:
        return below(Belief(mean + x[0], variance + x[1]))[0]

    found = np.array([d_mean.sum(), d_variance.sum()])
    steps = 1e-4 * np.eye(2)
    expected = [(value(each) - value(-each)) / 2e-4 for each in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-3)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_autoencoders() -> None:
    """One autoencoder has a prior over the top given the outputs, the other an encoder."""
    _, rows = waving()
    tied = DeepGPLVM((1, 2), 8, time_kernel="rbf", **QUICK).fit(rows, times=rows)
    found = tied.forecast(rows)
    assert np.sqrt(np.mean((found - rows) ** 2)) < 0.6 * rows.std()
    for kind in ("kernel", "network"):
        model = DeepGPLVM((2, 3), 8, encoder=kind, **QUICK | {"max_iter": 3}).fit(rows)
        np.testing.assert_allclose(model.transform(rows), model.latent_mean_, atol=1e-10)
        gaps = rows[:3].copy()
        gaps[0, 2:] = np.nan
        np.testing.assert_allclose(model.transform(gaps)[1:], model.latent_mean_[1:3], atol=1e-10)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_impossible_settings_of_the_top_are_refused() -> None:
    times, rows = waving(12)
    plain = DeepGPLVM((1, 2), 5, **QUICK).fit(rows, times=times)
    assert any("times and sequences are not used" in note for note in plain.notes_)
    for ask in (plain.forecast, plain.sample_sequence):
        with pytest.raises(DataError, match="trained without a kernel over time"):
            ask(times)
    with pytest.raises(ValueError, match="a time_kernel and an encoder cannot be combined"):
        DeepGPLVM((1, 2), time_kernel="rbf", encoder="kernel").fit(rows)
    with pytest.raises(DataError, match="times must have an entry for each row"):
        DeepGPLVM((1, 2), time_kernel="rbf").fit(rows, times=times[:5])
    with pytest.raises(ValueError, match="encoder must be None or one of kernel, network"):
        DeepGPLVM((1, 2), encoder="rows").fit(rows)
    timed = DeepGPLVM((1, 2), 5, time_kernel="rbf", **QUICK).fit(rows)
    with pytest.raises(ValueError, match="adapt=True is only for models of one layer"):
        timed.complete(rows, times=times, adapt=True)


def test_a_top_grows_on_layers_that_were_trained() -> None:
    """The lower layers start at their final state from a training without the top layer.

    The new top layer starts with little noise.
    """
    _, rows = waving()
    rows -= rows.mean(axis=0)
    whole = Embedded(rows, (1, 2, 3), (4, 5, 6), ("rbf", "rbf", "rbf"), "pca")
    trained = list[Graph]()

    def below(begin: Beginning, n_hidden: int, phases: Sequence[Phase]) -> Graph:
        settings = {"family": "marginalised", "jitter": 1e-6, "executor": serial, "phases": phases}
        trained.append(chain(LatentNode(), Targets.of(rows), begin, n_hidden, **settings))
        return trained[-1]

    begun = Grown(whole, below, 15)(3)
    assert [each.mean.shape[1] for each in begun.beliefs] == [1, 2, 3]
    assert [layer.inducing.shape for layer in begun.layers] == [(4, 1), (5, 2), (6, 3)]
    level = begun.beliefs[1].mean.var(axis=0).mean()
    assert begun.layers[0].noise_variance == pytest.approx(0.1 * level)
    one, two = trained
    assert (len(one.edges), len(two.edges)) == (1, 2)
    # After training, a layer explains more than at its start.
    before = one.evaluate(one.start(3), FREE).bound
    grown = two.begin(3)
    parameters = replace(one.start(3), nodes=(grown.beliefs[1],), layers=(grown.layers[1],))
    assert one.evaluate(parameters, FREE).bound > before + 10.0


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_growing_is_another_start() -> None:
    _, rows = waving(24)
    model = DeepGPLVM((1, 2), 6, grow=True, **QUICK).fit(rows)
    together, grown = model.restarts_
    assert (together.recipe, grown.recipe) == ("all layers together", "a grown top")
    assert together.bound != grown.bound
    assert model.result_ is max(model.restarts_, key=lambda each: each.bound).result
    kept = "was" if grown.bound > together.bound else "was not"
    (note,) = (each for each in model.notes_ if "grown" in each)
    assert note.startswith(
        f"the start with a grown top {kept} used: its bound is {grown.bound:.1f} nats"
    )
    plain = DeepGPLVM((1, 2), 6, random_state=0, max_iter=8).fit(rows)
    assert len(plain.restarts_) == 1 and not any("grown" in each for each in plain.notes_)


def test_nothing_grows_on_a_layer_that_is_off() -> None:
    noise = np.random.default_rng(0).normal(size=(12, 1))
    with pytest.warns(UserWarning, match="so no layer was added above it"):
        DeepGPLVM((1, 1), 4, grow=True, max_iter=40, jitter=1e-4, random_state=0).fit(noise)
