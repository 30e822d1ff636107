"""The question which known factors, such as batches, a map takes out."""

import inspect
from typing import Any

import streamlit as st

from gplvm_core.datasets import Dataset
from gplvm_core.models.data.known import TakenOut, linear_part
from gplvm_core.readers import DataError
from gplvm_core.readers.error_columns import ERRORS
from gplvm_core.readers.errors import listed
from gplvm_core.readers.frames import from_columns
from gplvm_core.readers.kinds import FRACTION
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.readers.taken_out import TIME, possible_factors, take_out
from pages.ui.shared.inputs import lasting_multiselect
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS, model_words


def take_out_question(dataset: Dataset) -> tuple[Dataset, bool]:
    """Ask what the map takes out; return the data set with these factors, and whether they can be
    taken out.
    """
    factors = () if isinstance(dataset, TableDataset) else possible_factors(dataset)
    if not factors:
        return dataset, True
    chosen = lasting_multiselect(
        "Take out",
        factors,
        key=f"form_take_out_{dataset.name}_{len(factors)}",
        placeholder="Nothing",
        help=TERMS["take_out"],
    )
    if not chosen:
        return dataset, True
    try:
        taken = take_out(dataset, chosen)
        check_taken_out(taken)
    except DataError as error:
        st.error(plain(_sentence(error.plain)), icon=":material/error:")
        return dataset, False
    verb = "does" if len(chosen) == 1 else "do"
    st.caption(plain(f"The map then shows what {listed(chosen)} {verb} not explain."))
    return taken, True


def check_taken_out(dataset: Dataset) -> None:
    """Raise DataError if training would refuse the known factors of a data set."""
    known = TakenOut.learnt(from_columns(dataset.known, ""))
    if dataset.kinds is None:
        linear_part(dataset.values, known.points)


def can_take_out(model: Any, dataset: Dataset) -> bool:
    """Say why a model with these settings cannot take out the factors, or learn fractions beside
    known errors; return whether it can.
    """
    reason = hindrance(model, dataset)
    if reason:
        other = " Or take out nothing." if dataset.known else ""
        st.error(f"{reason}{other}", icon=":material/error:")
    return not reason


def hindrance(model: Any, dataset: Dataset) -> str:
    """Return the choice without which a model cannot take out the factors; "" if it can."""
    fractions = any(column.kind == FRACTION for column in dataset.all_columns)
    if fractions and not dataset.views and (dataset.known or ERRORS in dataset.covariates):
        return (
            "Fractions cannot be combined with known factors or known errors: switch off that the "
            "columns are fractions of one whole."
        )
    if not dataset.known:
        return ""
    if ERRORS in dataset.covariates:
        return "Known errors of cells and known factors cannot be combined: switch the errors off."
    if model.capabilities.layers:
        return "A model of several layers cannot take out known factors: choose one layer."
    if "known" not in inspect.signature(model.fit).parameters:
        name = model_words(type(model).__name__)
        return f"{name} cannot take out known factors: choose Bayesian GP-LVM as the model."
    if model.capabilities.timed and TIME in dataset.known:
        return "This model follows the times, so it cannot take them out: choose another model."
    if getattr(model, "encoder", None) is not None:
        return "An encoder cannot take out known factors: let each row search its place."
    kernels = [*model.kernel.values()] if isinstance(model.kernel, dict) else [model.kernel]
    if any(not isinstance(each, str) or each != "rbf" for each in kernels):
        return "Only a curved mapping can take out known factors: choose the curved shape."
    return ""


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."
