"""The form for tables in the server's shared folders; training reads these tables from disk."""

import os

import streamlit as st

from gplvm_core.readers.rows.folders import SETTING, OpenTable, opened_folders, tables_in
from gplvm_core.readers.rows.table import TableDataset
from pages.ui.shared.inputs import lasting_selectbox
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import bytes_in_words


def has_folders() -> bool:
    return bool(os.environ.get(SETTING, "").strip())


def table_form() -> TableDataset | None:
    """Ask for one of the tables, and read its preview; show errors."""
    tables = None
    with errors_told():  # a folder may be removed while the server runs
        tables = {table.name: table for table in tables_in(opened_folders(os.environ))}
    if tables is None:
        return None
    if not tables:
        st.info(
            f"The folders that {SETTING} names contain no tables yet. A table is a .npy or "
            "Parquet file with columns of numbers, or a folder of such files with the same "
            "columns.",
            icon=":material/folder_open:",
        )
        return None
    name = lasting_selectbox(
        "Table",
        list(tables),
        index=None,
        placeholder="Choose a table",
        format_func=lambda each: in_words(tables[each]) if each in tables else each,
        key="train_table",
        help="Tables in folders that the server's administrator shares; training reads them in "
        "parts, so they may be larger than memory.",
    )
    if name is None or name not in tables:
        st.caption("A name with * means all files of a folder, joined row by row.")
        return None
    with errors_told():
        return looked_at(tables[name])
    return None


def in_words(table: OpenTable) -> str:
    """Return the table's name and size."""
    files = f", {len(table.files)} files" if len(table.files) > 1 else ""
    return f"{table.name} ({bytes_in_words(table.size)}{files})"


@st.cache_resource(max_entries=8, show_spinner="Reading the table …")
def looked_at(table: OpenTable) -> TableDataset:
    """Read some rows; cached until a file changes, because `table` has the time of the change."""
    return TableDataset.of(table)
