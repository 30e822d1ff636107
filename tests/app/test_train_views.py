"""Tests of Train with several views: joined files, divided columns, and the model's form."""

import io

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core.store import Library, workspace
from tests.app.apptest import go_to, kind_of, run_page, said, short, started, upload
from tests.app.uploads import N, pictures, table

pytestmark = pytest.mark.usefixtures("home")


def can_start(at: AppTest) -> bool:
    return any(b.label == "Start training" and not b.disabled for b in at.button)


def several(*files: tuple[str, bytes]) -> AppTest:
    """Return the page with these files as views."""
    at = run_page("train")
    at.segmented_control(key="train_source").set_value("several").run()
    return add(at, *files)


def add(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    return (
        at.file_uploader[0].set_value([(*file, "application/octet-stream") for file in files]).run()
    )


def name_box(at: AppTest, number: int):
    return [box for box in at.text_input if box.label == "Name of the view"][number]


def unequal(at: AppTest):
    return next(c for c in at.segmented_control if c.label == "Rows that are not in every file")


# --- files ----------------------------------------------------------------------------------------


def test_files_become_views_that_train_together():
    at = several(("left.csv", table(extra="kind")), ("right_hand.csv", table(columns="uv")))
    # the files are added one after the other, and earlier files remain
    add(at, ("photos.zip", pictures()))
    assert not at.exception and not at.error
    words = said(at)
    assert "30 rows, 3 views, 3 labels" in words
    assert "**left** — 3 values: a, b, c" in words
    assert "**right hand** — 2 values: u, v" in words
    assert "**photos** — 64 pixel values" in words
    assert words.count('alt="row 1, 0.png, x"') == 3  # every view shows the same rows
    name_box(at, 2).set_value("pictures").run()
    short(at)
    assert at.radio(key="form_model_views").value == "Views (manifold relevance)"
    job = started(at)
    assert job.model_class == "ManifoldRelevance"
    library = Library(workspace() / "library")
    assert library.model(job.entry).views_ == ("left", "right hand", "pictures")
    dataset = library.dataset(job.entry)
    assert [view.drawing.kind for view in dataset.views] == ["bars", "bars", "image"]
    assert dataset.views[0].column_names == ("a", "b", "c")
    at.run()
    assert not at.exception
    go_to(at, "mine")
    assert not at.exception and not at.error
    assert "Manifold relevance on" in said(at)


def test_files_survive_a_change_of_page_and_are_removed_one_by_one():
    at = several(("left.csv", table()), ("right.csv", table(columns="uv")))
    name_box(at, 0).set_value("western").run()
    go_to(at, "mine")
    go_to(at, "train")
    assert not at.exception
    assert "**western** — 3 values" in said(at)
    next(b for b in at.button if b.label == "Remove").click().run()
    assert not at.exception
    assert "One view so far" in at.info[0].value
    assert can_start(at)  # training can start with the only remaining view
    assert at.radio(key="form_model").value == "Bayesian GP-LVM"


def test_files_of_different_lengths_wait_for_an_answer_and_ask_again_about_another():
    at = several(("left.csv", table(30, extra="kind")), ("right.csv", table(24, columns="uv")))
    assert not at.exception
    assert "left.csv has 30, right.csv has 24" in at.warning[0].value
    assert not can_start(at)
    unequal(at).set_value("trim").run()
    assert "24 rows, 2 views" in said(at)
    assert "Trimmed to the first 24 rows: left.csv has 30." in said(at)
    add(at, ("third.csv", table(20, columns="pq")))
    assert not at.exception
    assert "third.csv has 20" in at.warning[0].value
    assert not can_start(at)
    [b for b in at.button if b.label == "Remove"][2].click().run()
    unequal(at).set_value("fill").run()
    words = said(at)
    assert "30 rows, 2 views, 3 labels" in words
    assert "right.csv ends 6 rows early; the view is missing there." in words
    assert "12 of 150 values are missing" in words
    short(at)
    assert started(at).model_class == "ManifoldRelevance"


def test_rows_without_any_value_keep_their_place():
    at = several(("left.csv", table(empty=(4,))), ("right.csv", table(columns="uv", extra="kind")))
    assert "no value in 1 row of 30: row 5" in at.error[0].value
    assert not can_start(at)
    next(t for t in at.toggle if t.label == "Keep empty rows as missing").set_value(True).run()
    assert not at.exception and not at.error
    words = said(at)
    assert "30 rows, 2 views, 3 labels" in words
    assert "left.csv: the view is missing in row 5." in words


def test_two_views_of_one_name_are_refused_until_one_is_renamed():
    at = several(("left.csv", table()), ("right.csv", table(columns="uv")))
    for name in ("left", " left "):
        name_box(at, 1).set_value(name).run()
        assert not at.exception
        assert "Several views are called “left” (left.csv, right.csv)" in at.error[0].value
        assert not can_start(at)
    name_box(at, 1).set_value("").run()
    assert "The view from right.csv has no name" in at.error[0].value
    name_box(at, 1).set_value("other").run()
    assert not at.error
    assert can_start(at)


def test_files_of_one_name_get_names_of_their_own():
    at = several(("data.csv", table()), ("data.csv", table(columns="uv")))
    assert not at.exception and not at.error
    assert [name_box(at, n).value for n in (0, 1)] == ["data", "data 2"]
    name_box(at, 0).set_value("first").run()
    assert [name_box(at, n).value for n in (0, 1)] == ["first", "data 2"]


def test_one_unreadable_file_is_explained_and_the_others_stay():
    at = several(("left.csv", table()), ("bad.csv", b"a,b\n1,2\n3\n"))
    assert not at.exception
    assert "line 3" in at.error[0].value
    assert not can_start(at)
    add(at, ("right.csv", table(columns="uv")))
    [b for b in at.button if b.label == "Remove"][1].click().run()
    assert not at.error
    assert "30 rows, 2 views" in said(at)


def test_a_constant_view_is_named_and_cannot_be_trained():
    still = "\n".join(["p,q"] + ["1,2"] * N).encode()
    at = several(("left.csv", table()), ("still.csv", still))
    assert not at.exception
    assert "Nothing varies in “still”" in at.error[0].value
    assert not can_start(at)
    at.radio(key="form_model_views").set_value("Bayesian GP-LVM").run()
    assert can_start(at)


def test_every_array_of_an_npz_is_a_view():
    file = io.BytesIO()
    random = np.random.default_rng(0)
    np.savez(
        file,
        faces=random.uniform(size=(N, 4, 5)),
        sensors=random.normal(size=(N, 3)),
        label=np.arange(N) % 2,
    )
    at = several(("both.npz", file.getvalue()))
    assert not at.exception and not at.error
    words = said(at)
    assert "30 rows, 2 views, 2 labels" in words
    assert "**faces** — 20 pixel values" in words and "**sensors** — 3 values" in words


@pytest.mark.slow
def test_rows_without_any_value_of_an_npz_keep_their_place():
    file = io.BytesIO()
    sensors = np.random.default_rng(0).normal(size=(N, 3))
    sensors[[2, 7]] = np.nan
    np.savez(file, sensors=sensors, motors=np.random.default_rng(1).normal(size=(N, 2)))
    at = several(("both.npz", file.getvalue()))
    assert "both.npz, sensors has no value in 2 rows of 30: rows 3, 8." in at.error[0].value
    next(t for t in at.toggle if t.label == "Keep empty rows as missing").set_value(True).run()
    assert not at.exception and not at.error
    assert "30 rows, 2 views" in said(at)
    assert "both.npz, sensors: the view is missing in rows 3, 8." in said(at)


# --- one table ------------------------------------------------------------------------------------


def views_control(at: AppTest):
    return next(c for c in at.segmented_control if c.label == "Views")


def sides() -> bytes:
    lines = ["left x,left y,right x,right y,height"]
    lines += [",".join(f"{np.sin((d + 1) * 0.3 * i):.3f}" for d in range(5)) for i in range(N)]
    return "\n".join(lines).encode()


def test_columns_become_views_by_their_names():
    at = upload(run_page("train"), "sides.csv", sides())
    views_control(at).set_value("names").run()
    assert not at.exception and not at.error
    assert "30 rows, 3 views" in said(at)
    assert "**left** — 2 values: left x, left y" in said(at)
    assert at.radio(key="form_model_views").value == "Views (manifold relevance)"


def test_columns_become_views_by_choice_and_mistakes_are_named():
    at = upload(run_page("train"), "sides.csv", sides())
    views_control(at).set_value("chosen").run()
    assert not at.exception and not at.error
    assert "**view 1** — 3 values: left x, left y, right x" in said(at)
    columns = [box for box in at.multiselect if box.label.startswith("Columns of view")]
    columns[1].set_value([2, 3]).run()
    assert "“right x” is in “view 1” and in “view 2”" in at.error[0].value
    assert not can_start(at)
    columns[0].set_value([]).run()
    assert "“view 1” has no columns" in at.error[0].value
    columns[0].set_value([0, 1]).run()
    assert not at.error
    assert "Columns in no view, left out: height." in said(at)
    next(b for b in at.text_input if b.label == "Name of view 2").set_value("view 1").run()
    assert "Several views are called “view 1”" in at.error[0].value


@pytest.mark.slow
def test_every_column_may_be_a_view_with_its_cost_stated():
    at = upload(run_page("train"), "sides.csv", sides())
    views_control(at).set_value("columns").run()
    assert not at.exception and not at.error
    assert "5 views, each with its own mapping" in said(at)
    at.number_input(key="form_max_iter").set_value(10).run()
    job = started(at)
    model = Library(workspace() / "library").model(job.entry)
    assert model.views_ == ("left x", "left y", "right x", "right y", "height")


@pytest.mark.slow
def test_labels_may_be_a_view():
    at = kind_of(upload(run_page("train"), "people.csv", table(extra="kind")), "kind", "colour")
    next(t for t in at.toggle if t.label.startswith("Labels as")).set_value(True).run()
    assert not at.exception and not at.error
    words = said(at)
    assert "30 rows, 2 views, 3 labels" in words
    assert "**labels** — 3 words: x, y, z" in words
    assert "probabilities for the words in “labels”" in words
    assert at.radio(key="form_model_views").options == ["Views (manifold relevance)"]
    short(at)
    job = started(at)
    library = Library(workspace() / "library")
    model, rows = library.model(job.entry), library.dataset(job.entry).view_values
    assert library.dataset(job.entry).kinds == model.kinds == {"labels": ["category"]}
    (values,) = (rows[name] for name in model.views_ if name != "labels")
    chances = model.class_probabilities({model.views_[0]: values[:4]}, "labels")
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)


@pytest.mark.slow
def test_labels_as_a_view_stay_when_a_view_is_renamed():
    at = several(("left.csv", table(extra="kind")), ("right.csv", table(columns="uv")))
    next(t for t in at.toggle if t.label.startswith("Labels as")).set_value(True).run()
    name_box(at, 1).set_value("other").run()
    assert "30 rows, 3 views" in said(at)


# --- ready-made data and the form -----------------------------------------------------------------


def test_ready_made_views_are_drawn_one_by_one():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("lit_pairs").run()
    assert not at.exception and not at.error
    words = said(at)
    assert "192 rows, 2 views, 9 labels" in words
    assert "**left** — 2,304 pixel values" in words and "**right** — 2,304 pixel" in words


@pytest.mark.slow
def test_the_other_models_say_that_they_see_one_row():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("toy_views").run()
    assert at.radio(key="form_model_views").options[0] == "Views (manifold relevance)"
    at.radio(key="form_model_views").set_value("Bayesian GP-LVM").run()
    assert "joins the 30 columns of all views" in said(at)
    at.number_input(key="form_max_iter").set_value(10).run()
    assert started(at).model_class == "BayesianGPLVM"


@pytest.mark.slow
def test_every_option_of_the_views_model_trains():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("toy_views").run()
    at.number_input(key="form_max_iter").set_value(10).run()
    at.segmented_control(key="form_prior").set_value("time").run()
    at.radio(key="form_time_kernel").set_value("rbf").run()
    at.segmented_control(key="form_kernel_views_True").set_value("each").run()
    next(c for c in at.segmented_control if c.label == "Shape of “second”").set_value(
        "linear"
    ).run()
    at.segmented_control(key="form_init_views_True").set_value("pca_each").run()
    assert not at.exception
    job = started(at)
    assert job.parameters["time_kernel"] == "rbf"
    assert job.parameters["kernel"] == {"first": "rbf", "second": "linear"}
    assert job.parameters["init"] == "pca_each"
    at.run()
    assert not at.exception


def test_a_start_of_each_view_needs_a_dimension_for_each():
    at = run_page("train")
    at.pills(key="train_built_in").set_value("toy_views").run()
    components = next(b for b in at.number_input if b.label.startswith("Latent dimensions"))
    components.set_value(1).run()
    assert "PCA of each" not in at.segmented_control(key="form_init_views_False").options
    assert "needs at least 2 latent dimensions" in said(at)
