"""Tests of counts with an exposure, a known factor of each row such as a cell's library size."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gplvm_core import BayesianGPLVM, load
from gplvm_core.readers import DataError

GENES = 12


def cells(n_rows: int = 100, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return gene counts whose rates depend on an age; library sizes differ by a factor of ten."""
    generator = np.random.default_rng(seed)
    age, size = generator.uniform(-1.0, 1.0, n_rows), np.exp(generator.normal(5.0, 0.7, n_rows))
    shares = np.exp(1.5 * age[:, None] * np.linspace(-1.0, 1.0, GENES))
    shares /= shares.sum(axis=1, keepdims=True)
    counts = generator.poisson(size[:, None] * shares)
    table = pd.DataFrame(counts, columns=[f"gene {g}" for g in range(GENES)])
    return table.assign(size=size), age, shares


KINDS = dict.fromkeys((f"gene {g}" for g in range(GENES)), "count")


def explained(found: np.ndarray, truth: np.ndarray) -> float:
    inputs = np.column_stack([np.ones(len(truth)), found])
    left = truth - inputs @ np.linalg.lstsq(inputs, truth, rcond=None)[0]
    return 1.0 - float(np.var(left) / np.var(truth))


@pytest.fixture(scope="module")
def model() -> BayesianGPLVM:
    table, _, _ = cells()
    kinds = KINDS | {"size": "exposure"}
    return BayesianGPLVM(2, 15, kinds=kinds, max_iter=60, random_state=0).fit(table)


@pytest.mark.slow
def test_the_map_shows_the_age_but_not_the_exposure(model: BayesianGPLVM) -> None:
    table, age, _ = cells()
    plain = BayesianGPLVM(2, 15, kinds=KINDS, max_iter=60, random_state=0)
    plain.fit(table.drop(columns="size"))
    places, others = model.latent_mean_, plain.latent_mean_
    log_size = np.log(table["size"].to_numpy())
    assert explained(places, age) > 0.9
    assert explained(places, log_size) < 0.1 < 0.8 < explained(others, log_size)
    assert model.bound_ > plain.bound_ + 100.0
    assert not any("'size'" in note and "noise" in note for note in model.notes_)


def test_predictions_are_at_the_exposure_of_their_row(model: BayesianGPLVM) -> None:
    table, _, shares = cells(60, seed=1)
    hidden = table.astype(object).copy()
    hidden.loc[::2, "gene 3"] = None
    rate = table["size"].to_numpy() * shares[:, 3]
    low, high = model.column_quantiles(hidden, "gene 3", (0.05, 0.95))
    inside = (low <= table["gene 3"]) & (table["gene 3"] <= high)
    assert 0.8 <= inside.mean() <= 1.0
    filled = model.complete(hidden)
    np.testing.assert_allclose(filled["size"].astype(float), table["size"])
    asked = filled["gene 3"][::2].astype(float).to_numpy()
    assert np.corrcoef(np.log(asked + 1.0), np.log(rate[::2] + 1.0))[0, 1] > 0.95
    assert (np.abs(asked - rate[::2]) / np.sqrt(rate[::2]) < 2.5).mean() > 0.9
    # A row with twice the exposure and twice the counts has twice the expected count.
    one = hidden.iloc[:1].copy()
    two = one.copy()
    two[[name for name in table if name != "gene 3"]] *= 2
    first, second = (model.count_probabilities(row, "gene 3", 400)[0] for row in (one, two))
    counts = np.arange(401)
    assert second @ counts == pytest.approx(2.0 * (first @ counts), rel=0.15)
    drawn = model.sample_completions(hidden, 40, 0)[..., 3].astype(float).mean(axis=0)[::2]
    assert np.corrcoef(np.log(drawn + 1.0), np.log(rate[::2] + 1.0))[0, 1] > 0.95


def test_densities_and_draws_use_the_exposure(model: BayesianGPLVM) -> None:
    table, _, _ = cells(30, seed=2)
    wrong = table.assign(size=10.0 * table["size"])
    for settings in ({}, {"n_samples": 50, "random_state": 0}):
        right = model.score_samples(table, **settings)
        assert (right > model.score_samples(wrong, **settings) + 5.0).mean() > 0.9
    drawn = pd.DataFrame(model.sample(50, random_state=0), columns=list(table))
    unit = np.exp(np.log(cells()[0]["size"]).mean())
    np.testing.assert_allclose(drawn["size"].astype(float), unit)
    assert drawn.drop(columns="size").sum(axis=1).mean() == pytest.approx(unit, rel=0.2)


def test_a_stored_model_gives_the_same_densities(model: BayesianGPLVM, tmp_path: Path) -> None:
    table, _, _ = cells(10, seed=3)
    model.save(tmp_path / "cells.gplvm")
    again = load(tmp_path / "cells.gplvm")
    np.testing.assert_array_equal(again.score_samples(table), model.score_samples(table))
    pd.testing.assert_frame_equal(again.denoise(table), model.denoise(table))


def test_impossible_exposures_have_clear_messages(model: BayesianGPLVM) -> None:
    table, _, _ = cells(20)
    kinds = KINDS | {"size": "exposure"}
    with pytest.raises(DataError, match=r"'size' holds exposures, but .* above 0"):
        BayesianGPLVM(2, kinds=kinds).fit(table.assign(size=np.arange(20.0)))
    gap = table.assign(size=np.where(np.arange(20) == 4, np.nan, table["size"]))
    with pytest.raises(DataError, match=r"'size' is missing in .*training needs it"):
        BayesianGPLVM(2, kinds=kinds).fit(gap)
    with pytest.raises(DataError, match="no column of the table is of counts"):
        BayesianGPLVM(2, kinds={"size": "exposure"}).fit(table[["size"]].assign(other=1.5))
    # A new row with an unknown exposure gets the typical exposure of the training rows.
    assert np.isfinite(model.score_samples(gap)).all()
