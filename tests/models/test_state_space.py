"""The state-space model: its bound and gradient, forecasts, sequences, mistakes and files."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from gplvm_core import DataError, StateSpaceGPLVM, load, save
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.kernels import RBF
from gplvm_core.models.data.data_weights import in_sequence
from gplvm_core.models.data.timeline import checked_timeline
from gplvm_core.models.problems.edges import FREE, to_data
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.problems.state_space import (
    MOST_APART,
    LinkedStates,
    StateNode,
    StateStart,
    to_next,
)
from gplvm_core.numerics import Array
from gplvm_core.prediction.states import StateBound
from gplvm_core.simulated.pendulum import BEGINS, N_FRAMES, STEP, load_pendulum, pictures, swing
from gplvm_core.statistics.reduce import serial

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


def in_order(sequences: Array) -> Array:
    """Return the number of each row in its sequence, as times."""
    return checked_timeline(None, sequences, len(sequences))[0]


def small_graph(values: Array, sequences: Array, times: Array | None = None) -> Graph:
    links = LinkedStates.of(in_order(sequences) if times is None else times, sequences, 1.0)
    start = StateStart((values,), 2, 6, ("rbf",), "pca", links=links)
    edges = to_data(values, serial, "shared", 1.0, links.seen), to_next(links.shift, serial)
    return Graph((StateNode(links.first),), edges, start, 1e-6)


@pytest.mark.parametrize("missing", [0, 3], ids=["complete", "missing rows"])
def test_the_gradient_matches_differences(missing: int) -> None:
    values = oscillation(24)[:, :3]
    values = (values - values.mean(axis=0)) / values.std()
    times = np.tile([0, 1, 2, 3, 4, 4 + missing, 5 + missing, 6 + missing], 3)[:, None]
    sequences = np.repeat([0, 1, 2], 8)
    graph = small_graph(values, sequences, times.astype(float) if missing else None)
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


LATER = np.arange(150 - STEPS, 150)


def test_an_oscillation_continues(model: StateSpaceGPLVM, rows: Array) -> None:
    mean, std = model.forecast(LATER, return_std=True)
    truth = rows[-STEPS:]
    error = np.sqrt(np.mean((mean - truth) ** 2))
    assert error < 0.25 * np.sqrt(np.mean((rows[-STEPS - 1] - truth) ** 2))
    assert error < 0.25 * np.sqrt(np.mean((rows.mean(axis=0) - truth) ** 2))
    assert 0.85 <= np.mean(np.abs(mean - truth) < 1.96 * std) <= 1.0
    assert model.n_effective_ == 2  # a place and a speed
    # The same times in another order, and training times among them.
    mixed = np.array([LATER[3], 5, LATER[0]])
    both = np.concatenate([mean[[3]], model.inverse_transform(model.latent_mean_[[5]]), mean[[0]]])
    np.testing.assert_allclose(model.forecast(mixed), both, atol=0.02)


def test_forecasts_are_averages_over_drawn_futures(model: StateSpaceGPLVM) -> None:
    drawn = model.sample_forecast(LATER[:6], 4000, random_state=5)
    mean, std = model.forecast(LATER[:6], return_std=True)
    assert drawn.shape == (4000, 6, 5)
    # The forecast averages over 200 futures, so its mean has an error of std / √200.
    assert np.all(np.abs(drawn.mean(axis=0) - mean) < 4.0 * std / np.sqrt(200.0))
    np.testing.assert_allclose(drawn.std(axis=0), std, rtol=0.25)
    latent, variance = model.forecast_latent(LATER[:6])
    assert latent.shape == variance.shape == (6, 3)


def test_a_new_sequence_is_filled(model: StateSpaceGPLVM, rows: Array) -> None:
    """Whole frames and single columns of an unseen part of the oscillation are hidden."""
    new = oscillation(230, seed=7)[190:]
    gaps = new.copy()
    gaps[10:18] = np.nan
    gaps[25:32, 1:] = np.nan
    steps: list[float] = []
    filled, std, path, _ = model.complete(
        gaps,
        times=np.arange(40.0),
        callback=lambda _, bound: steps.append(bound),
        return_std=True,
        return_latent=True,
    )
    hidden = np.isnan(gaps)
    error = np.sqrt(np.mean((filled - new)[hidden] ** 2))
    straight = np.column_stack(
        [
            np.interp(np.arange(40), np.flatnonzero(~gone), own[~gone])
            for own, gone in zip(new.T, hidden.T, strict=True)
        ]
    )
    assert error < 0.5 * np.sqrt(np.mean((straight - new)[hidden] ** 2))
    assert error < 0.12
    assert np.mean(np.abs(filled - new)[hidden] < 2.5 * std[hidden]) > 0.9
    assert path.shape == (40, 3) and steps == sorted(steps)
    np.testing.assert_array_equal(filled[~hidden], new[~hidden])


def test_the_bound_of_new_states_has_the_right_gradient(model: StateSpaceGPLVM) -> None:
    draw = np.random.default_rng(2)
    outputs = oscillation(6)
    outputs[2] = np.nan
    outputs[4, 1:3] = np.nan
    states = Belief(draw.standard_normal((6, 3)), draw.uniform(0.01, 0.2, (6, 3)))
    for before in (None, Belief(np.zeros((1, 3)), np.full((1, 3), 0.1))):
        bound = StateBound.of(model.posterior_, model.transition_, outputs, before, 0.3)
        slope = bound(states)[1]
        for part in ("mean", "variance"):
            own = getattr(states, part)
            for at in ((0, 0), (2, 1), (4, 2), (5, 0)):
                step = np.zeros_like(own)
                step[at] = 1e-5
                ends = [bound(replace(states, **{part: own + w * step}))[0] for w in (1.0, -1.0)]
                found = getattr(slope, part)[at]
                np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-5, rtol=1e-4, atol=1e-3)


def test_the_bound_of_one_state_without_data_is_minus_its_kl(model: StateSpaceGPLVM) -> None:
    mean, variance = np.array([[0.7, -1.2, 2.0]]), np.array([[0.2, 1.5, 0.6]])
    nothing = np.full((1, 5), np.nan)
    bound = StateBound.of(model.posterior_, model.transition_, nothing, None, 0.3)
    value, slope = bound(Belief(mean, variance))
    kl = 0.5 * np.sum(mean**2 + variance - 1.0 - np.log(variance))
    assert value == pytest.approx(-kl, rel=1e-12)
    np.testing.assert_allclose(slope.mean, -mean, rtol=1e-12)
    np.testing.assert_allclose(slope.variance, 0.5 * (1.0 / variance - 1.0), rtol=1e-12)


def test_copies_of_columns_with_a_weight_change_nothing() -> None:
    """k copies of every column with weight 1/k are the same evidence as the columns themselves."""
    values, new, ahead = oscillation(60), oscillation(20, seed=1), np.arange(60.0, 75.0)
    settings: dict[str, Any] = {"max_iter": 20, "random_state": 0}
    once = StateSpaceGPLVM(2, 12, data_weight=1.0, **settings).fit(values)
    often = StateSpaceGPLVM(2, 12, data_weight=0.25, **settings).fit(np.repeat(values, 4, axis=1))
    np.testing.assert_allclose(often.latent_mean_, once.latent_mean_, atol=1e-4)
    np.testing.assert_allclose(often.latent_variance_, once.latent_variance_, rtol=1e-3)
    np.testing.assert_allclose(
        often.forecast(ahead)[:, ::4], once.forecast(ahead), rtol=1e-3, atol=1e-3
    )
    times = np.arange(20.0)
    one, many = new.copy(), np.repeat(new, 4, axis=1)
    one[8:12], many[8:12] = np.nan, np.nan
    filled = often.complete(many, times=times)
    np.testing.assert_allclose(filled[:, ::4], once.complete(one, times=times), atol=5e-3)


def test_wide_rows_count_as_their_independent_columns() -> None:
    draw = np.random.default_rng(0)
    columns = draw.standard_normal((200, 60))
    assert in_sequence(columns[:, :4], 2) == 1.0  # narrow rows
    assert in_sequence(columns, 2) > 0.9  # independent columns
    few = columns[:, :12] @ draw.standard_normal((12, 60))
    assert 4 / 60 <= in_sequence(few, 2) < 11 / 60
    assert in_sequence(columns[:, :3] @ draw.standard_normal((3, 60)), 5) > 0.9  # no residuals


@pytest.mark.slow
def test_the_pixels_of_a_pendulum_do_not_outweigh_its_rule() -> None:
    """A rule that pixels outweigh forgets the swing; errors are shares of its spread."""
    data = load_pendulum()
    known = data.sequences < 3
    ahead = (N_FRAMES + np.arange(20)) * STEP
    truth = pictures(swing(float(BEGINS[1]), N_FRAMES + 20)[0][N_FRAMES:])
    spread, errors = np.sqrt(np.var(data.values[known], axis=0).mean()), {}
    for weight in ("auto", 1.0):
        model = StateSpaceGPLVM(5, 40, max_iter=200, random_state=0, data_weight=weight)
        model.fit(data.values[known], times=data.times[known], sequences=data.sequences[known])
        wrong = model.forecast(ahead, sequence=1) - truth
        errors[weight] = np.sqrt(np.mean(wrong**2)) / spread
        assert any("depend on each other" in each for each in model.notes_) == (weight == "auto")
        assert (model.data_weight_ < 0.05) == (weight == "auto")
    assert errors["auto"] < 0.5 * errors[1.0]


def test_rows_can_continue_a_trained_sequence(model: StateSpaceGPLVM, rows: Array) -> None:
    gaps = rows[-STEPS:].copy()
    gaps[:, 1:] = np.nan
    filled = model.complete(gaps, times=LATER, sequence=0)
    assert np.sqrt(np.mean((filled - rows[-STEPS:]) ** 2)) < 0.1
    with pytest.raises(DataError, match="must follow the last row"):
        model.complete(gaps, times=LATER - 1, sequence=0)


def test_drawn_sequences_look_like_the_data(model: StateSpaceGPLVM, rows: Array) -> None:
    drawn, states = model.sample_sequence(
        np.arange(60), n_samples=20, random_state=3, return_latent=True
    )
    assert drawn.shape == (20, 60, 5) and states.shape == (20, 60, 3)
    np.testing.assert_allclose(drawn.std(axis=(0, 1)), rows.std(axis=0), rtol=0.2)


def test_no_transition_leads_from_one_sequence_to_another(rows: Array) -> None:
    short = {"max_iter": 15, "random_state": 0}
    labels = ["a"] * 20 + ["b"] * 20
    together = StateSpaceGPLVM(2, 10, **short).fit(rows[:40], sequences=labels)
    shift = LinkedStates.of(together.times_, together.sequences_, 1.0).shift
    assert 19 not in shift.before and 20 not in shift.after and len(shift.before) == 38
    # The rows may have any order; only their times matter.
    order = np.random.default_rng(0).permutation(40)
    sequences, times = np.repeat([0, 1], 20), np.tile(np.arange(20.0), 2)
    plain, mixed = small_graph(rows[:40], sequences), small_graph(rows[:40][order], sequences)
    links = LinkedStates.of(times[order, None], sequences[order], 1.0)
    edges = mixed.edges[0], to_next(links.shift, serial)
    mixed = replace(mixed, nodes=(StateNode(links.first),), edges=edges)
    begun = plain.start(0)
    moved = Belief(begun.nodes[0].mean[order], begun.nodes[0].variance[order])
    there = Parameters((moved,), begun.layers)
    np.testing.assert_allclose(
        mixed.evaluate(there, FREE).bound, plain.evaluate(begun, FREE).bound, rtol=1e-9
    )
    last = [together.forecast([20.0], sequence=name) for name in "ab"]
    assert not np.allclose(*last)
    with pytest.raises(DataError, match="2 sequences"):
        together.forecast([20.0])
    with pytest.raises(DataError, match="no sequence 'c'"):
        together.forecast([20.0], sequence="c")


@pytest.mark.slow
def test_gaps_in_training_are_filled_by_the_states_around_them(rows: Array) -> None:
    gaps = rows[:-STEPS].copy()
    gaps[40:43, 1:] = np.nan
    model = StateSpaceGPLVM(2, 20, max_iter=100, random_state=0).fit(gaps)
    filled = model.inverse_transform(model.latent_mean_[40:43])
    assert np.sqrt(np.mean((filled - rows[40:43]) ** 2)) < 0.15


def test_missing_rows_have_states_that_link_the_rows_around_them() -> None:
    # Two sequences, whose rows are mixed; the first lacks times 2 and 3, and all after 5 are later
    # by more than MOST_APART steps.
    far = 5.0 + MOST_APART + 1.0
    times = np.array([0.0, 4.0, 7.0, 1.0, 8.0, 5.0, far, 9.0])[:, None]
    links = LinkedStates.of(times, np.array(["a", "a", "b", "a", "b", "a", "a", "b"]), 1.0)
    pairs = set(zip(links.shift.before.tolist(), links.shift.after.tolist(), strict=True))
    assert pairs == {(0, 3), (3, 8), (8, 9), (9, 1), (1, 5), (2, 4), (4, 7)}
    assert links.first.tolist() == [0, 2, 6]
    assert links.before_missing.tolist() == [3, 3] and links.wide == 1
    assert any("1 gap of more than 10 steps" in note for note in links.notes)
    straight = np.hstack([times, -times])
    np.testing.assert_allclose(links.bridged(straight)[8:], [[2.0, -2.0], [3.0, -3.0]])
    np.testing.assert_array_equal(links.bridged(straight)[:8], straight)


def test_a_missing_row_is_a_row_without_values() -> None:
    """The bound with a missing row is that of a row whose values are all missing."""
    values = oscillation(12)[:, :3]
    kept = np.delete(np.arange(12), 5)
    linked = small_graph(values[kept], np.zeros(11), kept.astype(float)[:, None])
    empty = np.vstack([values[kept], np.full((1, 3), np.nan)])
    order = np.append(kept, 5).astype(float)[:, None]
    whole = small_graph(empty, np.zeros(12), order)
    start = linked.start(0)
    found, expected = linked.evaluate(start, FREE), whole.evaluate(start, FREE)
    np.testing.assert_allclose(found.bound, expected.bound, rtol=1e-9)
    np.testing.assert_allclose(
        found.gradient.nodes[0].mean, expected.gradient.nodes[0].mean, rtol=1e-6, atol=1e-6
    )


@pytest.mark.slow
def test_frames_may_be_missing(rows: Array, tmp_path: Path) -> None:
    kept = np.delete(np.arange(len(rows) - STEPS), [30, 31, 60, 90, 91, 92])
    options = {"times": kept / 10.0}
    model, shown = StateSpaceGPLVM(3, 25, max_iter=300, random_state=0), []
    model.fit(rows[kept], **options, callback=shown.append)
    assert shown[-1].latent_mean.shape == (len(kept), 3)  # the map in Train has only given rows
    assert any("missing in the times: 6 rows; a state is inferred" in note for note in model.notes_)
    assert model.latent_mean_.shape == (len(kept), 3)
    ahead = model.forecast(LATER / 10.0)
    assert np.sqrt(np.mean((ahead - rows[LATER]) ** 2)) < 0.5 * rows.std()
    np.testing.assert_allclose(
        model.forecast_latent([2.9, 3.2])[0], model.latent_mean_[[29, 30]], rtol=1e-12
    )
    # The missing rows have states, too.
    gone = np.setdiff1d(np.arange(len(rows) - STEPS), kept)
    filled, std = model.forecast(gone / 10.0, return_std=True)
    assert np.sqrt(np.mean((filled - rows[gone]) ** 2)) < 0.15 * rows.std()
    assert np.mean(np.abs(filled - rows[gone]) < 1.96 * std) > 0.85
    save(model, tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.forecast(gone / 10.0), filled)
    with pytest.raises(DataError, match=r"got the time 3\.15"):
        model.forecast([3.15])
    model.calibrate(rows[kept])
    inside = np.abs(ahead - rows[LATER]) < 1.96 * model.forecast(LATER / 10.0, return_std=True)[1]
    assert np.mean(inside) > 0.85


def test_a_new_sequence_may_lack_frames(model: StateSpaceGPLVM, rows: Array) -> None:
    asked = rows[100:130].copy()
    asked[15, 2:] = np.nan
    kept = np.delete(np.arange(30), [10, 11, 20])
    empty = asked.copy()
    empty[[10, 11, 20]] = np.nan
    found = model.complete(asked[kept], times=kept)
    np.testing.assert_allclose(found, model.complete(empty, times=np.arange(30))[kept], rtol=1e-6)
    # Rows may have any order.
    order = np.random.default_rng(0).permutation(len(kept))
    mixed = model.complete(asked[kept][order], times=kept[order])
    np.testing.assert_allclose(mixed, found[order], rtol=1e-6)


def test_rows_can_continue_a_sequence_after_a_gap(model: StateSpaceGPLVM, rows: Array) -> None:
    given = rows[-STEPS:].copy()
    given[:3] = np.nan
    after = model.complete(rows[-STEPS:][3:], times=LATER[3:], sequence=0)
    whole = model.complete(given, times=LATER, sequence=0)
    np.testing.assert_allclose(after, whole[3:], rtol=1e-6)


def test_a_loaded_model_gives_the_same_forecast(model: StateSpaceGPLVM, tmp_path) -> None:
    save(model, tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.forecast(LATER), model.forecast(LATER))


def test_mistakes_in_words(model: StateSpaceGPLVM, rows: Array) -> None:
    small = StateSpaceGPLVM(2, 5)
    for weight in (0.0, 1.5, True, None):
        with pytest.raises(ValueError, match="data_weight must be above 0 and at most 1"):
            StateSpaceGPLVM(2, 5, data_weight=weight).fit(rows)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='data_weight must be "auto" or a number'):
        StateSpaceGPLVM(2, 5, data_weight="pixels").fit(rows)
    with pytest.raises(DataError, match="only one row"):
        small.fit(rows[:6], sequences=np.arange(6))
    with pytest.raises(DataError, match="one label for each"):
        small.fit(rows[:6], sequences=[0, 0])
    with pytest.raises(DataError, match=r"missing rows; got steps from 1 to 1\.5"):
        small.fit(rows[:6], times=[0, 1, 2, 3, 4, 5.5])
    with pytest.raises(DataError, match="missing rows; got steps from 1 to 2"):
        small.fit(rows[:6], times=[0, 2, 4, 6, 8, 9])
    with pytest.raises(DataError, match="missing rows; got steps from 0 to 1"):
        small.fit(rows[:6], times=[0, 1, 1, 2, 3, 4])
    with pytest.raises(DataError, match="one time; got 2 columns"):
        small.fit(rows[:6], times=np.zeros((6, 2)))
    for time in (150.5, -1.0):
        with pytest.raises(DataError, match=f"got the time {time:g}"):
            model.forecast([time])
    with pytest.raises(DataError, match="later than the last time"):
        model.sample_forecast([3.0])
    for count in (0, 1.5, True):
        with pytest.raises(ValueError, match="n_samples must be a whole number of at least 1"):
            model.sample_forecast(LATER, count)
    with pytest.raises(ValueError, match="neither adapt=True nor coupled=False"):
        model.complete(rows[:5], times=np.arange(5), adapt=True)


@pytest.mark.slow
def test_calibrated_intervals_hold_in_a_new_sequence(rows: Array) -> None:
    model = StateSpaceGPLVM(3, 25, max_iter=150, random_state=0).fit(rows)
    new, inside = oscillation(290, seed=7)[190:], []
    gaps = new.copy()
    gaps[20:26] = np.nan
    gaps[40:60, 1:3] = np.nan
    hidden = np.isnan(gaps)
    for calibrated in (False, True):
        if calibrated:
            model.calibrate(rows)
        filled, std = model.complete(gaps, times=np.arange(100.0), return_std=True)
        inside.append(np.mean((np.abs(filled - new) < 1.96 * std)[hidden]))
    assert 0.9 <= inside[1] <= 1.0 and abs(inside[1] - 0.95) <= abs(inside[0] - 0.95)
    assert {each.asked.what for each in model.intervals_.factors} == {
        "frames",
        "values",
        "forecast",
    }


def test_an_empty_row_may_be_days_off_its_step() -> None:
    days = np.arange("2015-01", "2018-01", dtype="datetime64[M]").astype("datetime64[D]")
    times, months = (days - days[0]).astype(float), np.arange(36.0)
    rows = np.column_stack([np.sin(months / 6 * np.pi), np.cos(months / 6 * np.pi)])
    model = StateSpaceGPLVM(2, n_inducing=10, max_iter=20, random_state=0).fit(rows, times=times)
    gap, late = rows.copy(), times.copy()
    gap[15], late[15] = np.nan, times[15] + 4.0
    exact = model.complete(gap, times=times)
    np.testing.assert_array_equal(model.complete(gap, times=late), exact)
    with pytest.raises(DataError, match="less than half a step apart"):
        model.complete(np.vstack([gap, gap[15]]), times=np.append(times, times[15] + 4.0))
