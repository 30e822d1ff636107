"""A visitor's sequence: its rows, the times of its frames, and the part to hide in addition.

Also here: an example of training frames with gaps.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.readers.calendar_steps import dates_at, in_brackets, time_column
from gplvm_core.readers.errors import DataError, in_digits, plural
from gplvm_core.readers.names import names_of
from gplvm_core.readers.new_rows import FileColumn, NewRows
from gplvm_core.readers.row_times import is_named_time, row_times, sequences_in, time_columns
from gplvm_core.readers.tables.csv_text import csv_text
from gplvm_core.wire.sequence import Reel, usual_step
from pages.ui.explore.ask_rows import asked_rows
from pages.ui.explore.bring import brought
from pages.ui.explore.time.model import SEEN, TRUTH, named_parts, rows_of, step_word, times_of
from pages.ui.explore.time.tables import cell, panel
from pages.ui.shared.catalogue import Item
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told

IN_ORDER, NOTHING = "", "Nothing"
MOST_FRAMES = 2000
OTHER_STEP = 5.0  # if the steps differ by more than this factor, the unit is probably wrong


@dataclass(frozen=True)
class OwnPlan:
    """How to read the visitor's file, and which of its values to hide; mark: identifies the file.

    column: the column of times, or IN_ORDER if frames are `step` apart. which: the sequence in the
    file.
    """

    mark: str
    column: str = IN_ORDER
    step: float = 1.0
    which: int = 0
    part: str = NOTHING


@dataclass(frozen=True, eq=False)
class OwnSequence:
    """Frames (n, D) of one new sequence: as given, and as the model sees them.

    beside: columns of the file that the model lacks. question: a key of everything above.
    """

    title: str
    times: Array
    given: Array
    seen: Array
    beside: tuple[FileColumn, ...]
    question: str
    unit: str = ""

    @property
    def hidden(self) -> Array:
        """Return where the visitor hid a given value."""
        return np.isnan(self.seen) & ~np.isnan(self.given)


def ask_own(item: Item, name: str) -> OwnSequence | None:
    """Ask for rows and their times; None without a usable sequence, with the reason on the page."""
    own = asked_rows(item, f"{name}|time", example, in_time=True)
    if own is None:
        return None
    if len(own.values) == 1:
        st.error(
            "This table has one row, and a sequence needs at least two rows. For a single row, "
            "use *New rows* or *Fill in*.",
            icon=":material/error:",
        )
        return None
    place = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    with errors_told():
        return _read(item, name, own, place)
    return None


def _read(
    item: Item, name: str, own: NewRows, place: st.delta_generator.DeltaGenerator
) -> OwnSequence:
    known = brought(item)
    title = known.title if known is not None else ""
    plan = _plan(item, name, own)
    with place:
        plan = _ask_times(item, name, own, plan)
    times, unit = _times(item, own, plan)
    parts = sequences_in(times, plan.column or "time")
    with place:
        if len(parts) > 1:
            plan = _ask_which(name, parts, plan)
        plan = _ask_part(item.dataset, name, plan)
    st.session_state[f"time_own_plan|{name}"] = plan
    rows = parts[min(plan.which, len(parts) - 1)]
    if len(parts) > 1:
        title += f", rows {rows.start + 1:,} to {rows.stop:,}"
    given, times = own.values[rows], times[rows]
    _check(given, title, step_word(item.dataset))
    _say_step(item, times, plan.column)
    seen = given
    if plan.part != NOTHING:
        seen = np.where(named_parts(item.dataset)[plan.part], np.nan, given)
        if np.isnan(seen).all():
            raise DataError(
                f"Without “{plan.part}”, no value is left in these rows. Hide another part."
            )
    beside = tuple(
        replace(column, cells=column.cells[rows]) for column in own.columns if column.output is None
    )
    question = f"{name}|{own.mark}|{len(known.mends) if known else 0}|{plan}"
    return OwnSequence(title, times, given, seen, beside, question, unit)


def _plan(item: Item, name: str, own: NewRows) -> OwnPlan:
    """Return the stored plan of these rows; at first, a column named like times has the times."""
    kept = st.session_state.get(f"time_own_plan|{name}")
    mark = f"{own.mark}|{len(own.values)}"
    if isinstance(kept, OwnPlan) and kept.mark == mark:
        return kept
    named = [column for column in time_columns(own.columns) if is_named_time(column)]
    return OwnPlan(mark, named[0] if named else IN_ORDER, training_step(item))


def training_step(item: Item) -> float:
    """Return the usual time between two training frames."""
    return usual_step(times_of(item.model)[rows_of(item.model, item.model.sequences_[0])])


def _ask_times(item: Item, name: str, own: NewRows, plan: OwnPlan) -> OwnPlan:
    columns = time_columns(own.columns)
    if columns:
        options = [*columns, IN_ORDER]
        column = st.selectbox(
            f"Times of the {step_word(item.dataset)}s",
            options,
            index=options.index(plan.column) if plan.column in options else 0,
            format_func=lambda each: f"Column “{each}”" if each else "Rows in order, evenly spaced",
            key=f"time_own_column|{name}|{plan.mark}",
            width=260,
        )
        plan = replace(plan, column=column)
    if plan.column == IN_ORDER:
        unit, each = in_brackets(item.dataset.time_unit), step_word(item.dataset)
        usual = training_step(item)
        step = st.number_input(
            f"Time between {each}s{plain(unit)}",
            min_value=usual / 1000.0,
            value=plan.step,
            format="%.4g",
            key=f"time_own_step|{name}|{plan.mark}",
            width=180,
            help=f"In the training data, two {each}s are usually this far apart.",
        )
        plan = replace(plan, step=float(step))
    return plan


def _ask_which(name: str, parts: tuple[slice, ...], plan: OwnPlan) -> OwnPlan:
    which = st.selectbox(
        "Sequence in the table",
        range(len(parts)),
        index=min(plan.which, len(parts) - 1),
        format_func=lambda n: f"Rows {parts[n].start + 1:,} to {parts[n].stop:,}",
        key=f"time_own_which|{name}|{plan.mark}|{plan.column}",
        width=200,
        help="The times start again here, so the table holds several sequences.",
    )
    return replace(plan, which=which)


def _ask_part(dataset: Dataset, name: str, plan: OwnPlan) -> OwnPlan:
    options = [NOTHING, *named_parts(dataset)]
    part = st.selectbox(
        "Also hide",
        options,
        index=options.index(plan.part) if plan.part in options else 0,
        key=f"time_own_part|{name}|{plan.mark}",
        width=180,
        help="Hide a part that you know, to see how well the model fills it.",
    )
    return replace(plan, part=part)


def _times(item: Item, own: NewRows, plan: OwnPlan) -> tuple[Array, str]:
    unit = item.dataset.time_unit
    if plan.column == IN_ORDER:
        # Nothing says when these rows begin, so they have no dates.
        return plan.step * np.arange(len(own.values), dtype=float), unit.partition(" since ")[0]
    column = next(column for column in own.columns if column.name == plan.column)
    times, words = row_times(column, unit)
    return times, words or unit


def _check(given: Array, title: str, each: str) -> None:
    """Raise DataError for a sequence that cannot be inferred; each: what a row is called."""
    if len(given) > MOST_FRAMES:
        raise DataError(
            f"The sequence has {plural(len(given), each)}; up to {MOST_FRAMES:,} are inferred "
            f"together. Bring a shorter stretch, or every second {each}."
        )
    if len(given) < 2:
        raise DataError(f"{title}: a sequence needs at least two {each}s, and this one has one.")
    if np.isnan(given).all():
        raise DataError(f"{title}: no {each} has a value, so there is nothing to fill from.")


def _say_step(item: Item, times: Array, column: str) -> None:
    """Point out frames that are much closer or farther apart than those of the training data."""
    usual, here = training_step(item), usual_step(times)
    if 1.0 / OTHER_STEP <= here / usual <= OTHER_STEP:
        return
    unit, each = in_brackets(item.dataset.time_unit), step_word(item.dataset)
    remedy = (
        f"If the unit of “{column}” is wrong, correct it, or take the rows in order."
        if column
        else f"Correct the time between {each}s if it is wrong."
    )
    st.warning(
        plain(
            f"Two {each}s are {in_digits(here)} apart, in the training data "
            f"{in_digits(usual)}{unit}. {remedy}"
        ),
        icon=":material/schedule:",
    )


def gap_of(dataset: Dataset, own: OwnSequence) -> Reel:
    """Return the sequence for the player, with its gaps still open."""
    panels = [panel(dataset, SEEN, own.seen)]
    if own.hidden.any():
        panels.append(panel(dataset, TRUTH, own.given))
    return Reel(
        title=f"{own.title}, {plural(len(own.times), step_word(dataset))}",
        times=own.times,
        panels=tuple(panels),
        hidden=np.isnan(own.seen).any(axis=1),
        dates=dates_at(own.times, own.unit),
        each=step_word(dataset),
    )


FRAMES = 60


def example(dataset: Dataset) -> bytes:
    """Return a CSV with frames of the first sequence.

    The middle third of the frames lacks a part, and the frame in the middle is empty.
    """
    rows = np.arange(dataset.n_points)
    if dataset.sequences is not None:
        rows = np.flatnonzero(dataset.sequences == dataset.sequences[0])
    times = np.arange(len(rows), dtype=float) if dataset.times is None else dataset.times[rows]
    order = np.argsort(times, kind="stable")[:FRAMES]
    values, count = dataset.values[rows[order]].copy(), len(order)
    part = next(iter(named_parts(dataset).values()))
    values[count // 3 : 2 * count // 3, part] = np.nan
    values[count // 2] = np.nan
    table = dataset.in_own_values(values).to_numpy() if dataset.columns else values
    time, cells = time_column(times[order], dataset.time_unit)
    lines: list[Iterable[object]] = [(time, *names_of(dataset))]
    for when, row in zip(cells, table, strict=True):
        lines.append((cell(when), *(cell(value) for value in row)))
    return csv_text(lines).encode()
