"""How good are forecasts? The model's forecasts of held-out ends, compared with simple rules."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from gplvm_core.comparison import BackTest, Step, back_test
from gplvm_core.models.estimators.back_test import MODEL, ORIGINS, SOON, in_percent
from gplvm_core.readers.errors import plural
from gplvm_core.training import begin_comparison
from pages.ui.shared.catalogue import Item, open_item
from pages.ui.shared.plain import plain
from pages.ui.shared.running import ended, running
from pages.ui.shared.words import percent

HELP = (
    "Error: the root mean square error over steps and columns, as a share of the data's spread. "
    "Inside: the share of true values in the bands of 95 %. The bands of a rule are as wide as its "
    "errors earlier in the series."
)


def forecasts_judged(item: Item, name: str) -> None:
    """The button that starts the test, its progress, and the result."""
    whole = item.dataset if item.view is None else open_item(item.key).dataset
    if whole.kinds is not None or not hasattr(item.model, "fit"):
        return  # simple rules for words and counts do not exist here
    key = f"back test|{name}"
    if running(key, "back_test", "Keeps the forecasts that are finished.", _said):
        return
    run = ended(key)
    found = None if run is None else run.result
    if isinstance(found, BackTest):
        show(found)

    def begin() -> None:
        begin_comparison(key, _task(item))

    st.button(
        "How good are forecasts?" if run is None else "Test again",
        key=f"back_test_start|{name}",
        icon=":material/fact_check:",
        type="secondary" if run is None else "tertiary",
        help=f"Trains the model {ORIGINS} times without the last rows, forecasts them, and "
        "compares with simple rules. It takes as long as three trainings and continues if you "
        "leave.",
        on_click=begin,
    )


def _task(item: Item) -> Callable[[Callable[[Step], None]], BackTest]:
    """Return the test; if one of several views is shown, the whole model is tested."""

    whole = open_item(item.key) if item.view is not None else item
    data: Any = whole.dataset.view_values if item.view is not None else whole.dataset.values

    def task(callback: Callable[[Step], None]) -> BackTest:
        return back_test(
            whole.model,
            data,
            item.model.times_[:, 0],
            item.model.sequences_,
            view=item.view,
            callback=callback,
        )

    return task


def _said(step: Step) -> str:
    return f"Training without the last rows, forecast {step.split} of {step.n_splits}"


def show(found: BackTest) -> None:
    """Show the result as one sentence and a small table."""
    st.markdown(f"**{plain(found.sentence())}**")
    soon = max(1, round(SOON * found.horizon))
    lines = [
        f"| Forecast | Error | First {plural(soon, 'step')} | Inside 95 % |",
        "|:--|--:|--:|--:|",
    ]
    for name in (MODEL, *sorted((n for n in found.errors if n != MODEL), key=found.error)):
        near = float((found.soon[name] ** 2).mean() ** 0.5)
        inside = percent(float(found.inside[name].mean()))
        lines.append(
            f"| {name} | {in_percent(found.error(name))} | {in_percent(near)} | {inside} |"
        )
    st.markdown("\n".join(lines), help=HELP)
    series = "" if found.n_series == 1 else f" in each of {found.n_series} sequences"
    origins = plural(len(found.errors[MODEL]), "forecast")
    notes = " ".join(found.notes)
    st.caption(plain(f"{origins} of {plural(found.horizon, 'step')}{series}. {notes}"))
