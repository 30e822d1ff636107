"""Compares a regression with simpler models: a sentence and a table, for Train and Explore."""

import streamlit as st

from gplvm_core.comparison.one_column import Predicted, simpler_predictions, worth_it
from gplvm_core.datasets import Dataset
from pages.ui.shared.kept import kept_by_name
from pages.ui.shared.plain import plain
from pages.ui.shared.words import percent, significant

HELP = (
    "Measured on rows that training never used. Typical error: the root of the mean squared error, "
    "in the unit of the column. Inside 95 %: the share of true values inside the 95 % intervals. "
    "Log-likelihood: the mean log density of the true values, in nats (a nat "
    "is 1.44 bits); higher is better. "
    "The simpler models' intervals are as wide as their errors in cross-validation."
)


@kept_by_name(16)
def simpler(dataset: Dataset, _name: str) -> tuple[Predicted, ...]:
    """Return simpler models' predictions for the held-out rows; name: identifies the data set."""
    return simpler_predictions(dataset)


def show_worth(model: Predicted, others: tuple[Predicted, ...], target: str) -> None:
    """Show the verdict in one sentence, and below it a table of all models' numbers."""
    st.markdown(f"**{plain(worth_it(model, others, f'“{target}”'))}**")
    lines = [
        "| Predicted by | Typical error | Inside 95 % | Log-likelihood |",
        "|:--|--:|--:|--:|",
        *(
            f"| {plain(each.name)} | {significant(each.error)} | "
            f"{percent(float(each.inside.mean()))} | "
            f"{each.log_density:.2f} |".replace("-", "−")
            for each in (model, *others)
        ),
    ]
    st.markdown("\n".join(lines), help=HELP)
