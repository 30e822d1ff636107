"""Tests that gaps of a series are filled from both sides by the rules of simple forecasts."""

import numpy as np
import pytest

from gplvm_core.prediction.simple_forecasts import LAST, TREND, simple_forecasts
from gplvm_core.prediction.simple_gaps import across_gaps

MONTHS = np.arange(120.0)
GAP = slice(60, 70)


def series(noise: float) -> np.ndarray:
    """Two columns with a trend and a season of twelve months."""
    season = np.sin(MONTHS / 6 * np.pi)
    both = np.column_stack([100 + 0.5 * MONTHS + 10 * season, 50 - 0.2 * MONTHS - 3 * season])
    return both + noise * np.random.default_rng(0).normal(size=both.shape)


def with_gap(rows: np.ndarray) -> np.ndarray:
    gappy = rows.copy()
    gappy[GAP] = np.nan
    return gappy


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_a_trend_and_a_season_go_through_the_gap(noise: float) -> None:
    rows = series(noise)
    mean, std = across_gaps(with_gap(rows), TREND, 12)
    error = np.sqrt(np.mean((mean - rows)[GAP] ** 2, axis=0))
    assert (error < 0.05 + 1.5 * noise).all()  # a straight line is wrong by more than 7
    assert np.isnan(mean[:60]).all() and np.isnan(std[70:]).all()


def test_both_sides_count_by_their_precisions() -> None:
    rows = with_gap(series(1.0))
    mean, std = across_gaps(rows, LAST, None)
    before, after = (
        next(rule for rule in simple_forecasts(side, 10) if rule.name == LAST)
        for side in (rows[:60], rows[70:][::-1])
    )
    weights = before.std**-2.0, after.std[::-1] ** -2.0
    expected = (weights[0] * rows[59] + weights[1] * rows[70]) / (weights[0] + weights[1])
    np.testing.assert_allclose(mean[GAP], expected)
    np.testing.assert_allclose(std[GAP], (weights[0] + weights[1]) ** -0.5)
    # Nearer rows count more.
    assert (np.abs(mean[60] - rows[59]) < np.abs(mean[60] - rows[70])).all()


def test_a_side_shorter_than_two_periods_does_not_count() -> None:
    rows = series(0.0)[48:]
    gappy = rows.copy()
    gappy[12:18] = np.nan
    mean, _ = across_gaps(gappy, TREND, 12)
    alone = simple_forecasts(rows[18:][::-1], 6, 12)
    expected = next(rule for rule in alone if rule.name == TREND).mean[::-1]
    np.testing.assert_allclose(mean[12:18], expected)
    assert np.isnan(across_gaps(gappy[:20], TREND, 12)[0]).all()
