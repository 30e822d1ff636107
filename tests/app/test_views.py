"""Tests of the tab Views through Streamlit's AppTest: texts, inputs and messages."""

import csv
import io
import re
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from gplvm_core import BayesianGPLVM, ManifoldRelevance, training
from gplvm_core.datasets import Dataset
from gplvm_core.store import Library, workspace
from gplvm_core.wire.views import WHOLE
from pages.ui.explore.views.answers import chances_in_words, told_apart
from pages.ui.explore.views.desk import Desk
from pages.ui.explore.views.export import outputs_csv, outputs_npz, outputs_png
from pages.ui.explore.views.model import (
    class_of,
    matched,
    on_the_way,
    parts_at,
    transferred,
    varied,
    whole_from,
    word_chances,
)
from pages.ui.explore.views.segments import joint_groups, segmentation_csv
from pages.ui.explore.views.strip import Pictures, Tile
from pages.ui.shared.card import moving_picture, pictures_of
from pages.ui.shared.catalogue import Item, one_view, open_item
from pages.ui.shared.outputs import first_outputs, rows_of_views
from pages.ui.shared.place import MapPlace
from tests.app.apptest import go_to, press, query, run_page, said, stores
from tests.app.views_data import (
    body_of_joints,
    digits_and_names,
    model_of_pairs,
    partly_labelled_digits,
    some_pairs,
)

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def pairs() -> Dataset:
    return some_pairs()


@pytest.fixture(scope="module")
def model(pairs: Dataset) -> ManifoldRelevance:
    return model_of_pairs(pairs)


@pytest.fixture(scope="module")
def joints() -> Dataset:
    return body_of_joints()


@pytest.fixture(scope="module")
def joints_model(joints: Dataset) -> ManifoldRelevance:
    return ManifoldRelevance(4, n_inducing=10, max_iter=15, random_state=0).fit(joints.view_values)


@pytest.fixture
def keep(pairs: Dataset) -> Callable[..., str]:
    """Add a model to the library; return its key."""

    def added(model: object, dataset: Dataset = pairs, title: str = "My pairs") -> str:
        return "library:" + Library(workspace() / "library").add(model, dataset, title)

    return added


def app(key: str | None = None, page: str = "views", **query: str) -> AppTest:
    return run_page(page, model=key, **query)


def packed(at: AppTest) -> tuple[dict, dict]:
    """Return header and arrays of the layers that were sent to the browser."""
    (sent,) = stores(at).values()
    return sent


def control(at: AppTest, words: str):
    """Return the group of buttons whose key begins with these words."""
    return next(each for each in at.button_group if each.key.startswith(words))


def item_of(model: ManifoldRelevance, dataset: Dataset) -> Item:
    return Item("library:x", "My pairs", model, dataset, model.views_)


# --- the page -----------------------------------------------------------------------------------


def test_without_a_model_the_page_teaches_and_offers_a_button(keep, model):
    at = app()
    assert not at.exception
    assert [button.label for button in at.button] == ["Train a model"]
    keep(model)
    assert "My pairs" in said(app())


def test_a_model_of_one_view_is_refused(keep, pairs):
    one = pairs.view("left")
    with warnings.catch_warnings(action="ignore"):
        plain = BayesianGPLVM(2, n_inducing=8, max_iter=5, random_state=0).fit(one.values)
    at = app(keep(plain, one))
    assert not at.exception
    assert "This model has one view" in said(at)


def shows_parts_at(at: AppTest, model: ManifoldRelevance, threshold: float) -> bool:
    parts = parts_at(model, threshold)
    numbers = [", ".join(str(q + 1) for q in sorted(part.dimensions)) or "none" for part in parts]
    words = said(at)
    return all(
        f"<b>{part.title}</b>: {own}" in words for part, own in zip(parts, numbers, strict=True)
    )


def test_the_page_names_what_is_shared_what_is_private_and_what_a_threshold_takes_away(keep, model):
    key = keep(model)
    at = app(key)
    assert not at.exception
    parts = parts_at(model, 0.05)
    assert [part.title for part in parts] == ["Shared", "Only left", "Only right", "Unused"]
    assert all(part.dimensions for part in parts[:3]) and shows_parts_at(at, model, 0.05)
    assert "The relevances (above 0.001)" in said(at)
    shared = model.count_parts()[frozenset(model.views_)]
    assert f"Counted whatever the axes: {shared} dimension" in said(at)
    # The layers are sent with a plane of what is shared; pictures and map begin at one place.
    header, arrays = packed(at)
    assert tuple(header["dims"]) == parts[0].dimensions[:2]
    assert [output["title"] for output in header["outputs"]] == ["left", "right"]
    np.testing.assert_allclose(arrays["latent"], model.latent_mean_, atol=1e-6)
    desk = at.session_state[f"views_desk|{key}|{open_item(key).version}"]
    assert desk.trail == (None, tuple(model.latent_mean_[header["start"]]))
    at.select_slider[0].set_value(200.0).run()
    assert not at.exception
    assert parts_at(model, 200.0)[-1].dimensions and shows_parts_at(at, model, 200.0)
    assert packed(at)[0] == header  # a new threshold does not send the layers again
    at.select_slider[0].set_value(float(at.select_slider[0].options[-1])).run()
    assert not at.exception
    assert "<b>Unused</b>: 1, 2, 3, 4, 5, 6" in said(at)
    assert "Vary one part" not in said(at)
    control(at, "views_measure").set_value("weights").run()
    assert not at.exception
    at.select_slider[0].set_value(0.1).run()
    assert "The relevances (above 0.1)" in said(at)


def test_given_one_view_shows_alternatives_truth_and_matches(keep, model):
    at = app(keep(model))
    words = said(at)
    assert "“right” may look like this" in words
    assert "the truth" in words
    assert "the row itself" in words
    control(at, "views_given").set_value("right").run()
    assert not at.exception
    assert "“left” may look like this" in said(at)
    control(at, "views_private").set_value("prior").run()
    assert not at.exception
    assert "average" in said(at)


@pytest.mark.slow
def test_another_row_is_another_question(keep, model):
    at = press(app(keep(model)), "Another")
    assert not at.exception
    number = at.number_input[0].value
    assert number != 1
    assert f"Row {number}, " in said(at)


def test_a_row_without_the_given_view_is_reported(keep, pairs):
    targets = pairs.values.copy()
    targets[0, :144] = np.nan
    gappy = replace(pairs, targets=targets)
    with warnings.catch_warnings(action="ignore"):
        model = ManifoldRelevance(3, n_inducing=8, max_iter=10, random_state=0)
        model.fit(gappy.view_values)
    at = app(keep(model, gappy))
    assert not at.exception
    assert "Row 1 has no view “left”" in said(at)


@pytest.mark.slow
def test_a_view_that_some_rows_lack_is_in_views_only(keep, pairs):
    targets = pairs.values.copy()
    targets[:30, :144] = np.nan
    gappy = replace(pairs, targets=targets)
    with warnings.catch_warnings(action="ignore"):
        model = ManifoldRelevance(3, n_inducing=8, max_iter=10, random_state=0)
        model.fit(gappy.view_values)
    key = keep(model, gappy)
    for page in ("explore", "fill"):
        at = app(key, page, view="left")
        assert not at.exception and not at.error
        assert next(box for box in at.selectbox if "_view|" in box.key).options == ["View: right"]
        assert "Some rows lack these views, so only the tab Views shows them: “left”." in said(at)
        at.query_params.clear()
    assert "No picture" not in said(app(page="mine"))
    # Rows that lack a view are never the best match.
    at = app(key)
    control(at, "views_given").set_value("right").run()
    assert "“left” may look like this" in said(at)
    numbers = re.findall(r"row (\d+), ", said(at))
    assert numbers and all(int(number) > 30 for number in numbers)


def test_views_that_all_lack_rows_leave_the_tabs_and_answer_new_rows(keep, pairs):
    targets = pairs.values.copy()
    targets[:6, :144], targets[-6:, 144:] = np.nan, np.nan
    gappy = replace(pairs, targets=targets)
    with warnings.catch_warnings(action="ignore"):
        model = ManifoldRelevance(3, n_inducing=8, max_iter=10, random_state=0)
        model.fit(gappy.view_values)
    key = keep(model, gappy)
    for page in ("explore", "rows"):
        at = app(key, page)
        assert not at.exception and not at.error
        assert "Every view lacks some rows, so this tab can show none of them alone." in said(at)
        assert "Views" in control(at, "explore_tab").options
        at = press(at, "Open Views")
        assert query(at, "tab") == "views" and not at.exception
    at = control(at, "views_whose").set_value("New rows").run()
    for given, to in (("left", "right"), ("right", "left")):
        at = control(at, "views_new").set_value(given).run()
        rows = pairs.view_values[given][8:11]
        lines = [",".join(f"{given} {d}" for d in range(rows.shape[1]))]
        lines += [",".join(f"{value:.6f}" for value in row) for row in rows]
        at.file_uploader[0].upload("new.csv", "\n".join(lines).encode()).run()
        assert not at.exception and not at.error
        assert f"“{to}” may look like this" in said(at)


def test_different_distances_are_written_differently():
    assert told_apart(np.array([0.00012, 0.00313, 0.003142])) == ["0.00012", "0.00313", "0.00314"]
    assert told_apart(np.array([0.0, 2.0, 2.0])) == ["0", "2", "2"]
    assert told_apart(np.array([2.0, 2.0 + 1e-12])) == ["2", "2"]


def test_a_card_draws_the_views_side_by_side(keep, model, pairs):
    whole = open_item(keep(model))
    rows = {view: pairs.view_values[view][:2] for view in ("left", "right")}
    first, second = pictures_of(whole, rows, 40)
    assert first.size == second.size
    halves = [first.crop(box).getbbox() for box in ((0, 0, 42, 84), (42, 0, 84, 84))]
    assert all(box is not None for box in halves)
    alone = pictures_of(
        replace(one_view(whole, "left"), views=()), {"": pairs.view_values["left"][:2]}, 40
    )
    assert alone[0].size == (40, 40)
    assert 'alt="Map of' in moving_picture(whole)


@pytest.mark.slow
def test_variations_keep_what_is_not_varied(keep, model):
    at = app(keep(model))
    assert "“Only left” (dimension" in said(at)
    control(at, "views_part").set_value("shared").run()
    assert not at.exception
    assert "“Shared” (dimensions" in said(at)
    control(at, "views_how").set_value("way").run()
    assert "Click a second place" in said(at)
    press_how = control(at, "views_how").set_value("chance").run()
    before = said(press_how)
    assert said(press(at, "Others")) != before


@pytest.mark.slow
def test_choices_survive_a_visit_to_another_page(keep, model):
    at = app(keep(model))
    at.select_slider[0].set_value(1.0).run()
    control(at, "views_part").set_value("only right").run()
    go_to(at, "mine")
    go_to(at, "views")
    assert at.select_slider[0].value == 1.0
    assert control(at, "views_part").value == "only right"


@pytest.mark.slow
def test_explore_and_complete_open_one_view_at_a_time(keep, model):
    key = keep(model)
    for page in ("explore", "fill"):
        at = app(key, page)
        assert not at.exception
        assert "96 × 144 values" in said(at)
        view = next(box for box in at.selectbox if "_view|" in box.key)
        assert view.value == "left"
        view.set_value("right").run()
        assert not at.exception
        assert at.query_params["view"] in ("right", ["right"])
        at.query_params.clear()
    assert "This model has no view “middle”." in said(app(key, "explore", view="middle"))


# pixels that are always dark cause this warning
@pytest.mark.filterwarnings("ignore:view .* are constant")
def test_the_library_and_the_jobs_lead_to_the_page(keep, model, pairs):
    key = keep(model)
    at = app(page="mine")
    assert not at.exception
    identifier = key.split(":")[1]
    at.button(key=f"open_{identifier}").click().run()
    assert not at.exception
    assert "What the views share" in said(at)
    quick = ManifoldRelevance(2, n_inducing=6, max_iter=4, random_state=0)
    job = training.here().submit(quick, pairs, "Pairs again")
    assert training.here().wait(job, timeout=300).status == "finished"
    at = app(page="train", job=job)
    assert not at.exception
    at.button(key="job_open").click().run()
    assert "What the views share" in said(at)


def test_the_gallery_opens_a_model_of_several_views_here(tmp_path, model, pairs):
    Library(tmp_path / "gallery").add(model, pairs, "Pairs of heads", id="pairs")
    at = run_page("gallery")
    assert not at.exception
    assert 'alt="Map of Pairs of heads' in said(at)
    at.button(key="open_pairs").click().run()
    assert not at.exception
    assert "What the views share" in said(at)


@pytest.mark.slow
def test_many_views_of_a_body_are_drawn_as_one(keep, joints_model, joints):
    at = app(keep(joints_model, joints, "My joints"))
    assert not at.exception
    words = said(at)
    assert "Joints that move together" in words
    assert "**Group 1:**" in words
    assert "the prediction" in words
    header, arrays = packed(at)
    assert [output["title"] for output in header["outputs"]] == [WHOLE]
    assert f"layer{len(joints.views) - 1}" in arrays


# --- number of calls of the model
# -------------------------------------------------------------------------


def test_one_view_is_an_item_like_any_other(keep, model, pairs):
    whole = open_item(keep(model))
    assert whole.views == ("left", "right")
    assert whole.view is None
    left, other = one_view(whole), one_view(whole, "right")
    assert (left.view, other.view) == ("left", "right")
    assert left.version != other.version
    assert left.dataset.n_outputs == 144
    np.testing.assert_allclose(other.model.relevance_, model.relevance_["right"])


def test_transfers_and_matches_are_the_models_own(model, pairs):
    given = {"left": pairs.view_values["left"][5]}
    found = transferred(model, "m", given, "right", 3, "nearest", rows_of_views(pairs))
    rows = model.transfer({"left": given["left"][None]}, "right", n_alternatives=3)[0]
    np.testing.assert_allclose(found.rows, rows[~np.isnan(rows).any(axis=1)])
    assert len(transferred(model, "m", given, "right", 3, "prior", rows_of_views(pairs)).rows) == 1
    numbers, distances = model.correspondences({"left": given["left"][None]}, "right", n_matches=4)
    near = matched(model, "m", given, "right", 4, rows_of_views(pairs))
    np.testing.assert_array_equal(near.rows, numbers[0])
    np.testing.assert_allclose(near.distances, distances[0])


def test_varying_moves_only_the_chosen_dimensions(model):
    point = tuple(model.latent_mean_[7])
    private = parts_at(model, 0.05)[2]
    points = varied(model, "m", point, private.dimensions, 5, 0)
    others = [q for q in range(6) if q not in private.dimensions]
    np.testing.assert_allclose(points[:, others], np.tile(np.array(point)[others], (5, 1)))
    assert np.ptp(points[:, list(private.dimensions)], axis=0).min() > 0.0
    # The output of the other view does not change.
    left = model.inverse_transform(points)["left"]
    right = model.inverse_transform(points)["right"]
    assert np.ptp(left, axis=0).max() < 0.02 * np.ptp(right, axis=0).max()


def test_the_way_moves_only_the_chosen_dimensions():
    way = on_the_way((0.0, 0.0, 0.0), (1.0, 2.0, 3.0), (1,), 3)
    np.testing.assert_allclose(way, [[1.0, 0.0, 3.0], [1.0, 1.0, 3.0], [1.0, 2.0, 3.0]])


def test_the_trail_holds_the_previous_position():
    first, second = MapPlace((0, 1), (0.0, 1.0)), MapPlace((0, 1), (2.0, 3.0))
    desk = Desk().at(first)
    assert desk.trail == (None, (0.0, 1.0))
    assert desk.at(first) is desk
    assert desk.at(second).trail == ((0.0, 1.0), (2.0, 3.0))


def test_given_values_stay_in_the_completed_row(joints_model, joints):
    values = joints.view_values
    names = list(values)[:14]
    given = {name: values[name][3].copy() for name in names}
    given[names[0]][1] = np.nan
    found = whole_from(joints_model, "m", given)
    known = np.hstack([given[name] for name in names])
    whole = found[: len(known)]
    np.testing.assert_allclose(whole[~np.isnan(known)], known[~np.isnan(known)])
    assert np.isfinite(found).all()
    assert first_outputs(joints_model, joints) == (WHOLE,)


def test_a_view_of_labels_names_its_class():
    rows = rows_of_views(digits_and_names())
    values = rows["digit"].values[11]
    assert class_of(rows["digit"], values) == str(int(np.argmax(values)))
    assert class_of(rows["image"], rows["image"].values[11]) is None
    html = Pictures(rows).strip([Tile("digit", values, "given")])
    assert f"{np.argmax(values)} · given" in html


def test_the_most_probable_word_is_always_named():
    many = [(f"word {n}", 0.005) for n in range(200)]
    assert chances_in_words("kind", many) == "kind: **word 0** under 1 %"
    assert chances_in_words("", [("yes", 0.93), ("no", 0.07)]) == "**yes** 93 %, no 7 %"


def test_a_view_of_labels_is_predicted_by_probabilities(keep):
    digits = partly_labelled_digits()
    own = digits.views_in_own_values()
    model = ManifoldRelevance(3, n_inducing=15, max_iter=60, random_state=0, kinds=digits.kinds)
    with warnings.catch_warnings(action="ignore"):
        model.fit(own)
    rows = rows_of_views(digits)
    given = {"pixels": digits.view_values["pixels"][0]}  # a row without a label
    chances = word_chances(model, "m", given, "labels", rows)["label"]
    expected = model.class_probabilities({"pixels": given["pixels"][None]}, "labels")[0]
    assert dict(chances) == dict(zip(model.class_words("labels"), expected, strict=True))
    at = app(keep(model, digits, "Labelled"))
    assert not at.exception and not at.error
    assert chances_in_words("", chances) in said(at)
    (header, _), *_ = stores(at).values()
    assert header["outputs"][1]["title"] == "labels"
    item, point = item_of(model, digits), tuple(model.latent_mean_[3])
    lines = list(csv.DictReader(io.StringIO(outputs_csv(item, point).decode())))
    best = model.of_view("labels").class_probabilities_at(np.array(point)[None], 0).max()
    assert lines[-1]["mean"] in digits.label_names and not lines[-1]["std"]
    assert float(lines[-1]["probability"]) == pytest.approx(best, rel=1e-3)
    stored = np.load(io.BytesIO(outputs_npz(item, point)))
    assert stored["labels"].tolist() == [lines[-1]["mean"]]
    assert Image.open(io.BytesIO(outputs_png(item, ("pixels", "labels"), point))).width > 900


def test_joints_with_similar_profiles_form_one_group(joints_model, joints):
    groups = joint_groups(item_of(joints_model, joints), 3)
    assert groups.shape == (len(joints.views),)
    assert set(groups) <= {0, 1, 2}


# --- exports ------------------------------------------------------------------------------------


def test_the_table_of_dimensions_holds_what_the_bars_show(model):
    lines = list(csv.reader(io.StringIO(segmentation_csv(model, parts_at(model, 0.05)).decode())))
    assert lines[0][:4] == ["dimension", "part", "information", "left: lost"]
    assert [int(line[0]) for line in lines[1:]] == [1, 2, 3, 4, 5, 6]
    column = lines[0].index("right: lost")
    np.testing.assert_allclose([float(line[column]) for line in lines[1:]], model.drops_["right"])


def test_the_outputs_are_those_of_the_kept_point(model, pairs):
    item, point = item_of(model, pairs), tuple(model.latent_mean_[3])
    means, stds = model.inverse_transform(np.array(point)[None], return_std=True)
    lines = list(csv.reader(io.StringIO(outputs_csv(item, point).decode())))
    assert lines[0] == ["view", "column", "mean", "std"]
    assert [line[0] for line in lines[1:]] == ["left"] * 144 + ["right"] * 144
    told = np.array([line[2:] for line in lines[1:]], dtype=float)
    np.testing.assert_allclose(told[:144, 0], means["left"][0], rtol=1e-6)
    np.testing.assert_allclose(told[144:, 1], stds["right"][0], rtol=1e-6)
    arrays = np.load(io.BytesIO(outputs_npz(item, point)))
    np.testing.assert_allclose(arrays["latent"], point)
    np.testing.assert_allclose(arrays["right"], means["right"][0])
    picture = Image.open(io.BytesIO(outputs_png(item, ("left", "right"), point)))
    assert picture.size == (2 * 480 + 3 * 16, 480 + 2 * 16)
