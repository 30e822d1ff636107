"""Tests of the start of training: units and latent means, also from rows with gaps."""

import numpy as np
import pytest

from gplvm_core.datasets import DataError
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.initialise import initial_latent, partial_scores


@pytest.fixture
def plane() -> np.ndarray:
    """Return centred rows near a plane in eight dimensions."""
    generator = np.random.default_rng(0)
    hidden = generator.normal(size=(120, 2)) * [3.0, 1.0]
    rows = hidden @ generator.normal(size=(2, 8)) + 0.05 * generator.normal(size=(120, 8))
    return rows - rows.mean(axis=0)


def with_gaps(rows: np.ndarray, share: float) -> np.ndarray:
    missing = np.random.default_rng(1).random(rows.shape) < share
    missing[:, 0] = False
    return np.where(missing, np.nan, rows)


def test_whole_rows_start_at_their_principal_scores(plane: np.ndarray) -> None:
    latent, notes = initial_latent((plane,), 2, "pca", np.random.default_rng(0))
    _, _, directions = np.linalg.svd(plane, full_matrices=False)
    scores = plane @ directions[:2].T
    np.testing.assert_allclose(np.abs(latent), np.abs(scores) / scores[:, 0].std(), atol=1e-10)
    assert notes == ()


@pytest.mark.parametrize("how", ["pca", "isomap"])
def test_gaps_hardly_move_the_start(how: str, plane: np.ndarray) -> None:
    whole, _ = initial_latent((plane,), 2, how, np.random.default_rng(0))
    partial, notes = initial_latent((with_gaps(plane, 0.3),), 2, how, np.random.default_rng(0))
    assert partial[:, 0].std() == pytest.approx(1.0)
    for q in range(2):
        assert abs(np.corrcoef(whole[:, q], partial[:, q])[0, 1]) > 0.99
    assert any("filled in" in note for note in notes) == (how == "isomap")


def test_a_view_of_a_few_rows_does_not_decide_where_training_starts(plane: np.ndarray) -> None:
    few = np.full((120, 3), np.nan)
    few[:6] = np.random.default_rng(2).normal(size=(6, 3))
    alone, _ = initial_latent((plane,), 2, "pca", np.random.default_rng(0))

    def likeness(*, by_observed: bool) -> float:
        both, _ = initial_latent(
            (plane, few), 2, "pca", np.random.default_rng(0), by_observed=by_observed
        )
        return float(np.linalg.lstsq(both, alone, rcond=None)[1].sum() / np.sum(alone**2))

    assert likeness(by_observed=True) < 0.01 < likeness(by_observed=False)


def test_rows_of_a_plane_are_filled_in(plane: np.ndarray) -> None:
    gaps = with_gaps(plane, 0.3)
    scores, filled = partial_scores(gaps, 2)
    seen = ~np.isnan(gaps)
    np.testing.assert_array_equal(filled[seen], gaps[seen])
    assert np.abs(filled - plane)[~seen].mean() < 0.1 * np.abs(plane)[~seen].mean()
    assert scores[:, 0].std() > scores[:, 1].std()


@pytest.mark.parametrize(("how", "words"), [("pca", "5 of 7"), ("isomap", "filled in")])
def test_dimensions_that_the_data_do_not_have_start_at_random(how: str, words: str) -> None:
    gaps = np.random.default_rng(0).normal(size=(20, 3))
    gaps[4, 1] = np.nan
    latent, notes = initial_latent((gaps,), 7, how, np.random.default_rng(0))
    assert latent.shape == (20, 7) and np.isfinite(latent).all()
    assert words in " ".join(notes)


@pytest.mark.parametrize("how", ["global", "columns", "none"])
def test_units_come_from_the_observed_entries(how: str, plane: np.ndarray) -> None:
    gaps = 4.0 + 2.0 * with_gaps(plane, 0.3)
    scaling = Scaling.of(gaps, how)
    internal = scaling.apply(gaps)
    np.testing.assert_allclose(np.nanmean(internal, axis=0), 0.0, atol=1e-12)
    np.testing.assert_array_equal(np.isnan(internal), np.isnan(gaps))
    if how == "columns":
        np.testing.assert_allclose(np.nanstd(internal, axis=0), 1.0)
    if how == "global":
        assert np.mean(np.nanvar(internal, axis=0)) == pytest.approx(1.0)
    # The Jacobian of the units counts once per observed entry.
    observed = ~np.isnan(gaps)
    expected = -np.sum(observed * np.log(scaling.scale))
    assert scaling.log_jacobian(observed.sum(axis=0)) == pytest.approx(expected)


def test_nothing_observed_is_named(plane: np.ndarray) -> None:
    gaps = plane.copy()
    gaps[:, [2, 5]] = np.nan
    with pytest.raises(DataError, match="nothing is observed in columns 2, 5 of the targets"):
        Scaling.of(gaps, "global")
