"""Tests that the foreseen numbers of rows are exact, and that the foreseen time is nearly right."""

import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gplvm_core import (
    GPLVM,
    BayesianGPLVM,
    BayesianPCA,
    Dataset,
    DeepGP,
    DeepGPLVM,
    Drawing,
    DynamicalGPLVM,
    ManifoldRelevance,
    ProbabilisticPCA,
    SparseGPRegression,
    StateSpaceGPLVM,
)
from gplvm_core.readers.column_task import ColumnTask
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.training import foresee
from gplvm_core.training.fitting import fitted_map, later_steps
from gplvm_core.training.foresee import MAP, foreseen

NAMES = tuple("abcdef")
STAGES = "density of the rows", "widths of intervals", "test of forecasts"
OF_WORDS = ("test on hidden values",)


def numbers(n_rows, **others):
    rows = np.random.default_rng(0).standard_normal((n_rows, 3)) @ np.ones((3, 6))
    rows += np.random.default_rng(1).standard_normal(rows.shape)
    given = {"column_names": NAMES} | others
    return Dataset("rows", "Rows", rows, Drawing.of_vector(6), **given)


def on_disk(n_rows):
    rows = vars(numbers(60))
    return TableDataset(**rows, table="rows.csv", n_rows=n_rows)


def words(n_rows=60):
    kind = np.array(["oak", "elm", "ash"])[np.arange(n_rows) % 3]
    x, y = np.random.default_rng(0).standard_normal((2, n_rows))
    return Dataset.of_table("trees", "Trees", pd.DataFrame({"x": x, "y": y, "kind": kind}))


def series():
    return numbers(60, times=np.arange(60.0))


def views():
    rows = numbers(60).values
    parts = {"left": rows[:, :3], "right": rows[:, 3:]}
    return Dataset.of_views(
        "views", "Views", {name: (own, Drawing.of_vector(3)) for name, own in parts.items()}
    )


def pictures():
    rows = np.random.default_rng(0).integers(0, 255, (40, 64)).astype(np.uint8)
    return Dataset("pictures", "Pictures", rows, Drawing("image", (8, 8)))


def question():
    return numbers(80, task=ColumnTask("f", NAMES[:5]))


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(foresee, "SECONDS", 0.05)


def model_of(kind, width=2, **others):
    settings = {"n_inducing": 5, "max_iter": 20, "random_state": 0, "second_stage": "auto"}
    known = kind(width).get_params() if width else kind().get_params()
    settings = {name: value for name, value in (settings | others).items() if name in known}
    return kind(width, **settings) if width else kind(**settings)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("model", "dataset", "later"),
    [
        (model_of(BayesianGPLVM), numbers(60), STAGES[:1]),
        (model_of(BayesianGPLVM), on_disk(100_000), STAGES[:1]),
        (model_of(BayesianGPLVM), words(), OF_WORDS),
        (model_of(BayesianGPLVM), pictures(), STAGES[:1]),
        (model_of(BayesianPCA), numbers(60), STAGES[:1]),
        (model_of(GPLVM), numbers(60), STAGES[:1]),
        (model_of(ProbabilisticPCA), numbers(60), STAGES[:1]),
        (model_of(ManifoldRelevance), views(), STAGES[:2]),
        (model_of(DeepGPLVM, (2, 2)), numbers(60), STAGES[:1]),
        (model_of(DynamicalGPLVM), series(), STAGES),
        (model_of(StateSpaceGPLVM), series(), STAGES),
        (model_of(SparseGPRegression, None), question(), ()),
        (model_of(DeepGP, (2,)), question(), ()),
    ],
)
def test_every_kind_of_training_has_an_estimate_of_all_its_phases(model, dataset, later):
    found = foreseen(model, dataset)
    assert tuple(found.parts) == (MAP, *later)
    assert all(seconds > 0.0 for seconds in found.parts.values())
    assert found.seconds == pytest.approx(sum(found.parts.values()))
    assert found.bytes > dataset.targets.nbytes
    assert not hasattr(model, "posterior_")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        (numbers(1000), (1000, 1000, 0, 0)),
        (on_disk(1000), (1000, 1000, 0, 0)),
        (numbers(50_000), (10_000, 50_000, 40_000, 0)),
        (on_disk(1_000_000), (10_000, 20_000, 10_000, 980_000)),
        (words(30_000), (10_000, 10_000, 0, 20_000)),
        (numbers(30_000, known={"batch": np.arange(30_000) % 2}), (30_000, 30_000, 0, 0)),
        (
            replace(question(), targets=np.tile(question().targets, (400, 1))),
            (30_000, 30_000, 0, 0),
        ),
    ],
)
def test_every_row_has_its_part(dataset, expected):
    regression = dataset.task is not None
    model = model_of(*(SparseGPRegression, None) if regression else (BayesianGPLVM, 2))
    found = foreseen(model, dataset)
    assert (found.trained, found.kept, found.placed, found.passed_by) == expected
    assert found.bytes > 8 * found.kept * dataset.n_outputs


@pytest.mark.usefixtures("quick")
def test_more_rows_take_longer_and_need_no_more_memory_if_they_are_streamed():
    model = model_of(BayesianGPLVM)
    few, many = (foreseen(model, on_disk(count)) for count in (30_000, 3_000_000))
    assert many.seconds > 5 * few.seconds
    assert many.bytes == few.bytes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "dataset"),
    [
        (BayesianGPLVM(4, 40, max_iter=400, random_state=0), numbers(1500)),
        (DynamicalGPLVM(3, 20, max_iter=200, random_state=0), series()),
        (ManifoldRelevance(4, 20, max_iter=300, random_state=0), views()),
    ],
)
def test_the_estimate_is_within_a_factor_of_three(model, dataset):
    """On a quiet machine, benchmarks/before_start.py has the factors; here, other tests run."""
    model.set_params(second_stage="auto")
    found, begin = foreseen(model, dataset), time.thread_time()
    fitted = fitted_map(model, dataset, lambda progress: None)
    for step in later_steps(fitted, dataset):
        assert step.take(lambda share: None) is None
    took = time.thread_time() - begin
    assert took / 3 < found.seconds < 3 * took


def test_a_trial_that_nobody_waits_for_ends_at_its_next_report():
    asked = []

    def ask(_):
        asked.append(len(asked))
        raise StopIteration

    foreseen(model_of(BayesianGPLVM), numbers(200), ask)
    assert len(asked) == 2  # one report of the map, and one of the density
