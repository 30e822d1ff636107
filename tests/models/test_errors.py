"""Tests of models whose training rows, or new rows, have known errors of cells."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.base import clone

from gplvm_core import (
    GPLVM,
    BayesianGPLVM,
    DynamicalGPLVM,
    ProbabilisticPCA,
    RowFiles,
    apply,
    explorer,
    load,
)
from gplvm_core.beliefs import Belief
from gplvm_core.datasets import Dataset
from gplvm_core.likelihoods import Number
from gplvm_core.models.data.errors import units_with_errors
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.prediction.forward import log_likelihood_at
from gplvm_core.prediction.generate import predict
from gplvm_core.prediction.row_bound import RowBound
from gplvm_core.readers import DataError, Drawing
from tests.every import check_object
from tests.models.row_slopes import check_slopes

SETTINGS = {"n_components": 2, "n_inducing": 15, "max_iter": 80, "random_state": 0}
UNITS = np.linspace(1.0, 5.0, 8)


def rows(count: int = 80, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the truth, noisy rows, and the known errors of cells, which vary a hundredfold."""
    generator, own = np.random.default_rng(seed), np.random.default_rng(100)
    place = generator.uniform(-1.5, 1.5, (count, 2))
    truth = 50.0 + UNITS * np.sin(0.8 * place @ own.normal(size=(2, 8)) + own.uniform(0.0, 6.0, 8))
    errors = UNITS * 10.0 ** generator.uniform(-1.7, 0.3, truth.shape)
    noisy = truth + errors * generator.standard_normal(truth.shape)
    return truth, noisy + 0.03 * UNITS * generator.standard_normal(truth.shape), errors


def error(found: object, truth: np.ndarray) -> float:
    own = np.asarray(found, dtype=float) - truth
    return float(np.sqrt(np.mean((own / UNITS) ** 2)))


@pytest.fixture
def known(trained: Callable[..., Any]) -> BayesianGPLVM:
    _, noisy, errors = rows()
    return trained(BayesianGPLVM(**SETTINGS), noisy, errors=errors)


@pytest.fixture
def plain(trained: Callable[..., Any]) -> BayesianGPLVM:
    return trained(BayesianGPLVM(**SETTINGS, noise="per_output"), rows()[1])


def test_known_errors_halve_the_error_and_the_noise_is_that_of_the_column(
    known: BayesianGPLVM, plain: BayesianGPLVM
) -> None:
    """The promise: where errors vary a hundredfold, the map knows the truth better."""
    truth, noisy, errors = rows()
    mean, std = known.denoise(noisy, errors=errors, return_std=True)
    assert error(mean, truth) < 0.5 * error(plain.denoise(noisy), truth)
    inside = np.abs(mean - truth) < 1.96 * std
    assert 0.85 < inside.mean() < 0.99
    assert (known.noise_std_ < 0.5 * plain.noise_std_).all()
    assert known.known_errors_ and not plain.known_errors_
    # New rows are placed by their good cells.
    truth, noisy, errors = rows(40, seed=7)
    own = error(known.denoise(noisy, errors=errors), truth)
    assert own < 0.5 * error(known.denoise(noisy), truth)


def test_a_value_with_an_endless_error_is_a_gap(known: BayesianGPLVM, plain: BayesianGPLVM) -> None:
    _, noisy, errors = rows(6, seed=3)
    gap, far, given = noisy.copy(), errors.copy(), noisy.copy()
    gap[:, 2], far[:, 2], given[:, 5] = np.nan, 1e9, np.nan
    for model, asked in ((known, errors), (plain, np.zeros_like(errors))):
        far = asked.copy()
        far[:, 2] = 1e9
        np.testing.assert_allclose(
            model.transform(noisy, errors=far), model.transform(gap, errors=asked), atol=2e-3
        )
        whole, std = model.complete(np.where(np.isnan(given), given, noisy), errors=far,
                                    return_std=True)  # fmt: skip
        both = gap.copy()
        both[:, 5] = np.nan
        other, deviation = model.complete(both, errors=asked, return_std=True)
        np.testing.assert_allclose(whole[:, 5], other[:, 5], atol=0.01)
        np.testing.assert_allclose(std[:, 5], deviation[:, 5], rtol=0.02)
        np.testing.assert_array_equal(whole[:, 2], noisy[:, 2])  # observed values do not change
        scores = model.score_samples(noisy, errors=far) - model.score_samples(
            gap, n_samples=200, errors=asked
        )
        np.testing.assert_allclose(scores, norm(0.0, 1e9).logpdf(0.0), atol=0.1)


def test_an_error_adds_to_the_noise_of_its_value(
    known: BayesianGPLVM, plain: BayesianGPLVM
) -> None:
    """At a known point a row's variance is that of the function, the noise and the error."""
    _, noisy, errors = rows(5, seed=4)
    shared = BayesianGPLVM(**SETTINGS | {"max_iter": 5}, noise="shared").fit(rows()[1])
    for model in (known, plain, shared):
        points = model.latent_mean_[:5]
        mean, variance = predict(model.posterior_, points)
        spread = np.sqrt(variance + model.noise_std_**2 + errors**2)
        exact = norm(mean, spread).logpdf(noisy).sum(axis=1)
        posterior = model.fitted_.with_errors({"data": errors}).network.ends["data"].posterior
        found = log_likelihood_at(posterior, noisy, points[None])[0]
        np.testing.assert_allclose(found, exact, rtol=1e-9)
        # So has the bound of a row at a known point.
        network = model.fitted_.with_errors({"data": errors}).network
        belief, numbers = Belief(points, np.full_like(points, 1e-9)), np.arange(5)
        terms = RowBound.of(network, {"data": noisy}).data([belief], numbers)[0]
        noise = np.sqrt(model.noise_std_**2 + errors**2)
        exact = norm(mean, noise).logpdf(noisy) - 0.5 * variance / noise**2
        jacobian = np.log(model.posterior_.scale) * np.ones(8)
        np.testing.assert_allclose(terms, (exact + jacobian).sum(axis=1), rtol=1e-4)


def test_rows_with_errors_are_placed_where_their_bound_is_highest(known: BayesianGPLVM) -> None:
    _, given, errors = rows(6, seed=3)
    given[1:4, 2] = np.nan
    network = known.fitted_.with_errors({"data": errors}).network
    bound = RowBound.of(network, {"data": given}, roots=(0,))
    generator = np.random.default_rng(0)
    belief = Belief(generator.normal(size=(6, 2)), generator.uniform(0.05, 0.5, (6, 2)))
    for seed in range(4):
        check_slopes(bound, [belief], seed, 1e-4, 1e-5)
    # A row's errors are its own, in whatever order rows are asked about.
    order = np.array([4, 0, 5, 1, 3, 2])
    turned = known.transform(given[order], errors=errors[order])
    np.testing.assert_allclose(turned, known.transform(given, errors=errors)[order], atol=1e-6)


def test_errors_reach_the_map_in_the_units_and_the_order_of_their_values() -> None:
    _, noisy, errors = rows(20)
    frame = pd.DataFrame(noisy, columns=list("abcdefgh"))
    frame.iloc[3, 2] = np.nan
    beside = pd.DataFrame(errors, columns=list("abcdefgh"))[list("hgfecba")]
    exact = errors.copy()
    exact[3, 2] = exact[:, 3] = 0.0  # a gap, and a column without errors
    model = BayesianGPLVM(**SETTINGS | {"max_iter": 3}).fit(frame, errors=beside)
    _, fitted = model._asked(frame, beside)
    np.testing.assert_array_equal(fitted.network.ends["data"].posterior.errors, exact)
    words = frame.assign(w=list("xy") * 10)[["w", *"abcdefgh"]]
    model = BayesianGPLVM(**SETTINGS | {"max_iter": 3}, kinds="auto").fit(words, errors=beside)
    _, fitted = model._asked(words, beside)
    found = fitted.network.ends["data"].posterior.errors
    np.testing.assert_array_equal(found, np.column_stack([np.zeros(20), exact]))


def test_errors_that_are_all_0_or_unknown_change_nothing() -> None:
    _, noisy, errors = rows(30)
    nothing = np.where(errors > 1.0, np.nan, 0.0)
    settings = SETTINGS | {"max_iter": 10}
    one = BayesianGPLVM(**settings).fit(noisy)
    two = BayesianGPLVM(**settings).fit(noisy, errors=nothing)
    assert one.bound_ == two.bound_ and not two.known_errors_
    np.testing.assert_array_equal(one.transform(noisy), two.transform(noisy, errors=nothing))


@pytest.mark.slow
def test_equal_errors_take_their_part_of_the_noise() -> None:
    generator = np.random.default_rng(0)
    truth = rows(100)[0]
    noisy = truth + 0.5 * UNITS * generator.standard_normal(truth.shape)
    settings = SETTINGS | {"max_iter": 150}
    plain = BayesianGPLVM(**settings, noise="per_output").fit(noisy)
    known = BayesianGPLVM(**settings).fit(noisy, errors=np.tile(0.4 * UNITS, (100, 1)))
    together = np.sqrt(known.noise_std_**2 + (0.4 * UNITS) ** 2)
    np.testing.assert_allclose(together, plain.noise_std_, rtol=0.05)
    assert known.bound_ == pytest.approx(plain.bound_, abs=5.0)


def test_units_change_the_bound_only_by_their_jacobian() -> None:
    _, noisy, errors = rows(30)
    settings = SETTINGS | {"max_iter": 10}
    one, other = (
        BayesianGPLVM(**settings).fit(factor * noisy, errors=factor * errors)
        for factor in (1.0, 1000.0)
    )
    change = one.bound_ - other.bound_
    assert change == pytest.approx(noisy.size * np.log(1000.0), rel=1e-7)
    np.testing.assert_allclose(other.noise_std_, 1000.0 * one.noise_std_, rtol=1e-4)


def test_a_column_has_the_centre_and_spread_of_its_values_without_errors() -> None:
    generator = np.random.default_rng(0)
    e = 3.0 * 10.0 ** generator.uniform(-2.0, 1.0, 200)
    y = 5.0 + 2.0 * generator.normal(size=200) + e * generator.normal(size=200)
    found = units_with_errors(Scaling.of(y[:, None], "columns"), y[:, None], e[:, None])

    def lost(at: np.ndarray) -> float:
        return float(-norm(at[0], np.sqrt(np.exp(2.0 * at[1]) + e**2)).logpdf(y).sum())

    best = minimize(lost, [5.0, 0.5], method="Nelder-Mead", options={"xatol": 1e-8}).x
    assert found.center[0] == pytest.approx(best[0], abs=1e-4)
    assert found.scale[0] == pytest.approx(np.exp(best[1]), rel=1e-4)


@pytest.mark.slow
def test_words_and_numbers_with_errors_share_a_map(tmp_path: Path) -> None:
    truth, noisy, errors = rows(60)
    frame = pd.DataFrame(noisy, columns=list("abcdefgh"))
    frame["big"] = np.where(truth[:, 0] > 50.0, "yes", "no")
    frame.iloc[3, 2] = np.nan
    some = pd.DataFrame(errors, columns=list("abcdefgh"))[list("hgfedcba")]
    model = BayesianGPLVM(**SETTINGS, kinds="auto").fit(frame, errors=some)
    plain = BayesianGPLVM(**SETTINGS, kinds="auto").fit(frame)
    assert [type(own) for own in model.posterior_.links.columns[:8]] == [Number] * 8
    mean = model.denoise(frame, errors=some)[list("abcdefgh")]
    assert error(mean, truth) < 0.6 * error(plain.denoise(frame)[list("abcdefgh")], truth)
    few = np.where(np.arange(8) < 3, errors, np.nan)  # the other columns have no known errors
    np.testing.assert_array_equal(
        model.transform(frame, errors=some[["c", "a", "b"]]),
        model.transform(frame, errors=np.column_stack([few, np.zeros(60)])),
    )
    hidden = frame.assign(big=None)
    chances = model.class_probabilities(hidden, "big")
    assert chances.shape == (60, 2)
    whole = model.complete(hidden, errors=some)
    assert set(whole["big"]) <= {"yes", "no"}
    weights, _, ways = model.alternatives(hidden, errors=some)
    assert ways.shape[:2] == weights.shape
    assert model.sample_completions(hidden, 2, 0, errors=some).shape == (2, 60, 9)
    model.save(tmp_path / "words.gplvm")
    found = load(tmp_path / "words.gplvm").transform(hidden, errors=some)
    np.testing.assert_array_equal(found, model.transform(hidden, errors=some))
    with pytest.raises(DataError, match="'big' is of kind yes/no, and only columns of numbers"):
        model.transform(frame, errors=some.assign(big=0.5))


def test_every_question_takes_errors(known: BayesianGPLVM) -> None:
    _, noisy, errors = rows(5, seed=9)
    noisy[:, 3] = np.nan
    drawn = known.sample_completions(noisy, 500, 0, errors=errors)
    whole, covariance = known.complete(noisy, errors=errors, return_cov=True)
    std = known.complete(noisy, errors=errors, return_std=True)[1]
    np.testing.assert_allclose(np.sqrt(covariance[:, 3, 3]), std[:, 3], rtol=1e-9)
    np.testing.assert_allclose(drawn[:, :, 3].std(axis=0), std[:, 3], rtol=0.2)
    assert known.alternatives(noisy, errors=errors)[2].shape[2] == 8
    names = list("abcdefgh")
    table, beside = pd.DataFrame(noisy, columns=names), pd.DataFrame(errors, columns=names)
    dataset = Dataset("rows", "Rows", rows()[1], Drawing.of_vector(8), column_names=tuple(names))
    with pytest.warns(UserWarning, match="its known errors are not those of the training rows"):
        found = apply(known, table, dataset, errors=beside[names[::-1]])
    np.testing.assert_allclose(found["d"], whole[:, 3])
    np.testing.assert_allclose(found["d std"], std[:, 3])
    assert found["p"].isna().all()
    with pytest.raises(DataError, match="need a table in memory"):
        apply(known, table, dataset, errors=beside, output="answers.csv")


def test_models_are_stored_copied_and_drawn(known: BayesianGPLVM, tmp_path: Path) -> None:
    _, noisy, errors = rows(5, seed=9)
    known.save(tmp_path / "known.gplvm")
    back = load(tmp_path / "known.gplvm")
    check_object(known)
    for model in (back, copy.deepcopy(known)):
        assert model.known_errors_
        np.testing.assert_array_equal(
            model.score_samples(noisy, errors=errors), known.score_samples(noisy, errors=errors)
        )
    assert not hasattr(clone(known), "posterior_")
    names = tuple("abcdefgh")
    dataset = Dataset("rows", "Rows", rows()[1], Drawing.of_vector(8), column_names=names)
    assert "</html>" in explorer(known, dataset).html
    assert known.fit_to({2: 50.0})[0].outputs[2] == pytest.approx(50.0, abs=0.5)


@pytest.mark.slow
def test_paths_over_time_know_errors() -> None:
    times = np.linspace(0.0, 1.0, 50)
    truth = np.outer(np.sin(6.0 * times), [1.0, 2.0, -1.0])
    generator = np.random.default_rng(0)
    errors = 10.0 ** generator.uniform(-2.0, 0.0, truth.shape)
    noisy = truth + errors * generator.standard_normal(truth.shape)
    settings = {"n_components": 1, "n_inducing": 12, "max_iter": 60, "random_state": 0}
    model = DynamicalGPLVM(**settings).fit(noisy, times=times, errors=errors)
    found = model.inverse_transform(model.latent_mean_)
    assert np.sqrt(np.mean((found - truth) ** 2)) < 0.1
    assert np.isfinite(model.forecast([1.02])).all()
    with pytest.raises(ValueError, match="rows in time take no known errors"):
        model.complete(noisy[:3], times=times[:3], errors=errors[:3])


ODD: dict[str, tuple[Any, str]] = {
    "negative": (np.full((20, 8), -0.1), "row 0, column 0 .counted from 0. has -0.1"),
    "infinite": (np.full((20, 8), np.inf), "finite and at least 0"),
    "few rows": (np.ones((19, 8)), r"20 rows and 8 columns.*got the shape \(19, 8\)"),
    "a vector": (np.ones(8), r"got the shape \(8,\)"),
    "words": (np.full((20, 8), "a"), "errors must be numbers"),
    "another name": (pd.DataFrame(np.ones((20, 1)), columns=["z"]), "errors have the column 'z'"),
}


@pytest.mark.parametrize("name", ODD)
def test_errors_that_do_not_fit_are_refused(name: str) -> None:
    errors, words = ODD[name]
    frame = pd.DataFrame(rows(20)[1], columns=list("abcdefgh"))
    model = BayesianGPLVM(**SETTINGS | {"max_iter": 3}).fit(frame)
    for asked in (BayesianGPLVM(**SETTINGS).fit, model.transform):
        with pytest.raises(DataError, match=words):
            asked(frame, errors=errors)


def test_what_takes_no_errors_says_so(known: BayesianGPLVM, tmp_path: Path) -> None:
    _, noisy, errors = rows(20)
    for settings, words in (
        ({"encoder": "network"}, "known errors of cells: leave encoder out"),
        ({"time_kernel": "rbf", "path_over": [0]}, "without known errors"),
    ):
        with pytest.raises(ValueError, match=words):
            BayesianGPLVM(**SETTINGS, **settings).fit(noisy, errors=errors)
    np.save(tmp_path / "rows.npy", noisy)
    files = RowFiles.of(tmp_path / "rows.npy")
    with pytest.raises(ValueError, match="need a table in memory"):
        BayesianGPLVM(**SETTINGS).fit(files, errors=errors)
    for call in (known.fit_density, known.extend):
        with pytest.raises(DataError, match="after training with known errors of cells"):
            call(rows()[1])
    assert not (known.can_have_density or known.can_calibrate or known.can_choose_forecaster)
    for method in ("bound", "density"):
        with pytest.raises(ValueError, match="known errors"):
            known.score_samples(noisy, method=method, errors=errors)
    for other in (GPLVM(2, max_iter=3, random_state=0), ProbabilisticPCA(2)):
        with pytest.raises(ValueError, match="latent points are distributions"):
            other.fit(noisy).transform(noisy, errors=errors)


def test_intervals_are_those_of_the_map_and_a_note_says_so() -> None:
    _, noisy, errors = rows(20)
    with pytest.warns(UserWarning, match="robust columns or known errors are not calibrated"):
        model = BayesianGPLVM(**SETTINGS | {"max_iter": 3}, second_stage="auto")
        model.fit(noisy, errors=errors)
    assert model.density_ is None


@pytest.mark.usefixtures("two_stages")
def test_the_map_answers_about_rows_with_errors_where_others_have_a_density() -> None:
    _, noisy, errors = rows(40)
    model = BayesianGPLVM(**SETTINGS | {"max_iter": 5}, second_stage="auto").fit(noisy)
    assert model.density_ is not None
    gap = noisy[:3].copy()
    gap[:, 2] = np.nan
    by_map = model.complete(gap, method="map", errors=errors[:3])
    np.testing.assert_array_equal(model.complete(gap, errors=errors[:3]), by_map)
    with pytest.raises(ValueError, match="takes no known errors"):
        model.complete(gap, method="density", errors=errors[:3])


def test_fit_transform_places_rows_with_their_errors() -> None:
    _, Y, E = rows()
    model = BayesianGPLVM(**SETTINGS | {"max_iter": 5})
    places = model.fit_transform(Y, errors=E)
    np.testing.assert_array_equal(places, model.transform(Y, errors=E))


def test_apply_matches_errors_with_the_table(known: BayesianGPLVM) -> None:
    _, Y, E = rows()
    names = [f"c{at}" for at in range(Y.shape[1])]
    model = copy.copy(known)
    model.feature_names_in_ = np.array(names, dtype=object)
    table = pd.DataFrame(Y[:30], columns=names)
    errors = pd.DataFrame(E[:30], columns=names)
    places = ["x1", "x2"]
    expected = apply(model, table, errors=errors)[places]
    turned = table[names[::-1]]
    np.testing.assert_array_equal(apply(model, turned, errors=errors)[places], expected)
    # An array of errors has the columns of its table.
    np.testing.assert_array_equal(
        apply(model, turned, errors=errors[names[::-1]].to_numpy())[places], expected
    )
    with pytest.raises(DataError, match="errors have the column 'c0_err'"):
        apply(model, table, errors=errors.rename(columns={"c0": "c0_err"}))
    with pytest.raises(DataError, match=r"the 30 rows and .* got the shape"):
        apply(model, table, errors=E[:29])
    with pytest.raises(DataError, match="row 25, column 0"):
        apply(model, table, errors=np.where(np.arange(30)[:, None] == 25, -1.0, E[:30]))
    none = apply(model, table, errors=0.0 * E[:30])
    pd.testing.assert_frame_equal(none, apply(model, table))


def test_a_run_with_errors_is_not_resumed_without_them() -> None:
    _, Y, E = rows()
    runs: list[Any] = []
    short = SETTINGS | {"max_iter": 3}
    for given, other in (({"errors": E}, {}), ({}, {"errors": E})):
        BayesianGPLVM(**short).fit(Y, callback=lambda each: runs.append(each.run), **given)
        with pytest.raises(ValueError, match="errors="):
            BayesianGPLVM(**SETTINGS).fit(Y, resume=runs[-1], **other)


def test_values_far_from_0_start_at_the_right_places(known: BayesianGPLVM) -> None:
    _, Y, E = rows()
    far = 1e7
    moved = BayesianGPLVM(**(SETTINGS | {"max_iter": 1})).fit(Y + far, errors=E)
    near = BayesianGPLVM(**(SETTINGS | {"max_iter": 1})).fit(Y, errors=E)
    np.testing.assert_allclose(
        moved.transform(Y[:10] + far, errors=E[:10]),
        near.transform(Y[:10], errors=E[:10]),
        atol=0.02,
    )
