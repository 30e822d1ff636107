"""Tests that training does not keep a map without dimensions where a table has structure."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.optimise import Progress

SETTINGS = {"n_inducing": 15, "max_iter": 60, "kinds": "auto", "random_state": 0}


def wide(strength: float, seed: int = 0, count: int = 80) -> pd.DataFrame:
    """A class, two factors, and words, counts and numbers that depend weakly on both; gaps."""
    generator = np.random.default_rng(seed)
    group = generator.choice(3, size=count, p=[0.45, 0.33, 0.22])
    factors = generator.normal(size=(count, 2))

    def level() -> np.ndarray:
        centres, slopes = 1.2 * generator.normal(size=3), 0.6 * generator.normal(size=2)
        return strength * (centres[group] + factors @ slopes)

    columns: dict[str, np.ndarray] = {}
    for at in range(4):
        more = level() + generator.logistic(size=count)
        columns[f"word {at}"] = np.where(more > 0.3, "yes", "no").astype(object)
        columns[f"count {at}"] = generator.poisson(np.exp(0.7 + 0.5 * level())).astype(float)
        columns[f"number {at}"] = level() + generator.normal(size=count)
    table = pd.DataFrame(columns)
    return table.mask(generator.random(table.shape) < 0.1)


def test_a_table_that_switches_every_dimension_off_has_a_map() -> None:
    with pytest.warns(UserWarning, match="took the start with"):
        model = BayesianGPLVM(6, **SETTINGS).fit(wide(0.6))
    usual, *simple = model.restarts_
    assert [each.recipe for each in simple] == ["two dimensions", "linear kernel"]
    assert model.n_effective_ >= 1 and model.n_components == 6 == model.latent_mean_.shape[1]
    assert model.bound_ > usual.bound + 2.0


@pytest.mark.slow
def test_the_map_of_a_simpler_start_is_as_good_as_that_model_and_resumes() -> None:
    table = wide(0.6)
    reports: list[Progress] = []
    with pytest.warns(UserWarning, match="took the start with"):
        model = BayesianGPLVM(6, **SETTINGS).fit(table, callback=reports.append)
    two = BayesianGPLVM(2, **SETTINGS).fit(table)
    linear = BayesianGPLVM(6, kernel="linear", **SETTINGS).fit(table)
    assert model.bound_ > max(two.bound_, linear.bound_) - 2.0
    # A training that is stopped in a further start resumes to the same numbers.
    again = BayesianGPLVM(6, **SETTINGS).fit(table, resume=reports[-20].run)
    np.testing.assert_array_equal(again.latent_mean_, model.latent_mean_)


@pytest.mark.slow
def test_a_table_without_structure_says_that_simpler_starts_found_none() -> None:
    generator = np.random.default_rng(3)
    table = wide(0.6).apply(lambda own: pd.Series(generator.permutation(own)))
    with pytest.warns(UserWarning, match="all latent dimensions are off"):
        model = BayesianGPLVM(6, **SETTINGS).fit(table)
    assert model.n_effective_ == 0


def test_a_table_that_keeps_its_dimensions_has_one_start() -> None:
    assert len(BayesianGPLVM(6, **SETTINGS).fit(wide(1.8)).restarts_) == 1


@pytest.mark.slow
def test_automatic_starts_of_a_table_of_words_include_simpler_ones() -> None:
    model = BayesianGPLVM(4, **SETTINGS | {"max_iter": 12}, n_restarts="auto").fit(wide(1.2))
    assert {each.recipe for each in model.restarts_} >= {
        "PCA",
        "Isomap",
        "two dimensions",
        "linear kernel",
    }
