"""Tests of `fit_density`: the density of rows that is derived from a map, and its completions."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp
from sklearn.mixture import GaussianMixture

from gplvm_core import (
    GPLVM,
    BayesianGPLVM,
    DataError,
    DeepGPLVM,
    ManifoldRelevance,
    ProbabilisticPCA,
    load,
)
from gplvm_core.beliefs import Belief
from gplvm_core.prediction import DATA
from gplvm_core.prediction.added import Added, Sums
from gplvm_core.prediction.candidates import share_of
from gplvm_core.prediction.fills import BLOCK, FEW, SCATTERED, VIEW, gaps_of
from gplvm_core.prediction.forward import log_likelihood_at
from gplvm_core.prediction.network import with_rows


def two_rings(seed: int, count: int = 160) -> np.ndarray:
    """Return two curves in five columns, with noise that is correlated between columns."""
    generator = np.random.default_rng(seed)
    angle = generator.uniform(0.0, 2.5, count)
    first = generator.random(count) < 0.5
    rows = np.column_stack([np.sin(angle), np.cos(angle), angle, np.sin(2 * angle), angle**2])
    rows[first] += [3.0, 0.0, -2.0, 1.0, 0.0]
    noise = generator.standard_normal((count, 5))
    noise[:, 1] += noise[:, 0]
    return rows + 0.05 * noise


ROWS, NEW = two_rings(0), two_rings(1, 200)


@pytest.fixture(scope="module")
def model() -> BayesianGPLVM:
    return BayesianGPLVM(3, 15, max_iter=80, random_state=0).fit(ROWS)


@pytest.fixture(scope="module")
def dense(model: BayesianGPLVM) -> BayesianGPLVM:
    return deepcopy(model).fit_density(ROWS)


@pytest.mark.slow
def test_the_density_beats_one_gaussian_and_the_difference_of_bounds(dense: BayesianGPLVM) -> None:
    found = dense.score_samples(NEW, method="density").mean()
    plain = ProbabilisticPCA(3).fit(ROWS).score_samples(NEW).mean()
    assert found > plain + 1.0
    assert found > dense.score_samples(NEW, method="bound").mean()


def test_units_change_the_density_by_their_jacobian(model: BayesianGPLVM) -> None:
    few = ROWS[:60, :3]
    found = []
    for unit in (1.0, 4.0):
        own = BayesianGPLVM(2, 10, max_iter=5, random_state=0).fit(unit * few)
        own.fit_density(unit * few, 2, prior_strength=3.0)
        found.append(own.score_samples(unit * NEW[:, :3], method="density"))
    assert found[1] == pytest.approx(found[0] - 3.0 * np.log(4.0), abs=1e-6)


def test_held_out_rows_choose_the_settings(dense: BayesianGPLVM) -> None:
    known = dense.density_
    assert known is not None
    best = max(known.tried, key=lambda each: each[2])
    assert len(known.latent.weights) == best[0]
    assert known.strength == best[1]


def test_a_poor_map_does_not_spoil_the_density() -> None:
    """Rows in three groups, and a map that was not trained: clusters of rows do the work."""
    generator = np.random.default_rng(0)
    centres = 5.0 * generator.standard_normal((3, 4))
    rows = centres[generator.integers(3, size=300)] + 0.3 * generator.standard_normal((300, 4))
    model = BayesianGPLVM(1, 2, max_iter=1, random_state=0).fit(rows[:150])
    model.fit_density(rows[:150])
    mixture = GaussianMixture(3, covariance_type="spherical", random_state=0).fit(rows[:150])
    found = model.score_samples(rows[150:], method="density").mean()
    assert found > mixture.score(rows[150:]) - 0.5
    assert model.density_ is not None and model.density_.clusters is not None
    # The map gets the least share that it may have.
    assert model.density_.clusters.share == pytest.approx(0.75)


def test_the_share_of_two_densities_is_the_best_for_held_out_rows() -> None:
    generator = np.random.default_rng(0)
    first, second = generator.standard_normal((2, 80))
    tried = np.linspace(0.25, 0.75, 501)
    values = [np.logaddexp(np.log(w) + first, np.log1p(-w) + second).mean() for w in tried]
    assert share_of(first, second) == pytest.approx(tried[np.argmax(values)], abs=0.01)
    assert share_of(first, first - 5.0) == 0.75


def test_the_search_ends_after_two_worse_candidates(dense: BayesianGPLVM) -> None:
    known = dense.density_
    assert known is not None
    sizes = sorted({size for size, _, _ in known.tried})
    scores = [[score for each, _, score in known.tried if each == size] for size in sizes]
    best = [max(each) for each in scores]
    for course in (*scores, best):
        ended = [max(course[n - 2 : n]) < max(course[: n - 2]) for n in range(3, len(course))]
        assert not any(ended)
    assert len(known.tried) < 6 * len(sizes)  # the search leaves out some of the six weights
    # Rows of one Gaussian need no large mixture, so the search over sizes ends before 40.
    rows = np.random.default_rng(0).normal(size=(60, 3))
    plain = BayesianGPLVM(1, 5, max_iter=3, random_state=0).fit(rows).fit_density(rows).density_
    assert plain is not None and 2 < max(size for size, _, _ in plain.tried) < 40


def test_sampling_takes_the_density_of_the_training_points_as_prior() -> None:
    rows = two_rings(0)[:, [2, 4]]
    model = BayesianGPLVM(1, 10, max_iter=40, random_state=0).fit(rows)
    model.fit_density(rows, 2, prior_strength=10.0)
    assert model.density_ is not None
    found = model.score_samples(rows[:6], n_samples=4000, method="sampling")
    points = np.linspace(-8.0, 8.0, 4001)[:, None]
    prior = model.density_.latent.score_samples(points)
    for row, value in zip(rows[:6], found, strict=True):
        each = log_likelihood_at(model.posterior_, row[None], points[:, None])[:, 0]
        quadrature = logsumexp(prior + each) + np.log(points[1, 0] - points[0, 0])
        assert value == pytest.approx(quadrature, abs=0.05)
    assert np.abs(found - model.score_samples(rows[:6], n_samples=4000)).max() > 0.1


def test_intervals_of_filled_values_hold(dense: BayesianGPLVM) -> None:
    generator = np.random.default_rng(0)
    for share in (0.2, 0.6):
        gaps = generator.random(NEW.shape) < share
        gaps[gaps.all(axis=1), 0] = False
        given = np.where(gaps, np.nan, NEW)
        for method in (None, "density"):
            filled, std = dense.complete(given, return_std=True, method=method)
            inside = np.abs(filled - NEW)[gaps] < 1.96 * std[gaps]
            assert 0.9 < inside.mean() < 0.995
            assert (filled[~gaps] == NEW[~gaps]).all()
            assert (std[~gaps] == 0.0).all()


def test_each_row_says_which_method_fills_it(dense: BayesianGPLVM) -> None:
    given = NEW[:40].copy()
    given[:20, 0] = np.nan
    given[20:, [0, 2, 4]] = np.nan
    methods = dense.completion_methods(given)
    used = {fill.gaps: fill.method for fill in dense.density_.fills if fill.used}
    assert set(methods[:20]) == {used[FEW]}
    assert set(methods[20:]) == {used[SCATTERED]}
    for method in ("map", "density"):
        own = methods == method
        whole, chosen = dense.complete(given, method=method), dense.complete(given)
        assert chosen[own] == pytest.approx(whole[own], rel=1e-12)


def test_draws_of_gaps_come_from_the_method_of_the_completion(dense: BayesianGPLVM) -> None:
    hidden = {FEW: [0], SCATTERED: [0, 2, 4], BLOCK: [1, 2, 3]}
    for fill in dense.density_.fills:
        if not fill.used:
            continue
        columns = hidden[fill.gaps]
        others = [column for column in range(5) if column not in columns]
        given = NEW[:60].copy()
        given[:, columns] = np.nan
        mean, std = dense.complete(given, return_std=True)
        drawn = dense.sample_completions(given, 400, random_state=0)
        assert (drawn[:, :, others] == NEW[:60, others]).all()
        apart = (drawn.mean(axis=0) - mean)[:, columns] / std[:, columns]
        assert np.abs(apart).max() < 0.25
        if fill.method == "density":  # the draws are as wide as the intervals
            ratio = np.mean(drawn.var(axis=0)[:, columns]) / np.mean(std[:, columns] ** 2)
            assert ratio == pytest.approx(1.0, abs=0.2)


def test_a_recipe_gives_the_same_density_without_held_out_rows() -> None:
    rows = ROWS.copy()
    rows[3, 1] = np.nan
    found = BayesianGPLVM(2, 10, max_iter=5, random_state=0).fit(rows)
    done: list[float] = []
    first = found.fit_density(rows, 2, callback=done.append).density_
    assert done[0] == 0.0 < done[-1] < 1.0 and done == sorted(done)
    again = found.fit_density(rows, recipe=first.recipe, callback=done.append).density_
    assert again.fills == first.fills and not again.tried
    np.testing.assert_array_equal(again.rows.score_samples(NEW), first.rows.score_samples(NEW))


def test_kinds_of_gaps() -> None:
    missing = np.zeros((4, 20), dtype=bool)
    missing[1, [3, 9]] = True
    missing[2, ::2] = True
    missing[3, 8:18] = True
    assert gaps_of(missing).tolist() == [FEW, FEW, SCATTERED, BLOCK]
    missing[1, :10] = True
    assert gaps_of(missing, [10, 10]).tolist() == [FEW, VIEW, SCATTERED, BLOCK]


def test_a_map_of_all_rows_is_the_trained_map(model: BayesianGPLVM) -> None:
    same = with_rows(model._network, ROWS, np.arange(len(ROWS)))
    expected = model.posterior_.weights
    assert same.ends[DATA].posterior.weights == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_a_map_of_some_rows_is_the_trained_map_without_the_others(model: BayesianGPLVM) -> None:
    """Adding the sums of the other rows gives the trained map again."""
    some, others = np.arange(100), np.arange(100, len(ROWS))
    part = with_rows(model._network, ROWS[some], some).ends[DATA]
    belief = Belief(model.latent_mean_[others], model.latent_variance_[others])
    assert part.statistics is not None
    whole = Added.of(part.posterior, part.statistics, Sums.of(part.posterior, ROWS[others], belief))
    assert whole.posterior.weights == pytest.approx(model.posterior_.weights, abs=1e-5)
    assert np.abs(part.posterior.weights - model.posterior_.weights).max() > 1e-3


def test_gaps_in_the_training_rows(model: BayesianGPLVM) -> None:
    rows = ROWS.copy()
    rows[np.random.default_rng(0).random(rows.shape) < 0.1] = np.nan
    rows = rows[~np.isnan(rows).all(axis=1)]
    found = BayesianGPLVM(3, 15, max_iter=30, random_state=0).fit(rows)
    found.fit_density(rows, 5, prior_strength=3.0)
    assert found.density_ is not None
    assert any("missing" in note for note in found.density_.notes)
    plain = ProbabilisticPCA(3).fit(ROWS).score_samples(NEW).mean()
    assert found.score_samples(NEW, method="density").mean() > plain


@pytest.mark.slow
def test_deep_models_use_the_points_of_their_top() -> None:
    model = DeepGPLVM((2, 2), (10, 10), max_iter=40, random_state=0).fit(ROWS)
    model.fit_density(ROWS, 5, prior_strength=3.0)
    assert model.density_ is not None
    assert model.density_.latent.means.shape == (5, 2)
    plain = ProbabilisticPCA(3).fit(ROWS).score_samples(NEW).mean()
    assert model.score_samples(NEW, method="density").mean() > plain


@pytest.mark.slow
def test_views_have_one_joint_density() -> None:
    views = {"left": ROWS[:, :2], "right": ROWS[:, 2:]}
    new = {"left": NEW[:, :2], "right": NEW[:, 2:]}
    model = ManifoldRelevance(3, 15, max_iter=60, random_state=0).fit(views)
    model.fit_density(views, 5, prior_strength=3.0)
    joint = model.score_samples(new, method="density")
    assert joint.mean() > ProbabilisticPCA(3).fit(ROWS).score_samples(NEW).mean()
    # A view that is not passed is predicted from the other view.
    left = model.score_samples({"left": new["left"]}, method="density")
    assert (
        joint.mean()
        > left.mean() + model.score_samples({"right": new["right"]}, method="density").mean()
    )
    gaps = {"left": new["left"], "right": np.where(np.arange(3) < 2, np.nan, new["right"])}
    filled, std = model.complete(gaps, return_std=True)
    inside = np.abs(filled["right"] - new["right"])[:, :2] < 1.96 * std["right"][:, :2]
    assert 0.85 < inside.mean() <= 1.0
    # Filling whole views was also tested on held-out rows, and its intervals are calibrated.
    fills = {fill.method: fill for fill in model.density_.fills if fill.gaps == VIEW}
    used = next(method for method, fill in fills.items() if fill.used)
    gaps["right"][:] = np.nan
    assert set(model.completion_methods(gaps)) == {used}
    for method in ("map", "density"):
        filled, std = model.complete(gaps, return_std=True, method=method)
        inside = np.abs(filled["right"] - new["right"]) < 1.96 * std["right"]
        assert 0.85 < inside.mean() <= 1.0
        if method == used:
            np.testing.assert_allclose(model.complete(gaps)["right"], filled["right"])
    # Recipes of earlier versions have no result for whole views; the map then fills whole views.
    known = tuple(fill for fill in model.density_.fills if fill.gaps != VIEW)
    model.density_ = replace(model.density_, fills=known)
    assert set(model.completion_methods(gaps)) == {"map"}


@pytest.mark.parametrize(
    "kind",
    [
        ProbabilisticPCA(2),
        pytest.param(GPLVM(2, max_iter=20, random_state=0), marks=pytest.mark.slow),
    ],
)
def test_models_without_a_bound_have_a_density_too(kind: Any) -> None:
    model = kind.fit(ROWS).fit_density(ROWS, 8, prior_strength=3.0)
    plain = ProbabilisticPCA(3).fit(ROWS).score_samples(NEW).mean()
    assert model.score_samples(NEW, method="density").mean() > plain + 0.5
    with pytest.raises(ValueError, match="method must be"):
        model.score_samples(NEW, method="bound")


def test_a_constant_column() -> None:
    rows, new = (np.column_stack([each, np.full(len(each), 7.0)]) for each in (ROWS, NEW))
    with pytest.warns(UserWarning, match="constant"):
        model = BayesianGPLVM(2, 10, max_iter=5, random_state=0).fit(rows)
    model.fit_density(rows, 3, prior_strength=3.0)
    same = model.score_samples(new, method="density")
    assert np.isfinite(same).all()
    new[:, 5] = 8.0
    assert (model.score_samples(new, method="density") < same - 5.0).all()


def test_wide_rows() -> None:
    generator = np.random.default_rng(0)
    rows = np.tanh(two_rings(0, 100) @ generator.standard_normal((5, 300)))
    rows += 0.05 * generator.standard_normal(rows.shape)
    model = BayesianGPLVM(3, 15, max_iter=40, random_state=0).fit(rows[:80])
    model.fit_density(rows[:80], 2, prior_strength=10.0)
    plain = ProbabilisticPCA(5).fit(rows[:80]).score_samples(rows[80:]).mean()
    unseen = model.score_samples(rows[80:], method="density").mean()
    assert unseen > plain
    # The principal axes are computed without the held-out rows, so held-out rows are no more
    # probable than unseen rows.
    assert model.density_ is not None
    assert model.density_.tried[0][2] < unseen + 30.0


def test_the_search_of_wide_rows_begins_with_the_largest_strength() -> None:
    generator = np.random.default_rng(0)
    rows = np.tanh(two_rings(0, 60) @ generator.standard_normal((5, 260)))
    rows += 0.3 * generator.standard_normal(rows.shape)
    model = BayesianGPLVM(2, 8, max_iter=10, random_state=0).fit(rows)
    known = model.fit_density(rows, 1).density_
    assert known is not None
    strengths = [strength for _, strength, _ in known.tried]
    assert strengths == sorted(strengths, reverse=True) and strengths[0] == np.inf
    assert len(strengths) < 6
    best = max(score for *_, score in known.tried)
    for strength in (1.0, 3.0, 10.0):  # the complete search makes the same choice
        own = model.fit_density(rows, 1, prior_strength=strength).density_
        assert own is not None and own.tried[0][2] <= best


def test_files_and_frames(dense: BayesianGPLVM, tmp_path) -> None:
    dense.save(tmp_path / "model.npz")
    again = load(tmp_path / "model.npz")
    assert (
        again.score_samples(NEW, method="density") == dense.score_samples(NEW, method="density")
    ).all()
    frame = pd.DataFrame(NEW[:3], columns=list("abcde"))
    frame.iloc[0, 0] = np.nan
    with pytest.warns(UserWarning, match="feature names"):
        assert list(dense.complete(frame).columns) == list("abcde")


def test_training_again_forgets_the_density() -> None:
    model = BayesianGPLVM(2, 10, max_iter=5, random_state=0).fit(ROWS)
    model.fit_density(ROWS, 2, prior_strength=3.0).fit(ROWS)
    assert model.density_ is None


def test_questions_without_an_answer_are_refused(
    model: BayesianGPLVM, dense: BayesianGPLVM
) -> None:
    with pytest.raises(ValueError, match="call fit_density"):
        model.score_samples(NEW, method="density")
    with pytest.raises(ValueError, match="call fit_density"):
        model.complete(NEW, method="density")
    with pytest.raises(DataError, match="160 training rows, and Y has 200"):
        model.fit_density(NEW)
    with pytest.raises(ValueError, match='components must be "validated" or a whole number'):
        model.fit_density(ROWS, 0)
    with pytest.raises(ValueError, match='prior_strength must be "validated" or a number from 0'):
        model.fit_density(ROWS, prior_strength=-1.0)
    with pytest.raises(ValueError, match="method must be"):
        dense.score_samples(NEW, method="exact")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="does not use samples"):
        dense.score_samples(NEW, 100, method="bound")
    mixed = pd.DataFrame(ROWS).assign(word=np.where(ROWS[:, 0] > 1.5, "high", "low"))
    mixed.columns = mixed.columns.astype(str)
    kinds = BayesianGPLVM(2, 10, max_iter=5, kinds="auto", random_state=0).fit(mixed)
    with pytest.raises(ValueError, match="numbers"):
        kinds.fit_density(mixed)
    assert model.can_have_density and not kinds.can_have_density
