"""Tests of model cards: what they say, and that every stored model has one."""

from importlib import metadata

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, Dataset, Drawing, ManifoldRelevance, SparseGPRegression
from gplvm_core.readers import ask_column
from gplvm_core.store import Library, model_card

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
QUICK = {"max_iter": 3, "random_state": 0}
ROWS = np.random.default_rng(0).normal(size=(20, 4))
ROWS[2, 1] = np.nan
NAMES = ("a", "b", "c", "d")
BARS = Drawing.of_vector(4)
DATA = Dataset("rocks", "Rocks", ROWS, BARS, column_names=NAMES, source="A quarry")


def test_a_card_says_what_was_trained_how_and_what_is_calibrated(two_stages) -> None:
    model = BayesianGPLVM(2, 5, **QUICK).fit(ROWS)
    card = model_card(model, DATA, "Rocks of 2026")
    assert card.startswith("# Rocks of 2026\n\nA `BayesianGPLVM` of Manifolio ")
    for words in (
        "- Rocks (rocks): 20 rows, 4 columns.",
        "- 1.2 % of the values are missing.",
        "- Source: A quarry",
        f"{model.bound_:,.2f} nats",
        f"{model.result_.iterations} iterations of L-BFGS",
        "- n_inducing = 5",
        "rows can be judged as typical or odd",
    ):
        assert words in card
    assert all(note in card for note in model.notes_)
    model = BayesianGPLVM(2, 5, second_stage="off", **QUICK).fit(ROWS)
    card = model_card(model, DATA)
    assert card.startswith("# Rocks\n")
    assert "no row is judged" in card and "they were not calibrated" in card


def test_a_card_has_the_measured_width_of_intervals() -> None:
    views = {"left": ROWS, "right": ROWS[:, :2] ** 2}
    model = ManifoldRelevance(1, 5, **QUICK).fit(views).calibrate(views)
    data = Dataset.of_views(
        "both",
        "Both",
        {n: Dataset(n, n, y, Drawing.of_vector(y.shape[1])) for n, y in views.items()},
    )
    card = model_card(model, data)
    assert "- Views: left, right" in card
    first = next(each for each in model.intervals_.factors if each.asked.what == "transfer")
    share = f"held {100.0 * first.inside:.1f} % of {first.values:,} values kept aside"
    assert f"95 % intervals of one view from others ({first.asked.to}) {share}" in card


def test_texts_of_the_data_are_shown_as_text() -> None:
    model = BayesianGPLVM(2, 5, **QUICK).fit(ROWS)
    odd = Dataset("x", "A\n# <b>B</b> [c](d)", ROWS, BARS)
    lines = model_card(model, odd).splitlines()
    assert [line for line in lines if line.startswith("# ")] == [lines[0]]
    assert not any("<b>" in line or "[c](d)" in line for line in lines)
    odd = Dataset("x", "\\[x\\](http://a.b) \\<img>", ROWS, BARS)
    assert r"# \\\[x\\\](http://a.b) \\\<img\>" in model_card(model, odd)


def test_a_card_never_keeps_a_model_from_being_stored(tmp_path, monkeypatch) -> None:
    library, model = Library(tmp_path), BayesianGPLVM(2, 5, **QUICK).fit(ROWS)
    odd = Dataset("caf\udce9", "caf\udce9", ROWS, BARS)
    assert (library.root / library.add(model, odd, "Odd") / "card.md").is_file()

    def absent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", absent)  # a checkout that is not installed
    assert model_card(model, DATA).startswith("# Rocks\n\nA `BayesianGPLVM` of Manifolio.\n")
    copy = library.duplicate(library.add(model, DATA, "Mine"))
    assert (library.root / copy / "card.md").read_text() == model_card(model, DATA)


def test_every_stored_model_has_a_card(tmp_path) -> None:
    library = Library(tmp_path)
    model = BayesianGPLVM(2, 5, **QUICK).fit(ROWS)
    name = library.add(model, DATA, "Mine")
    path = library.root / name / "card.md"
    assert path.read_text() == model_card(model, DATA)
    library.update(name, model.set_params(max_iter=5).fit(ROWS))
    assert path.read_text() == model_card(model, DATA) and "max_iter = 5" in path.read_text()
    whole = Dataset("r", "R", np.nan_to_num(ROWS), BARS, column_names=NAMES)
    asked = ask_column(whole, "d", ("a", "b", "c"))
    regression = SparseGPRegression(5, **QUICK).fit(whole.values[:, :3], whole.values[:, 3])
    kept = library.root / library.add(regression, asked, "Predicted") / "card.md"
    assert "- Predicted column: d" in kept.read_text()
