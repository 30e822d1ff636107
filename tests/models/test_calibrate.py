"""Tests that calibrated intervals have the right coverage in unseen rows and sequences."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gplvm_core import (
    AutoregressiveGP,
    BayesianGPLVM,
    DynamicalGPLVM,
    ManifoldRelevance,
    load,
    load_dataset,
)
from gplvm_core.prediction.intervals import NORMAL, Asked
from gplvm_core.readers import DataError
from tests.until import Until

Array = np.ndarray


def views(count: int, seed: int) -> dict[str, Array]:
    """Return two views of one number; in the first view, every ten columns have the same error."""
    random = np.random.default_rng(seed)
    x = random.uniform(-2.0, 2.0, count)
    loads = np.random.default_rng(0).uniform(0.5, 1.5, 50)
    errors = np.repeat(0.4 * random.standard_normal((count, 5)), 10, axis=1)
    first = np.sin(np.outer(x, loads)) + errors + 0.1 * random.standard_normal((count, 50))
    second = np.stack([x, x**2, np.cos(x)], axis=1) + 0.05 * random.standard_normal((count, 3))
    return {"first": first, "second": second}


def inside(found: tuple[Array, Array], truth: Array) -> float:
    return float(np.mean(np.abs(found[0] - truth) <= NORMAL * found[1]))


@pytest.fixture(scope="module")
def of_views() -> Any:
    known = views(200, 1)
    return ManifoldRelevance(1, 12, max_iter=30, random_state=0).fit(known), known


def test_a_view_from_another_is_inside_its_intervals(of_views: Any, tmp_path: Path) -> None:
    model, known = of_views
    new = views(400, 2)
    ask = {"views": {"first": new["first"]}, "to": "second", "return_std": True}
    before = model.transfer(**ask, private="prior")
    assert inside(before, new["second"]) < 0.85
    model.calibrate(known)
    for private in ("prior", "nearest"):
        found = model.transfer(**ask, private=private)
        assert inside(found, new["second"]) == pytest.approx(0.95, abs=0.03)
        factors = model.intervals_.of(Asked("transfer", "second", ("first",), private))
        assert factors.inside == pytest.approx(0.95, abs=0.03) and factors.before < 0.9
    after = model.transfer(**ask, private="prior")
    np.testing.assert_array_equal(after[0], before[0])
    np.testing.assert_allclose(
        after[1],
        before[1] * model.intervals_.of(Asked("transfer", "second", ("first",), "prior")).widened,
    )
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    for one, other in zip(again.transfer(**ask, private="prior"), after, strict=True):
        np.testing.assert_array_equal(one, other)


def test_training_again_forgets_the_factors(of_views: Any) -> None:
    few = {name: own[:30] for name, own in of_views[1].items()}
    model = ManifoldRelevance(2, 8, max_iter=5, random_state=0).fit(few)
    assert model.calibrate(few).intervals_ is not None
    assert model.fit(few).intervals_ is None


def test_bad_input_of_calibrate_is_refused(of_views: Any) -> None:
    model, known = of_views
    with pytest.raises(DataError, match="200 training rows, and Y has 3 rows"):
        model.calibrate({name: own[:3] for name, own in known.items()})
    with pytest.raises(DataError, match="training rows of second are not given"):
        model.calibrate({"first": known["first"]})
    with pytest.raises(DataError, match="sequences must have one label for each of the 200 rows"):
        model.calibrate(known, sequences=[1, 2])
    with pytest.raises(DataError, match="at least two rows or groups"):
        model.calibrate(known, sequences=np.zeros(200))
    plain = BayesianGPLVM(2, 8, max_iter=3, random_state=0).fit(known["second"])
    with pytest.raises(DataError, match="fit_density calibrates"):
        plain.calibrate(known["second"])
    assert model.can_calibrate and not plain.can_calibrate


def test_an_interrupted_calibration_leaves_the_model_as_it_was(of_views: Any) -> None:
    model, known = of_views
    before, stop = model.intervals_, Until(lambda share: share > 0.5)
    with pytest.raises(StopIteration):
        model.calibrate(known, callback=stop)
    assert model.intervals_ is before and stop.reports == sorted(stop.reports)


def sequences(count: int, seed: int) -> tuple[Array, Array, Array]:
    """Sequences of 30 frames: their outputs, times and labels."""
    random, times = np.random.default_rng(seed), np.arange(30.0)
    loads = np.random.default_rng(0).standard_normal((2, 8))
    rows = []
    for _ in range(count):
        phase, speed = random.uniform(0.0, 6.3), random.uniform(0.25, 0.45)
        jitter = 0.15 * random.standard_normal(30)
        angle = phase + speed * times + jitter
        rows.append(np.stack([np.sin(angle), np.cos(angle)], axis=1) @ loads)
    noise = 0.05 * random.standard_normal((30 * count, 8))
    return np.vstack(rows) + noise, np.tile(times, count), np.repeat(np.arange(count), 30)


def test_a_calibration_over_time_ends_at_any_step_of_an_inference() -> None:
    outputs, times, labels = sequences(2, 1)
    model = DynamicalGPLVM(2, 8, max_iter=10, random_state=0, second_stage="off")
    model.fit(outputs, times=times, sequences=labels)
    stop = Until(9)
    with pytest.raises(StopIteration):
        model.calibrate(outputs, callback=stop)
    first = stop.reports[0]
    assert len(stop.reports) == 9 and stop.reports == sorted(stop.reports)
    assert stop.last < 2.0 * first and model.intervals_ is None  # within the first of five parts


@pytest.mark.slow
def test_gaps_and_forecasts_are_inside_their_intervals(tmp_path: Path) -> None:
    outputs, times, labels = sequences(8, 1)
    model = BayesianGPLVM(2, 15, max_iter=60, random_state=0, time_kernel="matern32")
    model.fit(outputs[times < 26], times=times[times < 26], sequences=labels[times < 26])
    ahead = times >= 26

    def forecasts() -> float:
        found = [
            model.forecast(times[ahead & (labels == own)], sequence=own, return_std=True)
            for own in range(8)
        ]
        mean, std = (np.vstack(each) for each in zip(*found, strict=True))
        return inside((mean, std), outputs[ahead])

    def gaps() -> dict[str, float]:
        new, at, own = sequences(6, 2)
        hidden = np.zeros(new.shape, dtype=bool)
        hidden[(at >= 6) & (at < 10)] = True
        hidden[(at >= 15) & (at < 27), :3] = True
        found = []
        for each in range(6):
            rows = own == each
            given = np.where(hidden, np.nan, new)[rows]
            found.append(model.complete(given, times=at[rows], return_std=True))
        mean, std = (np.vstack(each) for each in zip(*found, strict=True))
        frames = hidden.all(axis=1)
        return {
            name: inside((mean[some], std[some]), new[some])
            for name, some in (
                ("frames", hidden & frames[:, None]),
                ("values", hidden & ~frames[:, None]),
            )
        }

    within = model.forecast(times[:5], sequence=0, return_std=True)
    before = {**gaps(), "forecast": forecasts()}
    model.calibrate(outputs[times < 26])
    after = {**gaps(), "forecast": forecasts()}
    print(before, after)
    for what, share in after.items():
        assert abs(share - 0.95) <= max(0.05, abs(before[what] - 0.95))
        assert share == pytest.approx(0.95, abs=0.06)
    # Times within the sequence are no forecasts.
    for one, other in zip(
        within, model.forecast(times[:5], sequence=0, return_std=True), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert [each.asked for each in again.intervals_.factors] == [
        each.asked for each in model.intervals_.factors
    ]
    with pytest.raises(ValueError, match="leave out sequences"):
        model.calibrate(outputs[times < 26], sequences=labels[times < 26])


def manners(count: int, own: float, seed: int) -> tuple[Array, Array, Array]:
    """Return circular movements; in each sequence, `own` scales how its outputs differ."""
    random, times = np.random.default_rng(seed), np.arange(40.0)
    common = np.random.default_rng(0).standard_normal((2, 12))
    rows = []
    for _ in range(count):
        angle = random.uniform(0.0, 6.3) + 0.4 * times
        loads = common + own * random.standard_normal((2, 12))
        rows.append(np.stack([np.sin(angle), np.cos(angle)], axis=1) @ loads)
    noise = 0.05 * random.standard_normal((40 * count, 12))
    return np.vstack(rows) + noise, np.tile(times, count), np.repeat(np.arange(count), 40)


@pytest.mark.slow
def test_new_sequences_update_the_mapping_if_held_out_sequences_did_so_better(
    tmp_path: Path,
) -> None:
    outputs, times, labels = manners(6, 0.6, 1)
    model = BayesianGPLVM(2, 20, max_iter=60, random_state=0, time_kernel="matern32")
    model.fit(outputs, times=times, sequences=labels)
    new, at, own = manners(6, 0.6, 2)
    hidden = np.zeros(new.shape, dtype=bool)
    hidden[at >= 20, :4] = True

    def filled(model: Any, adapt: bool | None) -> tuple[Array, Array]:
        found = [
            model.complete(given, times=at[own == each], adapt=adapt, return_std=True)
            for each in range(6)
            for given in [np.where(hidden, np.nan, new)[own == each]]
        ]
        mean, std = (np.vstack(each) for each in zip(*found, strict=True))
        return mean, std

    np.testing.assert_array_equal(filled(model, None)[0], filled(model, False)[0])
    model.calibrate(outputs)
    fixed, updated = filled(model, False), filled(model, True)
    errors = [np.sqrt(np.mean((mean - new)[hidden] ** 2)) for mean, _ in (fixed, updated)]
    assert errors[1] < errors[0]
    model.save(tmp_path / "model")
    for one, other in zip(filled(load(tmp_path / "model"), None), updated, strict=True):
        np.testing.assert_array_equal(one, other)
    # Six sequences decide, and their errors depend on each other.
    for mean, std in (fixed, updated):
        assert inside((mean[hidden], std[hidden]), new[hidden]) == pytest.approx(0.95, abs=0.07)
    path = model.transform_sequence(new[own == 0], times=at[own == 0])
    adapted = model.transform_sequence(new[own == 0], times=at[own == 0], adapt=True)
    np.testing.assert_array_equal(path, adapted)


@pytest.mark.slow
def test_transfers_over_time_have_factors_for_both_kinds_of_mapping() -> None:
    outputs, times, labels = manners(5, 0.0, 3)
    known = {"first": outputs[:, :8], "second": outputs[:, 8:]}
    model = ManifoldRelevance(2, 15, max_iter=30, random_state=0, time_kernel="matern32")
    model.fit(known, times=times, sequences=labels).calibrate(known)
    given, at = {"first": outputs[:40, :8]}, times[:40]
    ask: dict[str, Any] = {"views": given, "to": "second", "times": at, "return_std": True}
    asked = Asked("transfer", "second", ("first",), "nearest", timed=True)
    intervals, found = model.intervals_, {}
    for adapt in (False, True):
        factors = intervals.of(replace(asked, adapted=adapt)).widened
        model.intervals_ = None
        raw = model.transfer(**ask, adapt=adapt)
        model.intervals_ = intervals
        found[adapt] = model.transfer(**ask, adapt=adapt)
        np.testing.assert_array_equal(found[adapt][0], raw[0])
        np.testing.assert_allclose(found[adapt][1], raw[1] * factors)
    decided = intervals.decided(asked).adapted
    np.testing.assert_array_equal(model.transfer(**ask)[1], found[decided][1])


def test_forecasts_of_a_series_are_inside_their_intervals(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    series = np.zeros(260)
    for step in range(2, 260):
        series[step] = 1.6 * series[step - 1] - 0.8 * series[step - 2] + random.standard_normal()
    model = AutoregressiveGP(6, 12, max_iter=40, random_state=0).fit(series[:160])
    ask: dict[str, Any] = {"propagate": "none", "return_std": True}

    def share() -> float:
        found = [
            inside(model.forecast(10, history=series[:first], **ask), series[first : first + 10])
            for first in range(160, 250, 5)
        ]
        return float(np.mean(found))

    # With "none", the standard deviation of a forecast of many steps is that of a single step.
    mean, std = model.forecast(10, **ask)
    assert share() < 0.75
    model.calibrate(series[:160], 10)
    assert share() == pytest.approx(0.95, abs=0.06)
    after = model.forecast(10, **ask)
    np.testing.assert_array_equal(after[0], mean)
    factor = model.intervals_.of(Asked("forecast", how="none")).widened
    np.testing.assert_allclose(after[1], std * factor)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").forecast(10, **ask)[1], after[1])
    with pytest.raises(ValueError, match="longer than the window"):
        model.calibrate(series[:9])


def coverage(size: tuple[int, int], max_iter: int, n_train: int, **stage: str) -> float:
    """Return the share of hidden values of new oil-flow rows inside their 95 % intervals.

    size: the numbers of latent dimensions and of inducing inputs.
    """
    generator = np.random.default_rng(0)
    values = load_dataset("flow").values
    order = generator.permutation(len(values))
    train, test = values[order[:n_train]], values[order[-150:]]
    model = BayesianGPLVM(*size, max_iter=max_iter, random_state=0, **stage).fit(train)
    hidden = generator.random(test.shape) < 0.5
    hidden[hidden.all(axis=1), 0] = False
    with warnings.catch_warnings(action="ignore"):  # "off" says that it is not calibrated
        mean, std = model.complete(np.where(hidden, np.nan, test), return_std=True)
    return float((np.abs(test - mean) <= 1.96 * std)[hidden].mean())


def test_intervals_of_plain_fit_hold():
    assert 0.93 <= coverage((5, 20), 30, 150, second_stage="auto") <= 0.97
    assert coverage((5, 20), 30, 150, second_stage="off") < 0.9


@pytest.mark.slow
def test_intervals_of_plain_fit_hold_on_the_oil_flow():
    assert 0.93 <= coverage((8, 40), 500, 700, second_stage="auto") <= 0.99
