"""The form that chooses a model and its options, and makes the estimator.

Also here: the question which rows should be near each other on the map of one table.
"""

import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from gplvm_core import BayesianGPLVM, DeepGPLVM
from gplvm_core.datasets import Dataset
from gplvm_core.models.data.data_weights import WIDE
from gplvm_core.models.problems.many_rows import are_many
from gplvm_core.readers.checks import mixed_units
from gplvm_core.readers.errors import in_digits
from gplvm_core.readers.kinds import FRACTION
from gplvm_core.readers.names import column_words
from gplvm_core.readers.rows.table import TableDataset
from pages.ui.shared.inputs import (
    lasting_multiselect,
    lasting_radio,
    lasting_select_slider,
    lasting_selectbox,
    lasting_toggle,
    whole_number_of,
)
from pages.ui.shared.memory import fingerprint
from pages.ui.shared.words import TERMS
from pages.ui.train.form_parts import (
    BY_UNITS,
    KERNELS,
    NOISES,
    chosen,
    inducing_points,
    kernel_of,
    random_seed,
    training_steps,
)
from pages.ui.train.good_settings import accepted_settings, good_settings
from pages.ui.train.layers_form import (
    deep_options,
    layers_question,
    own_spaces_question,
    widths_question,
    with_top,
)
from pages.ui.train.model_choices import Choice, offered_for, unfilled_gap
from pages.ui.train.several_choice import FEW_VIEWS
from pages.ui.train.several_form import (
    kernel_option,
    noise_of_views,
    prior_option,
    start_option,
    weights_option,
)
from pages.ui.train.time_form import time_kernel_form, weight_option

SCALINGS = {
    "global": "One scale for all",
    "columns": "Each column its own",
    "none": "Leave as it is",
}
INITS = {"pca": "PCA", "isomap": "Isomap", "random": "Random places"}
STARTS = ("auto", 1, 2, 3, 5, 10, 20)
ENCODERS = {
    "none": "Searched for each row (most exact)",
    "kernel": "Kernel encoder",
    "network": "Network encoder (instant)",
    "outputs": "The row itself (autoencoder)",
}
ONLY_FRACTIONS = (
    "Only these models of one layer learn fractions. No predicted fraction is negative, and their "
    "sum is that of the data."
)
MOST_OUTPUTS = 30  # of an autoencoder, which has a latent dimension for every output


def model_form(dataset: Dataset, *, differ: bool, series: bool = False) -> Any:
    """Ask for model and options; return the estimator, not fitted.

    differ: whether units differ; if so, one noise per column is preselected. series: whether the
    model continues a series. The form keeps its values when the visitor opens another page.
    """
    offered = offered_for(dataset, series=series)
    titles = [choice.title for choice in offered]
    several = offered[0].needs_views
    title = lasting_radio(
        "Model",
        titles,
        captions=[choice.line for choice in offered],
        key="form_model_views" if several else "form_model",
        label_visibility="collapsed",
    )
    choice, n_layers = offered[titles.index(title)], 1
    over_time, mixed = choice.needs_times, dataset.kinds is not None
    in_parts = isinstance(dataset, TableDataset)
    if open_gap := unfilled_gap(choice, dataset):
        st.warning(open_gap, icon=":material/info:")
    if mixed:
        st.caption(ONLY_FRACTIONS if only_numbers(dataset) else only_these(dataset))
    elif choice.deeper is not None and not in_parts:
        n_layers = layers_question()
        choice = choice if n_layers == 1 else replace(choice, estimator=choice.deeper)
    # The settings were searched for one layer.
    found, mark = accepted_settings(dataset, choice.title) if n_layers == 1 else ({}, "")
    known = set(inspect.signature(choice.estimator).parameters)
    if over_time or in_parts or mixed:
        # Dynamical models get positions from times. Encoders need numbers, and all rows in memory.
        known.discard("encoder")
    options: dict[str, Any] = {"kinds": dataset.kinds} if mixed else {}
    if several and not choice.needs_views:
        st.caption(
            f":material/info: This model joins the {dataset.n_outputs:,} columns of all views, so "
            "it does not show what the views share."
        )
        # Units may differ between views; the data check tests each view separately.
        differ = differ or bool(mixed_units(dataset.values, column_words(dataset)))
    if choice.needs_views:
        options["time_kernel"] = prior_option(dataset)
    elif "time_kernel" in known and over_time:
        options["time_kernel"] = time_kernel_form(dataset)
    lowest, steps = size_options(dataset, found, mark, has_steps="max_iter" in known)
    options |= {"n_components": lowest} | steps
    if n_layers > 1:
        options["n_components"] = widths_question(n_layers, lowest)
        if choice.needs_views and own_spaces_question():
            *shared, own = options["n_components"]
            options |= {"n_components": tuple(shared), "view_components": own}
    if not mixed or only_numbers(dataset):
        options |= noise_and_scale(choice, dataset, found, mark, differ=differ)
    # Probabilistic PCA has no further options.
    if {"kernel", "init", "n_restarts", "n_inducing"} & known:
        with st.expander("More options"):
            timed = over_time or options.get("time_kernel") is not None
            options |= more_options(choice, dataset, known, lowest, found, mark, over_time=timed)
            if n_layers > 1:
                options |= deep_options(dataset, options)
    if options.get("encoder") == "outputs":
        options["n_components"] = with_top(options["n_components"], dataset.n_outputs)
    if n_layers > 1 and isinstance(options["kernel"], dict):
        above = len(options["n_components"]) - 1
        options["kernel"] = (*["rbf"] * above, options["kernel"])
    model = choice.estimator(**{name: value for name, value in options.items() if name in known})
    good_settings(dataset, model, choice.title)
    return model


def size_options(
    dataset: Dataset, found: dict[str, Any], mark: str, *, has_steps: bool
) -> tuple[int, dict[str, Any]]:
    """Ask for the most latent dimensions, and for the most steps of a model that has steps."""
    most = max(1, min(30, dataset.targets.shape[1], len(dataset.targets) - 1))
    left, right = st.columns(2)
    with left:
        dimensions = whole_number_of(
            "Latent dimensions, at most",
            f"form_components_{most}{mark}",
            found.get("n_components", 10),
            (1, most),
            help=TERMS["dimensions"],
        )
    with right:
        return dimensions, {"max_iter": training_steps("form_max_iter")} if has_steps else {}


def noise_and_scale(
    choice: Choice, dataset: Dataset, found: dict[str, Any], mark: str, *, differ: bool
) -> dict[str, Any]:
    """Ask for the noise, and for the scale of the columns if the noise leaves it open.

    found: the settings that a search found. differ: whether columns have different units.
    """
    options: dict[str, Any] = {}
    if choice.has_noises and choice.needs_views:
        names = [view.name for view in dataset.views]
        options["noise"] = noise_of_views(names, found.get("noise", "auto"), mark)
    elif choice.has_noises:
        usual = found.get("noise", "per_output" if differ else "shared")
        options["noise"] = chosen(
            "Noise", "noise", NOISES, usual=usual, mark=f"_{usual}{mark}", term="noise_choice"
        )
    if options.get("noise") == "per_output":
        st.caption("With one noise per column, you need not choose a scale.")
        return options
    usual = "columns" if differ else "global"
    usual = found.get("scaling", "auto" if choice.needs_views else usual)
    words = BY_UNITS | SCALINGS if choice.needs_views else SCALINGS
    options["scaling"] = chosen(
        "Scale of the columns", "scaling", words, usual=usual, mark=f"_{usual}{mark}"
    )
    return options


def only_numbers(dataset: Dataset) -> bool:
    """Return whether all columns are numbers with the layer's noise; some may be fractions."""
    return all(column.kind in ("number", FRACTION) for column in dataset.all_columns)


def only_these(dataset: Dataset) -> str:
    """Explain why fewer models are offered for columns of several kinds."""
    which = (
        "Only this model of one layer learns views with words and counts; there, each column"
        if dataset.views
        else "Only these models of one layer learn words and counts; each column"
    )
    words = f"{which} has its own scale and noise. Deep models and encoders learn only numbers."
    if are_many(dataset.n_points) and not dataset.views:
        words += " The map shows a sample of the rows. Without words and counts, it shows all."
    return words


def more_options(
    choice: Choice,
    dataset: Dataset,
    known: set[str],
    n_components: int,
    found: dict[str, Any],
    mark: str,
    *,
    over_time: bool,
) -> dict[str, Any]:
    """Show options that rarely need a change, and return their values.

    found, mark: see `accepted_settings`. over_time: whether the rows follow paths over time.
    """
    options: dict[str, Any] = {}
    count = len(dataset.targets)
    if "n_inducing" in known:
        usual = 20 if choice.needs_views and len(dataset.views) > FEW_VIEWS else 50
        options["n_inducing"] = inducing_option(choice, count, found.get("n_inducing", usual), mark)
    if choice.needs_views:
        names = [view.name for view in dataset.views]
        options["kernel"] = kernel_option(names)
        options["init"] = start_option(len(names), n_components)
        if over_time and "view_weights" in known and dataset.kinds is None:
            options["view_weights"] = weights_option(found.get("view_weights", "auto"), mark)
        known = known - {"kernel", "init"}
    elif over_time and "data_weight" in known and _wide(dataset, n_components):
        options["data_weight"] = weight_option(found.get("data_weight", "auto"), mark)
    if "kernel" in known:
        options["kernel"] = kernel_of(chosen("Shape of the mapping", "kernel", KERNELS))
    if "init" in known:
        options["init"] = chosen("Starting places", "init", INITS)
    if "encoder" in known and suits_paths(choice.estimator, dataset):
        options |= path_option(dataset)
    if "encoder" in known and "path_over" not in options:
        options["encoder"] = encoder_option(dataset)
    if "n_restarts" in known:
        options["n_restarts"] = lasting_selectbox(
            "Starts",
            STARTS,
            format_func=lambda starts: "Automatic" if starts == "auto" else str(starts),
            key="form_restarts",
            help=TERMS["restarts"],
        )
    if "random_state" in known:
        options["random_state"] = random_seed("form_seed")
    if "jitter" in known:
        options["jitter"] = lasting_select_slider(
            "Jitter",
            [1e-8, 1e-7, 1e-6, 1e-5, 1e-4],
            value=1e-6,
            format_func=lambda value: in_digits(value, 1),
            key="form_jitter",
            help=TERMS["jitter"],
        )
    return options


def encoder_option(dataset: Dataset) -> str | None:
    """Ask how new rows find their place; None: by an optimisation for each row."""
    few = dataset.n_outputs <= MOST_OUTPUTS
    offered = {name: words for name, words in ENCODERS.items() if few or name != "outputs"}
    mark = "" if few else "_"
    encoder = chosen("How new rows find their place", "encoder", offered, mark=mark)
    if encoder == "outputs":
        st.caption(
            f"The top has {dataset.n_outputs} dimensions, one for every column: each row is at "
            "its own values. Layers below may have fewer."
        )
    return None if encoder == "none" else encoder


def _wide(dataset: Dataset, n_components: int) -> bool:
    """Whether the rows have so many columns that these may count less over time."""
    return dataset.kinds is None and dataset.n_outputs > WIDE * n_components


def inducing_option(choice: Choice, count: int, usual: int, mark: str) -> int | None:
    """Ask for the number of inducing points; None for a model without them."""
    optional = inspect.signature(choice.estimator).parameters["n_inducing"].default is None
    if optional and not lasting_toggle(
        "Faster, with inducing points",
        value=count > 400,
        key=f"form_sparse_{count > 400}",
        help="Off: the model is exact, but the cost of a step grows with the cube of the number "
        "of rows.",
    ):
        return None
    most = min(count, 500)
    return inducing_points(f"form_inducing_{most}_{usual}{mark}", usual, most)


# The prior couples all rows by dense algebra, whose cost grows with the cube of their number.
MOST_ROWS = 400
FREE, OUTPUTS, COLUMNS = "free", "outputs", "columns"
NEAR = {FREE: "No rule", OUTPUTS: "Similar rows", COLUMNS: "Near in some columns"}


def suits_paths(estimator: type, dataset: Dataset) -> bool:
    """Return whether positions can follow the rows' own values."""
    numbers = not dataset.columns and dataset.kinds is None
    few = numbers and dataset.n_points <= MOST_ROWS
    return estimator in (BayesianGPLVM, DeepGPLVM) and few and bool(complete_columns(dataset))


def complete_columns(dataset: Dataset) -> list[int]:
    """Return the numbers of the columns that have all values, and more than one."""
    values = dataset.values
    return np.flatnonzero(~np.isnan(values).any(axis=0) & (np.ptp(values, axis=0) > 0)).tolist()


def path_option(dataset: Dataset) -> dict[str, Any]:
    """Ask which rows should be near each other; return settings of the estimator."""
    columns = complete_columns(dataset)
    whole = len(columns) == dataset.n_outputs
    words = {name: title for name, title in NEAR.items() if whole or name != OUTPUTS}
    rule = chosen("Rows kept near each other", "near", words, mark=f"_{whole}")
    if rule == FREE:
        return {}
    if rule == OUTPUTS:
        st.caption(
            "Rows with similar values are near each other on the map. The rule uses the values "
            "that the model explains, so do not compare its bound with bounds without this rule."
        )
        return {"time_kernel": "rbf", "path_over": OUTPUTS}
    names = column_words(dataset)
    over = lasting_multiselect(
        "Columns",
        columns,
        format_func=names.__getitem__,
        placeholder="Such as a place: longitude and latitude",
        key=f"form_near_columns_{fingerprint(tuple(names))}",
    )
    if not over:
        st.caption("Choose at least one column; until then, no rule is used.")
        return {}
    st.caption(
        "Rows that are near in these columns are near on the map. The model also predicts these "
        "columns. Do not compare its bound with bounds without this rule."
    )
    return {"time_kernel": "rbf", "path_over": tuple(over)}
