"""The form for several files that describe the same things, joined row by row as named views."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
import streamlit as st

from gplvm_core.datasets import DataError, Dataset, kind_of
from gplvm_core.readers.errors import numbered, plural
from gplvm_core.readers.files import ENDINGS
from gplvm_core.readers.joined import (
    FileView,
    RowsDifferError,
    Unequal,
    clash_of_times,
    joined,
    unique_name,
)
from pages.ui.shared.inputs import lasting_multiselect, lasting_text, lasting_toggle
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import readers
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import bytes_in_words
from pages.ui.train.table_questions import inspected
from pages.ui.train.upload_questions import most_megabytes, questions, read_upload, rows_in_use

FILES = "train_several"  # session key: the files, oldest first, kept while other pages are open
SEEN = "train_several_seen"  # session key: the uploader's ids of all copied files
TURN = "train_several_turn"  # session key: a new number empties the uploader
LONGEST_NAME = 40
UNEQUAL: dict[Unequal, str] = {
    "trim": "Leave out",
    "fill": "Keep as missing",
}


@dataclass(frozen=True)
class KeptFile:
    """An uploaded file; mark: distinguishes the questions about this file."""

    mark: str
    name: str
    data: bytes
    view: str  # the initial name of the view


def several_files_form() -> Dataset | None:
    """Ask for files, ask about each file, and join them; show errors beside their file."""
    readers().warm()
    key = f"train_several_files_{st.session_state.get(TURN, 0)}"
    st.file_uploader(
        "Tables (CSV, Excel, Parquet, Arrow, NPZ), zips of images, videos (GIF) or motion capture "
        "(BVH): one for each view of the same things",
        type=list(ENDINGS),
        accept_multiple_files=True,
        max_upload_size=most_megabytes(),
        key=key,
        help="Add any number of files, together or one by one; the files stay on this machine.",
        on_change=keep_files,
        args=(key,),
    )
    files: list[KeptFile] = st.session_state.get(FILES, [])
    st.caption(
        "Rows of files that have ids are joined by their ids; without ids, row n must describe the "
        "same thing in all files. For example, one file has photographs, another their "
        "measurements. Images are in the order of their names."
    )
    taken: list[str] = []
    parts: list[FileView] = []
    complete = True
    for file in files:
        found = file_form(file, taken)
        complete = complete and found is not None
        parts += found or []
        taken += [part.name for part in found or []]
    if not parts or not complete:
        return None
    return join(parts)


def keep_files(key: str) -> None:
    """Copy the uploaded files to the session, and empty the uploader."""
    # After an interrupted run, Streamlit reports the same files again, but each is copied once.
    seen: set[str] = st.session_state.setdefault(SEEN, set())
    kept: list[KeptFile] = list(st.session_state.get(FILES, []))
    for file in st.session_state.get(key) or []:
        if file.file_id not in seen:
            seen.add(file.file_id)
            name = PurePath(file.name).name
            stem = PurePath(name).stem.replace("_", " ")[: LONGEST_NAME - 4].strip() or "view"
            view = unique_name(stem, [other.view for other in kept])
            kept.append(KeptFile(f"_{file.file_id}", name, file.getvalue(), view))
    st.session_state[FILES] = kept
    st.session_state[TURN] = st.session_state.get(TURN, 0) + 1


def drop_file(mark: str) -> None:
    st.session_state[FILES] = [kept for kept in st.session_state[FILES] if kept.mark != mark]


def file_form(file: KeptFile, taken: list[str]) -> list[FileView] | None:
    """Show one file's name, questions and facts; return its views, None if it cannot be read."""
    with st.container(border=True, key=f"several_file{file.mark}"):
        left, naming, removal = st.columns([4, 4, 1], vertical_alignment="bottom")
        left.markdown(f":material/draft: **{plain(file.name)}** ({bytes_in_words(len(file.data))})")
        removal.button(
            "Remove",
            help=f"Remove {plain(file.name)}",
            type="tertiary",
            icon=":material/close:",
            key=f"several_remove{file.mark}",
            on_click=drop_file,
            args=(file.mark,),
        )
        with errors_told():
            parts = read_parts(file, naming, taken)
            for part in parts:
                left.caption(plain(facts(part, named=len(parts) > 1)))
            return parts
        return None


def read_parts(file: KeptFile, naming: Any, taken: list[str]) -> list[FileView]:
    """Return a file's views: one, or one per chosen array of an NPZ; `naming` asks for names."""
    arrays: tuple[str, ...] = ()
    if PurePath(file.name).suffix.lower() in (".npz", ".npy"):
        arrays = inspected(file.name, file.data).arrays
    if len(arrays) > 1:
        with naming:
            chosen = lasting_multiselect(
                "Arrays, each a view", arrays, default=arrays, key=f"several_arrays{file.mark}"
            )
        return [array_part(file, array, taken) for array in chosen]
    with naming:
        key = f"several_name{file.mark}"
        name = lasting_text("Name of the view", file.view, max_chars=LONGEST_NAME, key=key)
    with st.expander("How it is read"):
        answers = questions(file.name, file.data, file.mark)
    name = (name or "").strip()
    if kind_of(file.name) == "table":
        return [table_part(file, answers, name, file.name)]
    dataset = read_upload(file.name, file.data, answers)
    return [FileView(name, file.name, dataset, dataset.n_points)]


def table_part(file: KeptFile, answers: dict[str, Any], name: str, whose: str) -> FileView:
    """Read a table as a view; on request, rows without any value are missing in this view.

    Without this request, such rows raise DataError, because skipping a row would shift the rows
    below.
    """
    dataset = read_upload(file.name, file.data, answers | {"skip_empty_rows": True})
    rows, count = rows_in_use(file.name, file.data, answers)
    if len(rows) == count:
        return FileView(name, whose, dataset, count)
    empty = np.setdiff1d(np.arange(count), rows)
    if not lasting_toggle(
        "Keep empty rows as missing",
        key=f"several_empty{file.mark}_{answers.get('array')}",
        help="On: empty rows keep their position, so that the rows of all files match; labels "
        "and times of this file are ignored.",
    ):
        raise DataError(
            f"{whose} has no value in {plural(len(empty), 'row')} of {count:,}: "
            f"{numbered('row', empty + 1)}. If the other files have values in these rows, turn the "
            "switch on; otherwise remove the rows from all files."
        )
    return FileView(name, whose, dataset, count, rows)


def array_part(file: KeptFile, array: str, taken: list[str]) -> FileView:
    """Read one array of an NPZ; arrays with one entry per row may become labels or times."""
    report = inspected(file.name, file.data, array)
    roles = {"label_column": report.label_column, "time_column": report.time_column}
    answers = {"array": array} | {
        role: name for role, name in roles.items() if name in report.beside
    }
    return table_part(file, answers, unique_name(array, taken), f"{file.name}, {array}")


def facts(part: FileView, *, named: bool) -> str:
    """Describe rows, columns and other facts; named: whether the file's name is in front."""
    dataset = part.dataset
    words = [plural(part.n_rows, "row"), plural(dataset.n_outputs, "column")]
    if dataset.drawing.kind == "image":
        words[1] = f"{' × '.join(str(n) for n in dataset.drawing.shape)} pixels"
    if dataset.labels is not None:
        words.append("labels")
    if dataset.times is not None:
        words.append("times")
    return (f"{part.name}: " if named else "") + ", ".join(words)


def join(parts: list[FileView]) -> Dataset | None:
    """Join the views; ask what to do if their numbers of rows differ."""
    if len(parts) == 1:
        return parts[0].dataset
    clash = clash_of_times(parts)
    if clash is not None:
        st.warning(plain(clash), icon=":material/warning:")
    try:
        return joined(parts)
    except RowsDifferError as error:
        st.warning(plain(error), icon=":material/warning:")
    except ValueError as error:
        st.error(plain(error), icon=":material/error:")
        return None
    unequal = st.segmented_control(
        "Rows that are not in every file",
        list(UNEQUAL),
        format_func=UNEQUAL.__getitem__,
        # If the lengths change, the question is asked again.
        key="several_unequal_" + "_".join(str(part.n_rows) for part in parts),
        help="The first rows of all files belong together; rows at the end of longer files have "
        "no partners.",
        persist_state="session",
    )
    if unequal is None:
        st.caption("Choose an answer above, or upload files with equal numbers of rows.")
        return None
    if unequal == "fill":
        st.caption(
            "In Explore, the tab Views shows all views, and answers new rows of each. The other "
            "tabs show only views that every row has."
        )
    with errors_told():
        return joined(parts, unequal)
    return None
