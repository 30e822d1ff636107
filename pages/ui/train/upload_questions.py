"""Questions about an uploaded file, depending on the kind of file, and the resulting data set.

mark: distinguishes the questions about one of several files.
"""

from dataclasses import replace
from typing import Any

import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset, EmptyRowsError, kind_of
from gplvm_core.readers.error_columns import proposed_errors, with_errors
from gplvm_core.readers.errors import plural
from gplvm_core.readers.missing import EMPTY
from pages.ui.shared.inputs import (
    lasting_number,
    lasting_select_slider,
    lasting_toggle,
    one_of,
    whole_number_of,
)
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import read_sandboxed
from pages.ui.shared.words import STORIES
from pages.ui.train.table_questions import letters_question, table_questions

LEAVE_OUT_EMPTY = "Leave out the rows without any usable value"
FILL_EMPTY = "Fill the rows without any usable value"


def most_megabytes() -> int:
    """Return the size of the largest upload, a setting of the server."""
    return int(st.get_option("server.maxUploadSize"))


def read_with_questions(name: str, data: bytes) -> Dataset:
    """Ask questions for the kind of file, then read it. Raises the loaders' errors."""
    answers = questions(name, data)
    try:
        return read_upload(name, data, answers)
    except EmptyRowsError:
        timed = answers.get("time_column") is not None  # the empty rows are a gap of the series
        if not lasting_toggle(
            FILL_EMPTY if timed else LEAVE_OUT_EMPTY,
            value=timed,
            key=f"upload_skip_empty_{name}_{timed}",
            help="Training cannot use these rows. A model over time fills them afterwards, from "
            "the rows before and after."
            if timed
            else "Training cannot use these rows. A note names those that are left out.",
        ):
            raise
    dataset = read_upload(name, data, answers | {"skip_empty_rows": True})
    for note in dataset.notes:
        if EMPTY in note:
            st.caption(plain(note))
    return dataset


def questions(name: str, data: bytes, mark: str = "") -> dict[str, Any]:
    """Ask the questions for a kind of file; return the answers as arguments of its reader."""
    match kind_of(name):
        case "images":
            return image_questions(mark) | frame_questions(mark)
        case "video":
            return image_questions(mark)
        case "bvh":
            letters = read_sandboxed("letters", name, data)
            asked = letters_question(letters, f"{name}{mark}")
            return motion_questions(mark) | up_question(mark) | asked
        case "c3d":
            return motion_questions(mark)
        case "cells":
            return {} if mark else cell_questions()  # a view supports only numbers
        case "events":
            return event_questions(mark)
        case "table":
            return table_questions(name, data, mark)


def read_upload(name: str, data: bytes, answers: dict[str, Any]) -> Dataset:
    """Read the data set of an upload; the file's name appears in messages."""
    dataset: Dataset = read_sandboxed("read", name, data, **answers)
    # A user's file "people.csv" must not get the texts of the built-in data set "people".
    return replace(dataset, name=f"own_{dataset.name}") if dataset.name in STORIES else dataset


def errors_question(dataset: Dataset) -> Dataset:
    """Propose columns that look like the errors of others; use them if the visitor agrees."""
    pairs = proposed_errors(dataset)
    if not pairs:
        return dataset
    value, error = next(iter(pairs.items()))
    more = f", and {plural(len(pairs) - 1, 'more column')} likewise" if len(pairs) > 1 else ""
    st.markdown(plain(f"“{error}” looks like the errors of “{value}”{more}."))
    agreed = lasting_toggle(
        "Use as errors",
        key=f"upload_errors_{dataset.name}",
        help="On: these columns are standard deviations. Values with large errors count less, and "
        "the map does not learn the columns themselves. Only a map of one layer can use them. Off: "
        "they are columns like all others.",
    )
    return with_errors(dataset, pairs) if agreed else dataset


def image_questions(mark: str = "") -> dict[str, Any]:
    """Ask for the size of images, and whether to keep colour."""
    left, right = st.columns(2)
    with left:
        side = lasting_select_slider(
            "Longer side, in pixels",
            [16, 24, 32, 48, 64, 96, 128],
            value=64,
            key=f"upload_side{mark}",
            help="Larger images are reduced to this size; training time grows with the number of "
            "pixels.",
        )
    with right:
        colours = ("As given", "Grey")
        colour = one_of("Colour", colours, f"upload_colour{mark}", usual="As given")
    return {"max_side": int(side), "colour": False if colour == "Grey" else None}


def frame_questions(mark: str = "") -> dict[str, Any]:
    """Ask whether the images of a zip follow each other in time."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        is_video = lasting_toggle(
            "Frames of a video",
            key=f"upload_is_video{mark}",
            help="Frames are in the order of their names, and every folder is a separate video.",
        )
    if not is_video:
        return {}
    with right:
        key = f"upload_frame_rate{mark}"
        rate = lasting_number("Frames per second", 0.01, 1000.0, 25.0, key=key)
    return {"frame_rate": float(rate)}


def cell_questions() -> dict[str, Any]:
    """Ask whether counts of molecules are trained as counts."""
    counts = lasting_toggle(
        "Train counts of molecules as counts",
        value=True,
        key="upload_cell_counts",
        help="On: the known number of molecules of each cell does not affect the map. Off: all "
        "values are numbers.",
    )
    return {"counts": bool(counts)}


def event_questions(mark: str = "") -> dict[str, Any]:
    """Ask how the values of a cytometer are read."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        compensate = lasting_toggle(
            "Compensate",
            value=True,
            key=f"upload_compensate{mark}",
            help="Undoes the spill between detectors, if the file has a matrix for it.",
        )
    with right:
        scaled = lasting_toggle(
            "Arcsinh scale",
            value=True,
            key=f"upload_arcsinh{mark}",
            help="Fluorescence and ion counts span several powers of ten. On: x is read as "
            "asinh(x / 150), for ion counts as asinh(x / 5). Off: as it is.",
        )
    return {"compensate": bool(compensate), "cofactor": None if scaled else 0.0}


def motion_questions(mark: str = "") -> dict[str, Any]:
    """Ask which frames to keep."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        every = whole_number_of(
            "Every n-th frame",
            f"upload_every{mark}",
            4,
            (1, 60),
            help="Motion capture often has 120 frames per second; every fourth frame is usually "
            "enough.",
        )
    with right:
        skip = lasting_toggle(
            "Leave out the first frame",
            value=True,
            key=f"upload_skip{mark}",
            help="The first frame is often a T-pose that does not belong to the movement.",
        )
    return {"every": every, "first_frame": int(skip)}


def up_question(mark: str = "") -> dict[str, Any]:
    """Ask which axis of the file is up."""
    up = one_of(
        "Up",
        ("Measured", "x", "y", "z"),
        f"upload_up{mark}",
        usual="Measured",
        help="The file does not say which of its axes is up. Measured: the axis along which the "
        "body is longest.",
    )
    return {"up": None if up == "Measured" else up}


def rows_in_use(name: str, data: bytes, answers: dict[str, Any]) -> tuple[Array, int]:
    """Return the rows of a table that have a trained value, and the number of all rows."""
    asked = {
        key: value for key, value in answers.items() if key not in ("image_shape", "time_unit")
    }
    rows, count = read_sandboxed("rows in use", name, data, **asked)
    return rows, count
