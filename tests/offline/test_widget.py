"""Tests of the map as an object of Python; test_notebooks_browser.py opens it in notebooks."""

import numpy as np
import pandas as pd
import pytest

import gplvm_core
from gplvm_core import BayesianGPLVM, Dataset, Drawing

pytest.importorskip("anywidget")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def table(count: int = 40) -> Dataset:
    rng = np.random.default_rng(0)
    values = np.sin(rng.standard_normal((count, 2)) @ rng.standard_normal((2, 4)))
    sort = [["odd", "even"][row % 2] for row in range(count)]
    frame = pd.DataFrame(values, columns=list("abcd")).assign(sort=sort)
    return Dataset.of_table("waves", "Waves", frame, labels=np.arange(count) % 2)


@pytest.fixture(scope="module")
def data() -> Dataset:
    return table()


@pytest.fixture(scope="module")
def model(data: Dataset) -> BayesianGPLVM:
    fresh = BayesianGPLVM(3, 10, kinds=data.kinds, max_iter=5, random_state=0)
    return fresh.fit(data.in_own_values())


@pytest.fixture
def widget(model: BayesianGPLVM, data: Dataset):
    return gplvm_core.explorer(model, data)


def test_it_begins_where_the_page_begins(widget, model, data):
    """The point is the row nearest to the median."""
    away = model.latent_mean_ - np.median(model.latent_mean_, axis=0)
    start = model.latent_mean_[np.argmin(away**2 @ model.relevance_)]
    np.testing.assert_allclose(widget.point, start, rtol=1e-6)
    assert widget.kept == widget.point
    assert widget.names == ("Dimension 1", "Dimension 2", "Dimension 3")
    assert len(set(widget.dimensions)) == 2
    assert widget.rows == () and len(widget.selection) == 0
    # What the library accepts elsewhere, it accepts from the map.
    assert model.inverse_transform([widget.point]).shape == (1, 5)
    assert model.latent_mean_[:, widget.dimensions].shape == (40, 2)


def test_the_selection_is_a_frame_of_the_rows_with_their_own_words(widget, data):
    widget.rows = data.labels == 1
    assert widget.rows == tuple(range(1, 40, 2))
    whole = data.in_own_values()
    pd.testing.assert_frame_equal(widget.selection, whole.loc[list(widget.rows)])
    assert set(widget.selection["sort"]) == {"even"}
    widget.rows = np.array([7, 3, 3])
    assert list(widget.selection.index) == [3, 7]


def test_writing_is_seen_by_observers_and_a_kept_point_is_also_the_chosen_one(widget, model):
    heard = []
    widget.observe(lambda change: heard.append((change.name, change.new)), ["point", "kept"])
    widget.point = model.latent_mean_[3]
    assert heard == [("point", tuple(model.latent_mean_[3]))]
    widget.kept = [0.123456, 1, -1]
    assert widget.kept == widget.point == (0.1235, 1.0, -1.0)


def test_dimensions_are_named_and_chosen_by_name(widget):
    widget.names = ["size", "", " a \n tilt "]
    assert widget.names == ("size", "Dimension 2", "a tilt")
    widget.dimensions = "a tilt", "size"
    assert widget.dimensions == (2, 0)
    widget.dimensions = np.array([1, 2])
    assert widget.dimensions == (1, 2)
    widget.names = ["", "", ""]
    assert widget.names == ("Dimension 1", "Dimension 2", "Dimension 3")


@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [
        ("point", [0.0, 1.0], r"3 numbers .* as in a row of latent_mean_; got \[0.0, 1.0\]"),
        ("point", [0.0, 1.0, np.nan], "got .*nan"),
        ("point", [0.0, 1.0, 1e7], "between −1,000,000 and 1,000,000"),
        ("point", [[0.0, 1.0, 2.0]], "3 numbers"),
        ("point", "here", "got 'here'"),
        ("point", None, "got None"),
        ("kept", [0.0, np.inf, 1.0], "got .*inf"),
        ("rows", [0, 40], "from 0 to 39"),
        ("rows", [-1], "from 0 to 39"),
        ("rows", [1.5], r"got \[1.5\]"),
        ("rows", 3, "got 3"),
        ("rows", [True, False], "40 truth values"),
        ("dimensions", ("Dimension 1", "size"), "two of 'Dimension 1', .*; got .*'size'"),
        ("dimensions", (0, 0), "by name or by number from 0 to 2"),
        ("dimensions", (0, 3), "from 0 to 2"),
        ("dimensions", (0, 1, 2), "two of"),
        ("dimensions", "Dimension 1", "two of"),
        ("names", ["size", "tilt"], "3 texts, one per dimension"),
        ("names", "abc", "3 texts"),
        ("names", ["a", "A", "b"], "'a' cannot be the name of dimension 0"),
        ("names", ["Dimension 2", "a", "b"], "no other dimension has or had it"),
        ("names", ["a" * 41, "b", "c"], "at most 40 letters"),
        ("names", [1, 2, 3], r"got \[1, 2, 3\]"),
    ],
)
def test_what_the_map_cannot_have_is_refused_and_changes_nothing(widget, name, wrong, words):
    before = {each: getattr(widget, each) for each in ("point", "kept", "rows", "names")}
    with pytest.raises(ValueError, match=words):
        setattr(widget, name, wrong)
    assert {each: getattr(widget, each) for each in before} == before


def test_a_stored_notebook_holds_the_map_and_no_view_that_needs_a_kernel(widget, tmp_path):
    shown, _ = widget._repr_mimebundle_()
    assert set(shown) == {"text/plain", "text/html"}
    assert shown["text/html"].startswith("<iframe srcdoc=")
    widget.save(tmp_path / "map.html")
    assert (tmp_path / "map.html").read_text(encoding="utf-8") == widget.html
    assert widget.precision.in_words() in widget.html


def test_a_single_dimension_is_drawn_against_the_order_of_the_rows(data):
    numbers = Dataset("waves", "Waves", data.values[:, :4], Drawing("bars", (4,)))
    model = BayesianGPLVM(1, 10, max_iter=5, random_state=0).fit(numbers.values)
    widget = gplvm_core.explorer(model, numbers)
    assert widget.names == ("Dimension 1", "Order of rows")
    widget.point = [0.5]
    assert model.inverse_transform([widget.point]).shape == (1, 4)
