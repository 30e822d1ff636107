"""Tests of the factors of intervals, against simulations with known scales and dense algebra."""

import numpy as np
import pytest

from gplvm_core.kernels import Matern32
from gplvm_core.prediction.held_out import ORIGINS, HeldOut, _ahead
from gplvm_core.prediction.intervals import (
    MOST_FRAMES,
    MOST_ROWS,
    NORMAL,
    Asked,
    Intervals,
    Tries,
    Widening,
    away,
    error_in_spreads,
    hidden_in_time,
    in_order,
    parts_of_rows,
    parts_of_sequences,
    questions,
)
from gplvm_core.prediction.network import Network
from gplvm_core.priors.temporal import Path

ASKED = Asked("transfer", "b", ("a",), "prior")


def test_factors_make_intervals_hold_for_errors_of_any_scale() -> None:
    random, scales = np.random.default_rng(0), np.array([1.0, 2.0, 3.0, 6.0])
    known = np.abs(scales * random.standard_normal((1500, 4)))
    factors = Widening.of(ASKED, known, np.arange(1500))
    new = np.abs(scales * random.standard_normal((20_000, 4)))
    covered = np.mean(new / factors.widened <= NORMAL, axis=0)
    np.testing.assert_allclose(covered, 0.95, atol=0.02)
    assert factors.inside == pytest.approx(0.95, abs=0.02)
    assert factors.before == pytest.approx(np.mean(known <= NORMAL))
    assert (factors.values, factors.parts) == (6000, 1500)


def test_rows_of_a_sequence_count_as_one_row() -> None:
    random = np.random.default_rng(1)
    known = np.abs(np.array([1.0, 5.0]) * random.standard_normal((400, 2)))
    separate = Widening.of(ASKED, known, np.arange(400)).widened
    together = Widening.of(ASKED, known, np.arange(400) // 100).widened
    pooled = np.quantile(known, 0.95) / NORMAL
    own = np.quantile(known, 0.95, axis=0) / NORMAL
    # The last correction multiplies the factors of all outputs by the same number.
    wanted = (400 * own + 20 * pooled) / 420, (4 * own + 20 * pooled) / 24
    for found, expected in zip((separate, together), wanted, strict=True):
        np.testing.assert_allclose(found[1] / found[0], expected[1] / expected[0])
        np.testing.assert_allclose(found, expected, rtol=0.1)


def test_the_share_inside_is_measured_on_parts_that_did_not_choose_the_factors() -> None:
    random = np.random.default_rng(2)
    known = np.abs(random.standard_normal((90, 3)))
    known[:30] *= 20.0
    groups = np.repeat(["odd", "usual", "also usual"], 30)
    inside = []
    for own in np.unique(groups):
        others = known[groups != own]
        pooled = np.quantile(others, 0.95) / NORMAL
        factor = (2 * np.quantile(others, 0.95, axis=0) / NORMAL + 20 * pooled) / 22
        inside.append(known[groups == own] / factor <= NORMAL)
    assert Widening.of(ASKED, known, groups).inside == pytest.approx(np.mean(inside))


def test_a_few_sequences_do_not_make_intervals_narrower() -> None:
    known = 0.3 * np.abs(np.random.default_rng(3).standard_normal((400, 2)))
    for groups, narrower in ((np.arange(400) // 100, False), (np.arange(400) // 10, True)):
        found = Widening.of(ASKED, known, groups)
        assert np.all(found.widened < 0.5) == narrower
        assert np.all(found.widened == 1.0) != narrower


def test_missing_values_and_columns_without_spread_are_not_judged() -> None:
    truth = np.array([[1.0, 2.0], [np.nan, 2.0]])
    found = away(np.zeros((2, 2)), np.full((2, 2), 4.0), truth, np.array([1.0, 0.0]))
    np.testing.assert_array_equal(found, [[0.5, np.nan], [np.nan, np.nan]])


def test_views_that_were_not_tried_together_use_the_factors_of_most_of_them() -> None:
    tried = [
        Widening(Asked("transfer", "d", given, "prior"), np.full(2, factor), 0.5, 0.95, 9, 3)
        for given, factor in ((("a",), 2.0), (("a", "b"), 3.0), (("c",), 4.0))
    ]
    intervals, variance = Intervals(tuple(tried)), np.ones((3, 2))
    asked = Asked("transfer", "d", ("a", "b", "e"), "prior")
    np.testing.assert_array_equal(intervals.widen(asked, variance), np.full((3, 2), 9.0))
    for given in (("e",), ("a", "d")):
        other = Asked("transfer", "d", given, "prior")
        np.testing.assert_array_equal(intervals.widen(other, variance), variance)


def test_a_mapping_is_updated_only_if_the_gain_is_clear() -> None:
    frames, values, transfer = Asked("frames"), Asked("values"), Asked("transfer", given=("a",))
    alone, tries = Asked("transfer", given=("b",)), Tries()
    # Logarithms of the ratios of errors: the mean is 1.7 and 1.6 standard errors above 0. The 90 %
    # quantile of Student's t with three degrees of freedom is 1.638. Errors of a part are averaged.
    for gain in (0.1, 0.3, 0.2, 0.4):
        ratio = np.exp(0.25 - 1.7 * 0.0645497 - gain)
        tries.compare((frames, values), [(7.0, 7.0 * ratio / 2.0), (3.0, 3.0 * ratio * 2.0)])
        ratio = np.exp(0.25 - 1.6 * 0.0645497 - gain)
        tries.compare((transfer,), [(0.1, 0.1 * ratio), (np.nan, 1.0)])
    tries.compare((alone,), [(1.0, 0.5)])  # one part shows nothing
    tries.compare((alone,), [(1.0,)])  # a graph that cannot be updated
    found = tries.intervals()
    assert found.adapting == (frames, values)
    assert found.decided(values) == Asked("values", adapted=True)
    assert found.decided(transfer) == transfer and found.decided(alone) == alone


def test_factors_belong_to_a_fixed_or_to_an_updated_mapping() -> None:
    tried = [
        Widening(Asked("values", adapted=adapted), np.full(2, factor), 0.5, 0.95, 9, 3)
        for adapted, factor in ((False, 2.0), (True, 3.0))
    ]
    for adapted, factor in ((False, 4.0), (True, 9.0)):
        found = Intervals(tuple(tried)).widen(Asked("values", adapted=adapted), np.ones((1, 2)))
        np.testing.assert_array_equal(found, np.full((1, 2), factor))


def test_errors_are_measured_in_spreads_of_known_columns() -> None:
    truth = np.array([[1.0, 5.0, 7.0], [np.nan, 5.0, 7.0]])
    mean = np.array([[3.0, 9.0, 0.0], [0.0, 5.0, 7.0]])
    spread = np.array([2.0, 4.0, 0.0])
    found = error_in_spreads(mean, truth, spread)
    assert found == pytest.approx(np.sqrt((1.0 + 1.0 + 0.0) / 3))
    assert np.isnan(error_in_spreads(mean, np.full((2, 3), np.nan), spread))


def test_every_view_and_all_views_but_one_are_given() -> None:
    assert questions(("a", "b")) == [(("a",), ("b",)), (("b",), ("a",))]
    given = [some for some, _ in questions(("a", "b", "c"))]
    assert given == [("a",), ("b",), ("c",), ("b", "c"), ("a", "c"), ("a", "b")]


def test_groups_of_rows_are_held_out_as_a_whole() -> None:
    groups = np.repeat(np.arange(12), 30)
    parts = parts_of_rows(360, groups, np.random.default_rng(0))
    aside = np.concatenate([part.aside for part in parts])
    np.testing.assert_array_equal(np.sort(aside), np.arange(360))
    for part in parts:
        assert set(groups[part.aside]).isdisjoint(np.delete(groups, part.aside))
        assert np.isin(part.asked, part.aside).all() and len(part.asked) == MOST_ROWS
        np.testing.assert_array_equal(part.groups, groups[part.asked])


def test_few_sequences_are_cut_into_stretches_in_the_order_of_time() -> None:
    times = np.random.default_rng(0).permutation(200).astype(float)[:, None]
    parts = parts_of_sequences(np.zeros(200), times, np.random.default_rng(1))
    assert len(parts) == 5
    np.testing.assert_array_equal(
        np.sort(np.concatenate([part.aside for part in parts])), np.arange(200)
    )
    for part in parts:
        assert (np.diff(times[part.asked, 0]) == 1.0).all()
    (long,) = parts_of_sequences(
        np.zeros(900), np.arange(900.0)[:, None], np.random.default_rng(0)
    )[:1]
    assert len(long.aside) == 180 and len(long.asked) == MOST_FRAMES


@pytest.mark.parametrize("shape", [(40, 9), (3, 1), (2, 5)])
def test_some_frames_are_empty_and_some_values_are_seen(shape: tuple[int, int]) -> None:
    hidden = hidden_in_time(shape, np.random.default_rng(3))
    assert hidden.all(axis=1).any() and not hidden.all()


def test_a_path_so_far_forgets_the_evidence_of_later_rows() -> None:
    """Compare with a dense Gaussian posterior for pseudo-observations l/λ with variance 1/λ."""
    random, times = np.random.default_rng(0), np.sort(np.random.default_rng(1).random(12))[:, None]
    kernel = Matern32(1.0, 0.4)
    gram = kernel.K(times)
    precision, observed = random.uniform(1.0, 9.0, (12, 2)), random.standard_normal((12, 2))

    def posterior(rows: slice) -> np.ndarray:
        each = [
            gram[rows, rows]
            @ np.linalg.solve(gram[rows, rows] + np.diag(1.0 / own[rows]), seen[rows])
            for own, seen in zip(precision.T, observed.T, strict=True)
        ]
        return np.stack(each, axis=1)

    whole, first = slice(None), slice(0, 7)
    path = Path(np.linalg.solve(gram, posterior(whole)), precision)
    belief = type("Belief", (), {"mean": posterior(whole)})
    network = Network(("x",), (), (), (belief,))  # type: ignore[arg-type]
    held = HeldOut(network, {}, {0: (kernel, path)}, times, np.zeros(12))
    found = held._path_so_far(0, np.arange(7))
    np.testing.assert_allclose(kernel.K(times[first]) @ found.dual, posterior(first), atol=1e-6)


def test_forecasts_are_tried_up_to_the_last_row() -> None:
    times = np.arange(20.0)[::-1, None]  # the rows of a sequence are ordered by their times
    before, ahead = _ahead(in_order(np.zeros(20), times)[0.0], ORIGINS[-1])
    assert times[ahead, 0].tolist() == [17.0, 18.0, 19.0]  # 15 %
    assert times[before, 0].tolist() == list(range(17))
