"""Tests of new rows in the tab Views: the visitor gives one view, the page predicts the others."""

import csv
import io
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core import ManifoldRelevance
from gplvm_core.datasets import Dataset
from gplvm_core.readers.divided import with_labels
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.new_rows import NewRows
from gplvm_core.store import Library, workspace
from pages.ui.explore.views.film import Film, film_csv, follow, reel_of, summary
from pages.ui.explore.views.predicted import predicted, predicted_csv
from pages.ui.shared.intervals import ENDS
from pages.ui.shared.outputs import rows_of_views
from tests.app.apptest import press, run_page, said, stores

pytestmark = pytest.mark.usefixtures("home")

TIMES = np.arange(80) * 0.15


def clock(times: np.ndarray) -> dict[str, np.ndarray]:
    """Return the hand of a clock as two views; the height does not show whether the hand is left or
    right.
    """
    noise = 0.02 * np.random.default_rng(0).normal(size=(len(times), 6))
    height = np.column_stack([np.sin(times), np.sin(times) ** 3, 2.0 * np.sin(times)])
    place = np.column_stack([np.cos(times), np.sin(times), 1.5 * np.cos(times)])
    return {"height": height + noise[:, :3], "place": place + noise[:, 3:]}


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    views = {name: (rows, Drawing.of_vector(3)) for name, rows in clock(TIMES).items()}
    return Dataset.of_views(
        "clock", "A clock", views, times=TIMES, sequences=np.zeros(80, dtype=int)
    )


@pytest.fixture(scope="module")
def model(dataset: Dataset) -> ManifoldRelevance:
    model = ManifoldRelevance(4, 12, time_kernel="matern52", max_iter=30, random_state=0)
    return model.fit(dataset.view_values, times=TIMES)


@pytest.fixture
def page(model: ManifoldRelevance, dataset: Dataset) -> AppTest:
    """Open the tab Views with the choice of new rows."""
    key = "library:" + Library(workspace() / "library").add(model, dataset, "My clock")
    at = run_page("views", model=key)
    whose = next(each for each in at.button_group if each.key.startswith("views_whose"))
    return whose.set_value("New rows").run()


def heights(count: int) -> bytes:
    rows = clock(TIMES[:count] + 0.3)["height"]
    lines = ["height 0,height 1,height 2", *(",".join(f"{v:.6f}" for v in row) for row in rows)]
    return "\n".join(lines).encode()


def bring(at: AppTest, count: int) -> AppTest:
    return at.file_uploader[0].upload("heights.csv", heights(count)).run()


@pytest.mark.slow
def test_a_film_is_decided_by_time(dataset):
    model = ManifoldRelevance(4, 25, time_kernel="matern52", max_iter=200, random_state=0)
    model.fit(dataset.view_values, times=TIMES)
    times = TIMES[:40] + 0.3
    rows = clock(times)
    film = Film("height", rows["height"], times - 0.3, "place", rows["place"], "a")
    views = rows_of_views(dataset)
    found = follow(model, film, views, lambda step, bound: None)
    # For a single frame, the chosen side (left or right) is a matter of chance. In the film, the
    # hand does not jump.
    sides = np.sign(rows["place"][:, 0])
    assert np.abs(np.diff(found.together[:, 0])).max() < 0.6
    agreement = abs(np.mean(np.sign(found.together[:, 0]) * sides))
    assert agreement > abs(np.mean(np.sign(found.alone[:, 0, 0]) * sides))
    assert "two different answers" in summary(views["place"], film, found)
    assert [panel.title for panel in reel_of(model, views, film, found).panels] == [
        "Given: height",
        "With time",
        "Alone: first answer",
        "Alone: second answer",
    ]
    header, *lines = csv.reader(io.StringIO(film_csv(views["place"], film, found).decode()))
    assert header[0] == "time" and len(header) == 7 and len(lines) == 40
    assert float(lines[3][1]) == pytest.approx(found.together[3, 0], rel=1e-6)


@pytest.mark.slow
def test_a_film_of_words_has_their_probabilities(dataset):
    half = (np.cos(TIMES) > 0).astype(int)
    moving = replace(dataset.view("place"), labels=half, label_names=("left", "right"))
    labelled = with_labels(moving)
    model = ManifoldRelevance(
        3, 20, time_kernel="matern52", max_iter=40, random_state=0, kinds=labelled.kinds
    )
    with warnings.catch_warnings(action="ignore"):
        model.fit(labelled.views_in_own_values(), times=TIMES)
    given, to = model.views_
    rows, views = clock(TIMES[:30] + 0.3)["place"], rows_of_views(labelled)
    truth = labelled.view_values[to][2:32]
    film = Film(given, rows, TIMES[:30], to, truth, "a")
    found = follow(model, film, views, lambda step, bound: None)
    right = int(np.sum(found.together == truth))
    assert right >= 27
    assert f"Of 30 words, {right} are right with time" in summary(views[to], film, found)
    _, with_time, alone, _ = reel_of(model, views, film, found).panels
    np.testing.assert_allclose(with_time.card.sum(axis=1), 1.0)
    assert set(np.unique(alone.card)) == {0.0, 1.0}
    lines = list(csv.reader(io.StringIO(film_csv(views[to], film, found).decode())))
    assert {line[1] for line in lines[1:]} == {"left", "right"} and lines[1][2] == ""


@pytest.mark.slow
def test_a_film_plays_beside_its_other_view(page):
    assert "height" in said(page) or page.file_uploader
    at = bring(page, 30)
    assert not at.exception
    for _ in range(40):
        if "reel" in stores(at):
            break
        at.run()
    header, arrays = stores(at)["reel"]
    assert [panel["title"] for panel in header["panels"]][:2] == ["Given: height", "With time"]
    assert arrays["values1"].shape == (30, 3)
    np.testing.assert_allclose(np.diff(arrays["times"]), 0.15)
    assert "30 frames" in said(at)


@pytest.mark.slow
def test_separate_rows_are_answered_one_by_one(page):
    at = bring(page, 3)
    whole = next(each for each in at.button_group if each.key.startswith("views_new_film"))
    at = whole.set_value("Separate rows").run()
    assert not at.exception
    assert "“place” may look like this" in said(at)
    assert "Row 1" in said(at)
    # For a single row, the page does not ask whether the rows are a film.
    at = press(at, "Other rows")
    at = bring(at, 1)
    assert not at.exception
    assert not [each for each in at.button_group if each.key.startswith("views_new_film")]
    assert "may look like this" in said(at)


def test_rows_of_another_width_are_refused_and_the_form_stays(page):
    at = page.file_uploader[0].upload("other.csv", b"a,b\n1,2\n3,4\n").run()
    assert not at.exception
    assert at.error
    assert at.file_uploader


@pytest.mark.slow
def test_a_model_without_time_answers_row_by_row(dataset):
    with warnings.catch_warnings(action="ignore"):
        model = ManifoldRelevance(4, 20, max_iter=60, random_state=0).fit(dataset.view_values)
    key = "library:" + Library(workspace() / "library").add(model, dataset, "No time")
    at = run_page("views", model=key)
    whose = next(each for each in at.button_group if each.key.startswith("views_whose"))
    at = bring(whose.set_value("New rows").run(), 5)
    assert not at.exception
    assert "may look like this" in said(at)


def test_all_rows_of_a_view_are_predicted_as_a_table_with_intervals():
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((90, 2))
    size = hidden @ [[1.0, 0.5, -1.0], [0.3, -1.0, 0.6]] + 0.1 * rng.standard_normal((90, 3))
    beside = hidden @ [[0.7, 1.0], [1.0, -0.8]] + 0.2 * rng.standard_normal((90, 2))
    heavy = np.where(beside[:, 0] > 0.0, "heavy", "light")
    frame = pd.DataFrame({"mass": 10.0 + beside[:, 0], "=age": beside[:, 1], "sort": heavy})
    frame[f"mass {ENDS[1]}"] = -beside[:, 1]  # also the title of the upper end of "mass"
    sort = Dataset.of_table(
        "b", "B", frame[:60], dict.fromkeys(["mass", "=age", f"mass {ENDS[1]}"], "number")
    )
    views = {"size": (size[:60], Drawing.of_vector(3)), "kind": sort}
    dataset = Dataset.of_views("objects", "Objects", views)
    model = ManifoldRelevance(3, 12, max_iter=30, random_state=0, kinds=dataset.kinds)
    model.fit(dataset.views_in_own_values())
    key = "library:" + Library(workspace() / "library").add(model, dataset, "Objects")
    at = run_page("views", model=key)
    whose = next(each for each in at.button_group if each.key.startswith("views_whose"))
    at = whose.set_value("New rows").run()
    lines = ["id,a,b,c", *(f"P{n},{a},{b},{c}" for n, (a, b, c) in enumerate(size[60:]))]
    at.file_uploader[0].upload("new.csv", "\n".join(lines).encode()).run()
    assert not at.exception and "“kind” of all rows" in said(at)
    table = at.dataframe[-1].value
    assert list(table.columns)[:3] == ["mass", *(f"mass {end}" for end in ENDS)]
    assert table.index[0] == "P0" and len(table) == 30 and f"mass {ENDS[1]} (2)" in table
    assert "The intervals are not calibrated" in said(at)  # this model has no second stage
    own = NewRows(size[60:], (), row_names=np.array([f"P{n}" for n in range(30)]))
    rows = rows_of_views(dataset)
    shown = predicted(model, "test", own.values, "size", "kind", rows)
    text = predicted_csv(own, shown).decode()
    found = pd.read_csv(io.StringIO(text))
    mean = model.transfer({"size": size[60:]}, "kind")
    np.testing.assert_allclose(found["mass"], mean["mass"].astype(float), rtol=1e-6)
    inside = (found[f"mass {ENDS[0]}"] < frame["mass"][60:].to_numpy()) & (
        frame["mass"][60:].to_numpy() < found[f"mass {ENDS[1]}"]
    )
    assert inside.mean() > 0.8
    assert (found["sort"] == frame["sort"][60:].to_numpy()).mean() > 0.8
    assert found["sort probability"].between(0.5, 1.0).all()
    assert text.startswith(f"row,id,mass,mass {ENDS[0]},mass {ENDS[1]},'=age")


def test_labels_as_a_view_are_described_as_words():
    rng = np.random.default_rng(0)
    size = rng.standard_normal((60, 1)) @ [[1.0, 0.5, -1.0]] + 0.1 * rng.standard_normal((60, 3))
    names, labels = ("elm", "oak"), (size[:, 0] > 0.0).astype(int)
    trees = Dataset.of_table("t", "Trees", pd.DataFrame(size[:50], columns=["a", "b", "c"]))
    labelled = with_labels(replace(trees, labels=labels[:50], label_names=names))
    model = ManifoldRelevance(2, 10, max_iter=20, random_state=0, kinds=labelled.kinds)
    model.fit(labelled.views_in_own_values())
    at = run_page(
        "views", model="library:" + Library(workspace() / "library").add(model, labelled, "Trees")
    )
    whose = next(each for each in at.button_group if each.key.startswith("views_whose"))
    at = whose.set_value("New rows").run()
    lines = ["a,b,c", *(f"{a},{b},{c}" for a, b, c in size[50:])]
    at.file_uploader[0].upload("new.csv", "\n".join(lines).encode()).run()
    assert not at.exception
    (sentence,) = [each for each in said(at).splitlines() if "of all rows" in each]
    assert sentence.endswith(" A word is the most probable one.")
    found = at.dataframe[-1].value
    assert (found.iloc[:, 0].to_numpy() == np.take(names, labels[50:])).mean() > 0.8
    assert found.columns[1].endswith(" probability") and found.shape == (10, 2)


def test_the_table_of_all_rows_holds_means_whatever_the_pictures_show():
    """Half of a view's variance is its own, so a single alternative is worse than the mean."""
    rng = np.random.default_rng(0)
    shared, own = rng.standard_normal((2, 180, 1))
    given = shared @ [[1.0, -0.7, 0.5]] + 0.2 * rng.standard_normal((180, 3))
    wanted = shared @ [[1.0, 0.6]] + own @ [[1.0, -1.5]] + 0.2 * rng.standard_normal((180, 2))
    both = {"genes": given[:120], "proteins": wanted[:120]}
    views = {name: (rows, Drawing.of_vector(rows.shape[1])) for name, rows in both.items()}
    dataset = Dataset.of_views("cells", "Cells", views)
    model = ManifoldRelevance(3, 12, max_iter=60, random_state=0).fit(both)
    key = "library:" + Library(workspace() / "library").add(model, dataset, "Cells")
    at = run_page("views", model=key)
    whose = next(each for each in at.button_group if each.key.startswith("views_whose"))
    at = whose.set_value("New rows").run()
    lines = ["a,b,c", *(f"{a},{b},{c}" for a, b, c in given[120:])]
    at.file_uploader[0].upload("new.csv", "\n".join(lines).encode()).run()
    private = next(each for each in at.button_group if each.key.startswith("views_private"))
    assert private.value == "nearest" and "the mean over all alternatives" in said(at)
    tables = [at.dataframe[-1].value]
    tables.append(private.set_value("prior").run().dataframe[-1].value)
    pd.testing.assert_frame_equal(*tables)
    found = predicted(model, "cells", given[120:], "genes", "proteins", rows_of_views(dataset))
    means, low, high = (found.iloc[:, at::3].to_numpy() for at in range(3))
    truth = wanted[120:]
    assert (np.sqrt(np.mean((means - truth) ** 2, axis=0)) < truth.std(axis=0)).all()
    assert 0.88 < np.mean((low < truth) & (truth < high)) < 1.0
