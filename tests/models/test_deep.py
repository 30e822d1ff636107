"""Tests of deep models as users see them: gains, verdicts about layers, refused settings."""

import numpy as np
import pytest

from gplvm_core import (
    RBF,
    DeepGP,
    DeepGPLVM,
    Linear,
    SparseGPRegression,
    explorer,
    load,
    load_dataset,
    save,
)
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.datasets import DataError, Dataset, Drawing
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.estimators.trained import worth
from gplvm_core.models.problems import regression
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.graph import Begun, Given, Graph
from gplvm_core.models.problems.nodes import InputNode
from gplvm_core.models.training.run import Restart, Run, Trace, Trained
from gplvm_core.optimise import Progress, Result
from gplvm_core.prediction import predict
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial
from tests.cases import quickly

QUICK = {"max_iter": 8, "random_state": 0}


def step(n_points: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    x = np.sort(generator.uniform(-1.0, 1.0, n_points))[:, None]
    return x, np.sign(x[:, 0]) + 0.05 * generator.normal(size=n_points)


@pytest.fixture
def quick_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the training of the shallow regression at the start."""
    monkeypatch.setattr(regression, "SUBSET_ITERATIONS", 1)
    monkeypatch.setattr(regression, "SUBSET", 10)


def test_depth_helps_on_a_step() -> None:
    x, y = step(30)
    new, wanted = step(100, 1)
    shallow = SparseGPRegression(8, max_iter=60, random_state=0).fit(x, y)
    deep = DeepGP((1,), 8, max_iter=60, random_state=0).fit(x, y)
    assert deep.bound_ > shallow.bound_ + 10.0
    mean, std = shallow.predict(new, return_std=True)
    by_shallow = -0.5 * np.log(2.0 * np.pi * std**2) - 0.5 * ((wanted - mean) / std) ** 2
    assert deep.score_samples(new, wanted).mean() > by_shallow.mean() + 0.5
    assert [layer.verdict_ for layer in deep.layers_] == [
        "layer 1 of 2 is on",
        "layer 2 of 2 is on",
    ]
    # The hidden layer has not collapsed: it is nonlinear and has little noise.
    hidden = deep.layers_[0]
    assert hidden.signal_to_noise_ > 5.0 and hidden.freedom_ > 2.0 and hidden.linear_ < 0.99
    assert deep.layers_[1].information_[0] > 0.5 and deep.layers_[1].kl_ > 0.05
    np.testing.assert_array_equal(deep.layers_[0].information_, 0.0)
    # Training used every kind of start and chose the best one.
    assert len(deep.restarts_) == 3
    assert deep.result_ == max(deep.restarts_, key=lambda each: each.bound).result


@pytest.mark.slow
def test_depth_costs_nothing_where_it_gives_nothing() -> None:
    generator = np.random.default_rng(2)
    x = generator.uniform(-1.0, 1.0, (30, 1))
    y = np.sin(4.0 * x[:, 0]) + 0.1 * generator.normal(size=30)
    shallow = SparseGPRegression(30, max_iter=100, random_state=0).fit(x, y)
    with pytest.warns(UserWarning, match="equals a shallow model, so fewer layers would do"):
        deep = DeepGP((1,), 10, max_iter=50, random_state=0).fit(x, y)
    assert deep.bound_ == pytest.approx(shallow.bound_, abs=0.1)
    new = np.linspace(-1.0, 1.0, 20)[:, None]
    for first, second in zip(
        deep.predict(new, return_std=True), shallow.predict(new, return_std=True), strict=True
    ):
        np.testing.assert_allclose(first, second, atol=0.01)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_latent_chain_recovers_the_hidden_signal() -> None:
    """The hidden signal is a circle whose first coordinate is nearly a step; both layers are on."""
    generator = np.random.default_rng(0)
    angle = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    hidden = np.column_stack([np.tanh(4.0 * np.cos(angle)), np.sin(angle)])
    outputs = np.tanh(hidden @ generator.normal(size=(2, 8)))
    outputs += 0.03 * generator.normal(size=outputs.shape)
    model = DeepGPLVM((2, 3), 12, max_iter=80, random_state=0).fit(outputs)
    assert [layer.verdict_.split(" is ")[1][:2] for layer in model.layers_] == ["on", "on"]
    assert model.layers_[0].latent_mean_.shape == (60, 2)
    assert model.layers_[1].latent_mean_.shape == (60, 3)
    np.testing.assert_array_equal(model.latent_mean_, model.layers_[0].latent_mean_)
    spread = outputs.std()
    for layer, belief in enumerate(model.layers_):
        found = model.generate(belief.latent_mean_, layer)
        assert np.sqrt(np.mean((found - outputs) ** 2)) < 0.2 * spread
    # Half of each new row is hidden, and all layers are inferred together.
    gaps = outputs.copy()
    gaps[::2, :4], gaps[1::2, 4:] = np.nan, np.nan
    whole, std = model.complete(gaps, return_std=True)
    missing = np.isnan(gaps)
    np.testing.assert_array_equal(whole[~missing], outputs[~missing])
    assert np.sqrt(np.mean((whole - outputs)[missing] ** 2)) < 0.5 * spread
    assert (std[missing] > 0.0).all()
    inferred = model.transform(outputs)
    assert np.abs(inferred - model.latent_mean_).mean() < 0.2 * model.latent_mean_.std()
    assert model.score(outputs) > model.score(outputs[:, ::-1])
    weights, latent, rows = model.alternatives(gaps[:3], 2)
    assert latent.shape == (3, 2, 2) and rows.shape == (3, 2, 8)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)


def test_noise_is_reported_as_noise() -> None:
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=(30, 1)), generator.normal(size=30)
    with pytest.warns(UserWarning, match=r"layer 2 of 2 is off.*try another random seed"):
        model = DeepGP((1,), 6, max_iter=60, random_state=0).fit(x, y)
    assert any("is off" in layer.verdict_ for layer in model.layers_)
    assert any("is off" in note for note in model.notes_)


def test_a_start_that_fits_single_points_comes_last() -> None:
    """A hidden layer with as many degrees of freedom as points ranks last, whatever its bound."""
    points = np.linspace(-1.5, 1.5, 12)[:, None]
    inputs, spread = Inputs.of(points, None), np.full((12, 1), 1e-3)

    def start(hidden: np.ndarray, lengthscale: float, bound: float) -> tuple[Graph, Trained]:
        layers = tuple(
            Layer(RBF(1.0, np.full(1, each)), points, 1.0) for each in (lengthscale, 1.0)
        )
        begin = Given(Begun((inputs.belief, Belief(hidden, spread)), layers))
        settings = {"family": "marginalised", "jitter": 1e-6, "executor": serial}
        graph = chain(InputNode(inputs), Targets.of(np.sign(points)), begin, 1, **settings)
        restart = Restart(0, bound, Result("converged", "", 1, 1, 0, 1e-6))
        return graph, Trained(restart, graph.start(0), Trace.empty())

    wild, tame = start(np.sin(6.0 * points), 0.25, 9.0), start(points, 2.0, 1.0)
    better = start(points, 2.0, 2.0)
    ranks = [worth(DeepGP(), *each) for each in (wild, tame, better)]
    assert ranks[0] < ranks[1] < ranks[2]


@pytest.mark.usefixtures("quick_starts")
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", quickly(["regression", "latent"], ["latent"]))
def test_a_run_that_is_resumed_gives_the_same_numbers(kind: str, tmp_path) -> None:
    x, y = step(20)
    rows = np.column_stack([y, x[:, 0], np.cos(3.0 * x[:, 0])])

    def fit(**how):
        if kind == "latent":
            return DeepGPLVM((1, 2), 5, max_iter=20, random_state=0).fit(rows, **how)
        return DeepGP((1,), 5, max_iter=16, random_state=0).fit(x, rows[:, :2], **how)

    whole, stopped = fit(), list[Run]()

    def stop(progress: Progress) -> None:
        # The training is interrupted in the second phase (in a regression, in the second start).
        stopped.append(progress.run)
        if len(progress.run.done) == len(whole.restarts_) - 1 and progress.iteration == 6:
            raise StopIteration

    fit(callback=stop)
    save(stopped[-1], tmp_path / "run")
    again = fit(resume=load(tmp_path / "run"))
    assert again.bound_ == whole.bound_
    for first, second in zip(whole.layers_, again.layers_, strict=True):
        np.testing.assert_array_equal(first.posterior_.weights, second.posterior_.weights)
    assert [each.bound for each in again.restarts_] == [each.bound for each in whole.restarts_]
    recipes = [each.recipe for each in whole.restarts_]
    assert [each.recipe for each in again.restarts_] == recipes


@pytest.mark.slow
@pytest.mark.usefixtures("quick_starts")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_saved_model_answers_the_same(tmp_path) -> None:
    x, y = step(20)
    deep = DeepGP((2, 1), (6, 5, 4), kernel=("rbf", RBF() + Linear(), "rbf"), **QUICK).fit(x, y)
    deep.save(tmp_path / "deep.gplvm")
    back = load(tmp_path / "deep.gplvm")
    for first, second in zip(
        deep.predict(x, return_std=True), back.predict(x, return_std=True), strict=True
    ):
        np.testing.assert_array_equal(first, second)
    assert [len(layer.posterior_.inducing) for layer in back.layers_] == [6, 5, 4]
    assert [layer.verdict_ for layer in back.layers_] == [layer.verdict_ for layer in deep.layers_]
    rows = load_dataset("wine").values[:40]
    latent = DeepGPLVM((2, 4), 8, scaling="columns", **QUICK).fit(rows)
    latent.save(tmp_path / "latent.gplvm")
    back = load(tmp_path / "latent.gplvm")
    np.testing.assert_array_equal(back.transform(rows[:3]), latent.transform(rows[:3]))
    np.testing.assert_array_equal(back.sample(3, random_state=1), latent.sample(3, random_state=1))


@pytest.mark.usefixtures("quick_starts")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_missing_and_several_outputs_and_noisy_inputs() -> None:
    x, y = step(24)
    rows = np.column_stack([y, 3.0 + x[:, 0]])
    rows[3:7, 0], rows[10, 1] = np.nan, np.nan
    for noise in ("shared", "per_output"):
        model = DeepGP((1,), 6, noise=noise, **QUICK).fit(x, rows, X_variance=0.001)
        mean, std = model.predict(x, return_std=True)
        assert mean.shape == std.shape == (24, 2) and (std > 0.0).all()
        assert np.isfinite(model.score_samples(x, rows)).all()
        assert model.sample(x[:4], 3, random_state=0).shape == (3, 4, 2)
        assert any("are missing" in note for note in model.notes_)
    _, wider = model.predict(x, X_variance=0.3, return_std=True)
    assert wider.mean() > std.mean()


@pytest.mark.usefixtures("quick_starts")
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_components": ()}, r"n_components must be a whole number .* for each layer; got \(\)"),
        ({"n_components": (2, 0)}, r"n_components must be a whole number of at least 1"),
        (
            {"n_inducing": (5, 5, 5)},
            "n_inducing has 3 entries for 2 layers: give one for each layer",
        ),
        ({"kernel": ("rbf",)}, "kernel has 1 entries for 2 layers"),
        ({"kernel": ("rbf", "cubic")}, "kernel must be one of 'rbf', 'linear'"),
        (
            {"family": "chained"},
            "family must be one of mean_field, marginalised, gated, free, diagonal, joint, full, "
            "chain, low_rank_chain; got 'chained'",
        ),
        ({"noise": "none"}, "noise must be one of shared, per_output"),
    ],
)
@pytest.mark.parametrize("kind", [DeepGP, DeepGPLVM])
def test_settings_out_of_range(kind, settings: dict, words: str) -> None:
    x, y = step(12)
    wide = (2,) if kind is DeepGP else (2, 2)
    model = kind(wide, 5, **QUICK).set_params(**settings)
    with pytest.raises(ValueError, match=words):
        model.fit(x, y) if kind is DeepGP else model.fit(np.column_stack([x, y, x**2]))


@pytest.mark.usefixtures("quick_starts")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_data_that_do_not_fit() -> None:
    x, y = step(12)
    model = DeepGP((1,), 5, **QUICK)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(x, y[:9])
    with pytest.raises(ValueError, match="is infinite"):
        model.fit(np.full_like(x, np.inf), y)
    model.fit(x, y)
    with pytest.raises(ValueError, match="Y has 2 outputs; the model was fitted to 1"):
        model.score_samples(x, np.column_stack([y, y]))
    latent = DeepGPLVM((1, 2), 5, **QUICK).fit(np.column_stack([x, y, x**2]))
    with pytest.raises(ValueError, match="layer must be a whole number from 0, the top, to 1"):
        latent.generate(np.zeros((1, 1)), 2)
    with pytest.raises(DataError, match="latent points must be N × 2; got shape"):
        latent.generate(np.zeros((1, 1)), 1)
    with pytest.warns(UserWarning, match="n_inducing = 50 is capped at the number of points, 12"):
        DeepGP((1,), 50, **QUICK).fit(x, y)


def test_starts_are_made_layer_by_layer() -> None:
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(30, 4)) @ np.diag([3.0, 1.0, 0.3, 0.1])
    begun = Embedded(rows - rows.mean(axis=0), (2, 3), (5, 6), ("rbf", "rbf"), "pca")(0)
    assert [each.mean.shape for each in begun.beliefs] == [(30, 2), (30, 3)]
    assert [len(layer.inducing) for layer in begun.layers] == [5, 6]
    # Training holds the hidden noise at a tenth of the variance that the layer explains.
    level = begun.beliefs[1].mean.var(axis=0).mean()
    assert begun.layers[0].noise_variance == pytest.approx(0.1 * level)
    # Latent means that a user passes may have any unit.
    given = Embedded(rows, (2, 3), (5, 6), ("rbf", "rbf"), 1e-4 * rows[:, :3])(0)
    np.testing.assert_allclose(given.beliefs[1].mean.std(axis=0).max(), 1.0)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_explorer_of_a_deep_model_has_the_map_of_its_last_layer() -> None:
    Y = np.random.default_rng(0).normal(size=(12, 4))
    fitted = DeepGPLVM((1, 2), 5, **QUICK).fit(Y)
    assert fitted.capabilities.layers
    chart = explorer(fitted, Dataset("made", "Made", Y, Drawing("curve", (4,)))).chart
    assert chart.layer == 1
    at = chart.latent_mean[:3]
    np.testing.assert_allclose(
        predict(chart.posterior, at)[0], fitted.generate(at, layer=1), atol=1e-12
    )


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_layer_verdicts_during_training_equal_the_final_ones() -> None:
    told: list[Progress] = []
    rows = np.random.default_rng(0).normal(size=(30, 4))
    fitted = DeepGPLVM((1, 2), 5, max_iter=20, random_state=0).fit(rows, callback=told.append)
    assert [each.iteration for each in told if each.verdicts] == [20]
    said = [layer.verdict_.split(":")[0].split(",")[0] for layer in fitted.layers_]
    assert list(told[-1].verdicts) == said
