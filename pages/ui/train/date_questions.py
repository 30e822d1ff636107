"""Questions about date columns: their format, the unit, and their conversion."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from gplvm_core.datasets import ColumnReport
from gplvm_core.readers.tables.dates import DATE_FORMATS, SECONDS
from pages.ui.shared.inputs import lasting_selectbox
from pages.ui.shared.plain import plain

LEFT_OUT, AS_COLUMNS, AS_NUMBERS = "Left out", "Year, season and weekday", "Plain numbers"
SUITS = "Automatic"


def time_questions(column: ColumnReport | None, mark: str) -> dict[str, Any]:
    """Ask for the unit of time, and for the format of the time column's dates if ambiguous."""
    if column is None or column.dates is None:
        return {}
    left, right = st.columns(2)
    asked = len(column.dates.formats) > 1
    with left:
        answers = format_question(column, mark)
    if answers["date_formats"].get(column.name) == "numbers":
        return answers
    with right if asked else left:
        unit = lasting_selectbox(
            "Unit of the time",
            (SUITS, *SECONDS),
            format_func=lambda each: each if each == SUITS else each.capitalize(),
            key=f"upload_unit_{column.name}_{mark}",
            help="Time counts from the earliest row.",
        )
    return answers | ({} if unit == SUITS else {"time_unit": unit})


def format_question(column: ColumnReport, mark: str) -> dict[str, Any]:
    """Ask for the format of a column's dates if several formats fit.

    Without an answer, return the question under "open".
    """
    dates = column.dates
    if dates is None or len(dates.formats) < 2:
        return {"date_formats": {}}
    way = lasting_selectbox(
        f"Format of “{plain(column.name)}”",
        dates.formats,
        format_func=DATE_FORMATS.__getitem__,
        index=0 if dates.decided else None,
        placeholder="Choose one",
        key=f"upload_format_{column.name}_{mark}",
        help=plain(f"{dates.reason[:1].upper()}{dates.reason[1:]}."),
    )
    if way is not None:
        return {"date_formats": {column.name: way}}
    said = f"In “{column.name}”, {dates.reason}. Choose its format above."
    return {"date_formats": {}, "open": said}


def dates_beside(
    columns: Sequence[ColumnReport], answers: dict[str, Any], kept: dict[str, Any], mark: str
) -> dict[str, Any]:
    """Ask how to convert dates that are neither label nor time; return all answers."""
    ids, parts = list(answers["id_columns"]), list[str]()
    formats, question = dict(answers.get("date_formats", {})), answers.get("open", "")
    for column in columns:
        numbers = column.dates is not None and "numbers" in column.dates.formats
        options = (LEFT_OUT, AS_COLUMNS, *((AS_NUMBERS,) if numbers else ()))
        left, right = st.columns(2)
        with left:
            choice = lasting_selectbox(
                f"The dates in “{plain(column.name)}”",
                options,
                index=int(column.name in kept.get("date_columns", ())),
                key=f"upload_dates_{column.name}_{mark}",
                help="The season becomes two columns, the sine and cosine over the year.",
            )
        if choice == LEFT_OUT:
            ids.append(column.name)
        elif choice == AS_COLUMNS:
            parts.append(column.name)
            if column.dates is not None and not column.dates.decided:
                with right:
                    found = format_question(column, mark)
                formats |= found["date_formats"]
                question = question or found.get("open", "")
    return answers | {
        "id_columns": tuple(ids),
        "date_columns": tuple(parts),
        "date_formats": formats,
        "open": question,
    }
