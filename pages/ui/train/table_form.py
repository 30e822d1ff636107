"""Forms for tables that training reads from disk: in opened folders, and files of this machine."""

import os

import streamlit as st

from gplvm_core.readers.errors import DataError
from gplvm_core.readers.rows.coded import UNKNOWN
from gplvm_core.readers.rows.folders import (
    SETTING,
    OpenTable,
    has_own_files,
    opened_folders,
    own_table,
    tables_in,
)
from gplvm_core.readers.rows.table import SHOWN, TableDataset, Use, looked_into, use_in_words
from gplvm_core.readers.tables.report import TableReport
from pages.ui.shared.asked import OWN_FILE
from pages.ui.shared.inputs import lasting_multiselect, lasting_selectbox, lasting_text
from pages.ui.shared.memory import Memory
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import bytes_in_words
from pages.ui.train.date_questions import format_question
from pages.ui.train.kinds_form import kinds_questions


def has_folders() -> bool:
    return bool(os.environ.get(SETTING, "").strip())


def larger_files(limit: int) -> str:
    """Say how to train on files that are larger than this number of megabytes."""
    if has_own_files(os.environ):
        return (
            f"Larger than {limit} MB? Run `manifolio FILE`, or choose *A file of this machine* "
            "above: training then reads the table from disk."
        )
    return (
        f"Larger than {limit} MB? Run `manifolio FILE` on your own machine. On this server, its "
        "owner can open folders of tables (MANIFOLIO_DATA_FOLDERS), or raise the limit "
        "(--server.maxUploadSize)."
    )


def own_file_form() -> TableDataset | None:
    """Ask for the path of a table of this machine, and read its preview; show errors."""
    path = lasting_text(
        "Path of the table",
        key=OWN_FILE,
        placeholder="/home/ada/table.csv",
        help="A CSV, Parquet, Feather or NPY file of any size. It is read from disk, and not "
        "copied.",
    )
    if not path.strip():
        st.caption("A table has one row per item. Training reads it in parts.")
        return None
    with errors_told():
        return asked_of(own_table(os.path.expanduser(path.strip().strip("'\"")), os.environ))
    return None


def table_form() -> TableDataset | None:
    """Ask for one of the tables, and read its preview; show errors."""
    tables = None
    with errors_told():  # a folder may be removed while the server runs
        tables = {table.name: table for table in tables_in(opened_folders(os.environ))}
    if tables is None:
        return None
    if not tables:
        st.info(
            f"The folders that {SETTING} names contain no tables yet. A table is a CSV, Parquet, "
            "Feather or NPY file, or a folder of such files with the same columns.",
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
        return asked_of(tables[name])
    return None


def in_words(table: OpenTable) -> str:
    """Return the table's name and size."""
    files = f", {len(table.files)} files" if len(table.files) > 1 else ""
    return f"{table.name} ({bytes_in_words(table.size)}{files})"


def asked_of(table: OpenTable) -> TableDataset | None:
    """Propose what the columns are, from a sample; the visitor may change it. Returns None if a
    question is open.
    """
    report = reported(table)
    if report is None:
        return looked_at(table, None)
    columns = {column.name: column for column in report.columns}
    learnable = [
        name for name, each in columns.items() if each.numeric or each.is_text or each.is_date
    ]
    if not learnable:
        raise DataError(
            f"{report.name} has no column of numbers, words or dates to learn. Add one, or choose "
            "another file."
        )
    proposed = Use.of(report)
    with st.expander(f"Columns — {plain(use_in_words(proposed, [*columns]))}"):
        st.caption(
            f"Proposed from {min(SHOWN, report.n_rows):,} sampled rows. Dates become year, season "
            "and weekday."
        )
        values = lasting_multiselect(
            "Columns to learn",
            learnable,
            default=list(proposed.values),
            key=f"table_values_{table.name}",
        )
        others = [name for name in columns if name not in values]
        labels = [*others, *(name for name in values if columns[name].is_text)]
        label = lasting_selectbox(
            "Label",
            labels,
            index=labels.index(proposed.label) if proposed.label in labels else None,
            placeholder="No label",
            key=f"table_label_{table.name}",
            help="Its words colour the map. The map learns them only if the column is also among "
            "the columns to learn.",
        )
        ids = lasting_multiselect(
            "Names of rows",
            [name for name in others if name != label],
            default=[name for name in proposed.ids if name in others and name != label],
            key=f"table_ids_{table.name}",
        )
    if not values:
        raise DataError("Choose at least one column to learn.")
    for note in report.notes:
        st.caption(plain(note))
    asked = [format_question(columns[name], table.name) for name in values if columns[name].is_date]
    formats = {name: way for each in asked for name, way in each["date_formats"].items()}
    dates = [name for name in values if columns[name].is_date and formats.get(name) != "numbers"]
    plainly = [name for name in values if name not in dates]
    memory = Memory.of(repr(table), "rows from disk")
    kinds = kinds_questions(
        [columns[name] for name in plainly if columns[name].kinds], None, memory
    )
    memory.store()
    for each in (*asked, kinds):
        if each.get("open"):
            st.info(plain(each["open"]), icon=":material/help:")
            return None
    use = Use(
        tuple(plainly),
        label,
        tuple(ids),
        kinds.get("kinds"),
        tuple(dates),
        tuple((name, formats[name]) for name in dates if name in formats),
    )
    dataset = looked_at(table, use)
    for note in dataset.notes:
        if UNKNOWN in note:
            st.warning(plain(note), icon=":material/help:")
    return dataset


@st.cache_resource(max_entries=8, show_spinner="Looking into the table …")
def reported(table: OpenTable) -> TableReport | None:
    """Report on a sample; cached until a file changes, because `table` has the time of the
    change.
    """
    return looked_into(table)


@st.cache_resource(max_entries=8, show_spinner="Reading the table …")
def looked_at(table: OpenTable, use: Use | None) -> TableDataset:
    """Read all rows once, to check them; cached until a file changes."""
    return TableDataset.of(table, use)
