"""Tests of the tab Time for a dated table: its dates, its empty rows, and the words about both."""

import csv
import io
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gplvm_core import DynamicalGPLVM, StateSpaceGPLVM, read_table
from gplvm_core.comparison import fill_sequence
from gplvm_core.datasets import Dataset
from gplvm_core.prediction.simple_forecasts import TREND
from gplvm_core.store import Library, workspace
from gplvm_core.wire.sequence import Reel
from pages.ui.explore.time.export import sequence_csv
from pages.ui.explore.time.model import (
    DATA,
    OWN_GAPS,
    SEEN,
    drawn,
    error_in_words,
    played,
    with_gap,
)
from pages.ui.explore.time.model import filled as fill
from pages.ui.explore.time.own_screen import widened
from pages.ui.explore.time.series import chart
from pages.ui.shared.card import made_card
from tests.app.apptest import run_page, said
from tests.app.test_dynamics import choose_task, filled, reel
from tests.app.test_dynamics_own import done

pytestmark = pytest.mark.usefixtures("home")
MONTHS = [f"{day:%Y-%m-%d}" for day in pd.date_range("2015-01-01", periods=66, freq="MS")]
EMPTY = range(30, 34)  # rows of the file without a value
LATE = "2017-10-03"  # a date of an empty row that is not the first of its month


@pytest.fixture(scope="module")
def sales() -> Dataset:
    """Return sixty months with a trend and a season; four have a date and no value."""
    months = np.arange(60)
    values = 100.0 + 0.5 * months + 10.0 * np.sin(months / 12 * 2 * np.pi)
    dates = [*MONTHS[:60]]
    dates[EMPTY[-1]] = LATE
    rows = [f"{day},{x:.2f},{90 - x / 3:.2f}" for day, x in zip(dates, values, strict=True)]
    for n in EMPTY:
        rows[n] = f"{dates[n]},,"
    text = "\n".join(["date,sales,stock", *rows])
    return read_table(text.encode(), time_column="date", skip_empty_rows=True)


def trained(kind: type[Any], dataset: Dataset) -> Any:
    model = kind(1, n_inducing=10, max_iter=15, random_state=0)
    if kind is DynamicalGPLVM:
        model.set_params(time_kernel="matern32")
    return model.fit(dataset.values, times=dataset.times)


@pytest.fixture(scope="module")
def model(sales: Dataset) -> DynamicalGPLVM:
    return trained(DynamicalGPLVM, sales)


def exported(dataset: Dataset, shown: Reel) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(sequence_csv(dataset, shown).decode())))


@pytest.mark.parametrize("kind", [DynamicalGPLVM, StateSpaceGPLVM])
def test_a_series_goes_on_by_months_and_empty_rows_keep_their_dates(
    kind: type[Any], sales: Dataset
) -> None:
    shown = played(trained(kind, sales), f"{kind.__name__} of sales", sales, 0, 6)
    table = exported(sales, shown)
    expected = MONTHS.copy()
    expected[EMPTY[-1]] = LATE
    assert [row["time"] for row in table] == expected
    kinds = ["observed"] * 30 + ["filled"] * 4 + ["observed"] * 26 + ["forecast"] * 6
    assert [row["kind"] for row in table] == kinds
    assert list(shown.dates) == expected
    figure = chart(sales, shown, 0)
    assert figure.data[1].x[1] == np.datetime64("2015-02-01") and figure.layout.shapes[0].x0 == (
        "2020-01-01T00:00:00.000"
    )
    assert figure.layout.xaxis.title.text == "time"


@pytest.mark.parametrize(("kind", "alias"), [(DynamicalGPLVM, "B"), (StateSpaceGPLVM, "YS")])
def test_business_days_and_leap_years_are_counted(kind: type[Any], alias: str) -> None:
    days = [f"{day:%Y-%m-%d}" for day in pd.date_range("1960-01-01", periods=60, freq=alias)]
    rows = "\n".join(f"{day},{np.sin(n):.3f},{n % 5}" for n, day in enumerate(days[:40]))
    dataset = read_table(f"day,a,b\n{rows}".encode(), time_column="day")
    shown = played(trained(kind, dataset), f"{kind.__name__} {alias}", dataset, 0, 20)
    assert list(shown.dates) == days
    assert not shown.hidden.any()


def test_an_invented_series_has_no_dates(model: DynamicalGPLVM, sales: Dataset) -> None:
    shown = drawn(model, "sales", sales, 0, 10, 1)
    assert shown.dates == () and "time (days)" in exported(sales, shown)[0]


def test_a_real_gap_has_no_truth(model: DynamicalGPLVM, sales: Dataset) -> None:
    gap = with_gap(model, sales, 0, OWN_GAPS, (0.0, 0.0))
    assert [panel.title for panel in gap.panels] == [SEEN]
    assert np.flatnonzero(gap.hidden).tolist() == list(EMPTY)


@pytest.fixture(scope="module")
def ruled(sales: Dataset) -> DynamicalGPLVM:
    """Return a model whose series is continued by trend and season."""
    fresh = trained(DynamicalGPLVM, sales)
    with warnings.catch_warnings(action="ignore"):
        fresh.choose_forecaster(sales.values)
    assert fresh.forecaster_.name == TREND
    return fresh


def true_sales(months: np.ndarray) -> np.ndarray:
    return np.asarray(100.0 + 0.5 * months + 10.0 * np.sin(months / 12 * 2 * np.pi))


def test_a_gap_follows_the_rule_that_forecasts_the_series_everywhere(
    ruled: DynamicalGPLVM, sales: Dataset
) -> None:
    gap, months = with_gap(ruled, sales, 0, OWN_GAPS, (0.0, 0.0)), np.array(EMPTY)
    shown = fill(ruled, sales, gap, lambda step, bound: None, adapt=False)
    assert np.abs(shown.panels[0].values[months, 0] - true_sales(months)).max() < 1.0
    assert shown.note.startswith("Filled by trend and season, from the rows before and after")
    assert np.flatnonzero(shown.by_rule).tolist() == list(EMPTY)
    # The player, the map beside it, and the exported table have the same numbers and sentence.
    reels = [played(ruled, f"ruled sales {ahead}", sales, 0, ahead) for ahead in (0, 6)]
    tables = [exported(sales, each) for each in (shown, *reels)]
    for each, table in zip(reels, tables[1:], strict=True):
        assert each.note == shown.note
        for name in ("sales", "stock"):
            assert [float(table[n][name]) for n in months] == pytest.approx(
                [float(tables[0][n][name]) for n in months]
            )
        assert [table[n] for n in months] == [tables[0][n] for n in months]
        place, std = ruled.transform(each.panels[0].values[months], return_std=True)
        np.testing.assert_allclose(each.latent_mean[months], place, atol=1e-6)
        np.testing.assert_allclose(each.latent_variance[months], std**2, atol=1e-6)
    assert [row["kind"] for row in tables[2][60:]] == ["forecast"] * 6
    # A user of the library gets them by one call.
    rows = np.full((60, 2), np.nan)
    rows[~np.isin(np.arange(60), months)] = sales.values
    found = fill_sequence(ruled, rows, gap.times, adapt=False)
    np.testing.assert_array_equal(found.values[months], shown.panels[0].values[months])
    np.testing.assert_array_equal(found.values[:30], sales.values[:30])


def test_a_new_sequence_follows_the_rule_and_its_other_gaps_the_model(
    ruled: DynamicalGPLVM, sales: Dataset
) -> None:
    key = "library:" + Library(workspace() / "library").add(ruled, sales, "Sales")
    at = run_page("time", model=key)
    choose_task(at, "own")
    months = np.arange(60)
    values = [[f"{a + 5:.3f}", f"{90 - a / 3:.3f}"] for a in true_sales(months)]
    values[30:34] = [["", ""]] * 4
    gaps = np.arange(4, 7)
    for n in gaps:
        values[n][1] = ""
    lines = [f"{day},{a},{b}" for day, (a, b) in zip(MONTHS[:60], values, strict=True)]
    text = "\n".join(["date,sales,stock", *lines])
    at.file_uploader[0].upload("new.csv", text.encode()).run()
    at = done(at, "intervals could not be checked")
    assert "Filled by trend and season, from the rows before and after" in said(at)
    assert not at.exception
    _, arrays = reel(at)
    wrong = arrays["values0"][30:34, 0] - true_sales(months[30:34]) - 5.0
    assert np.abs(wrong).max() < 1.0
    given = arrays["values1"].astype(float)
    found = fill_sequence(ruled, given, arrays["times"])
    np.testing.assert_allclose(arrays["values0"], found.values, atol=1e-3)
    np.testing.assert_allclose(arrays["std0"], found.std, atol=1e-3)
    # Only the intervals of the model are widened: those of the rule have been checked.
    gap = with_gap(ruled, sales, 0, OWN_GAPS, (0.0, 0.0))
    narrow = fill(ruled, sales, gap, lambda step, bound: None, adapt=False)
    wide, once = (each.panels[0].std for each in (widened(narrow, 3.0), narrow))
    np.testing.assert_allclose(wide[[29, *EMPTY]], once[[29, *EMPTY]] * [[3.0], *[[1.0]] * 4])


def test_a_rule_needs_equal_steps(ruled: DynamicalGPLVM, sales: Dataset) -> None:
    rows, times = np.array(sales.values[:30]), np.array(sales.times[:30])
    rows[10:13] = np.nan
    far = times + np.where(np.arange(30) > 20, 61.0, 0.0)  # two months lack
    found = fill_sequence(ruled, rows, far, adapt=False)
    assert "not equally spaced" in found.reason and not found.by_rule.any()
    weekdays = np.arange(30) + 2 * (np.arange(30) // 5)
    found = fill_sequence(ruled, rows, 30.4 * weekdays, adapt=False)
    assert "not equally spaced" not in found.reason


def test_the_page_says_rows_dates_and_how_many_are_to_fill(
    model: DynamicalGPLVM, sales: Dataset
) -> None:
    key = "library:" + Library(workspace() / "library").add(model, sales, "Sales")
    at = run_page("time", model=key)
    assert not at.exception
    assert "56 × 2 values · 4 rows to fill" in said(at)
    assert "4 rows to fill" in made_card(key, "new", film=False).facts
    header, _ = reel(at)
    assert header["title"] == "Sequence 1, 56 rows" and header["each"] == "row"
    assert header["dates"][:2] == ["2015-01-01", "2015-02-01"]
    assert [panel["title"] for panel in header["panels"]][1] == DATA
    assert at.slider[0].proto.format == "%d rows"
    choose_task(at, "fill")
    assert [panel["title"] for panel in reel(at)[0]["panels"]] == [SEEN]
    next(each for each in at.button if each.label == "Fill it in").click().run()
    header, arrays = filled(at)
    assert [panel["title"] for panel in header["panels"]] == ["Filled in", SEEN]
    assert LATE in header["dates"] and not np.isnan(arrays["values0"]).any()
    # A part that is hidden for a test is chosen between two dates, and has a truth.
    parts = next(each for each in at.selectbox if each.label == "Hide")
    parts.set_value(parts.options[-1]).run()
    (stretch,) = at.select_slider
    assert all(each in MONTHS for each in stretch.options)
    titles = [panel["title"] for panel in reel(at)[0]["panels"]]
    assert titles == [SEEN, "The truth"]


def test_an_error_does_not_depend_on_the_unit_of_a_column(sales: Dataset) -> None:
    found, truth = sales.values + np.array([10.0, 1.0]), sales.values
    all_hidden, std = truth == truth, np.ones_like(truth)
    words = error_in_words(sales, found, std, truth, all_hidden)
    shares = np.array([10.0, 1.0]) / truth.std(axis=0)
    share = np.sqrt(np.mean(shares**2))
    assert f"{share:.3g} of each column's standard deviation" in words
    grams = replace(sales, targets=sales.targets * [1.0, 1000.0])
    scaled = [each * [1.0, 1000.0] for each in (found, std, truth)]
    assert error_in_words(grams, *scaled, all_hidden) == words
