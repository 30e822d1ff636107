"""Questions about an uploaded file, by its kind, and the data set that it then is.

mark: tells the questions about one of several files from those about the others.
"""

from typing import Any

import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset, EmptyRowsError, TableReport, kind_of
from gplvm_core.readers.errors import plural
from gplvm_core.readers.tables.image_shapes import image_shapes
from pages.ui.shared.memory import fingerprint, recall, remember
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import read_sandboxed

MEGABYTES = 50
NONE = "—"
LEAST_PIXELS = 36  # columns from which rows may be pictures


def read_with_questions(name: str, data: bytes) -> Dataset:
    """Ask by the kind of file, then read; the loaders' errors pass through."""
    answers = questions(name, data)
    try:
        return read_upload(name, data, answers)
    except EmptyRowsError:
        if not st.toggle(
            "Leave out the rows without any value",
            key=f"upload_skip_empty_{name}",
            help="Nothing can be learned from a row in which nothing is observed.",
            persist_state="session",
        ):
            raise
    return read_upload(name, data, answers | {"skip_empty_rows": True})


def questions(name: str, data: bytes, mark: str = "") -> dict[str, Any]:
    """Ask what has to be known about a file of its kind: the answers, as its reader takes them."""
    match kind_of(name):
        case "images":
            return image_questions(mark) | frame_questions(mark)
        case "video":
            return image_questions(mark)
        case "bvh" | "c3d":
            return motion_questions(mark)
        case "cells":
            return {}
        case "table":
            return table_questions(name, data, mark)


def read_upload(name: str, data: bytes, answers: dict[str, Any]) -> Dataset:
    """The data set of an upload; its name is for the messages."""
    dataset: Dataset = read_sandboxed("read", name, data, **answers)
    return dataset


def inspected(name: str, data: bytes, array: str | None, header: bool | None) -> TableReport:
    """What a table looks like."""
    report: TableReport = read_sandboxed("inspect", name, data, array=array, header=header)
    return report


def image_questions(mark: str = "") -> dict[str, Any]:
    """How large, and whether colour is kept."""
    left, right = st.columns(2)
    with left:
        side = st.select_slider(
            "Longer side, in pixels",
            [16, 24, 32, 48, 64, 96, 128],
            value=64,
            key=f"upload_side{mark}",
            help="Larger images are shrunk to this; training time grows with the pixels.",
            persist_state="session",
        )
    with right:
        colour = st.segmented_control(
            "Colour",
            ["As given", "Grey"],
            default="As given",
            required=True,
            key=f"upload_colour{mark}",
            persist_state="session",
        )
    return {"max_side": int(side), "colour": False if colour == "Grey" else None}


def frame_questions(mark: str = "") -> dict[str, Any]:
    """Whether the images of a zip follow each other in time."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        is_video = st.toggle(
            "They are the frames of a video",
            key=f"upload_is_video{mark}",
            help="In the order of their names; every folder is a video of its own.",
            persist_state="session",
        )
    if not is_video:
        return {}
    with right:
        rate = st.number_input(
            "Frames a second",
            min_value=0.01,
            max_value=1000.0,
            value=25.0,
            key=f"upload_frame_rate{mark}",
            persist_state="session",
        )
    return {"frame_rate": float(rate)}


def motion_questions(mark: str = "") -> dict[str, Any]:
    """How many frames are kept."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        every = st.number_input(
            "Keep one frame in",
            min_value=1,
            max_value=60,
            value=4,
            key=f"upload_every{mark}",
            help="Motion capture often has 120 frames a second; one in four shows it all.",
            persist_state="session",
        )
    with right:
        skip = st.toggle(
            "Leave out the first frame",
            value=True,
            key=f"upload_skip{mark}",
            help="It is often a T-pose that does not belong to the movement.",
            persist_state="session",
        )
    return {"every": int(every), "first_frame": int(skip)}


def table_questions(name: str, data: bytes, mark: str = "") -> dict[str, Any]:
    """Header, label, time and id columns: suggested by what the columns look like, remembered."""
    report = inspected(name, data, None, None)
    array = report.array
    if len(report.arrays) > 1:
        array = st.selectbox(
            "Array to learn",
            report.arrays,
            index=report.arrays.index(array) if array in report.arrays else 0,
            key=f"upload_array_{name}{mark}",
            persist_state="session",
        )
        report = inspected(name, data, array, None)
    header: bool | None = None
    if report.header is not None:
        header = st.toggle(
            "The first line names the columns",
            value=report.header,
            key=f"upload_header_{name}{mark}",
            help=plain(report.header_reason) or None,
            persist_state="session",
        )
        if header != report.header:
            report = inspected(name, data, array, header)
    answers = column_questions(report, mark)
    answers |= picture_question(report, answers, mark)
    if header is not None:
        answers["header"] = header
    if array is not None:
        answers["array"] = array
    for note in report.notes:
        st.caption(plain(note))
    return answers


def picture_question(report: TableReport, answers: dict[str, Any], mark: str) -> dict[str, Any]:
    """Whether the rows are pictures, and of which size; asked where there are enough columns."""
    roles = {
        answers.get("label_column"),
        answers.get("time_column"),
        *answers.get("id_columns", ()),
    }
    values = [each for each in report.columns if each.numeric and each.name not in roles]
    shapes = image_shapes(len(values)) if len(values) >= LEAST_PIXELS else ()
    if not shapes:
        return {}
    chosen = st.selectbox(
        "The rows are",
        (None, *shapes),
        format_func=lambda shape: "numbers" if shape is None else _size_in_words(shape),
        key=f"upload_image_shape_{len(values)}{mark}",
        help="Rows that are pictures, line by line from the top left, are drawn as such. Nothing "
        "else changes.",
        persist_state="session",
    )
    return {} if chosen is None else {"image_shape": chosen}


def _size_in_words(shape: tuple[int, ...]) -> str:
    colour = ", in colour" if len(shape) == 3 else ""
    return f"pictures, {shape[0]} high and {shape[1]} wide{colour}"


def column_questions(report: TableReport, mark: str = "") -> dict[str, Any]:
    """Which columns are not to be learned but say something about the rows."""
    names = tuple(column.name for column in report.columns)
    if not names:
        return {}
    columns = fingerprint(names)
    kept = recall(columns)
    label = kept.get("label_column", report.label_column)
    time = kept.get("time_column", report.time_column)
    ids = [name for name in kept.get("id_columns", report.id_columns) if name in names]
    reasons = {column.name: column.reason for column in report.columns if column.reason}
    options = (NONE, *names)
    left, middle, right = st.columns(3)
    with left:
        label = st.selectbox(
            "Label column",
            options,
            index=options.index(label) if label in options else 0,
            key=f"upload_label_{columns}{mark}",
            help="Colours the map; it is never learned from.",
            persist_state="session",
        )
    with middle:
        ids = st.multiselect(
            "Columns to leave out",
            names,
            default=ids,
            key=f"upload_ids_{columns}{mark}",
            help="Numbers of rows, names, anything that should not be learned.",
            persist_state="session",
        )
    with right:
        time = st.selectbox(
            "Time column",
            options,
            index=options.index(time) if time in options else 0,
            key=f"upload_time_{columns}{mark}",
            help="When each row was measured, if the rows follow each other.",
            persist_state="session",
        )
    answers: dict[str, Any] = {
        "label_column": None if label == NONE else label,
        "time_column": None if time == NONE else time,
        "id_columns": tuple(ids),
    }
    remember(columns, answers | {"id_columns": list(ids)})
    because = [
        f"{column}: {reasons[column]}" for column in (label, *ids, time) if column in reasons
    ]
    text = [column.name for column in report.columns if not column.numeric]
    left_text = [column for column in text if column not in (label, time, *ids)]
    if because:
        st.caption("Suggested because — " + plain("; ".join(because)) + ".")
    if left_text:
        st.caption(
            f"{plural(len(left_text), 'column')} of text still to be given a role: "
            + plain(", ".join(left_text[:8]))
        )
    return answers


def rows_in_use(name: str, data: bytes, answers: dict[str, Any]) -> tuple[Array, int]:
    """Which rows of a table have a value in a column to learn, and how many rows it has."""
    asked = {key: value for key, value in answers.items() if key != "image_shape"}
    rows, count = read_sandboxed("rows in use", name, data, **asked)
    return rows, count
