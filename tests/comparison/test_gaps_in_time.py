"""Tests of the check of a filled sequence: it hides known values in the shape of the gaps."""

from types import SimpleNamespace

import numpy as np
import pytest

from gplvm_core.comparison.gaps_in_time import (
    fill_sequence,
    gaps_by_rule,
    hidden_like_gaps,
    share_inside,
)
from gplvm_core.prediction.simple_forecasts import TREND, period_of


def gappy(frames: slice, columns: slice, count: int = 60, width: int = 6) -> np.ndarray:
    values = np.ones((count, width))
    values[frames, columns] = np.nan
    return values


def test_as_many_given_values_are_hidden_in_the_same_columns_away_from_the_gap():
    values = gappy(slice(10, 25), slice(0, 3))
    hidden = hidden_like_gaps(values)
    assert hidden is not None and hidden.sum() == 45
    assert not hidden[:, 3:].any()
    assert not (hidden & np.isnan(values)).any()
    rows = np.flatnonzero(hidden[:, 0])
    np.testing.assert_array_equal(rows, np.arange(rows[0], rows[0] + 15))
    assert rows[0] > 25 and rows[-1] < 59  # not beside the gap, not at the end


def test_short_gaps_are_hidden_at_several_places_with_a_frame_between_them():
    values = gappy(slice(20, 25), slice(0, 6))
    hidden = hidden_like_gaps(values)
    assert hidden is not None
    rows = hidden.any(axis=1)
    starts = np.flatnonzero(np.diff(rows.astype(int)) == 1) + 1
    assert rows.sum() == 10 and len(starts) == 2 - rows[0]  # a quarter of the given values
    assert not rows[19] and not rows[25]


def test_nothing_is_hidden_where_it_would_be_no_check():
    assert hidden_like_gaps(np.ones((60, 6))) is None
    assert hidden_like_gaps(gappy(slice(0, 60), slice(0, 3))) is None  # the whole column
    assert hidden_like_gaps(gappy(slice(10, 12), slice(0, 1))) is None  # too few
    assert hidden_like_gaps(gappy(slice(10, 12), slice(0, 1)), fewest=2) is not None


def test_the_share_counts_hidden_values_with_a_truth_and_an_interval():
    truth = np.array([[0.0, 0.0, np.nan, 0.0, 0.0]])
    std = np.array([[1.0, 1.0, 1.0, 1.0, np.nan]])
    mean = np.array([[1.9, 2.0, 0.0, 50.0, 0.0]])
    hidden = np.array([[True, True, True, False, True]])
    found = share_inside(mean, std, truth, hidden)
    assert found is not None and (found.inside, found.count) == (0.5, 2)
    assert share_inside(mean, std, truth, np.zeros((1, 5), bool)) is None


def test_intervals_of_gaussian_values_hold_95_percent():
    draws = np.random.default_rng(0).normal(size=(2000, 10))
    found = share_inside(np.zeros_like(draws), np.ones_like(draws), draws, draws == draws)
    assert found is not None and abs(found.inside - 0.95) < 0.005
    assert found.factor < 1.02
    narrow = share_inside(np.zeros_like(draws), np.full_like(draws, 0.4), draws, draws == draws)
    assert narrow is not None and narrow.factor == pytest.approx(2.5, abs=0.05)
    again = share_inside(
        np.zeros_like(draws), 0.4 * narrow.factor * draws**0, draws, draws == draws
    )
    assert again is not None and 0.95 <= again.inside < 0.951 and again.factor == 1.0


def seasonal() -> np.ndarray:
    """Ten years of months with a trend, a season and noise."""
    months = np.arange(120.0)
    season = np.column_stack([np.sin(months / 6 * np.pi), np.cos(months / 6 * np.pi)])
    noise = np.random.default_rng(1).normal(size=season.shape)
    return 100.0 + 0.5 * months[:, None] + 10.0 * season + noise


@pytest.mark.parametrize(("error", "by"), [(30.0, "trend and season"), (0.01, "the model")])
def test_a_gap_is_filled_by_what_was_better_on_hidden_gaps(error: float, by: str) -> None:
    truth, asked = seasonal(), []
    rows = truth.copy()
    rows[60:70] = np.nan

    def fill(seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        asked.append(seen)
        return truth + error, np.ones_like(truth)

    found = gaps_by_rule(TREND, rows, fill)
    assert found.reason.startswith(f"Filled by {by}")
    (seen,) = asked
    hidden = np.isnan(seen).all(axis=1)
    hidden[60:70] = False
    assert hidden.sum() >= 10  # as many rows as the gap has
    share = f"{error / np.nanstd(rows, axis=0).mean():.0%}".replace("%", "\u00a0%")
    assert share in found.reason or error < 1.0
    if by == "the model":
        assert found.mean is None
        return
    assert found.mean is not None and found.std is not None
    wrong = np.abs(found.mean - truth)[60:70]
    assert np.sqrt(np.mean(wrong**2)) < 2.0
    assert (wrong <= 1.96 * found.std[60:70]).mean() >= 0.9


def test_without_rows_to_hide_the_model_fills_the_gap() -> None:
    rows = seasonal()[:40]
    rows[10:35] = np.nan
    found = gaps_by_rule(TREND, rows, lambda seen: (seen, seen))
    assert found.mean is None and "no gap of this length can be hidden" in found.reason


class Constant:
    """A model whose rule is trend and season, and that fills every gap with 7."""

    forecaster_ = SimpleNamespace(name=TREND)

    def complete(self, rows, **options):
        std = np.where(np.isnan(rows), 1.0, 0.0)
        path = np.zeros((len(rows), 1))
        return np.where(np.isnan(rows), 7.0, rows), std, path, path

    def transform(self, rows, return_std):
        assert len(rows) and not np.isnan(rows).any()
        return np.zeros((len(rows), 1)), np.zeros((len(rows), 1))


@pytest.mark.parametrize("second", [3.0, np.nan])
def test_a_column_of_one_value_or_of_none_keeps_gaps_fillable(second: float) -> None:
    rows = seasonal()
    rows[:, 1] = second
    truth = rows.copy()
    rows[60:66] = np.nan
    found = fill_sequence(Constant(), rows, np.arange(120.0))
    assert not np.isnan(found.values).any() and not np.isnan(found.std).any()
    if np.isnan(second):
        assert not found.by_rule.any() and "every column" in found.reason
        assert (found.values[:, 1] == 7.0).all()
        return
    assert found.by_rule.sum() == 6
    np.testing.assert_allclose(found.values[60:66, 1], 3.0)
    assert np.abs(found.values - truth)[60:66, 0].max() < 4.0


def test_a_single_row_has_no_unequal_steps() -> None:
    found = fill_sequence(Constant(), np.full((1, 2), np.nan), np.zeros(1))
    assert found.reason.startswith("Filled by the model: no gap of this length")


def test_several_gaps_do_not_hide_the_period() -> None:
    rows = seasonal()
    for gap in (slice(10, 12), slice(30, 36), slice(60, 61), slice(80, 90)):
        rows[gap] = np.nan
    assert period_of(rows) == 12
