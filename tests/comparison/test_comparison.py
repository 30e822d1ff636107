"""Tests of comparisons on common splits: measures, claims and refusals."""

import numpy as np
import pytest
from scipy import integrate
from sklearn.datasets import make_blobs
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor

from gplvm_core.comparison import (
    Comparison,
    Contender,
    Difference,
    Step,
    compare,
    depth,
    is_depth_worth_it,
    mixture,
)
from gplvm_core.comparison.baselines import WithNoise
from gplvm_core.comparison.depth import answer
from gplvm_core.comparison.mixture import Mixture
from gplvm_core.datasets import DataError
from gplvm_core.models import ProbabilisticPCA
from gplvm_core.models.problems import regression

NOISE = 0.3
LINE = Contender("line", WithNoise(LinearRegression()))
NEAREST = Contender("nearest", WithNoise(KNeighborsRegressor(1)))


def line(n_rows: int = 400) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    x = generator.uniform(-1.0, 1.0, (n_rows, 2))
    return x, x @ [2.0, -1.0] + 5.0 + NOISE * generator.normal(size=n_rows)


def test_a_linear_function_is_found_to_be_linear() -> None:
    found = compare([LINE, NEAREST], *line())
    # The expected likelihood is the mean of log N(e; 0, σ²). The error of a neighbour contains the
    # noise of both rows.
    expected = -0.5 * np.log(2.0 * np.pi * np.e * NOISE**2)
    assert found.mean("log_likelihood", "line") == pytest.approx(expected, abs=0.1)
    assert found.mean("rmse", "line") == pytest.approx(NOISE, rel=0.1)
    assert found.mean("rmse", "nearest") > 1.2 * NOISE
    gain = found.difference("log_likelihood", "nearest")
    assert gain.sure and gain.mean < 0.0
    assert found.difference("rmse", "line").mean == 0.0
    again = compare([LINE, NEAREST], *line())
    np.testing.assert_array_equal(found.values["rmse"], again.values["rmse"])


def test_noise_is_estimated_on_held_out_rows() -> None:
    x, y = line()
    model = WithNoise(KNeighborsRegressor(1)).fit(x, y[:, None])
    assert np.abs(model.predict(x) - y).max() == 0.0
    assert model.std_[0] > 1.2 * NOISE


def test_a_mixture_is_a_density_in_the_rows_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "SIZES", (1, 2))
    rows, _ = make_blobs(60, 1, centers=[[-1e3], [4e3]], cluster_std=100.0, random_state=0)
    model = Mixture(random_state=0).fit(rows)
    total, _ = integrate.quad(
        lambda y: np.exp(model.score_samples(np.array([[y]]))[0]), -6e4, 6e4, points=[-1e3, 4e3]
    )
    assert total == pytest.approx(1.0, abs=1e-3)
    # In other units, the density differs by the Jacobian.
    other = Mixture(random_state=0).fit(rows / 1e3)
    np.testing.assert_allclose(
        other.score_samples(rows[:5] / 1e3), model.score_samples(rows[:5]) + np.log(1e3)
    )


def made(one: list[float], two: list[float], line: list[float]) -> Comparison:
    told = np.column_stack([one, two, line])
    values = {"log_likelihood": told, "rmse": np.exp(-told), "seconds": np.ones_like(told)}
    return Comparison(("one layer", "two layers", "line"), values, "one layer", 0.25)


def test_standard_errors_account_for_shared_rows() -> None:
    found = made([0.0, 0.0, 0.0, 0.0], [0.1, 0.3, 0.2, 0.6], [0.0] * 4)
    gain = found.difference("log_likelihood", "two layers")
    assert gain.mean == pytest.approx(0.3)
    # The variance over the splits is s² = 0.14/3. Without the correction for shared rows, the error
    # would be s/2.
    assert gain.error == pytest.approx(np.sqrt(0.14 / 3 * (0.25 + 0.25)))
    assert not gain.sure
    # With four splits, a difference must exceed 3.2 standard errors (Student's t with 3 degrees of
    # freedom).
    assert not Difference(3.1, 1.0, 4).sure and Difference(3.2, 1.0, 4).sure
    assert Difference(2.0, 1.0, 1000).sure and not Difference(9.0, 0.0, 1).sure
    assert found.difference("log_likelihood", "one layer", "two layers").mean == -gain.mean


def test_only_sure_differences_are_claimed() -> None:
    one = [0.0, 0.1, 0.2]
    pays = answer(made(one, [0.5, 0.65, 0.7], [-1.0, -1.0, -1.0]))
    assert pays.startswith("Depth pays here: two layers are better than one layer by 0.52 ± 0.02")
    assert "smaller" in pays and "simpler models have a lower likelihood than two layers" in pays
    chance = answer(made(one, [0.5, -0.3, 0.4], [0.1, 0.0, 0.3]))
    assert chance.startswith(
        "Depth does not pay here: two layers and one layer differ by +0.1 ± 0.4 nats"
    )
    assert "are not clearly different from one layer on these splits: line" in chance
    harm = answer(made(one, [-0.5, -0.35, -0.3], [1.0, 1.15, 1.2]))
    assert "two layers are worse than one layer by 0.48 ± 0.02 nats per row" in harm
    assert "have a higher likelihood than one layer: line (by 1.02 ± 0.02)" in harm


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_is_depth_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regression, "SUBSET_ITERATIONS", 1)
    monkeypatch.setattr(depth, "N_TREES", 2)
    monkeypatch.setattr(mixture, "SIZES", (1,))
    x, y = line(24)
    steps: list[Step] = []
    quick = {"cv": KFold(2), "n_inducing": 4, "max_iter": 2}
    found = is_depth_worth_it(x, np.column_stack([y, -y]), callback=steps.append, **quick)
    assert found.answer.startswith("Depth ") and found.n_splits == 2
    assert [row["model"] for row in found.rows()][:3] == ["one layer", "two layers", "three layers"]
    assert {step.name for step in steps} == set(found.names)
    shares = [step.share for step in steps]
    assert shares == sorted(shares) and shares[0] >= 0.0 and shares[-1] < 1.0
    assert found.answer in found.to_markdown() and "| linear model |" in found.to_markdown()
    assert len(found.to_csv().splitlines()) == 1 + 2 * len(found.names)
    rows = np.column_stack([x, y, np.ones(24)])
    found = is_depth_worth_it(rows, **quick)
    assert "rmse" not in found.values and np.isfinite(found.values["density"]).all()
    # Densities from draws and from bounds differ for approximate models, and are equal for exact
    # models.
    drawn = found.values["density"] != found.values["density_bounds"]
    assert drawn[:, :3].all() and not drawn[:, 3:].any()
    assert found.notes[-1] == "The comparison leaves out 1 constant column."


def test_stop_iteration_keeps_finished_splits() -> None:
    def stop(step: Step) -> None:
        if step.split == 3:
            raise StopIteration

    found = compare([LINE, NEAREST], *line(40), callback=stop)
    assert found.n_splits == 2 and len(found.rows()) == 2

    def at_once(step: Step) -> None:
        raise StopIteration

    nothing = is_depth_worth_it(*line(40), callback=at_once)
    assert nothing.n_splits == 0 and nothing.rows() == ()
    assert nothing.answer.startswith("Stopped after 0 finished splits")
    assert nothing.to_markdown().startswith("Stopped")


@pytest.mark.parametrize(
    ("x", "y", "cv", "words"),
    [
        (np.ones((9, 1)), np.ones(9), 5, "9 rows cannot be split"),
        (np.ones((20, 1)), np.ones(19), 5, r"y must have one output.*20 rows.*got shape \(19,\)"),
        (np.ones((20, 1)), np.full(20, np.nan), 5, "20 of 20 values of y are missing"),
        (np.full((20, 1), np.inf), None, 5, "20 of 20 values of X are missing"),
        (np.ones(20), None, 5, r"X must be a table of rows and columns, N × Q; got shape \(20,\)"),
        ([["a"]], None, 5, "X must be numbers"),
        (np.ones((20, 1)), None, 1, "cv must be at least 2 splits"),
        (np.ones((20, 1)), None, [(np.arange(15), np.arange(15, 20))], "at least 2 splits"),
        (np.ones((12, 1)), None, KFold(12), "has 11 training rows and 1 test row;"),
    ],
)
def test_data_that_cannot_be_compared_are_refused(x, y, cv, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        compare([Contender("any", ProbabilisticPCA(1))], x, y, cv=cv)
    assert issubclass(DataError, ValueError)
