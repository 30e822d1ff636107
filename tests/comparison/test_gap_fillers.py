"""Tests of the baselines for tables of any kind and for counts, against scikit-learn and
quadrature.
"""

import numpy as np
import pytest
from scipy.stats import norm, poisson
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from gplvm_core.comparison import ChainedModels, PoissonFactors
from gplvm_core.comparison.poisson_factors import _bound
from gplvm_core.readers import DataError

KINDS = ["number", "number", "category", "count"]


def mixed(n_rows: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of four kinds along one line, and the probabilities of "c"."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=n_rows)
    later = 1.0 / (1.0 + np.exp(-3.0 * x))
    draw = generator.random(n_rows)
    table = np.empty((n_rows, 4), dtype=object)
    table[:, 0], table[:, 1] = x, 2.0 * x + 0.5 * generator.normal(size=n_rows)
    table[:, 2] = np.where(draw < later, "c", "a")
    table[:, 3] = generator.poisson(np.exp(0.5 + 0.8 * x))
    return table, later


def test_without_gaps_every_column_is_scikit_learns_own_regression() -> None:
    table, _ = mixed()
    pair = table[:, [0, 2]]
    model = ChainedModels(["number", "category"]).fit(pair)
    x = StandardScaler().fit_transform(pair[:, :1].astype(float))
    words = model.class_words(1)
    codes = np.array([words.index(word) for word in pair[:, 1]])
    penalties = {"C": (0.03, 0.1, 0.3, 1.0)}
    alone = GridSearchCV(LogisticRegression(), penalties, cv=3, scoring="neg_log_loss")
    alone.fit(x, codes)
    np.testing.assert_allclose(model.class_probabilities(pair, 1), alone.predict_proba(x))
    one_hot = StandardScaler().fit_transform(np.eye(2)[codes])
    ridge = RidgeCV(np.geomspace(0.01, 1000.0, 11)).fit(one_hot, pair[:, 0].astype(float))
    np.testing.assert_allclose(model.expected(pair)[0], ridge.predict(one_hot))


def test_forests_of_words_numbers_and_counts_are_scikit_learns_own() -> None:
    table, _ = mixed(80)
    table[0, 2] = "b"  # a word of a single row
    model = ChainedModels(KINDS, "forest", random_state=0).fit(table)
    words, settings = model.columns_[2].words, {"min_samples_leaf": 3, "random_state": 0}
    number, other, count = (table[:, at].astype(float) for at in (0, 1, 3))
    codes = np.array([words.index(word) for word in table[:, 2]])
    one_hot, root = np.eye(3)[codes], np.sqrt(count)[:, None]
    pair = np.column_stack([number, other])
    found = model.expected(table)
    forest = RandomForestClassifier(200, **settings).fit(np.hstack([pair, root]), codes)
    np.testing.assert_allclose(found[2], forest.predict_proba(np.hstack([pair, root])))
    inputs = np.hstack([other[:, None], one_hot, root])
    numbers = RandomForestRegressor(200, **settings).fit(inputs, number)
    np.testing.assert_allclose(found[0], numbers.predict(inputs))
    inputs = np.hstack([pair, one_hot])
    counts = RandomForestRegressor(200, criterion="poisson", **settings).fit(inputs, count)
    np.testing.assert_allclose(found[3], counts.predict(inputs))


@pytest.mark.parametrize("family", ["linear", pytest.param("forest", marks=pytest.mark.slow)])
def test_gaps_of_every_kind_are_filled_better_than_by_base_rates(family: str) -> None:
    table, later = mixed()
    hidden = np.random.default_rng(1).random(table.shape) < 0.2
    hidden[hidden.all(axis=1)] = False
    seen = table.copy()
    seen[hidden] = None
    model = ChainedModels(KINDS, family, random_state=0).fit(seen)
    numbers, gone = model.expected(seen)[1], hidden[:, 1]
    truth = table[gone, 1].astype(float)
    assert np.sqrt(np.mean((numbers[gone] - truth) ** 2)) < 0.6 * truth.std()
    chance = model.class_probabilities(seen, 2)[:, model.class_words(2).index("c")]
    assert np.mean(np.abs(chance - later)[hidden[:, 2]]) < 0.15
    counts, gone = table[:, 3].astype(int), hidden[:, 3]
    listed = model.count_probabilities(seen, 3, 200)
    np.testing.assert_allclose(listed.sum(axis=1), 1.0)
    own = np.log(listed[gone, counts[gone]])
    assert own.mean() > poisson.logpmf(counts[gone], counts.mean()).mean() + 0.1
    filled = model.complete(seen)
    np.testing.assert_array_equal(filled.to_numpy()[~hidden], table[~hidden])
    assert not filled.isna().any().any()
    assert set(filled[filled.columns[2]]) == {"a", "c"}


def test_a_column_is_predicted_without_its_own_value() -> None:
    table, _ = mixed(80)
    model = ChainedModels(KINDS).fit(table)
    gaps = table.copy()
    gaps[:, 1] = None
    other = gaps.copy()
    other[:, 2] = np.where(table[:, 2] == "a", "c", "a")
    np.testing.assert_array_equal(
        model.class_probabilities(gaps, 2), model.class_probabilities(other, 2)
    )
    with pytest.raises(DataError, match="column '2' is of kind category, not of counts"):
        model.count_probabilities(table, 2, 5)
    with pytest.raises(DataError, match="no column 'x'"):
        model.class_probabilities(table, "x")


def test_the_gradient_of_poisson_factors_is_that_of_differences() -> None:
    generator = np.random.default_rng(0)
    counts = generator.poisson(2.0, (3, 4)).astype(float)
    counts[0, 1] = np.nan
    w, b = generator.normal(size=(2, 4)), generator.normal(size=4)
    m, logs = generator.normal(size=(3, 2)), generator.normal(size=(3, 2)) - 1.0
    _, of_m, of_logs, *_ = _bound(counts, w, b, m, logs)
    for found, given in ((of_m, m), (of_logs, logs)):
        for at in np.ndindex(given.shape):
            kept, values = given[at], []
            for step in (1e-6, -1e-6):
                given[at] = kept + step
                values.append(_bound(counts, w, b, m, logs)[0].sum())
            given[at] = kept
            assert found[at] == pytest.approx((values[0] - values[1]) / 2e-6, rel=1e-6, abs=1e-8)


def test_poisson_factors_agree_with_quadrature_over_the_factor() -> None:
    """The predictions are near those of the exact posterior."""
    generator = np.random.default_rng(0)
    factor, loadings = generator.normal(size=(200, 1)), np.linspace(-1.0, 1.0, 12)[None]
    counts = generator.poisson(np.exp(0.3 + factor @ loadings)).astype(float)
    model = PoissonFactors(1).fit(counts[:150])
    truth = loadings[0] / np.linalg.norm(loadings)
    cosine = model.loadings_[0] @ truth / np.linalg.norm(model.loadings_)
    assert abs(cosine) > 0.98
    rows = counts[150:160].copy()
    rows[:, :3] = np.nan
    grid = np.linspace(-8.0, 8.0, 4001)
    logs = poisson.logpmf(
        counts[150:160, None], np.exp(model.level_ + grid[:, None] * model.loadings_)
    )
    prior = norm.logpdf(grid) + np.log(grid[1] - grid[0])
    whole = np.logaddexp.reduce(logs[..., 3:].sum(axis=2) + prior, axis=1)
    posterior = np.exp(logs[..., 3:].sum(axis=2) + prior - whole[:, None])
    exact = np.log(np.einsum("ng,ngd->nd", posterior, np.exp(logs[..., :3])))
    found = model.log_probabilities(counts[150:160], rows)
    np.testing.assert_allclose(found[:, :3], exact, atol=0.02)
    mean = np.einsum("ng,gd->nd", posterior, np.exp(model.level_ + grid[:, None] * model.loadings_))
    np.testing.assert_allclose(model.expected(rows)[:, :3], mean[:, :3], rtol=0.02)


def test_poisson_factors_choose_their_number_and_refuse_what_is_no_count() -> None:
    generator = np.random.default_rng(0)
    rates = np.exp(generator.normal(size=(100, 2)) @ generator.normal(size=(2, 20)))
    assert PoissonFactors(max_iter=150, random_state=0).fit(
        generator.poisson(rates)
    ).n_components_ in (2, 3)
    with pytest.raises(DataError, match="whole numbers of at least 0"):
        PoissonFactors().fit([[0.5, 1.0], [1.0, 2.0]])
