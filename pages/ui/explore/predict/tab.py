"""The tab Predict: sliders with the answer, the quality of the answers, and new rows."""

import streamlit as st

from gplvm_core.comparison.one_column import Predicted, predicted_by, task_of
from gplvm_core.figures.predicted import calibration_figure, predicted_figure, residual_figure
from gplvm_core.kernels import KernelError
from gplvm_core.wire.regression import pack_regression
from pages.ui.explore.predict.new_rows import new_rows
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import component, hold_bytes, room_for
from pages.ui.shared.plain import plain
from pages.ui.shared.worth import show_worth, simpler

show_predict = component("predict", "predict/predict.html", "predict/predict.css")


def predict(item: Item, name: str) -> None:
    """Show the tab for one regression."""
    task = item.dataset.task
    assert task is not None
    try:
        packed = _packed(item, name)
    except (KernelError, ValueError):
        st.info(
            "The browser cannot evaluate this model, so there are no sliders. Upload rows below "
            "to get its answers.",
            icon=":material/info:",
        )
    else:
        with room_for("predict"):
            show_predict(key=f"predict|{name}", data={"store": name})
            hold_bytes(key=f"predict_bytes|{name}", data=packed)
    st.header("Is it worth it?", anchor=False)
    found = _tested(item, name)
    show_worth(found, simpler(item.dataset, name), task.target)
    _figures(found, task.target)
    new_rows(item, name)
    about(
        "**The interval** should contain the true values of 95 of 100 new rows with these "
        "inputs. It includes the noise of the column and the model's own uncertainty.",
        "**Held-out rows.** A fifth of the rows, but at most 2,000 rows, is not used for "
        "training. All numbers under “Is it worth it?” were measured on these held-out rows.",
        "**An empty field** is an unknown input. The answer is then an average over the input's "
        "values in the data.",
        "**What each input does** describes the model, not the world: an input may represent a "
        "cause that is not in the table.",
        f"**Data.** {plain(item.dataset.source)}",
        *bullets(item.model.notes_),
        *bullets(item.dataset.notes),
    )


@st.cache_data(max_entries=8, show_spinner=False)
def _packed(_item: Item, name: str) -> bytes:
    return pack_regression(_item.model, _item.dataset, name)


@st.cache_resource(max_entries=8, show_spinner=False)
def _tested(_item: Item, name: str) -> Predicted:
    """Return the model's predictions for the held-out rows; name: the model's key and version."""
    _, _, held = task_of(_item.dataset)
    return predicted_by(_item.model, held)


def _figures(found: Predicted, target: str) -> None:
    """Show predictions against true values, the calibration of the intervals, and the errors."""
    with st.expander("How good are the intervals?", icon=":material/straighten:"):
        left, middle, right = st.columns(3)
        rows = (found.truth, found.mean, found.std)
        for column, title, key, figure, alt in (
            (
                left,
                "Predicted and true",
                "predicted",
                predicted_figure(*rows, target=target),
                "Predictions for held-out rows, with intervals, against the true values.",
            ),
            (
                middle,
                "Calibration",
                "calibration",
                calibration_figure(*rows),
                "The share of rows inside the intervals against the promised share.",
            ),
            (
                right,
                "Errors",
                "residuals",
                residual_figure(*rows),
                "The errors, in units of the predicted deviation, plotted against the predictions.",
            ),
        ):
            with column:
                st.markdown(f"**{title}**")
                st.plotly_chart(
                    figure, key=f"predict_{key}", config={"displayModeBar": False}, alt=alt
                )
        st.caption(
            "If the intervals are honest, the calibration follows the dotted line, and 95 of 100 "
            "errors are in the shaded band."
        )
