"""Tests of a model of a table with words in Explore: its map, filled rows, and exported files."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from html import escape

import numpy as np
import pandas as pd
import pytest
from PIL import ImageColor
from streamlit.testing.v1 import AppTest

from gplvm_core import BayesianGPLVM, DynamicalGPLVM, explorer
from gplvm_core.datasets import Dataset
from gplvm_core.figures.palette import label_colour
from gplvm_core.figures.thumbnails import table_card
from gplvm_core.figures.typicality import share_below
from gplvm_core.new_rows import Answers, answers_of
from gplvm_core.new_rows.without_density import scored_rows
from gplvm_core.readers.new_rows import NewRows
from gplvm_core.store import Library, workspace
from gplvm_core.wire.completion import RowItem
from gplvm_core.wire.frame import unframe
from gplvm_core.wire.model import Chart, pack_model
from gplvm_core.wire.new_rows import typical_in_words
from pages.ui.explore.fill import typicality
from pages.ui.explore.fill.files import row_csv
from pages.ui.explore.fill.model import completed, log_density
from pages.ui.explore.rows.export import chances
from pages.ui.explore.rows.files import answer_table, as_csv, example
from pages.ui.explore.time import model as dynamics
from pages.ui.explore.time.export import sequence_csv, sequence_gif
from pages.ui.shared.catalogue import Item
from pages.ui.shared.words import percent
from tests.app.apptest import press, run_page, said, stores

pytestmark = pytest.mark.usefixtures("home")
KINDS = {"sort": "category", "eggs": "count", "size": ["small", "medium", "large"]}


@pytest.fixture(autouse=True)
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the live fragment, and use only a few rows to compute how typical a row is."""
    monkeypatch.setattr(typicality, "SPELL", 60.0)
    monkeypatch.setattr("gplvm_core.new_rows.without_density.MOST_SCORED", 10)
    monkeypatch.setattr("gplvm_core.new_rows.without_density.MOST_COMPARED", 30)


@pytest.fixture(scope="module")
def birds() -> Dataset:
    """Return two sorts of birds; the larger birds lay more eggs, and three values are missing."""
    generator = np.random.default_rng(0)
    large = generator.random(60) < 0.5
    mass = 3000.0 + 1500.0 * large + generator.normal(0.0, 150.0, 60)
    rows = pd.DataFrame(
        {
            "mass": mass.round(),
            "sort": np.where(large, "gull <b>", "tern"),
            "eggs": generator.poisson(1.0 + 4.0 * large),
            "tagged": generator.random(60) < 0.4,
            "size": np.where(mass < 3000.0, "small", np.where(mass < 4500.0, "medium", "large")),
        }
    ).astype({"sort": object, "tagged": object})
    rows.loc[4, ["sort", "mass"]] = None
    rows.loc[7, "tagged"] = None
    return Dataset.of_table("birds", "Birds", rows, KINDS)


@pytest.fixture(scope="module")
def model(birds: Dataset) -> BayesianGPLVM:
    estimator = BayesianGPLVM(2, 12, kinds=birds.kinds, max_iter=40, random_state=0)
    return estimator.fit(birds.in_own_values())


@pytest.fixture
def opened(birds: Dataset, model: BayesianGPLVM) -> Callable[[str], AppTest]:
    """Return a function that opens a tab of Explore with this model from the library."""

    def at(tab: str) -> AppTest:
        key = "library:" + Library(workspace() / "library").add(model, birds, "My birds")
        return run_page(tab, model=key)

    return at


def test_the_map_contains_the_words_of_its_codes(opened, birds, model):
    at = opened("explore")
    assert not at.exception
    assert not at.error
    (header, arrays), *_ = [pair for name, pair in stores(at).items() if "library" in name]
    assert header["drawing"]["kind"] == "table"
    assert header["drawing"]["table"][1]["words"] == [
        str(w) for w in model.columns_.columns[1].words
    ]
    assert "Words and counts" in said(at)
    assert arrays["items"].shape == (60, 5)
    # Only columns of numbers have noise.
    assert [each.label for each in at.expander if "Noise" in each.label]


def test_words_of_the_data_are_numbered_as_the_model_numbers_them(birds, model):
    turned = Dataset.of_table("turned", "Turned", birds.in_own_values().iloc[::-1], KINDS)
    column = model.columns_.columns[1]
    codes = unframe(pack_model(Chart.of(model, birds), "m"))[1]["items"][:, 1]
    own = birds.in_own_values()["sort"]
    assert [column.words[int(c)] if not np.isnan(c) else None for c in codes] == own.tolist()
    again = unframe(pack_model(Chart.of(model, turned), "m"))[1]["items"][::-1, 1]
    np.testing.assert_array_equal(again, codes)


def test_the_form_opens_with_a_row_that_has_a_gap_and_fills_it_with_words(opened, birds, model):
    at = opened("fill")
    assert not at.exception
    assert _row_menu(at).value == 4
    chance = model.class_probabilities(birds.in_own_values(birds.values[4:5]), "sort")[0]
    words = model.class_words("sort")
    best = int(np.argmax(chance))
    assert f"**{words[best]} {percent(chance[best])}**" in said(at)
    low, middle, high = model.column_quantiles(
        birds.in_own_values(birds.values[4:5]), "mass", (0.025, 0.5, 0.975)
    )[:, 0]
    assert f"**{middle:,.4g}** (95 %: {low:,.4g} to {high:,.4g})" in said(at)
    assert "Position on the map" in said(at)
    assert "with values in the same columns" in said(at)
    others = at.dataframe[0].value
    assert [name for name in others if name not in ("Row", "Probability")] == ["mass", "sort"]
    assert others["Row"].str.startswith("Draw").sum() == 4
    assert set(others["sort"]) <= set(words)
    for each in at.number_input:
        each.set_value(None)
    for each in at.selectbox:
        if each.label in ("sort", "tagged", "size"):
            each.set_value(None)
    at.run()
    assert not at.exception
    assert "Every field is empty" in said(at)


@pytest.mark.slow
def test_a_chosen_word_changes_the_others_and_a_cleared_field_is_filled(opened, birds, model):
    at = opened("fill")
    _row_menu(at).set_value(0).run()
    # A complete row opens with its first word hidden.
    sort = next(each for each in at.selectbox if each.label == "sort")
    assert sort.value is None and "in the data: " in said(at)
    assert sort.options == [str(word) for word in birds.columns[1].words]
    sort.set_value(0).run()
    assert not at.exception
    assert "in the data: " not in said(at)
    next(each for each in at.number_input if each.label == "eggs").set_value(None).run()
    row = birds.values[0].copy()
    row[1], row[2] = 0.0, np.nan
    middle = model.column_quantiles(birds.in_own_values(row[None]), "eggs", (0.5,))[0, 0]
    assert f"**{middle:,.4g}**" in said(at)


def _row_menu(at: AppTest):
    return next(each for each in at.selectbox if each.label == "Row")


def test_the_form_opens_with_the_row_that_is_kept_on_the_map(birds, model):
    key = "library:" + Library(workspace() / "library").add(model, birds, "My birds")
    at = run_page("fill", model=key, at=",".join(f"{x:.4f}" for x in model.latent_mean_[31]))
    assert _row_menu(at).value == 31 and not at.exception
    # The visitor's choice remains, although the link still has the point.
    _row_menu(at).set_value(2).run()
    assert _row_menu(at).value == 2
    beside = run_page("fill", model=key, at="7,7")
    assert _row_menu(beside).value == 4


def test_own_rows_are_read_with_their_words_and_an_unknown_word_is_named(opened, birds):
    at = opened("rows")
    at.file_uploader[0].upload("gaps.csv", example(birds)).run()
    assert not at.exception and not at.error
    assert "5 rows" in said(at)
    assert "is not known for this model" not in said(at)
    press(at, "Other rows")
    at.file_uploader[0].upload("new.csv", b"mass,sort,eggs\n3000,albatross,2\n").run()
    assert not at.exception and not at.error
    assert "does not know “albatross” (line 2). It has learnt" in said(at) and "tern" in said(at)


@pytest.mark.slow
def test_a_word_that_is_also_the_label_has_one_probability(birds, model):
    words = [*map(str, birds.columns[1].words)]
    labels = np.nan_to_num(birds.values[:, 1], nan=-1.0).astype(int)
    named = replace(birds, labels=labels, label_names=tuple(words))
    library = Library(workspace() / "library")
    at = run_page("fill", model="library:" + library.add(model, named, "Labelled birds"))
    chosen = next(each for each in at.selectbox if each.label == "Row")
    chosen.set_value(10).run()
    assert not at.exception
    text = said(at)
    chances = model.class_probabilities(named.in_own_values().iloc[[10]], "sort")[0]
    best, likely = percent(chances.max()), str(model.class_words("sort")[int(chances.argmax())])
    assert f"auto_fix_high: **{likely} {best}**" in text
    assert f"<span>{escape(likely)} ✓</span><span>{best}</span>" in text
    assert "The model's probabilities of sort, from the row's other columns." in text


def test_new_rows_and_fill_in_agree_on_a_slip(birds, model):
    rows = birds.values[:2].copy()
    number = next(d for d, column in enumerate(birds.columns) if column.is_number)
    rows[1, number] *= 10.0
    (found,) = answers_of(model, birds, rows, ranked=True)
    assert found.held_out and "had not seen them" in typical_in_words(found, 0)
    known = birds.values[scored_rows(birds, np.zeros(birds.n_outputs, dtype=bool))]
    scores = model.score_samples(birds.in_own_values(known))
    below = [share_below(scores, log_density(model, "m", row, birds)) for row in rows]
    assert max(found.p[1], below[1]) < 0.05 < min(found.p[0], below[0])


def test_files_have_words_and_their_probabilities(birds, model):
    item = Item("library:x", "Birds", model, birds)
    row = birds.values[4]
    answer = completed(model, "m", row, birds)
    lines = list(csv.DictReader(io.StringIO(
        row_csv(birds, RowItem("row 4", "row 5", row), row, answer).decode()
    )))  # fmt: skip
    assert lines[1]["value"] in ("gull <b>", "tern") and lines[1]["filled"] == "1"
    assert float(lines[1]["probability"]) > 0.5 and lines[1]["std"] == lines[1]["truth"] == ""
    assert lines[3]["value"] in ("True", "False") and lines[2]["probability"] == ""
    values = birds.values[:5].copy()
    values[:2, :2], values[2:, 2] = np.nan, np.nan
    own = NewRows(values, ())
    found = Answers.joined([*answers_of(model, birds, own.values)])
    text = as_csv(answer_table(birds, own, found, (), chances(item, own, found))).decode()
    written = list(csv.DictReader(io.StringIO(text)))
    assert {line["size"] for line in written} <= {"small", "medium", "large"}
    assert {"mass ±", "eggs ±"} >= {t for t in written[0] if t.endswith("±") and t[0] != "x"}
    assert "sort probability" in written[0] and "mass probability" not in written[0]
    assert all(line["eggs"].isdigit() for line in written)
    # Only the density of tables of numbers judges a single value.
    found = Answers.joined([*answers_of(model, birds, own.values, ranked=True)])
    titles = [title for title, _ in answer_table(birds, own, found)]
    assert "p" in titles and "p of the oddest column" not in titles


def test_a_file_without_a_server_needs_the_same_table(birds, model):
    assert "<h1>Birds</h1>" in explorer(model, birds).html
    numbers = Dataset("n", "N", np.nan_to_num(birds.values), birds.drawing)
    with pytest.raises(ValueError, match="columns of words or counts"):
        explorer(model, numbers)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_tab_time_plays_cards_and_fills_words_in(birds):
    # The rows are in the order of size, so that the kind of bird changes only once.
    order = np.argsort(birds.values[:, 0])
    timed = replace(
        birds,
        targets=birds.targets[order],
        times=np.arange(60.0),
        sequences=np.zeros(60, dtype=int),
    )
    estimator = DynamicalGPLVM(2, n_inducing=10, kinds=birds.kinds, max_iter=40, random_state=0)
    model = estimator.fit(timed.in_own_values(), times=timed.times)
    key = "library:" + Library(workspace() / "library").add(model, timed, "Birds in time")
    at = run_page("time", model=key)
    assert not at.exception and not at.error
    header, arrays = next((head, held) for head, held in stores(at).values() if "panels" in head)
    widths = [len(column.words) or 1 for column in birds.columns]
    count = len(arrays["times"])
    cards = np.reshape(arrays["values0"], (count, sum(widths)))
    assert [panel["title"] for panel in header["panels"]] == ["The model", "The data"]
    sort = slice(widths[0], widths[0] + widths[1])
    np.testing.assert_allclose(cards[:, sort].sum(axis=1), 1.0, rtol=1e-5)
    codes = timed.values[:, 1]
    known = np.flatnonzero(~np.isnan(codes))
    right = np.argmax(cards[known, sort], axis=1) == codes[known]
    assert right.mean() > 0.9
    # The page fills a hidden part with words; the caption states how many are right.
    reel = dynamics.with_gap(model, timed, 0, "sort", (20.0, 23.0))
    assert reel.hidden.sum() >= 4
    filled = dynamics.filled(model, timed, reel, lambda step, bound: None)
    assert filled.panels[0].words.startswith("Correct hidden words: ")
    lines = list(csv.DictReader(io.StringIO(sequence_csv(timed, filled).decode())))
    assert {line["sort"] for line in lines} == {"gull <b>", "tern"}
    assert "mass std" in lines[0] and "sort std" not in lines[0]
    assert sequence_gif(timed, filled)[:3] == b"GIF"
    drawn = dynamics.drawn(model, "n", timed, 0, 8, 1).panels[0]
    assert drawn.card.shape == (8, sum(widths)) and set(np.unique(drawn.card[:, sort])) <= {0, 1}
    for tab in ("explore", "fill"):
        at = run_page(tab, model=key)
        assert not at.exception and not at.error


def test_a_small_picture_of_a_row_has_the_colours_of_its_words(birds):
    def drawn(n: int) -> np.ndarray:
        return np.asarray(table_card(birds.columns, birds.values, birds.values[n], 100))

    # The second of the five bars shows the sort.
    middle = int(0.06 * 100 + 0.88 * 100 * 1.5 / 5)
    for n in (0, 1, 2):
        colour = ImageColor.getrgb(label_colour(int(birds.values[n, 1])))
        np.testing.assert_allclose(drawn(n)[middle, 50, :3], colour, atol=2)
    assert drawn(4)[middle, 50, 3] < 100  # this value is missing
