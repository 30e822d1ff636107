"""Where the training data come from: a ready-made data set or the user's own file."""

import tempfile
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

import streamlit as st

from gplvm_core.datasets import (
    Dataset,
    EmptyRowsError,
    TableReport,
    inspect_table,
    list_datasets,
    load_dataset,
    optional_datasets,
    read_bvh,
    read_images,
    read_table,
    read_video,
)
from pages.ui.memory import fingerprint, recall, remember
from pages.ui.words import STORIES, bytes_in_words, plural

UPLOAD = "train_upload"  # session key: (file name, bytes), kept when the page is left
TABLES = ("csv", "tsv", "txt", "npz", "npy")
FORMATS = ("csv", "tsv", "txt", "npz", "npy", "zip", "gif", "bvh")
MEGABYTES = 50
NONE = "—"


def built_in_form() -> Dataset | None:
    """Choose one of the data sets that come with Manifolio, or with a package that is there."""
    missing = optional_datasets()
    names = (*list_datasets(), *(name for name, packages in missing.items() if not packages))
    name = st.pills(
        "Data set",
        names,
        format_func=title_of,
        default=names[0],
        required=True,
        key="train_built_in",
        persist_state="session",
        label_visibility="collapsed",
    )
    ways = [
        f"{title_of(name)} (`pip install {' '.join(packages)}`)"
        for name, packages in missing.items()
        if packages
    ]
    if ways:
        st.caption(f"Optional, after an installation: {', '.join(ways)}.")
    try:
        return built_in(str(name))
    except (ValueError, OSError) as error:
        st.error(str(error), icon=":material/error:")
        return None


def title_of(name: str) -> str:
    return STORIES[name].title if name in STORIES else name.capitalize()


@st.cache_resource(max_entries=8, show_spinner="Reading the data …")
def built_in(name: str) -> Dataset:
    return load_dataset(name)


def upload_form() -> Dataset | None:
    """Take a file, ask what has to be asked, and read it; errors are shown in words."""
    turn = st.session_state.get("train_upload_turn", 0)
    key = f"train_file_{turn}"
    file = st.file_uploader(
        "A table (CSV, NPZ), a zip of images, a video (GIF), or a motion capture file (BVH)",
        type=list(FORMATS),
        max_upload_size=MEGABYTES,
        key=key,
        help="The file stays on this machine.",
        on_change=keep_upload,
        args=(key,),
    )
    if UPLOAD not in st.session_state:
        st.caption(
            "A table has one row per item and one column per number; empty cells are missing "
            "values. In a zip, images in folders take the folder's name as their label. A video "
            "is an animated GIF, or its frames as images in a zip."
        )
        return None
    name, data = st.session_state[UPLOAD]
    if file is None:  # the uploader forgets its file when the page is left; the session does not
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f":material/draft: **{name}** ({bytes_in_words(len(data))})", width="content"
            )
            if st.button("Remove", type="tertiary", icon=":material/close:", key="train_remove"):
                del st.session_state[UPLOAD]
                st.session_state["train_upload_turn"] = turn + 1
                st.rerun()
    try:
        return read_with_questions(name, data)
    except (ValueError, OSError) as error:
        st.error(str(error), icon=":material/error:")
        return None


def keep_upload(key: str) -> None:
    """Copy the uploader's file to where it outlives the page; forget it when it was removed."""
    file = st.session_state.get(key)
    if file is None:
        st.session_state.pop(UPLOAD, None)
    else:
        st.session_state[UPLOAD] = (PurePath(file.name).name, file.getvalue())


def read_with_questions(name: str, data: bytes) -> Dataset:
    """Ask by the kind of file, then read; the loaders' errors pass through."""
    ending = PurePath(name).suffix.lower().lstrip(".")
    if ending == "zip":
        return read_file(name, data, "images", image_questions() | frame_questions())
    if ending == "gif":
        return read_file(name, data, "video", image_questions())
    if ending == "bvh":
        return read_file(name, data, "bvh", motion_questions())
    return read_with_gaps(name, data, table_questions(name, data))


def read_with_gaps(name: str, data: bytes, answers: dict[str, Any]) -> Dataset:
    """Read a table; when rows of it have no value at all, leave them out once that is wanted."""
    try:
        return read_file(name, data, "table", answers)
    except EmptyRowsError:
        if not st.toggle(
            "Leave out the rows without any value",
            key=f"upload_skip_empty_{name}",
            help="Nothing can be learned from a row in which nothing is observed.",
            persist_state="session",
        ):
            raise
    return read_file(name, data, "table", answers | {"skip_empty_rows": True})


READERS: dict[str, Callable[..., Dataset]] = {
    "images": read_images,
    "video": read_video,
    "bvh": read_bvh,
    "table": read_table,
}


@st.cache_resource(max_entries=4, show_spinner="Reading the file …")
def read_file(name: str, data: bytes, reader: str, answers: dict[str, Any]) -> Dataset:
    """The data set of an upload. The file gets its own name, so that messages can use it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        return READERS[reader](path, **answers)


@st.cache_data(max_entries=8, show_spinner="Looking at the table …")
def inspected(name: str, data: bytes, array: str | None, header: bool | None) -> TableReport:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        return inspect_table(path, array=array, header=header)


def image_questions() -> dict[str, Any]:
    """How large, and whether colour is kept."""
    left, right = st.columns(2)
    with left:
        side = st.select_slider(
            "Longer side, in pixels",
            [16, 24, 32, 48, 64, 96, 128],
            value=64,
            key="upload_side",
            help="Larger images are shrunk to this; training time grows with the pixels.",
            persist_state="session",
        )
    with right:
        colour = st.segmented_control(
            "Colour",
            ["As given", "Grey"],
            default="As given",
            required=True,
            key="upload_colour",
            persist_state="session",
        )
    return {"max_side": int(side), "colour": False if colour == "Grey" else None}


def frame_questions() -> dict[str, Any]:
    """Whether the images of a zip follow each other in time."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        is_video = st.toggle(
            "They are the frames of a video",
            key="upload_is_video",
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
            key="upload_frame_rate",
            persist_state="session",
        )
    return {"frame_rate": float(rate)}


def motion_questions() -> dict[str, Any]:
    """How many frames are kept."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        every = st.number_input(
            "Keep one frame in",
            min_value=1,
            max_value=60,
            value=4,
            key="upload_every",
            help="Motion capture often has 120 frames a second; one in four shows it all.",
            persist_state="session",
        )
    with right:
        skip = st.toggle(
            "Leave out the first frame",
            value=True,
            key="upload_skip",
            help="It is often a T-pose that does not belong to the movement.",
            persist_state="session",
        )
    return {"every": int(every), "first_frame": int(skip)}


def table_questions(name: str, data: bytes) -> dict[str, Any]:
    """Header, label, time and id columns: suggested by what the columns look like, remembered."""
    report = inspected(name, data, None, None)
    array = report.array
    if len(report.arrays) > 1:
        array = st.selectbox(
            "Array to learn",
            report.arrays,
            index=report.arrays.index(array) if array in report.arrays else 0,
            key=f"upload_array_{name}",
            persist_state="session",
        )
        report = inspected(name, data, array, None)
    header: bool | None = None
    if report.header is not None:
        header = st.toggle(
            "The first line names the columns",
            value=report.header,
            key=f"upload_header_{name}",
            help=report.header_reason or None,
            persist_state="session",
        )
        if header != report.header:
            report = inspected(name, data, array, header)
    answers = column_questions(report)
    if header is not None:
        answers["header"] = header
    if array is not None:
        answers["array"] = array
    for note in report.notes:
        st.caption(note)
    return answers


def column_questions(report: TableReport) -> dict[str, Any]:
    """Which columns are not to be learned but say something about the rows."""
    names = tuple(column.name for column in report.columns)
    if not names:
        return {}
    mark = fingerprint(names)
    kept = recall(mark)
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
            key=f"upload_label_{mark}",
            help="Colours the map; it is never learned from.",
            persist_state="session",
        )
    with middle:
        ids = st.multiselect(
            "Columns to leave out",
            names,
            default=ids,
            key=f"upload_ids_{mark}",
            help="Numbers of rows, names, anything that should not be learned.",
            persist_state="session",
        )
    with right:
        time = st.selectbox(
            "Time column",
            options,
            index=options.index(time) if time in options else 0,
            key=f"upload_time_{mark}",
            help="When each row was measured, if the rows follow each other.",
            persist_state="session",
        )
    answers: dict[str, Any] = {
        "label_column": None if label == NONE else label,
        "time_column": None if time == NONE else time,
        "id_columns": tuple(ids),
    }
    remember(mark, answers | {"id_columns": list(ids)})
    because = [
        f"{column}: {reasons[column]}" for column in (label, *ids, time) if column in reasons
    ]
    text = [column.name for column in report.columns if not column.numeric]
    left_text = [column for column in text if column not in (label, time, *ids)]
    if because:
        st.caption("Suggested because — " + "; ".join(because) + ".")
    if left_text:
        st.caption(
            f"{plural(len(left_text), 'column')} of text still to be given a role: "
            + ", ".join(left_text[:8])
        )
    return answers
