"""The state-space model: its bound and gradient, forecasts, sequences, mistakes and files."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from gplvm_core import DataError, StateSpaceGPLVM, load, save
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.kernels import RBF
from gplvm_core.models.problems.edges import FREE, to_data
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.problems.state_space import StateNode, StateStart, shift_of, to_next
from gplvm_core.numerics import Array
from gplvm_core.statistics.executors import serial

STEPS = 15


def oscillation(count: int, seed: int = 0) -> Array:
    """Return a noisy van der Pol oscillation, seen through five channels."""
    draw = np.random.default_rng(seed)
    state, found = np.array([1.0, 0.0]), []
    for _ in range(10 * count):
        x, v = state
        state = state + 0.015 * np.array([v, 2.0 * (1.0 - x**2) * v - x])
        found.append(state)
    channels = np.array([[1.0, 0.5, -0.4, 0.2, 0.0], [0.1, -0.5, 0.3, 0.6, 1.0]])
    return np.tanh(np.array(found)[::10] @ channels) + 0.03 * draw.standard_normal((count, 5))


@pytest.fixture(scope="module")
def rows() -> Array:
    return oscillation(150)


@pytest.fixture(scope="module")
def model(rows: Array) -> StateSpaceGPLVM:
    return StateSpaceGPLVM(3, 25, max_iter=300, random_state=0).fit(rows[:-STEPS])


def small_graph(values: Array, sequences: Array) -> Graph:
    shift = shift_of(sequences)
    start = StateStart((values,), 2, 6, ("rbf",), "pca", shift=shift)
    node = StateNode(np.setdiff1d(np.arange(len(values)), shift.after))
    return Graph((node,), (to_data(values, serial, "shared"), to_next(shift, serial)), start, 1e-6)


def test_the_gradient_matches_differences() -> None:
    values = oscillation(24)[:, :3]
    values = (values - values.mean(axis=0)) / values.std()
    graph = small_graph(values, np.repeat([0, 1, 2], 8))
    parameters = graph.start(0)
    layout = graph.layout(parameters, FREE)
    at = layout.pack(parameters)
    slope = layout.chain(parameters, graph.evaluate(parameters, FREE).gradient)
    for i in np.random.default_rng(0).choice(len(at), 30, replace=False):
        step = 1e-3 * (np.arange(len(at)) == i)
        ahead, behind = (
            graph.evaluate(layout.unpack(at + way * step), FREE).bound for way in (1.0, -1.0)
        )
        np.testing.assert_allclose(slope[i], (ahead - behind) / 2e-3, rtol=2e-4, atol=2e-3)


def test_the_bound_of_nearly_known_states_is_the_joint_density() -> None:
    """With all states as inducing inputs and almost no variance, the bound has no slack.

    It is then log p(Y | X) + log p(x_1) + Σ log p(x_t | x_{t−1}) plus the entropy of q(X), where
    the conditional densities of all rows together are Gaussian-process evidences.
    """
    draw, variance = np.random.default_rng(1), 1e-6
    values, states = draw.standard_normal((7, 3)), draw.standard_normal((7, 2))
    sequences = np.array([0, 0, 0, 0, 1, 1, 1])
    graph = small_graph(values, sequences)
    kernels = RBF(1.3, np.array([0.9, 1.4])), RBF(0.8, np.array([1.1, 0.7]))
    before, after = np.array([0, 1, 2, 4, 5]), np.array([1, 2, 3, 5, 6])
    layers = Layer(kernels[0], states, 0.1), Layer(kernels[1], states[before], 0.1)
    parameters = Parameters((Belief(states, np.full_like(states, variance)),), layers)
    found = graph.evaluate(parameters, FREE).bound

    def evidence(each: int, inputs: Array, outputs: Array) -> float:
        layer = graph.values(parameters, FREE)[each].layer
        noise = float(np.mean(layer.noise_variance)) * np.eye(len(inputs))
        covariance = layer.kernel.K(inputs, inputs) + noise
        normal = multivariate_normal(np.zeros(len(inputs)), covariance)
        return float(np.sum(normal.logpdf(outputs.T)))

    expected = (
        evidence(0, states, values)
        + evidence(1, states[before], states[after])
        + norm.logpdf(states[[0, 4]]).sum()
        + states.size * 0.5 * np.log(2.0 * np.pi * np.e * variance)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_an_oscillation_continues(model: StateSpaceGPLVM, rows: Array) -> None:
    mean, std = model.forecast(STEPS, return_std=True)
    truth = rows[-STEPS:]
    error = np.sqrt(np.mean((mean - truth) ** 2))
    assert error < 0.25 * np.sqrt(np.mean((rows[-STEPS - 1] - truth) ** 2))
    assert error < 0.25 * np.sqrt(np.mean((rows.mean(axis=0) - truth) ** 2))
    assert 0.85 <= np.mean(np.abs(mean - truth) < 1.96 * std) <= 1.0
    assert model.n_effective_ == 2  # a place and a speed


def test_forecasts_are_averages_over_sampled_states(model: StateSpaceGPLVM) -> None:
    states = model.sample_states(4, 300, random_state=5)
    assert states.shape == (300, 4, 3)
    outputs, deviations = model.inverse_transform(states.reshape(-1, 3), return_std=True)
    outputs = outputs.reshape(300, 4, -1)
    unexplained = deviations.reshape(300, 4, -1) ** 2 + model.noise_std_**2
    spread = outputs.var(axis=0) + unexplained.mean(axis=0)
    mean, std = model.forecast(4, n_samples=300, random_state=5, return_std=True)
    np.testing.assert_allclose(mean, outputs.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(std, np.sqrt(spread), rtol=1e-6)


def test_no_transition_leads_from_one_sequence_to_another(rows: Array) -> None:
    short = {"max_iter": 15, "random_state": 0}
    together = StateSpaceGPLVM(2, 10, **short).fit(rows[:40], sequences=["a"] * 20 + ["b"] * 20)
    shift = shift_of(together.sequences_)
    assert 19 not in shift.before and 20 not in shift.after and len(shift.before) == 38
    # The rows of the sequences may alternate; only their order within a sequence matters.
    order = np.arange(40).reshape(2, 20).T.ravel()
    mixed = small_graph(rows[:40][order], np.tile([0, 1], 20))
    plain = small_graph(rows[:40], np.repeat([0, 1], 20))
    begun = plain.start(0)
    moved = Belief(begun.nodes[0].mean[order], begun.nodes[0].variance[order])
    there = Parameters((moved,), begun.layers)
    np.testing.assert_allclose(
        mixed.evaluate(there, FREE).bound, plain.evaluate(begun, FREE).bound, rtol=1e-9
    )
    last = together.forecast(1, sequence="a"), together.forecast(1, sequence="b")
    assert not np.allclose(*last)
    with pytest.raises(DataError, match="2 sequences"):
        together.forecast(1)
    with pytest.raises(DataError, match="no sequence 'c'"):
        together.forecast(1, sequence="c")


def test_gaps_are_filled_by_the_states_around_them(rows: Array) -> None:
    gaps = rows[:-STEPS].copy()
    gaps[40:43, 1:] = np.nan
    model = StateSpaceGPLVM(2, 20, max_iter=100, random_state=0).fit(gaps)
    filled = model.inverse_transform(model.latent_mean_[40:43])
    assert np.sqrt(np.mean((filled - rows[40:43]) ** 2)) < 0.15


def test_a_loaded_model_gives_the_same_forecast(model: StateSpaceGPLVM, tmp_path) -> None:
    save(model, tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.forecast(3), model.forecast(3))


def test_mistakes_in_words(model: StateSpaceGPLVM, rows: Array) -> None:
    with pytest.raises(DataError, match="only one row"):
        StateSpaceGPLVM(2, 5).fit(rows[:6], sequences=np.arange(6))
    with pytest.raises(DataError, match="one label for each"):
        StateSpaceGPLVM(2, 5).fit(rows[:6], sequences=[0, 0])
    for steps in (0, 1.5, True):
        with pytest.raises(ValueError, match="steps must be a whole number of at least 1"):
            model.forecast(steps)
    with pytest.raises(ValueError, match="n_samples must be"):
        model.sample_states(2, 0)
