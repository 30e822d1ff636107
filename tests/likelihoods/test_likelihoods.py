"""Tests of what all likelihoods share: quadrature, missing entries, kinds and unknown types."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import norm

from gplvm_core.likelihoods import (
    LIKELIHOODS,
    Count,
    Exposure,
    Likelihood,
    Links,
    Number,
    Robust,
    TableColumns,
    YesNo,
)
from gplvm_core.readers import DataError
from gplvm_core.readers.kinds import TableColumn

MEAN, VARIANCE = np.array([0.3, -1.2]), np.array([0.5, 0.02])


@dataclass(frozen=True)
class Noisy(Likelihood):
    """A likelihood of a user: Gaussian noise with a known variance."""

    variance: float = 0.3

    def log_factor(self, values: np.ndarray, f: np.ndarray) -> np.ndarray:
        return norm.logpdf(values, f, np.sqrt(self.variance))

    def conditional(self, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return f, np.full_like(f, self.variance)


def test_quadrature_answers_for_a_likelihood_that_defines_only_its_density() -> None:
    values = np.array([0.9, -1.0])
    found = Noisy().log_probability(values, MEAN, VARIANCE)
    exact = norm.logpdf(values, MEAN, np.sqrt(VARIANCE + 0.3))
    np.testing.assert_allclose(found, exact, rtol=1e-6)
    mean, variance = Noisy().moments(MEAN, VARIANCE)
    np.testing.assert_allclose(mean, MEAN, rtol=1e-12)
    np.testing.assert_allclose(variance, VARIANCE + 0.3, rtol=1e-12)


@pytest.mark.parametrize("column", [YesNo(), Count(3.0)])
def test_the_expected_bound_is_that_of_its_factors(column: Likelihood) -> None:
    values, square = np.array([1.0, 0.0]), MEAN**2 + VARIANCE
    own = column.expected(values, MEAN, square)
    for found, exact in zip(own, Likelihood.expected(column, values, MEAN, square), strict=True):
        np.testing.assert_allclose(found, exact, rtol=1e-12)


def test_a_missing_entry_changes_nothing() -> None:
    links = Links((YesNo(), Number(), Count(2.0), Exposure()))
    values, whole = np.full((1, 4), np.nan), np.array([[1.0, 0.2, 3.0, 0.7]])
    mean, variance = np.full((1, 4), 0.4), np.full((1, 4), 0.3)
    assert links.log_probabilities(values, mean, variance) == 0.0
    assert links.log_base(values).sum() == 0.0
    for own in (links.factors(values, mean), links.factors(whole, mean)):
        assert own.weight[0, 1] == own.weight[0, 3] == 0.0
    assert links.factors(values, mean).weight.sum() == 0.0
    assert not np.stack(links.expected(values, mean, variance)).any()
    whole[:, 0] = np.nan
    without = links.log_probabilities(whole, mean, variance)
    alone = links.of(np.arange(4) > 0).log_probabilities(whole[:, 1:], mean[:, 1:], variance[:, 1:])
    np.testing.assert_allclose(without, alone, rtol=1e-12)


def test_an_exposure_shifts_the_function_of_its_row() -> None:
    links = Links((Count(2.0), Exposure(), Count(5.0)))
    values = np.array([[3.0, 0.7, 1.0], [0.0, -0.4, 6.0]])
    functions = np.array([[0.2, 0.0, -0.5], [1.0, 0.0, 0.3], [-2.0, 0.0, 0.1]])
    found = links.log_likelihoods(values, functions)
    for n, row in enumerate(values):
        usual = np.array([[row[0], 0.0, row[2]]])
        np.testing.assert_allclose(found[n], links.log_likelihoods(usual, functions + row[1])[0])


def test_every_kind_of_column_has_a_likelihood() -> None:
    known = {"number": Number, "robust": Robust, "category": YesNo, "count": Count}
    assert {kind: type(LIKELIHOODS[kind]) for kind in known} == known


def test_what_is_unknown_is_refused() -> None:
    with pytest.raises(TypeError, match="needs a likelihood"):
        Links((YesNo(), np.nan))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs a likelihood"):
        Links((Likelihood(),))
    with pytest.raises(DataError, match="unknown kind 'ratio'"):
        _ = TableColumns((TableColumn("a", "number"), TableColumn("b", "ratio"))).links
