"""Tests of Train through AppTest: a visitor's own table, with dates, names of rows and mistakes."""

import datetime as dt
import io
import re
import zipfile

import numpy as np
import pytest
from PIL import Image

from gplvm_core import ManifoldRelevance, training
from gplvm_core.store import Library, workspace
from gplvm_core.wire.model import Chart, pack_points
from pages.ui.explore.map.given_labels import learning
from pages.ui.shared.catalogue import open_item
from tests.app.apptest import as_shown, press, run_page, said, short, started, upload
from tests.readers.small_bvh import bvh

pytestmark = pytest.mark.usefixtures("home")

N = 24
PYTHON = re.compile(r"\w+=\[|\w+_columns?\b|\bNone\b|scaling=|date_formats")


def table(first: list[str], head: str = "id;day", mistake: dict[int, str] | None = None) -> bytes:
    lines = [f"{head};a;b;c"]
    for i, cells in enumerate(first):
        values = [f"{np.sin(0.3 * i + k):.4f}".replace(".", ",") for k in range(3)]
        values[0] = (mistake or {}).get(i, values[0])
        lines.append(";".join([cells, *values]))
    return "\n".join(lines).encode()


def german(i: int, step: int = 3) -> str:
    return f"{dt.date(2024, 1, 3) + dt.timedelta(days=step * i):%d.%m.%Y}"


def box(at, label: str):
    return next(each for each in at.selectbox if as_shown(each.label) == label)


def leave_out(at):
    return next(each for each in at.multiselect if each.label == "Columns to leave out")


def test_a_column_of_dates_is_the_time_of_a_model_and_ids_stay_with_the_rows():
    at = upload(run_page("train"), "visits.csv", table([f"P{i};{german(i)}" for i in range(N)]))
    assert not at.exception and not at.error
    assert box(at, "Time column").value == "day" and leave_out(at).value == ["id"]
    assert "day: dates with the day first, such as 15.01.2024" in said(at)
    assert "time 2024-01-03 to 2024-03-12 (days)" in said(at)
    shown = at.dataframe[0].value
    assert list(shown["id"][:2]) == ["P0", "P1"]
    at.radio(key="form_model").set_value("Dynamical GP-LVM").run()
    short(at)
    job = started(at)
    library = Library(workspace() / "library")
    np.testing.assert_allclose(library.model(job.entry).times_[:, 0], 3.0 * np.arange(N))
    kept = library.dataset(job.entry)
    assert list(kept.row_names) == [f"P{i}" for i in range(N)]
    assert kept.time_unit == "days since 2024-01-03"


def test_a_slip_of_the_decimal_point_is_left_out_of_the_training_unless_it_is_meant():
    rows = table([f"P{i};{german(i)}" for i in range(N)], mistake={5: "8912,0"})
    at = upload(run_page("train"), "visits.csv", rows)
    words = next(as_shown(each.value) for each in at.warning if "8,912" in each.value)
    assert words.startswith("a: row 6 (P5) has 8,912, and all others are between")
    assert "Emptiest rows: row 6" in said(at)
    switch = next(each for each in at.toggle if each.label == "Leave this value out")
    switch.set_value(False).run()
    assert "Emptiest rows" not in said(at) and not at.exception
    at.toggle(key=switch.key).set_value(True).run()
    words = "Values far from all others count as missing: a 8,912 in row 6 (P5)."
    assert as_shown(words) in as_shown(said(at))
    short(at)
    kept = Library(workspace() / "library").dataset(started(at).entry)
    assert np.isnan(kept.values[5, kept.column_names.index("a")])
    assert words in kept.notes


def test_day_or_month_is_asked_and_never_guessed():
    rows = [f"P{i};{1 + i % 12:02d}/{1 + i // 12:02d}/2024" for i in range(N)]
    at = upload(run_page("train"), "visits.csv", table(rows))
    assert not at.error
    assert "no value decides whether 01/01/2024 begins with the day or the month" in said(at)
    assert "The file begins like this" in said(at)
    assert not any(button.label == "Start training" for button in at.button)
    box(at, "Format of “day”").set_value("month first").run()
    assert "time 2024-01-01 to 2024-12-02 (days)" in said(at)
    box(at, "Format of “day”").set_value("day first").run()
    assert "time 2024-01-01 to 2024-02-12 (days)" in said(at)


def test_dates_become_columns():
    rows = [f"P{i};{german((i * 7) % N, 40)}" for i in range(N)]
    at = upload(run_page("train"), "births.csv", table(rows, "id;born"))
    assert "not in order" in said(at) and "3 values each" in said(at)
    box(at, "The dates in “born”").set_value("Year, season and weekday").run()
    assert not at.exception and not at.error
    assert "7 values each" in said(at)
    assert {"born year", "born season sine", "born weekday"} <= set(at.dataframe[0].value)


def test_menus_offer_no_column_that_has_a_role_and_the_unit_of_the_time_can_be_chosen():
    rows = [f"P{i};{german(i)}" for i in range(N)]
    at = upload(run_page("train"), "people.csv", table(rows))
    # A file with the name of ready data has its own description.
    assert any(each.value == "people, Bayesian GP-LVM" for each in at.text_input)
    box(at, "Unit of the time").set_value("hours").run()
    assert "time 2024-01-03 to 2024-03-12 (hours)" in said(at)
    box(at, "Unit of the time").set_value("days").run()
    assert "day" not in leave_out(at).options and "id" not in box(at, "Label column").options
    assert "id" not in box(at, "Time column").options
    # A time column with few different values can also be the label.
    box(at, "Label column").set_value("day").run()
    assert not at.exception and not at.error
    assert f"{N} labels, time 2024-01-03 to 2024-03-12 (days)" in said(at)
    box(at, "Time column").set_value("—").run()
    box(at, "Label column").set_value("—").run()
    assert not at.exception and not at.error
    leave_out(at).set_value(["id", "a"]).run()
    assert "a" not in box(at, "Time column").options
    assert "2 values each" in said(at)


def test_a_mistake_is_named_and_the_form_stays_with_the_file_s_beginning():
    rows = [f"P{i};{german(i)}" for i in range(N)]
    at = upload(run_page("train"), "visits.csv", table(rows, mistake={4: "broken"}))
    assert "visits.csv, line 6, column 'a': 'broken' is not a number" in as_shown(at.error[0].value)
    assert not PYTHON.search(as_shown(at.error[0].value))
    assert box(at, "Time column").value == "day"
    assert list(at.dataframe[0].value["id"][:2]) == ["P0", "P1"]
    leave_out(at).set_value(["id", "a"]).run()
    assert not at.error and "2 values each" in said(at)


def test_a_bad_date_is_named():
    rows = [f"P{i};{german(i) if i != 7 else '31.02.2024'}" for i in range(N)]
    at = upload(run_page("train"), "visits.csv", table(rows))
    assert "line 9, column 'day': '31.02.2024' is not a date" in as_shown(at.error[0].value)
    assert not PYTHON.search(as_shown(at.error[0].value))


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("one.csv", b"a,b\n1,2\n", "one row. A table needs at least two rows"),
        ("letter.txt", b"Dear reader,\nno table,\nhere, there, all\nYours\n", "looks like text"),
    ],
)
def test_a_file_without_a_table_is_shown_beside_the_reason(name, data, words):
    at = upload(run_page("train"), name, data)
    assert not at.exception
    assert words in as_shown(at.error[0].value)
    assert not PYTHON.search(as_shown(at.error[0].value))
    assert "The file begins like this" in said(at)
    assert at.file_uploader


@pytest.mark.parametrize("data", [b"", b"\n \n"])
def test_a_file_without_content_has_no_beginning_to_show(data):
    at = upload(run_page("train"), "empty.csv", data)
    assert not at.exception and at.error
    assert "The file begins like this" not in said(at) and not at.code


def test_dates_in_two_formats_are_told_beside_the_columns_that_are_left_out():
    rows = [f"P{i};{f'2024-01-{i + 1:02d}' if i % 3 else f'{i + 1:02d}.01.2024'}" for i in range(N)]
    words = as_shown(said(upload(run_page("train"), "visits.csv", table(rows))))
    assert (
        "day: dates in two formats, 2024-01-02 (16 rows, the first in line 3) and 01.01.2024 "
        "(8 rows, the first in line 2); write all in one format to use them as times" in words
    )


def test_prose_is_called_prose_and_left_out():
    rows = [f"P{i};We met on day {i} and it was rather cold" for i in range(N)]
    at = upload(run_page("train"), "notes.csv", table(rows, "id;remark"))
    assert not at.error and leave_out(at).value == ["id", "remark"]
    assert "remark: prose, about 10 words a cell" in said(at)


def test_pictures_of_several_sizes_say_what_was_done_to_them():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(6):
            picture = io.BytesIO()
            Image.new("L", (8, 4) if number == 2 else (6, 6), 40 * number).save(picture, "PNG")
            archive.writestr(f"photo {number}.png", picture.getvalue())
    at = upload(run_page("train"), "photos.zip", file.getvalue())
    (warning,) = (each.value for each in at.warning if "stretched" in each.value)
    assert "1 of 6 images had another size (8 × 4) and was stretched" in as_shown(warning)
    assert "6 × 6" in as_shown(warning)
    assert 'title="row 3, photo 2.png"' in said(at)


def test_codes_sequences_and_encodings_are_asked_about():
    lines = [
        f"{s},{d},{(-999 if d == 4 else s * d * d)},{d * s}"
        for s in (2, 1, 3)
        for d in (0, 1, 4, 6, 9)
    ]
    table = "Köper,day,a,b\n" + "\n".join(lines)
    at = upload(run_page("train"), "panel.csv", table.encode("cp1252"))
    assert not at.exception and not at.error
    words = said(at)
    assert "−999 occurs 3 times" in words and "Do these words look right? Köper" in words
    assert "3 of 30 values are missing" in words and "3 sequences" in words
    chosen = {each.label: each for each in at.selectbox}
    assert chosen["Sequence column"].value == "Köper" and chosen["Time column"].value == "day"
    chosen["Encoding of the text"].set_value("cp850").run()
    assert not at.exception
    assert {each.label: each.value for each in at.selectbox}["Sequence column"] == "K÷per"
    next(each for each in at.toggle if "−999" in each.label).set_value(False).run()
    assert "values are missing" not in said(at)


def test_the_encoding_of_a_motion_is_asked_about():
    motion = bvh(np.zeros((9, 12))).replace("Foot", "Fuß").encode("cp1252")
    at = upload(run_page("train"), "walk.bvh", motion)
    assert "Do these words look right? Fuß" in said(at)
    at.selectbox(key="upload_encoding_walk.bvh").set_value("cp850").run()
    assert not at.exception and not at.error


def test_coordinates_of_a_file_are_shown_as_a_map_without_training():
    rng = np.random.default_rng(0)
    places = rng.uniform(-20.0, 20.0, (40, 2))
    rows = [
        f"P{n},{x:.3f},{y:.3f},{'red' if x > 0 else 'blue'},{x + y:.3f},{x * y:.3f}"
        for n, (x, y) in enumerate(places)
    ]
    file = "\n".join(["id,umap_1,umap_2,kind,sum,product", *rows]).encode()
    at = upload(run_page("train"), "cells.csv", file)
    assert "These rows have coordinates already." in said(at)
    at = press(at, "Show the map")
    (entry,) = Library(workspace() / "library").entries()
    assert not at.exception and training.here().jobs() == ()
    assert entry.dimension_names == (("", ("umap_1", "umap_2")),)
    library = Library(workspace() / "library")
    shown = library.model(entry.id).latent_mean_
    np.testing.assert_allclose(np.corrcoef(shown[:, 0], places[:, 0])[0, 1], 1.0, atol=1e-6)
    data = library.dataset(entry.id)
    assert data.column_names == ("sum", "product") and data.label_word(3) in ("red", "blue")
    # The columns have different units, so no column's values have the other's errors.
    assert (library.model(entry.id).noise_std_ < 1.1 * data.values.std(axis=0)).all()
    # The page reads the file's own numbers from the positions.
    units = np.array(pack_points(Chart.of(library.model(entry.id), data))[1]["units"])
    np.testing.assert_allclose(units[:, 0] + units[:, 1] * shown, places.round(3), atol=1e-9)
    # A training with labels is an ordinary one, of the columns.
    learns = learning(open_item(f"library:{entry.id}"), data).get_params(deep=False)
    usual = ManifoldRelevance(kinds=data.kinds, scaling="columns", random_state=0)
    usual = usual.get_params(deep=False)
    assert learns == usual and learns["max_iter"] >= 500
    assert "No map was trained." in said(run_page("explore", model=f"library:{entry.id}"))
    # A table without such columns has no offer.
    at = upload(run_page("train"), "plain.csv", table([f"P{i};{german(i)}" for i in range(N)]))
    assert "coordinates" not in said(at)


def test_a_role_that_no_column_had_is_suggested_for_the_next_file_of_the_same_columns():
    rows = "\n".join(f"{5 * n % 7},{n}" for n in range(9))
    at = upload(run_page("train"), "plain.csv", f"day,a\n{rows}".encode())
    assert box(at, "Time column").value == "—"
    dated = "\n".join(f"2024-{1 + n:02d},{n * n % 5}" for n in range(9))
    at = upload(run_page("train"), "dated.csv", f"day,a\n{dated}".encode())
    assert box(at, "Time column").value == "day"
