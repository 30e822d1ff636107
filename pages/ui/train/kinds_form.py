"""The questions about the kind of every trained column, with proposals from its values."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from gplvm_core.datasets import ColumnReport, Dataset
from gplvm_core.models.problems.many_rows import are_many
from gplvm_core.readers.errors import listed, plural
from gplvm_core.readers.kinds import FRACTION, TableColumn
from gplvm_core.readers.proposals import of_counts
from pages.ui.shared.inputs import (
    lasting_multiselect,
    lasting_selectbox,
    lasting_toggle,
    one_of,
)
from pages.ui.shared.memory import Memory, fingerprint
from pages.ui.shared.plain import plain

MOST_SHOWN = 40  # the largest number of columns of numbers with separate questions
COLOUR = "colour"
WORDS = {
    "number": "Number",
    "robust": "Robust number",
    FRACTION: "Fraction",
    "yes/no": "Yes/no",
    "category": "Category",
    "grade": "Grade",
    "count": "Count",
    "exposure": "Exposure",
    COLOUR: "Colour only",
}
MANY = {
    "number": ("column of numbers", "columns of numbers"),
    "robust": ("robust column", "robust columns"),
    FRACTION: ("fraction", "fractions"),
    "yes/no": ("yes/no column", "yes/no columns"),
    "category": ("category", "categories"),
    "grade": ("grade", "grades"),
    "count": ("column of counts", "columns of counts"),
}
HELP = (
    "A category has words without an order, such as species. A grade has ordered words, such as "
    "small, medium, large. A count has whole numbers from 0, such as a number of eggs."
)


def kinds_questions(
    columns: Sequence[ColumnReport],
    label: str | None,
    memory: Memory,
    n_rows: int = 0,
    fractions: Sequence[str] = (),
) -> dict[str, Any]:
    """Ask for the kinds of the trained columns; return the answers as "kinds".

    The entry "open" is the text of an unanswered question, or "". The result is empty if all
    columns are numbers. label: the column that colours the map; the user can exclude it from
    training. n_rows: of the table; with many rows, or beside fractions, a label is not learnt
    unless the user asks. fractions: the columns whose rows have the sum 1 or 100.
    """
    mark, kept = memory.key, memory.kept.get("kinds", {})
    chosen, proposed = dict[str, Any](), dict[str, Any]()
    question = ""
    words = [column for column in columns if column.is_text]
    if words:
        st.markdown("**Kinds of columns**", help=HELP)
    for column in words:
        options = (*column.kinds, COLOUR) if column.name == label else column.kinds
        many = column.name == label and are_many(n_rows)
        beside = column.name == label and len(words) == 1 and bool(fractions)
        first = COLOUR if many or beside else ""
        kind = _row(column, options, _first(kept.get(column.name)), mark, first)
        proposed[column.name] = first or options[0]
        if many and kind == COLOUR:
            st.caption(
                f"With words to learn, the map shows a sample of the {n_rows:,} rows. Without "
                "words, it shows all of them."
            )
        elif beside and kind == COLOUR:
            st.caption("It only colours the map, because fractions can only be beside numbers.")
        chosen[column.name] = kind
        if kind == "grade":
            chosen[column.name], asked = _in_order(column, kept.get(column.name), mark)
            question = question or asked
    learnt = {name: kind for name, kind in chosen.items() if kind != COLOUR}
    numbers = [column for column in columns if column.numeric and column.name != label]
    mixed = bool(learnt) or of_counts([column.kind_reason for column in numbers])
    proposed |= {column.name: column.kinds[0] if mixed else "number" for column in numbers}
    learnt |= _numbers(numbers, kept, proposed, mark)
    learnt |= _exposure(numbers, learnt, kept, mark)
    learnt |= _robust(numbers, learnt, kept, mark)
    if fractions and all(learnt.get(name) == "number" for name in fractions):
        learnt |= _fractions(fractions, learnt, kept, mark)
        proposed |= dict.fromkeys(fractions, FRACTION)
    chosen |= learnt
    changed = {name: kind for name, kind in chosen.items() if _first(kind) != proposed[name]}
    memory.keep("kinds", changed, {})
    if all(kind == "number" for kind in learnt.values()):
        return {}
    return {"kinds": learnt, "open": question}


def _first(kept: Any) -> Any:
    """Return the kind of a stored answer; a grade is stored as the list of its words."""
    return "grade" if isinstance(kept, list) else kept


def _row(
    column: ColumnReport, options: Sequence[str], kept: Any, mark: str, first: str = ""
) -> str:
    """Ask for a column's kind, with the reason for the proposal; first: the proposed kind."""
    name, control = st.columns(2, vertical_alignment="center")
    gaps = f", {plural(column.n_missing, 'gap')}" if column.n_missing else ""
    reason = column.kind_reason or plural(column.n_distinct, "different number")
    name.markdown(f"**{plain(column.name)}** :small[{plain(reason + gaps)}]")
    proposed = first or options[0]
    if len(options) == 1:
        control.markdown(WORDS[proposed])
        kind = proposed
    else:
        words = {option: WORDS[option] for option in options}
        key = f"upload_kind_{column.name}_{mark}_{'_'.join(options)}_{proposed}"
        usual = kept if kept in options else proposed
        with control:
            kind = one_of(f"Kind of {plain(column.name)}", words, key, usual=usual, hidden=True)
    return kind


def _in_order(column: ColumnReport, kept: Any, mark: str) -> tuple[Any, str]:
    """Ask for the order of a grade's words; return them, and a question if some are missing."""
    if column.kinds[0] == "grade" and column.is_text:
        return list(column.words), ""
    if not column.is_text:
        return "grade", ""
    words = list(column.words)
    before = [word for word in kept if word in words] if isinstance(kept, list) else []
    order = lasting_multiselect(
        f"Order of the words in “{plain(column.name)}”, lowest first",
        words,
        default=before,
        key=f"upload_order_{column.name}_{mark}",
    )
    left = [word for word in words if word not in order]
    if not left:
        return order, ""
    return order, (
        f"Choose the words of “{column.name}” from lowest to highest. These words are missing: "
        f"{listed(left)}."
    )


def _numbers(
    columns: Sequence[ColumnReport], kept: dict[str, Any], first: dict[str, Any], mark: str
) -> dict[str, Any]:
    """Ask for the kinds of numeric columns; return them by name. first: the proposals."""
    chosen: dict[str, Any] = {column.name: "number" for column in columns}
    some = [column for column in columns if len(column.kinds) > 1]
    if not some:
        return chosen
    counts = [column.name for column in some if "count" in column.kinds]
    changed = [each for each in some if kept.get(each.name, first[each.name]) != "number"]
    title = f"{plural(len(columns), 'column')} of numbers"
    # Counts that are read as numbers fill worse, so that the question is in sight.
    asked = bool(changed) or len(counts) > max(1, len(columns) / 2)
    with st.expander(f"{title}: some may be counts, grades or categories", expanded=asked):
        together = all(kept.get(name, first[name]) == "count" for name in counts)
        if len(counts) > 1 and lasting_toggle(
            f"All {len(counts)} columns of whole numbers from 0 are counts",
            value=together,
            key=f"upload_counts_{mark}",
        ):
            chosen |= dict.fromkeys(counts, "count")
            some = [column for column in some if column.name not in counts]
        elif len(counts) > 1 and together:  # switched off: the columns return to the proposals
            kept = {name: kind for name, kind in kept.items() if name not in counts}
        for column in some[:MOST_SHOWN]:
            options = tuple(dict.fromkeys((first[column.name], *column.kinds)))
            kind = _row(column, options, kept.get(column.name), mark, first[column.name])
            chosen[column.name] = kind
        if len(some) > MOST_SHOWN:
            st.caption(f"The other {len(some) - MOST_SHOWN} columns are treated as numbers.")
    return chosen


def _exposure(
    columns: Sequence[ColumnReport], chosen: dict[str, Any], kept: dict[str, Any], mark: str
) -> dict[str, Any]:
    """Ask which column multiplies the expected counts, if there are counts; return its kind."""
    possible = [each.name for each in columns if each.can_be_exposure]
    possible = [name for name in possible if chosen[name] == "number"]
    if "count" not in chosen.values() or not possible:
        return {}
    before = next((name for name in possible if kept.get(name) == "exposure"), None)
    name = lasting_selectbox(
        "Exposure of the counts",
        possible,
        index=None if before is None else possible.index(before),
        placeholder="None",
        key=f"upload_exposure_{mark}",
        help="The known size of each row, such as hours of observation: twice the exposure gives "
        "twice the expected counts. The map does not learn this column.",
    )
    return {} if name is None else {name: "exposure"}


def _robust(
    columns: Sequence[ColumnReport], chosen: dict[str, Any], kept: dict[str, Any], mark: str
) -> dict[str, Any]:
    """Ask which columns of numbers may have values far from all others; return their kinds."""
    possible = [each.name for each in columns if chosen[each.name] == "number"]
    if not possible:
        return {}
    names = lasting_multiselect(
        "Robust columns",
        possible,
        default=[name for name in possible if kept.get(name) == "robust"],
        placeholder="None",
        key=f"upload_robust_{mark}_{fingerprint(tuple(possible))}",
        help="Columns in which some values may be far from all others, such as slips of the pen or "
        "faults of a sensor. These values do not pull the map.",
    )
    return dict.fromkeys(names, "robust")


def _fractions(
    names: Sequence[str], chosen: dict[str, Any], kept: dict[str, Any], mark: str
) -> dict[str, Any]:
    """Ask whether columns with a constant sum are fractions of one whole; return their kinds."""
    title = f"{plain(listed([f'“{name}”' for name in names]))} are fractions of one whole"
    if any(kind != "number" for kind in chosen.values()):
        st.caption(
            f"{title}? Here the model learns them as plain numbers: fractions can only be beside "
            "numbers. Leave the other columns out, or use them only as a label."
        )
        return {}
    on = lasting_toggle(
        title,
        value=all(kept.get(name, FRACTION) == FRACTION for name in names),
        key=f"upload_fractions_{mark}",
        help="As fractions, all predictions have the same sum, and none is negative.",
    )
    st.caption("Proposed, because they have the same sum in every row.")
    return dict.fromkeys(names, FRACTION) if on else {}


def what_is_learnt(dataset: Dataset) -> str:
    """Describe what the model learns from columns of several kinds."""
    columns = dataset.all_columns
    kinds = [column.kind for column in columns]
    known = listed([column.name for column in columns if column.kind == "exposure"])
    if dataset.views:
        worded = [
            f"“{plain(view.name)}”"
            for view in dataset.views
            if any(not column.is_number for column in view.columns)
        ]
        predicted = (
            f"probabilities for the {_uncertain(columns)} in {listed(worded)}, and means with "
            "standard deviations for numbers"
            if worded
            else "means with standard deviations"
        )
        return (
            f"The model learns one map for all views. It predicts {predicted}. A gap, such as a "
            "missing label, is left out."
            + (f" “{plain(known)}” is known in every row." if known else "")
        )
    parts = [plural(kinds.count(kind), *MANY[kind]) for kind in MANY if kind in kinds]
    together = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    answers = [f"probabilities for {named}"] if (named := _uncertain(columns)) else []
    if any(column.is_number for column in columns):
        answers.append("means with standard deviations for numbers")
    return (
        f"The model learns one map for all columns: {together}. It predicts "
        f"{', and '.join(answers)}."
        + (
            f" “{plain(known)}” is known in every row, and does not affect the map."
            if known
            else ""
        )
    )


def _uncertain(columns: Sequence[TableColumn]) -> str:
    """Say which kinds of columns are predicted as probabilities; "" if none is."""
    words = any(column.is_words for column in columns)
    counts = any(column.kind == "count" for column in columns)
    return " and ".join(["words"] * words + ["counts"] * counts)
