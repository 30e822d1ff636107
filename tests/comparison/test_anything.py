"""Tests that `is_anything_here` finds structure only in columns that are related."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import nbinom

from gplvm_core import BayesianGPLVM
from gplvm_core.comparison import Evidence, is_anything_here
from gplvm_core.comparison.anything import forest_gains
from gplvm_core.comparison.table_models import log_base_rates
from gplvm_core.likelihoods.counts import SIZES
from gplvm_core.readers import DataError
from gplvm_core.readers.cells import cells_of
from gplvm_core.readers.kinds import TableColumn, coded_table, columns_of
from gplvm_core.simulated.spikes import load_spikes

SMALL = BayesianGPLVM(3, 15, max_iter=40)


@pytest.mark.slow
def test_spikes_have_structure_and_shuffled_spikes_have_none() -> None:
    spikes = load_spikes(120, 20, 2.0)
    found = is_anything_here(spikes.values, ["count"] * 20, model=SMALL, n_shuffles=1)
    assert found.found and found.gain > 0.05
    assert abs(found.shuffled[0]) < 0.03
    # No model can predict better than the rates from which the counts were drawn.
    rates = spikes.covariates["rates"]
    most = np.mean(spikes.values * np.log(rates) - rates) - np.mean(
        spikes.values * np.log(spikes.values.mean(axis=0)) - spikes.values.mean(axis=0)
    )
    assert found.gain < most + 3.0 * found.error
    assert found.answer.startswith("Yes, there is structure here")
    alone = np.random.default_rng(0).permuted(spikes.values, axis=0)
    none = is_anything_here(alone, ["count"] * 20, model=SMALL, n_shuffles=1)
    assert not none.found
    assert none.answer.startswith("No structure was found")


@pytest.mark.slow
def test_words_and_numbers_of_one_line_have_structure() -> None:
    generator = np.random.default_rng(0)
    x = generator.normal(size=150)
    table = pd.DataFrame(
        {
            "number": x + 0.3 * generator.normal(size=150),
            "other": np.where(generator.random(150) < 0.1, np.nan, -x),
            "word": np.where(x + 0.3 * generator.normal(size=150) > 0.0, "up", "down"),
        }
    )
    found = is_anything_here(table, model=SMALL, n_shuffles=1)
    assert found.found and found.gain > 0.4
    numbers = is_anything_here(table[["number", "other"]].dropna(), model=SMALL, n_shuffles=1)
    assert numbers.found


@pytest.mark.slow
@pytest.mark.parametrize("related", [True, False])
def test_a_known_exposure_is_no_structure(related: bool) -> None:
    generator = np.random.default_rng(1)
    hours = np.exp(0.8 * generator.normal(size=120))
    x = generator.normal(size=(120, 1)) if related else 0.0
    rates = 1.5 * hours[:, None] * np.exp(x * np.linspace(-1.0, 1.0, 8))
    counts = generator.poisson(rates)
    table = np.column_stack([hours, counts]).astype(float)
    kinds = ["exposure", *["count"] * 8]
    assert is_anything_here(table, kinds, model=SMALL, n_shuffles=1).found is related
    if not related:  # without the exposure, hours with many counts look like structure
        assert is_anything_here(counts, kinds[1:], model=SMALL, n_shuffles=1).found


def test_base_rates_are_multiplied_by_exposures() -> None:
    column = TableColumn("eggs", "count")
    seen, hours = np.array([2.0, 5.0, 9.0]), np.array([1.0, 2.0, 5.0])
    asked = log_base_rates(column, seen, np.array([3.0]), hours, np.array([4.0]))
    sizes = [float(nbinom.logpmf(seen, r, r / (r + 2.0 * hours)).sum()) for r in SIZES]
    size = SIZES[int(np.argmax(sizes))]
    np.testing.assert_allclose(asked, nbinom.logpmf(3.0, size, size / (size + 8.0)))


def test_the_base_rate_of_counts_is_the_likeliest_negative_binomial() -> None:
    generator = np.random.default_rng(0)
    counts = generator.negative_binomial(2.0, 0.25, 4000).astype(float)
    column = TableColumn("spikes", "count")
    base = log_base_rates(column, counts, counts)
    assert base.mean() == pytest.approx(nbinom.logpmf(counts, 2.0, 0.25).mean(), abs=2e-3)
    words = TableColumn("word", "category", ("a", "b"))
    own = log_base_rates(words, np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 0.0]))
    np.testing.assert_allclose(np.exp(own), [0.25, 0.75])


def test_a_gain_counts_if_it_is_beyond_its_error_and_that_of_shuffled_columns() -> None:
    assert Evidence(0.1, 0.02, (0.01, 0.0)).found
    assert not Evidence(0.1, 0.06, (0.01, 0.0)).found
    assert not Evidence(0.1, 0.02, (0.08,)).found
    assert "11% more probable" in Evidence(0.1, 0.02, (0.01,)).answer.replace("\u00a0", "")


def test_small_tables_are_refused() -> None:
    with pytest.raises(DataError, match="needs at least 20 rows"):
        is_anything_here(np.ones((10, 3)) * np.arange(10)[:, None])


def test_structure_that_only_a_forest_finds_is_not_denied() -> None:
    """A word says whether two others are equal: no pair of columns is related."""
    generator = np.random.default_rng(0)
    first, second = generator.integers(2, size=(2, 200)).astype(bool)
    table = pd.DataFrame({"a": first, "b": second, "same": first == second})
    table = table.replace({True: "yes", False: "no"})
    columns, _ = columns_of(cells_of(table), "auto")
    values = coded_table(columns, table)
    hidden = generator.random(values.shape) < 0.15
    shown = np.where(hidden, np.nan, values)
    related = forest_gains(columns, shown, values, hidden)
    assert related[hidden].mean() > 0.2 and not related[~hidden].any()
    alone = generator.permuted(values, axis=0)
    gains = forest_gains(columns, np.where(hidden, np.nan, alone), alone, hidden)
    assert gains[hidden].mean() < 0.02
    nothing = Evidence(0.001, 0.01, (0.0,))
    found = Evidence(0.001, 0.01, (0.0,), Evidence(0.3, 0.02, (-0.01,)))
    assert found.found and not found.found_by_model
    assert "the model does not find it" in found.words and "random forests" in found.words
    neither = Evidence(0.001, 0.01, (0.0,), nothing)
    assert not neither.found
    assert neither.words == (
        "No structure was found: neither the model nor random forests predict hidden values better "
        "than the base rate of each column does."
    )
