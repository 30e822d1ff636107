"""The weight of wide rows beside a prior over time, in models of one table."""

from typing import Any

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, DynamicalGPLVM, load
from gplvm_core.datasets import load_dataset
from gplvm_core.models.data.data_weights import in_sequence, roughness

COPIES = 6
TIMES = np.tile(np.arange(20.0), 2)
SEQUENCES = np.repeat([0, 1], 20)


def movement(seed: int = 0) -> np.ndarray:
    """Return a smooth movement (40 × 4) with noise."""
    draw = np.random.default_rng(seed)
    angle = 0.3 * TIMES + SEQUENCES
    path = np.column_stack([np.sin(angle), np.cos(angle)])
    slopes = np.random.default_rng(7).standard_normal((2, 4))
    return np.tanh(path) @ slopes + 0.1 * draw.standard_normal((40, 4))


def copied(values: np.ndarray) -> np.ndarray:
    return np.repeat(values, COPIES, axis=1)


def fitted(values: np.ndarray, **settings: Any) -> DynamicalGPLVM:
    usual: dict[str, Any] = {"time_kernel": "matern32", "max_iter": 40, "random_state": 0}
    return DynamicalGPLVM(2, 12, **(usual | settings)).fit(values, times=TIMES, sequences=SEQUENCES)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["shared", "per_output"])
def test_copies_of_columns_with_a_weight_change_nothing(noise: str) -> None:
    """k copies of every column with weight 1/k are the same evidence as the columns themselves."""
    values, new, times = movement(), movement(1)[:20], TIMES[:20]
    once = fitted(values, data_weight=1.0, noise=noise)
    often = fitted(copied(values), data_weight=1 / COPIES, noise=noise)
    assert once.notes_ == often.notes_ == ()
    np.testing.assert_allclose(often.latent_mean_, once.latent_mean_, atol=1e-4)
    np.testing.assert_allclose(often.latent_variance_, once.latent_variance_, rtol=1e-3)
    ahead = np.arange(20.0, 25.0)
    one, many = (model.forecast(ahead, sequence=1, return_std=True) for model in (once, often))
    np.testing.assert_allclose(many[0][:, ::COPIES], one[0], atol=1e-3)
    np.testing.assert_allclose(many[1][:, ::COPIES], one[1], rtol=1e-2)
    gaps = new.copy()
    gaps[:, 1:3] = np.nan
    for options in ({"times": times}, {"times": times, "adapt": True}, {}):
        one = once.complete(gaps, return_std=True, **options)
        many = often.complete(copied(gaps), return_std=True, **options)
        np.testing.assert_allclose(many[0][:, ::COPIES], one[0], atol=2e-3)
        np.testing.assert_allclose(many[1][:, ::COPIES], one[1], rtol=2e-2, atol=1e-6)
    np.testing.assert_allclose(often.transform(copied(new)), once.transform(new), atol=2e-3)
    heavy = fitted(copied(values), data_weight=1.0, noise=noise)
    assert np.abs(heavy.transform(copied(gaps)) - often.transform(copied(gaps))).max() > 0.01


@pytest.mark.slow
def test_the_bound_does_not_contain_the_weight() -> None:
    """The exact bound is highest at its own optimum; a weight moves q(X) away from it."""
    values, settings = copied(movement()), {"max_iter": 300, "scaling": "none"}
    heavy, light = (fitted(values, data_weight=w, **settings) for w in (1.0, 0.2))
    assert 0.0 < light.bound_ < heavy.bound_
    assert light.bound_ > 0.5 * heavy.bound_  # the weighted objective is a fifth of it


def test_only_wide_rows_over_time_count_less() -> None:
    values = copied(movement())
    model = fitted(values)
    assert model.data_weight_ == pytest.approx(4 / values.shape[1])  # twice the dimensions
    assert any("depend on each other" in note for note in model.notes_)
    assert fitted(movement()).data_weight_ == 1.0  # narrow rows
    still = BayesianGPLVM(2, 12, max_iter=5, random_state=0).fit(values)
    assert (still.data_weight_, still.notes_) == (1.0, ())
    counts = np.round(np.abs(values) * 3.0)
    assert fitted(counts, kinds=["count"] * values.shape[1], max_iter=2).data_weight_ == 1.0


def test_rows_that_do_not_follow_paths_count_fully() -> None:
    """Otherwise a prior over time, which explains nothing, would switch all dimensions off."""
    values = copied(movement())
    order = np.random.default_rng(0).permutation(40)
    assert fitted(values[order]).data_weight_ == 1.0
    place = np.column_stack([TIMES, TIMES**2])
    still = DynamicalGPLVM(2, 12, max_iter=2, random_state=0).fit(
        values, times=place, sequences=SEQUENCES
    )
    assert still.data_weight_ == 1.0


def test_roughness_is_that_of_all_pairs_of_rows() -> None:
    draw = np.random.default_rng(1)
    walk = np.cumsum(draw.standard_normal((2, 30, 6)), axis=1).reshape(60, 6)
    times, labels = np.tile(np.arange(30.0), 2), np.repeat(["a", "b"], 30)
    mixed = draw.permutation(60)
    found = roughness(walk[mixed], 6, times[mixed], labels[mixed])
    steps = np.concatenate([np.diff(walk[:30], axis=0), np.diff(walk[30:], axis=0)])
    pairs = walk[:, None] - walk[None]
    expected = np.mean(np.sum(steps**2, axis=1)) / np.mean(np.sum(pairs**2, axis=2))
    assert found == pytest.approx(expected, rel=1e-10)
    # A row of more columns than rows has the same distances.
    turned = np.linalg.qr(draw.standard_normal((90, 6)))[0].T
    wide = roughness(walk[mixed] @ turned, 6, times[mixed], labels[mixed])
    assert wide == pytest.approx(expected, rel=1e-8)
    noise = draw.standard_normal((400, 6))
    alone = roughness(noise, 4, np.arange(400.0), np.zeros(400))
    assert alone == pytest.approx(1.0, abs=0.1)
    assert roughness(walk, 6, times, np.arange(60)) == 1.0  # no row follows another
    gaps = np.where(draw.random(walk.shape) < 0.1, np.nan, walk)
    assert roughness(gaps, 6, times, labels) < 0.3


def test_saved_models_keep_the_weight(tmp_path: Any) -> None:
    model = fitted(copied(movement()), max_iter=5)
    path = tmp_path / "model.gplvm"
    model.save(path)
    again = load(path)
    assert again.data_weight_ == model.data_weight_ < 1.0
    gaps = copied(movement(1))[:5]
    gaps[:, ::2] = np.nan
    np.testing.assert_allclose(again.transform(gaps), model.transform(gaps), atol=1e-10)


@pytest.mark.slow
def test_a_gap_of_a_video_is_filled_better() -> None:
    """With the weight 1, 1,024 pixels determine rough paths, which are lost in the gap."""
    data = load_dataset("talking_head")
    values, times = data.values[:120, ::4], np.ravel(data.times)[:120]
    gap = slice(48, 72)
    known = np.delete(np.arange(120), np.arange(120)[gap])
    spread, errors = np.sqrt(values.var(axis=0).mean()), {}
    assert in_sequence(values[known], 8) < 0.1
    for weight in ("auto", 1.0):
        model = DynamicalGPLVM(8, 40, max_iter=150, random_state=0, data_weight=weight)
        model.fit(values[known], times=times[known])
        mean, std = model.forecast(times[gap], return_std=True)
        wrong = mean - values[gap]
        errors[weight] = np.sqrt(np.mean(wrong**2)) / spread
        inside = np.mean(np.abs(wrong) < 1.96 * std)
        assert (inside > 0.9) == (weight == "auto")
    assert errors["auto"] < 0.8 * errors[1.0]


def test_a_wrong_weight_or_one_without_a_meaning_is_refused() -> None:
    for weight in (0.0, 1.5, True, None):
        with pytest.raises(ValueError, match="data_weight must be above 0 and at most 1"):
            fitted(movement(), data_weight=weight)
    values = np.round(np.abs(movement()) * 3.0)
    with pytest.raises(ValueError, match='data_weight must be "auto" or a number'):
        fitted(values, data_weight="pixels")
    with pytest.raises(ValueError, match="needs a table of numbers"):
        fitted(values, data_weight=0.5, kinds=["count"] * 4)
