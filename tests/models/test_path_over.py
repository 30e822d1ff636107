"""Latent paths that follow the rows' own values: all of them, or some columns."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, DeepGPLVM
from gplvm_core.models.estimators.base import Capabilities
from gplvm_core.readers import DataError
from gplvm_core.store import load, save

SETTINGS: dict[str, Any] = {"time_kernel": "rbf", "max_iter": 15, "random_state": 0}


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    """Return rows whose last two columns are a place, in other units than the other columns."""
    generator = np.random.default_rng(0)
    place = generator.uniform(-1.0, 1.0, (40, 2))
    values = np.column_stack([np.sin(3.0 * place[:, 0]), place[:, 0] * place[:, 1], place[:, 1]])
    values += 0.1 * generator.standard_normal(values.shape)
    return np.hstack([values, 100.0 * place + 7.0])


def standardised(columns: np.ndarray) -> np.ndarray:
    return (columns - columns.mean(axis=0)) / columns.std(axis=0)


@pytest.mark.parametrize("over", ["outputs", (3, 4)])
@pytest.mark.parametrize("kind", [BayesianGPLVM, DeepGPLVM])
def test_the_bound_is_that_of_these_values_as_times(rows: np.ndarray, over: Any, kind: Any) -> None:
    # Rounding differs, so the two trainings separate after many iterations.
    few = SETTINGS | {"max_iter": 2}
    wide = (2, 2) if kind is DeepGPLVM else 2
    model = kind(wide, 8, path_over=over, **few).fit(rows)
    columns = rows if over == "outputs" else rows[:, list(over)]
    same = kind(wide, 8, **few).fit(rows, times=standardised(columns))
    assert model.bound_ == pytest.approx(same.bound_, rel=1e-6)
    assert model.times_ == pytest.approx(standardised(columns), rel=1e-9, abs=1e-9)


@pytest.mark.slow
def test_rows_at_near_places_are_near_on_the_map(rows: np.ndarray) -> None:
    """Also rows whose other values are noise: without the rule, these are anywhere."""
    noisy = rows.copy()
    noisy[:, :3] += np.random.default_rng(1).standard_normal((40, 3))
    pairs = np.triu_indices(40, 1)

    def correlation(model: Any) -> float:
        found = model.latent_mean_
        scale = np.sqrt(np.maximum(model.relevance_, 0.0))
        latent = np.linalg.norm(((found[:, None] - found) * scale)[pairs], axis=1)
        place = np.linalg.norm((rows[:, None, 3:] - rows[:, 3:])[pairs], axis=1)
        return float(np.corrcoef(latent, place)[0, 1])

    few = {"scaling": "columns", "max_iter": 150, "random_state": 0}
    free = BayesianGPLVM(2, 15, **few).fit(noisy)
    near = BayesianGPLVM(2, 15, **few, time_kernel="rbf", path_over=(3, 4)).fit(noisy)
    assert correlation(near) > correlation(free) + 0.1


def test_the_model_has_a_map_and_no_time(rows: np.ndarray, tmp_path: Path) -> None:
    model = BayesianGPLVM(2, 8, path_over="outputs", **SETTINGS)
    assert model.capabilities == Capabilities(timed=False)
    model.fit(rows, sequences=np.arange(40) % 2)
    assert not model.can_calibrate
    with pytest.raises(DataError, match="no paths over time"):
        model.calibrate(rows)
    assert any("the paths follow the rows' own values" in note for note in model.notes_)
    assert model.fit_density(rows).density_ is not None
    gaps = rows[:3].copy()
    gaps[:, 0] = np.nan
    assert np.isfinite(model.complete(gaps)).all()
    save(model, tmp_path / "model.zip")
    again = load(tmp_path / "model.zip")
    assert again.path_over == "outputs" and again.capabilities == model.capabilities
    assert again.transform(rows[:3]) == pytest.approx(model.transform(rows[:3]))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"path_over": "outputs", "time_kernel": None}, "needs a time_kernel"),
        ({"path_over": "rows"}, "path_over must be"),
        ({"path_over": ()}, "path_over must be"),
        ({"path_over": (0, -1)}, "path_over must be"),
        ({"path_over": (0, 5)}, "names column 5"),
        ({"path_over": (0,), "kinds": "auto"}, "columns of numbers only"),
    ],
)
def test_bad_settings_are_named(rows: np.ndarray, settings: dict[str, Any], said: str) -> None:
    pandas = pytest.importorskip("pandas")
    given: Any = rows
    if "kinds" in settings:
        given = pandas.DataFrame(rows).assign(word=["a", "b"] * 20)
    with pytest.raises(ValueError, match=said):
        BayesianGPLVM(2, 8, **(SETTINGS | settings)).fit(given)


def test_columns_with_gaps_or_one_value_cannot_be_followed(rows: np.ndarray) -> None:
    gap, constant = rows.copy(), rows.copy()
    gap[2, 1], constant[:, 0] = np.nan, 1.0
    with pytest.raises(DataError, match="row 2 has none in column 1"):
        BayesianGPLVM(2, 8, path_over="outputs", **SETTINGS).fit(gap)
    assert BayesianGPLVM(2, 8, path_over=(3, 4), **SETTINGS).fit(gap).times_.shape == (40, 2)
    with pytest.raises(DataError, match="constant"):
        BayesianGPLVM(2, 8, path_over=(0,), **SETTINGS).fit(constant)
