"""The questions about a table: its header, the roles of columns, and whether rows are pictures.

Answers belong to the content of a file and to the task: another file may have the same column names
and mean something else.

mark: distinguishes the questions about one of several files.
"""

import hashlib
from typing import Any

import streamlit as st

from gplvm_core.datasets import ColumnReport, TableReport
from gplvm_core.readers.drawing import image_shapes
from gplvm_core.readers.encodings import ENCODINGS
from gplvm_core.readers.tables.codes import written
from pages.ui.shared.inputs import lasting_multiselect, lasting_selectbox, lasting_toggle
from pages.ui.shared.memory import Memory, fingerprint
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import read_sandboxed
from pages.ui.train.date_questions import dates_beside, time_questions
from pages.ui.train.goal_form import COLUMN, GOAL
from pages.ui.train.kinds_form import kinds_questions

NONE = "—"
LEAST_PIXELS = 36  # rows with at least this many columns may be pictures
MOST_CODES = 5  # numbers with a switch
MOST_LABELS = 50  # a time column with at most this many different values can also be a label


class UnansweredError(ValueError):
    """A question that must be answered before the file can be read."""


def inspected(
    name: str,
    data: bytes,
    array: str | None = None,
    header: bool | None = None,
    **options: Any,
) -> TableReport:
    """Return a report about a table's columns."""
    report: TableReport = read_sandboxed(
        "inspect", name, data, array=array, header=header, **options
    )
    return report


def table_questions(name: str, data: bytes, mark: str = "") -> dict[str, Any]:
    """Ask for header, label, time and id columns; suggest the likely or earlier answers."""
    task = "view" if mark else str(st.session_state.get(GOAL))
    about = hashlib.sha256(data).hexdigest(), task
    key = f"{fingerprint(about)}{mark}"
    report = inspected(name, data)
    options = letters_question(report.letters, key)
    if options:
        report = inspected(name, data, **options)
    array = report.array
    if len(report.arrays) > 1:
        array = lasting_selectbox(
            "Array to learn",
            report.arrays,
            index=report.arrays.index(array) if array in report.arrays else 0,
            key=f"upload_array_{key}",
        )
        report = inspected(name, data, array, **options)
    header: bool | None = None
    if report.header is not None:
        header = lasting_toggle(
            "The first line names the columns",
            value=report.header,
            key=f"upload_header_{key}",
            help=plain(report.header_reason) or None,
        )
        if header != report.header:
            report = inspected(name, data, array, header, **options)
    options["missing"] = codes_question(report, key)
    if options["missing"]:
        report = inspected(name, data, array, header, **options)
    # The names of columns depend on the answers so far.
    memory = Memory.of(*about, *(column.name for column in report.columns))
    answers = options | column_questions(report, memory, mark)
    answers |= picture_question(report, answers, key)
    if not mark and "image_shape" not in answers:
        # Views support only numbers, so the form asks for kinds only for a single file.
        roles = {answers.get(f"{role}_column") for role in ("time", "sequence")}
        roles |= {*answers.get("id_columns", ())}
        learnt = [c for c in report.columns if c.kinds and c.name not in roles]
        fractions = () if task == COLUMN else report.fractions  # regressions learn no fractions
        label = answers.get("label_column")
        kinds = kinds_questions(learnt, label, memory, report.n_rows, fractions)
        answers |= kinds | {"open": answers.get("open") or kinds.get("open", "")}
    if header is not None:
        answers["header"] = header
    if array is not None:
        answers["array"] = array
    if report.notes:
        st.caption(f"How it is read — {plain(' '.join(report.notes))}")
    memory.store(mark)
    question = answers.pop("open", "")
    if question:
        raise UnansweredError(question)
    return answers


def letters_question(letters: str, mark: str) -> dict[str, Any]:
    """Ask for the encoding of a text whose letters may be wrong; {} without a choice."""
    if not letters:
        return {}
    encoding = lasting_selectbox(
        "Encoding of the text",
        (None, *ENCODINGS),
        format_func=lambda each: "Automatic" if each is None else ENCODINGS[each],
        key=f"upload_encoding_{mark}",
        help="Choose another encoding if letters look wrong.",
    )
    st.caption(plain(f"Do these words look right? {letters}"))
    return {} if encoding is None else {"encoding": encoding}


def codes_question(report: TableReport, mark: str) -> tuple[float, ...]:
    """Ask which numbers stand for missing values; return them."""
    chosen = []
    for code in report.codes[:MOST_CODES]:
        st.warning(plain(code.words), icon=":material/help:")
        if lasting_toggle(
            f"{written(code.value)} is a missing value",
            value=code.usual,
            key=f"upload_code_{code.value!r}_{mark}",
            help="Otherwise the number sets the scale of its columns.",
        ):
            chosen.append(code.value)
    return tuple(chosen)


def picture_question(report: TableReport, answers: dict[str, Any], mark: str) -> dict[str, Any]:
    """Ask whether the rows are pictures, and for their size, if there are enough columns."""
    roles = {answers.get(f"{role}_column") for role in ("label", "time", "sequence")}
    roles |= {*answers.get("id_columns", ())}
    values = [each for each in report.columns if each.numeric and each.name not in roles]
    shapes = image_shapes(len(values)) if len(values) >= LEAST_PIXELS else ()
    if not shapes or answers.get("date_columns"):
        return {}
    chosen = lasting_selectbox(
        "The rows are",
        (None, *shapes),
        format_func=lambda shape: "numbers" if shape is None else _size_in_words(shape),
        key=f"upload_image_shape_{len(values)}_{mark}",
        help="If each row has the pixels of a picture, line by line from the top left, rows are "
        "drawn as pictures; training does not change.",
    )
    return {} if chosen is None else {"image_shape": chosen}


def _size_in_words(shape: tuple[int, ...]) -> str:
    colour = ", in colour" if len(shape) == 3 else ""
    return f"pictures, {shape[0]} high and {shape[1]} wide{colour}"


def column_questions(report: TableReport, memory: Memory, mark: str = "") -> dict[str, Any]:
    """Ask for columns that describe the rows and are not trained on.

    A column that has a role is not offered for another role.
    """
    known = {column.name: column for column in report.columns}
    if not known:
        return {}
    kept, of_file = memory.kept, f"{memory.key}{mark}"
    keys = {role: f"upload_{role}_{of_file}" for role in (*ROLES, "ids")}
    # A single table can train on words; a view supports only numbers.
    learnt = {name for name, each in known.items() if each.is_text and not mark}
    proposed = {role: getattr(report, f"{role}_column") for role in ROLES}
    if report.fractions and len(learnt) == 1 and st.session_state.get(GOAL) != COLUMN:
        proposed["label"] = proposed["label"] or next(iter(learnt))
    label, time, sequence = (
        _now(keys[role], kept.get(f"{role}_column", proposed[role]), known) for role in ROLES
    )

    def left_out(names: list[str], roles: tuple[str | None, ...]) -> list[str]:
        return [n for n in names if n in known and n not in roles and not known[n].is_date]

    unused = left_out(_unused(report, learnt), tuple(proposed.values()))
    ids = st.session_state.get(keys["ids"], kept.get("id_columns", unused))
    ids = left_out(ids, (label, time, sequence))
    left, middle, right = st.columns(3)
    labels = [n for n in known if n not in ids and (n != time or _few(known[n]))]
    colours = LABEL_HELP if learnt else LABEL_UNUSED
    if st.session_state.get(GOAL) == COLUMN:  # this model has no map
        colours = LABEL_ASKED
    with left:
        label = _select("Label column", labels, label, keys["label"], colours)
    times = [
        n
        for n, each in known.items()
        if n not in (*ids, sequence) and (n != label or _few(each)) and _times(each)
    ]
    with right:
        time = _select("Time column", times, time, keys["time"], TIME_HELP)
    named = [n for n, each in known.items() if n not in (*ids, time) and _repeats(each, report)]
    if (time is not None or sequence is not None) and named:
        sequence = _select("Sequence column", named, sequence, keys["sequence"], SEQUENCE_HELP)
    roles = (label, time, sequence)
    others = [n for n, each in known.items() if n not in roles and not each.is_date]
    with middle:
        ids = lasting_multiselect(
            "Columns to leave out",
            others,
            default=[name for name in ids if name in others],
            key=keys["ids"],
            help=IDS_HELP,
        )
    answers: dict[str, Any] = {
        "label_column": label,
        "time_column": time,
        "sequence_column": sequence,
        "id_columns": tuple(ids),
    }
    answers |= time_questions(known.get(time or ""), of_file)
    dates = [each for n, each in known.items() if each.is_date and n not in roles]
    answers = dates_beside(dates, answers, kept, of_file)
    for role, answer in zip(ROLES, roles, strict=True):
        memory.keep(f"{role}_column", answer, proposed[role])
    memory.keep("id_columns", ids, unused)
    memory.keep("date_columns", list(answers.get("date_columns", ())), [])
    used = (label, *answers["id_columns"], time, sequence)
    _explain_roles(report, used, learnt, chosen=any(roles) or bool(ids))
    return answers


def _explain_roles(
    report: TableReport, used: tuple[str | None, ...], learnt: set[str], *, chosen: bool
) -> None:
    """Say what the roles of columns mean, and why they are suggested.

    used: the column of labels, columns that are left out, and the columns of times and sequences.
    chosen: whether any of the questions about roles has an answer.
    """
    reasons = {column.name: column.reason for column in report.columns if column.reason}
    because = [
        f"{column}: {reasons[column]}"
        for column in dict.fromkeys(used)
        if column in reasons and column not in learnt
    ]
    words = ["Each column can have only one role."] if chosen else []
    if used[0] in learnt and st.session_state.get(GOAL) != COLUMN:
        words = ["The words of the label colour the map; the model can also learn them."]
    if because:
        words.append(f"Reasons for these suggestions: {'; '.join(because)}.")
    if words:
        st.caption(plain(" ".join(words)))


LABEL_UNUSED = "Colours the map; training does not use it."
LABEL_HELP = "Colours the map."
LABEL_ASKED = "Names the group of each row; it can be the column to predict."
TIME_HELP = (
    "When each row was measured, as numbers or dates, if the rows follow each other in time."
)
IDS_HELP = (
    "Columns that training must not use, such as row numbers and names; they name the rows in "
    "tables and exports."
)
SEQUENCE_HELP = "Names the sequence of each row, such as the person that was measured over time."
ROLES = ("label", "time", "sequence")


def _unused(report: TableReport, learnt: set[str]) -> list[str]:
    """Return the columns that are left out at first; learnt: columns of words that are learnt."""
    unused = [name for name in report.id_columns if name not in learnt]
    if learnt:  # columns with a single value are left out of tables with words
        unused += [each.name for each in report.columns if each.numeric and not each.kinds]
    return unused


def _few(column: ColumnReport) -> bool:
    """Return whether a column has so few values that it can also be a label."""
    return column.n_distinct <= MOST_LABELS


def _repeats(column: ColumnReport, report: TableReport) -> bool:
    """Return whether a column can name sequences: its values repeat, and none is missing."""
    return 1 < column.n_distinct <= report.n_rows // 2 and not column.n_missing


def _times(column: ColumnReport) -> bool:
    """Return whether a column can be the time: numbers or dates, possibly with errors."""
    return column.numeric or column.dates is not None or column.mostly_numbers


def _now(key: str, suggested: str | None, known: dict[str, ColumnReport]) -> str | None:
    """Return the value that a menu has in this run, before the menu is drawn."""
    value = st.session_state.get(key, suggested)
    return value if value in known else None


def _select(title: str, names: list[str], value: str | None, key: str, words: str) -> str | None:
    options = (NONE, *names)
    if st.session_state.get(key, NONE) not in options:
        del st.session_state[key]
    index = options.index(value) if value in options else 0
    chosen = lasting_selectbox(title, options, index, key=key, help=words)
    return None if chosen == NONE else chosen
