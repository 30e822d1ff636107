"""Tests of models of tables with words and counts on held-out rows, and of plain baselines."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.comparison import Step, advice, compare_tables_kept_aside, results
from gplvm_core.comparison.tables import BASE_RATES, CHAINED, FACTORS, FOREST, BaseRates
from gplvm_core.datasets import Dataset
from gplvm_core.simulated.spikes import load_spikes

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SMALL = BayesianGPLVM(2, 12, kinds="auto", max_iter=40)


def line(n_rows: int = 90) -> Dataset:
    """Return a number, one of three words and a count that all follow one hidden value."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=n_rows)
    names = np.array(["low", "middle", "high"])
    table = pd.DataFrame(
        {
            "number": x + 0.2 * generator.normal(size=n_rows),
            "word": names[np.digitize(x + 0.1 * generator.normal(size=n_rows), [-0.5, 0.5])],
            "count": generator.poisson(np.exp(1.0 + x)),
            "other": -x + 0.2 * generator.normal(size=n_rows),
        }
    )
    return Dataset.of_table("line", "Line", table)


@pytest.mark.slow
def test_a_map_of_related_columns_beats_base_rates_at_every_purpose() -> None:
    data, steps = line(), list[Step]()
    found = compare_tables_kept_aside(
        {"map": SMALL}, data.columns, data.values, cv=2, callback=steps.append
    )
    assert found.names == ("map", BASE_RATES, CHAINED, FOREST)
    # The error of the base rates is 1 by definition, except for the random split.
    assert found.mean("missing", BASE_RATES) == pytest.approx(1.0, abs=0.15)
    assert found.mean("missing", "map") < 0.6
    assert found.mean("density", "map") > found.mean("density", BASE_RATES) + 0.5
    assert found.mean("drawn", "map") < found.mean("drawn", BASE_RATES)
    # Chained models have no density and no draws.
    assert np.isnan(found.mean("density", CHAINED)) and np.isnan(found.mean("drawn", FOREST))
    assert steps[-1].share < 1.0 and "map" in {step.name for step in steps}
    given = results({}, found)
    assert [each.purpose.key for each in given] == ["fill", "judge", "generate"]
    assert advice(given)


@pytest.mark.slow
def test_counts_are_compared_with_poisson_factors() -> None:
    spikes = load_spikes(80, 8, 2.0)
    found = compare_tables_kept_aside({}, spikes.columns, spikes.values, cv=2)
    assert found.names == (BASE_RATES, CHAINED, FOREST, FACTORS)
    assert found.mean("missing", FACTORS) < found.mean("missing", BASE_RATES)


def test_base_rates_are_a_density_of_independent_columns() -> None:
    data = line()
    model = BaseRates(data.columns).fit(data.values)
    word = data.values[:, 1].astype(int)
    shares = np.bincount(word) / len(word)
    alone = BaseRates(data.columns[1:2]).fit(data.values[:, 1:2])
    np.testing.assert_allclose(alone.score_samples(data.values[:, 1:2]), np.log(shares[word]))
    drawn = model.sample(4000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), data.values.mean(axis=0), atol=0.2)


@pytest.mark.slow
def test_counts_are_compared_at_their_exposures() -> None:
    generator = np.random.default_rng(0)
    hours = np.exp(generator.normal(size=60))
    counts = generator.poisson(3.0 * hours[:, None] * [1.0, 2.0, 0.5])
    table = np.column_stack([hours, counts]).astype(float)
    data = Dataset.of_table("c", "C", table.tolist(), ["exposure", *["count"] * 3])
    found = compare_tables_kept_aside({"map": SMALL}, data.columns, data.values, cv=2)
    # Given the hours the counts are independent, so no model predicts them better than base rates.
    assert found.mean("missing", "map") < 0.6
    assert found.mean("missing", BASE_RATES) < 0.6
    assert abs(found.mean("density", "map") - found.mean("density", BASE_RATES)) < 0.3
    assert found.mean("missing", CHAINED) < 0.9
    alone = compare_tables_kept_aside({}, data.columns[1:], data.values[:, 1:], cv=2)
    assert alone.mean("missing", BASE_RATES) > 0.9
    base = BaseRates(data.columns).fit(table)
    (_, first, *_) = base.expected(np.array([[2.0, 0.0, 0.0, 0.0]]))
    assert first[0] == pytest.approx(2.0 * counts[:, 0].sum() / hours.sum())
