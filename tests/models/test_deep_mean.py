"""Tests of deep models whose hidden layers have a linear mean."""

import numpy as np
import pytest

from gplvm_core import DeepGP
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.problems import regression
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.deep_regression_starts import NOISIER, InputsPassedOn
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.nodes import InputNode
from gplvm_core.models.problems.shallow import Shallow
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial

QUICK = {"max_iter": 8, "random_state": 0}


def odd_columns() -> tuple[np.ndarray, np.ndarray]:
    """Return one output, and inputs whose columns are sums of others or have only two values."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=(40, 2))
    points = np.column_stack([x, x.sum(axis=1), np.sign(x[:, 0])])
    targets = (np.sin(2.0 * x[:, 1]) + np.sign(x[:, 0]) + 0.1 * generator.normal(size=40))[:, None]
    return (points - points.mean(axis=0)) / points.std(axis=0), targets - targets.mean()


def bent_rows(n_points: int = 40) -> np.ndarray:
    generator = np.random.default_rng(1)
    signals = np.tanh(2.0 * generator.normal(size=(n_points, 2)))
    return np.sin(signals @ generator.normal(size=(2, 6)))


@pytest.mark.parametrize("widths", [(4,), (6,), (4, 4), (6, 5)])
def test_layers_with_a_linear_mean_start_at_the_shallow_bound(widths: tuple[int, ...]) -> None:
    """The columns are unusual, and some models have more hidden dimensions than inputs.

    Every further layer lowers the bound only because the noise of its inputs adds to its own noise.
    """
    points, targets = odd_columns()
    inputs, n_hidden = Inputs.of(points, None), len(widths)
    shallow = Shallow.of(inputs, targets, 12, 1e-6, max_iter=15)
    many = (12,) * (n_hidden + 1), ("rbf",) * (n_hidden + 1)
    start = InputsPassedOn(shallow, widths, *many, everywhere=True)
    settings = {"family": "marginalised", "jitter": 1e-6, "executor": serial}
    graph = chain(InputNode(inputs), Targets.of(targets), start, n_hidden, **settings)
    layer = Layer(shallow.kernel, shallow.inducing, 1.0)
    one = evaluate_layer(layer, inputs.belief, Targets.of(targets), jitter=1e-6, profile=True)
    cost = 0.5 * 40 * sum(widths[1:]) * np.log1p(1.0 / NOISIER)
    found = graph.evaluate(graph.start(0), FREE).bound
    assert found == pytest.approx(one.value - cost, abs=3.0 * n_hidden - 2.5)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_three_layers_lose_little_where_one_is_enough() -> None:
    """The data are a smooth curve of two inputs; the second layer has uncertain inputs."""
    generator = np.random.default_rng(2)
    x = generator.uniform(-1.0, 1.0, (60, 2))
    y = np.sin(2.0 * x[:, 0]) + x[:, 1] + 0.1 * generator.normal(size=60)
    settings = {"random_state": 0, "max_iter": 120, "mean": "linear"}
    one, three = (DeepGP(wide, 15, **settings).fit(x, y) for wide in ((2,), (2, 2)))
    assert three.bound_ > one.bound_ - 3.0
    assert all(layer.posterior_.slope is not None for layer in three.layers_[:-1])
    new = generator.uniform(-1.0, 1.0, (30, 2))
    np.testing.assert_allclose(three.predict(new), one.predict(new), atol=0.1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_settings_decide_the_starts_and_the_linear_means_of_a_regression(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Shorten the training of the shallow regression at the start.
    monkeypatch.setattr(regression, "SUBSET_ITERATIONS", 1)
    monkeypatch.setattr(regression, "SUBSET", 10)
    x = np.linspace(0.0, 1.0, 15)[:, None]
    y = (x[:, 0] < 0.5).astype(float)
    for settings, starts in (
        ({"mean": "zero"}, 2),
        ({"mean": "linear"}, 1),
        ({}, 3),
        ({"n_components": (1, 1)}, 4),
        ({"n_components": (1, 1), "mean": "linear"}, 2),
        ({"n_components": (1, 1), "mean": "linear", "family": "gated"}, 1),
        ({"n_components": (1, 1), "mean": "linear", "input_connections": True}, 2),
    ):
        model = DeepGP((1,), 5, **QUICK).set_params(**settings).fit(x, y)
        assert len(model.restarts_) == starts
        if settings.get("mean") is not None:
            first = model.layers_[0].posterior_.slope
            assert (first is None) == (settings["mean"] == "zero")
    with pytest.raises(ValueError, match="mean must be one of compared, zero, linear; got 'ident"):
        DeepGP((1,), 5, mean="identity", **QUICK).fit(x, y)
    with pytest.raises(ValueError, match="input connections need the family 'mean_field' or"):
        DeepGP((1,), 5, input_connections=True, family="gated", **QUICK).fit(x, y)
    with pytest.raises(ValueError, match="mean='linear' needs inputs that are known exactly"):
        DeepGP((1,), 5, mean="linear", **QUICK).fit(x, y, X_variance=0.1)
