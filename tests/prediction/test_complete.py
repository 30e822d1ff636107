"""Tests of rows with gaps: missing entries are predicted with the right uncertainty."""

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM


@pytest.fixture(scope="module")
def circle() -> BayesianGPLVM:
    """Return a circle in the first two columns, and a function of its angle in the third."""
    generator = np.random.default_rng(3)
    angle = generator.uniform(0, 2 * np.pi, 150)
    targets = np.column_stack([np.cos(angle), np.sin(angle), np.cos(angle + 1.0)])
    targets = targets + 0.03 * generator.normal(size=targets.shape)
    return BayesianGPLVM(2, 20, max_iter=150, random_state=0).fit(targets)


def test_an_ambiguous_row_has_two_explanations(circle: BayesianGPLVM) -> None:
    """Given only the cosine, the sine is known up to its sign."""
    row = np.array([[0.6, np.nan, np.nan]])
    weights, latent, rows = circle.alternatives(row, 2)
    assert weights[0].min() > 0.2
    np.testing.assert_allclose(sorted(rows[0, :, 1]), [-0.8, 0.8], atol=0.2)
    angles = np.arctan2(rows[0, :, 1], 0.6)
    np.testing.assert_allclose(rows[0, :, 2], np.cos(angles + 1.0), atol=0.15)
    assert np.linalg.norm(latent[0, 0] - latent[0, 1]) > 0.5
    # The mixture favours neither sign, and its spread includes both.
    whole, std = circle.complete(row, return_std=True)
    assert std[0, 1] == pytest.approx(0.8, abs=0.2)
    second = weights[0] @ rows[0] ** 2
    np.testing.assert_allclose(whole[0] ** 2 + std[0] ** 2, second, rtol=0.1, atol=0.02)


def test_entries_that_determine_a_row_leave_one_explanation(circle: BayesianGPLVM) -> None:
    row = np.array([[0.6, 0.8, np.nan]])
    weights, _, _ = circle.alternatives(row, 3)
    assert weights[0, 0] > 0.99
    whole, std = circle.complete(row, return_std=True)
    expected = np.cos(np.arctan2(0.8, 0.6) + 1.0)
    assert abs(whole[0, 2] - expected) < 3 * std[0, 2]
    assert std[0, 2] < 0.1


def test_samples_have_the_moments_of_the_completion(circle: BayesianGPLVM) -> None:
    row = np.array([[0.6, np.nan, np.nan]])
    draws = circle.sample_completions(row, 4000, random_state=0)[:, 0]
    whole, covariance = circle.complete(row, return_cov=True)
    assert (draws[:, 0] == 0.6).all()
    np.testing.assert_allclose(draws.mean(axis=0), whole[0], atol=0.06)
    np.testing.assert_allclose(np.cov(draws.T), covariance[0], atol=0.06)
    assert (covariance[0, 0] == 0).all() and (covariance[0, :, 0] == 0).all()


def test_the_observed_interval_holds_the_truth(circle: BayesianGPLVM) -> None:
    """The new rows have one missing entry each; about 95 % are inside two standard deviations."""
    generator = np.random.default_rng(9)
    angle = generator.uniform(0, 2 * np.pi, 200)
    truth = np.column_stack([np.cos(angle), np.sin(angle), np.cos(angle + 1.0)])
    truth = truth + 0.03 * generator.normal(size=truth.shape)
    rows = truth.copy()
    rows[np.arange(200), generator.integers(0, 3, 200)] = np.nan
    hidden = np.isnan(rows)
    whole, std = circle.complete(rows, return_std=True)
    inside = np.abs(whole - truth)[hidden] < 2 * std[hidden]
    assert 0.88 < inside.mean() <= 1.0


def test_a_row_is_the_same_in_any_company(circle: BayesianGPLVM) -> None:
    generator = np.random.default_rng(2)
    rows = generator.normal(size=(70, 3)) * 0.7
    rows[::2, 0] = np.nan
    together, std = circle.transform(rows, return_std=True)
    for n in (0, 1, 68):
        alone, own = circle.transform(rows[n : n + 1], return_std=True)
        np.testing.assert_allclose(alone[0], together[n], atol=1e-3)
        np.testing.assert_allclose(own[0], std[n], rtol=1e-2)


def test_denoising_brings_rows_nearer_to_the_truth(circle: BayesianGPLVM) -> None:
    generator = np.random.default_rng(5)
    angle = generator.uniform(0, 2 * np.pi, 100)
    truth = np.column_stack([np.cos(angle), np.sin(angle), np.cos(angle + 1.0)])
    noisy = truth + 0.03 * generator.normal(size=truth.shape)
    clean, std = circle.denoise(noisy, return_std=True)
    assert np.abs(clean - truth).mean() < np.abs(noisy - truth).mean()
    assert (std > 0).all()
