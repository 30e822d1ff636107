"""The form for predicting one column from others: the question, the inputs, and the model."""

from typing import Any

import streamlit as st

from gplvm_core import DeepGP, SemiDescribedGPRegression, SparseGPRegression
from gplvm_core.datasets import Dataset
from gplvm_core.models.data.rows import MANY_INDUCING, inducing_count
from gplvm_core.models.estimators.deep_gp import MANY_A_LAYER
from gplvm_core.readers import ask_column
from gplvm_core.readers.asked import input_columns, number_columns, word_columns
from gplvm_core.readers.errors import listed, plural
from gplvm_core.readers.rows.coded import NO_DATES
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.readers.tables.dates import date_columns
from pages.ui.shared.inputs import (
    lasting_multiselect,
    lasting_radio,
    lasting_selectbox,
    lasting_toggle,
    one_of,
    whole_number_of,
)
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import TERMS
from pages.ui.train.form_parts import inducing_points, random_seed, training_steps
from pages.ui.train.goal_form import want_map

TABLES = ("diabetes", "flow", "wine", "countries")  # ready-made data with columns to predict
EXACT, ERRORS = "Exactly", "With known errors"
SMOOTH, DEEP = "One smooth function", "A function with jumps or bends"
LINES = {
    SMOOTH: "A Gaussian process. Try this first: it is quick, and often good enough.",
    DEEP: "A deep Gaussian process of two layers: the function may change slowly in one place and "
    "fast in another. It takes longer.",
}
LABEL = "The labels"
PARTS_OF_DATES = tuple(date_columns("", NO_DATES))  # " year" and so on


def column_question(dataset: Dataset) -> Dataset | None:
    """Ask for the column and the inputs; return the data with this question, or None."""
    if isinstance(dataset, TableDataset):
        st.info(
            "Tables on this server are read in parts, which only maps can use. To predict a "
            "column, upload a file with fewer rows.",
            icon=":material/info:",
        )
        return None
    if dataset.drawing.kind in ("image", "skeleton"):
        st.info(
            "These rows are pictures or bodies. Choose a table, such as Diabetes, to predict one "
            "of its columns.",
            icon=":material/info:",
        )
        return None
    numbers, words = number_columns(dataset), word_columns(dataset)
    # A column of words may also be the labels; it is then asked about once, by its name.
    own = [set(map(str, column.words)) for column in dataset.columns if column.is_words]
    if dataset.labels is not None and set(dataset.label_names) not in own:
        words = (*words, LABEL)
    targets = (*numbers, *words)
    # Years and seasons of a date are asked for as inputs, not as the answer.
    usual = [name for name in numbers if not name.endswith(PARTS_OF_DATES)] or targets[:1]
    target = lasting_selectbox(
        "Column to predict",
        targets,
        index=targets.index(usual[-1]) if usual else 0,
        key=f"column_target_{dataset.name}",
    )
    if target in words:
        _lead_to_map(str(target))
        return None
    inputs = _inputs(dataset, str(target), words)
    errors = _errors(dataset, numbers, str(target), tuple(inputs))
    with errors_told():
        asked = ask_column(dataset, str(target), inputs, errors=errors)
        if has_gaps(asked) and not _use_gaps(asked):
            asked = ask_column(dataset, str(target), inputs, errors=errors, gaps=False)
        for note in asked.notes[len(dataset.notes) :]:
            st.caption(f":material/info: {plain(note)}")
        assert asked.task is not None
        train, held = asked.task.rows(asked.n_points)
        st.caption(
            f"{plural(len(train), 'row')} for training; {plural(len(held), 'row')} held out to "
            "test the model."
        )
        return asked
    return None


def _inputs(dataset: Dataset, target: str, words: tuple[str, ...]) -> list[str]:
    """Ask for the columns that predict the target."""
    possible, key = input_columns(dataset), f"column_inputs_{dataset.name}_{target}"
    usual = [name for name in possible if name != target]
    offered = st.session_state.get(f"{key}_offered", possible)
    if key in st.session_state:  # columns that another answer has added, such as the year of a date
        new = [name for name in usual if name not in offered]
        st.session_state[key] = [
            name for name in possible if name in (*st.session_state[key], *new)
        ]
    st.session_state[f"{key}_offered"] = possible
    inputs: list[str] = lasting_multiselect(
        "Inputs",
        possible,
        default=None if key in st.session_state else usual,
        key=key,
        help="The columns that predict; more columns make training slower, and columns that do "
        "not help get little weight.",
    )
    others = [name for name in words if name not in possible]
    if others:
        role = "an input" if len(others) == 1 else "inputs"
        st.caption(
            f"{plural(len(others), 'column')} cannot be {role} here: {plain(listed(others))}."
        )
    return inputs


def _lead_to_map(target: str) -> None:
    """Explain that a map learns a column of words, and offer to change to a map."""
    subject = "The labels are" if target == LABEL else f"“{plain(target)}” has"
    st.info(
        f"{subject} words. A map of the whole table learns words and numbers. In Explore, the tab "
        "Fill in then predicts the probability of every word from the other columns.",
        icon=":material/info:",
    )
    st.button("Make a map instead", icon=":material/map:", type="primary", on_click=want_map)


def _errors(
    dataset: Dataset, numbers: tuple[str, ...], target: str, inputs: tuple[str, ...]
) -> dict[str, str]:
    """Ask which columns have the errors of the inputs."""
    mark = f"{dataset.name}_{target}"
    measured = one_of(
        "How were the inputs measured?",
        (EXACT, ERRORS),
        f"column_measured_{mark}",
        usual=EXACT,
        help="Choose “With known errors” if some columns of the table contain the standard errors "
        "of other columns, row by row.",
    )
    if measured == EXACT:
        return {}
    others = [name for name in numbers if name != target and name not in inputs]
    if not others:
        st.caption(
            "Remove the columns of errors from the inputs. Then choose here the inputs to which "
            "the errors belong."
        )
        return {}
    found: dict[str, str] = {}
    for name in inputs:
        column = lasting_selectbox(
            f"Errors of “{plain(name)}”",
            others,
            index=None,
            placeholder="Exact",
            key=f"column_error_{mark}_{name}",
        )
        if column is not None:
            found[name] = column
    return found


def has_gaps(asked: Dataset) -> bool:
    """Ask whether to use rows with missing inputs, if there are any; return the answer."""
    missing = asked.missing
    assert asked.task is not None
    return missing is not None and bool(missing[:, : len(asked.task.inputs)].any())


def _use_gaps(asked: Dataset) -> bool:
    assert asked.missing is not None and asked.task is not None
    count = int(asked.missing[:, : len(asked.task.inputs)].any(axis=1).sum())
    return lasting_toggle(
        f"Use the {plural(count, 'row')} with gaps in the inputs",
        value=True,
        key=f"column_gaps_{asked.name}",
        help="On: the model estimates missing inputs from the other inputs. Off: these rows are "
        "left out.",
    )


def regression_form(asked: Dataset) -> Any:
    """Ask which model, and its options; return the estimator, not fitted."""
    title = lasting_radio(
        "Which one?", list(LINES), captions=list(LINES.values()), key="column_model"
    )
    options: dict[str, Any] = {"max_iter": training_steps("column_max_iter")}
    assert asked.task is not None
    train, _ = asked.task.rows(asked.n_points)
    most = min(len(train), 300)
    many = MANY_A_LAYER if title == DEEP else MANY_INDUCING
    usual = inducing_count("auto", len(train), many)
    with st.expander("More options"):
        if title == DEEP:
            options["n_components"] = _hidden(len(asked.task.inputs))
        key = f"column_inducing_{most}_{title == DEEP}"
        options["n_inducing"] = inducing_points(key, usual, most)
        options["n_restarts"] = whole_number_of(
            "Starts", "column_restarts", 1, (1, 20), help=TERMS["restarts"]
        )
        options["random_state"] = random_seed("column_seed")
    if title == DEEP:
        return DeepGP(**options)
    return quick_regression(asked, **options)


def quick_regression(asked: Dataset, **options: Any) -> Any:
    """Return the regression with one layer, not fitted."""
    return (SemiDescribedGPRegression if has_gaps(asked) else SparseGPRegression)(**options)


def _hidden(n_inputs: int) -> tuple[int, ...]:
    """Ask for the number of layers; return the widths of the hidden layers."""
    left, right = st.columns(2)
    with left:
        layers = one_of(
            "Layers",
            (2, 3),
            "column_layers",
            usual=2,
            help="Every layer is a Gaussian process whose outputs are the inputs of the next "
            "layer.",
        )
    with right:
        width = whole_number_of(
            "Dimensions between layers",
            "column_width",
            min(2, n_inputs),
            (1, 10),
            help="How many numbers a layer passes to the next layer.",
        )
    return (width,) * (layers - 1)
