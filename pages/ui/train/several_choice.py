"""The choice of views of a data set: whole rows, groups of columns, or single columns."""

import numpy as np
import streamlit as st

from gplvm_core.datasets import Dataset
from gplvm_core.readers.bodies.parts import body_parts, in_body_parts
from gplvm_core.readers.divided import in_blocks, in_groups, label_column, name_groups, with_labels
from gplvm_core.readers.errors import listed, plural
from gplvm_core.readers.joined import check_names
from gplvm_core.readers.kinds import FRACTION
from gplvm_core.readers.names import column_words
from pages.ui.shared.inputs import (
    lasting_multiselect,
    lasting_text,
    lasting_toggle,
    one_of,
    whole_number_of,
)
from pages.ui.shared.memory import fingerprint
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import TERMS

MOST_COLUMN_VIEWS = 100
MOST_GROUPS = 12
MOST_CHOSEN = 8
FEW_VIEWS = 8  # if there are more views, there is no drawing or question for each view


def views_choice(dataset: Dataset) -> Dataset | None:
    """Ask for the views; return the data set with them, or None while the answer is invalid."""
    ways = ways_of(dataset)
    # Renaming views does not change the data.
    own = () if dataset.views else (dataset.name, *column_words(dataset)[: MOST_COLUMN_VIEWS + 1])
    own += tuple(column.kind for column in dataset.columns)
    mark = fingerprint((str(dataset.n_outputs), *ways, *own))
    way = "given"
    if len(ways) > 1:
        way = one_of("Views", ways, f"views_way_{mark}", usual="given", help=TERMS["views"])
    with errors_told():
        divided = divide(dataset, way, mark)
        if can_show_labels(dataset, way) and lasting_toggle(
            "Labels as a view", key=f"views_labels_{mark}", help=TERMS["label_view"]
        ):
            divided = with_labels(divided)
        return divided
    return None


def ways_of(dataset: Dataset) -> dict[str, str]:
    """Return the useful ways to divide the columns of these data."""
    ways = {"given": f"{len(dataset.views)} as given" if dataset.views else "One"}
    kind = dataset.drawing.kind
    if kind in ("bars", "curve") and not dataset.views and dataset.n_outputs > 1:
        if 2 <= len(name_groups(column_words(dataset))) <= MOST_GROUPS:
            ways["names"] = "By the columns' names"
        ways["chosen"] = "Columns I choose"
    if dataset.drawing.skeleton is not None:
        if body_parts(dataset.drawing.skeleton):
            ways["parts"] = "Trunk, arms and legs"
        ways["joints"] = "Every joint"
    pictures = kind == "image" or any(view.drawing.kind == "image" for view in dataset.views)
    # Neither an exposure nor a fraction can be alone in a view.
    alone = all(column.kind not in ("exposure", FRACTION) for column in dataset.columns)
    if 2 <= dataset.n_outputs <= MOST_COLUMN_VIEWS and not pictures and alone:
        ways["columns"] = "Every column"
    return ways


def can_show_labels(dataset: Dataset, way: str) -> bool:
    """Return whether the labels can become a view: they are not a trained column, and there are
    few other views.
    """
    trained = label_column(dataset) is not None
    return len(dataset.classes) > 1 and not trained and way in ("given", "names", "chosen")


def divide(dataset: Dataset, way: str, mark: str) -> Dataset:
    """Return the data set with the chosen views. Raises DataError if that is impossible."""
    if way == "names":
        words = column_words(dataset)
        groups = name_groups(words)
        st.caption(
            "; ".join(
                f"**{plain(name)}**: {plain(listed([words[d] for d in columns]))}"
                for name, columns in groups.items()
            )
        )
        return in_groups(dataset, groups)
    if way == "chosen":
        return in_groups(dataset, chosen_groups(dataset, mark))
    if way == "parts":
        return in_body_parts(dataset)
    if way == "joints" and dataset.drawing.skeleton is not None:
        return told_cost(in_blocks(dataset, dataset.drawing.skeleton.joint_names, 3))
    if way == "columns":
        return told_cost(in_blocks(dataset, column_words(dataset), 1))
    return dataset


def chosen_groups(dataset: Dataset, mark: str) -> dict[str, list[int]]:
    """Ask for the columns of every view. Raises DataError for names that are empty or repeated."""
    words = column_words(dataset)
    ends = 2, min(MOST_CHOSEN, len(words))
    count = whole_number_of("How many views", f"views_count_{mark}", 2, ends)
    # As an example, the columns are initially divided in their order.
    shares = np.array_split(np.arange(len(words)), count)
    parts = [at for at, column in enumerate(dataset.columns) if column.kind == FRACTION]
    if count == 2 and parts and len(parts) < len(words):
        shares = [np.delete(np.arange(len(words)), parts), np.array(parts)]
    names, chosen = [], []
    for number, share in enumerate(shares):
        left, right = st.columns([1, 3])
        with left:
            name = lasting_text(
                f"Name of view {number + 1}",
                value=f"view {number + 1}",
                max_chars=40,
                key=f"views_name_{mark}_{number}",
            )
        with right:
            columns = lasting_multiselect(
                f"Columns of view {number + 1}",
                list(range(len(words))),
                default=share.tolist(),
                format_func=words.__getitem__,
                key=f"views_columns_{mark}_{count}_{number}",
            )
        names.append((name or "").strip())
        chosen.append(sorted(columns))
    check_names(names)
    return dict(zip(names, chosen, strict=True))


def told_cost(dataset: Dataset) -> Dataset:
    """Show the cost of many views, and return the data set."""
    count = len(dataset.views)
    st.caption(
        f"{plural(count, 'view')}, each with its own mapping: a training step takes about "
        f"{count} times as long as with one view. The model shows which views vary together."
    )
    return dataset
