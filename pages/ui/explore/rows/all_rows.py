"""Answers about more rows than the map shows: they are written to a file in the background."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from gplvm_core.new_rows import apply
from gplvm_core.new_rows.streamed import READ
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import plural
from gplvm_core.readers.names import names_of
from gplvm_core.readers.new_rows import MOST_ROWS, NewRows
from gplvm_core.readers.rows.files import TABLES
from gplvm_core.readers.rows.folders import own_table
from gplvm_core.training import begin_comparison
from pages.ui.explore.bring import answers_file
from pages.ui.explore.rows.work import Step
from pages.ui.shared.catalogue import Item
from pages.ui.shared.download import download
from pages.ui.shared.inputs import lasting_text
from pages.ui.shared.plain import plain
from pages.ui.shared.running import ended, running
from pages.ui.shared.telling import errors_told

KEPT = "No file is written."


@dataclass(frozen=True)
class Written:
    """A file of answers; folder: a temporary one, which is removed with this value."""

    path: Path
    folder: Any = None


def all_uploaded(item: Item, name: str, own: NewRows) -> None:
    """Offer the answers about all rows of a large upload as a file."""
    st.markdown(f"The map shows the first {MOST_ROWS:,} of {len(own.values):,} rows.")
    if own.errors is not None:
        st.caption("The file of all answers does not use the known errors of the values.")

    def table() -> Any:
        frame: Any = pd.DataFrame(own.values, columns=list(names_of(item.dataset)))
        if item.dataset.columns:
            frame = item.dataset.in_own_values(own.values)
        return frame.set_axis(pd.Index(map(own.number, range(len(frame))), name="row"))

    def begin(callback: Callable[[Step], None]) -> Written:
        folder = tempfile.TemporaryDirectory()
        path = Path(folder.name) / "answers.csv"
        return Written(_answered(item, table(), path, len(own.values), callback), folder)

    found = _run(f"all rows|{name}|{own.mark}", begin)
    if found is not None:
        st.markdown(f"All {len(own.values):,} rows are answered.")
        download(
            "All answers (CSV)", found.path.read_bytes, answers_file(item, "csv"), type="primary"
        )


def ask_disk(item: Item, name: str) -> None:
    """Ask for a table of this machine, and write the answers about all its rows beside it."""
    asked = lasting_text(
        "Path of the table",
        key=f"rows_disk|{name}",
        placeholder="/home/ada/table.csv",
        help="CSV, Parquet or Feather, of any size. The answers are written to a file beside it.",
    )
    if not asked.strip():
        return
    with errors_told():
        table = own_table(os.path.expanduser(asked.strip().strip("'\"")), os.environ)
        path = Path(table.name)
        ending = path.suffix.lower()
        output = path.with_name(f"{path.stem} answers{'.csv' if ending == '.csv' else '.parquet'}")
        if ending not in READ:
            raise DataError(f"{path.name} is not answered from disk. Save it as CSV or Parquet.")

        def begin(callback: Callable[[Step], None]) -> Written:
            if output.exists():
                raise DataError(f"{output} is already there. Move it, and answer the rows again.")
            count = TABLES[path.suffix.lower()].of(table.files[0], ()).n_rows
            return Written(_answered(item, path, output, count, callback))

        found = _run(f"all rows|{name}|{table.name}|{table.changed}", begin)
        if found is not None:
            st.success(f"All rows are answered: {plain(found.path)}", icon=":material/check:")


def _run(key: str, begin: Callable[[Callable[[Step], None]], Written]) -> Written | None:
    """Offer to begin, show the progress, or return the file."""
    if running(key, key, KEPT):
        return None
    run = ended(key)
    if run is not None and run.result is not None:
        found: Written = run.result
        return found
    if st.button("Answer all rows", type="primary", key=f"begin|{key}"):
        begin_comparison(key, begin)
        st.rerun()
    return None


def _answered(
    item: Item, table: Any, output: Path, count: int, callback: Callable[[Step], None]
) -> Path:
    def report(done: int) -> None:
        try:
            callback(Step(min(done / count, 1.0), f"{done:,} of {plural(count, 'row')} answered"))
        except StopIteration:
            raise DataError(f"Ended. {KEPT}") from None

    report(0)
    found: Path = apply(item.model, table, item.dataset, output=output, callback=report)
    return found
