"""The model card: what a model was trained on, how, and how far its answers can be trusted."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from typing import Any

import numpy as np

from gplvm_core.readers import Dataset

CARD_TEXT = "card.md"
ASKED = {
    "transfer": "one view from others",
    "frames": "missing frames of a sequence",
    "values": "missing values",
    "forecast": "a forecast",
}


def model_card(model: Any, dataset: Dataset, title: str = "") -> str:
    """Describe a fitted model and its training rows as Markdown.

    Parameters
    ----------
    model : estimator
        A fitted model.
    dataset : Dataset
        The rows that it was trained on.
    title : str, optional
        The heading; by default the title of the data set.

    Returns
    -------
    str
        The data, all settings, the training with its bound, what is calibrated, and all notes.

    Examples
    --------
    >>> from gplvm_core import ProbabilisticPCA, load_dataset, model_card
    >>> wine = load_dataset("wine")
    >>> card = model_card(ProbabilisticPCA(2).fit(wine.values), wine)
    >>> card.splitlines()[0]
    '# Wines'
    """
    return "\n".join((f"# {_plain(title or dataset.title)}", "", *_sections(model, dataset), ""))


def _sections(model: Any, dataset: Dataset) -> Iterator[str]:
    version = ""
    with contextlib.suppress(metadata.PackageNotFoundError):  # a checkout is not installed
        version = f" {metadata.version('manifolio')}"
    yield f"A `{type(model).__name__}` of Manifolio{version}."
    settings = model.get_params(deep=False)
    for heading, lines in (
        ("Data", _data(dataset)),
        ("Training", _training(model)),
        ("How far answers can be trusted", _trust(model)),
        ("Notes", getattr(model, "notes_", ())),
        ("Settings", [f"{name} = {str(own)[:200]}" for name, own in settings.items()]),
    ):
        listed = [f"- {_plain(line)}" for line in lines]
        if listed:
            yield from ("", f"## {heading}", "", *listed)


def _data(dataset: Dataset) -> Iterator[str]:
    targets = dataset.targets
    rows, columns = targets.shape
    yield f"{dataset.title} ({dataset.name}): {rows:,} rows, {columns:,} columns."
    missing = np.mean(np.isnan(targets)) if targets.dtype.kind == "f" else 0.0
    if missing:
        yield f"{100.0 * missing:.1f} % of the values are missing."
    if dataset.columns:
        kinds = Counter(column.kind for column in dataset.columns)
        yield "Kinds of columns: " + ", ".join(f"{name} {kinds[name]}" for name in sorted(kinds))
    if dataset.views:
        yield "Views: " + ", ".join(view.name for view in dataset.views)
    if dataset.known:
        yield "Known factors taken out of the map: " + ", ".join(dataset.known)
    if dataset.task is not None:
        yield f"Predicted column: {dataset.task.target}"
    if dataset.source:
        yield f"Source: {dataset.source}"
    yield from dataset.notes


def _training(model: Any) -> Iterator[str]:
    bound = getattr(model, "bound_", None)
    if bound is not None:
        yield f"Bound on the log likelihood of the data in their own units: {bound:,.2f} nats."
    result = getattr(model, "result_", None)
    if result is not None:
        yield f"{result.iterations:,} iterations of L-BFGS; end: {result.reason or result.status}."
    relevance = getattr(model, "relevance_", None)
    if relevance is not None and hasattr(model, "n_effective_"):
        yield f"Latent dimensions in use: {model.n_effective_} of {model.latent_mean_.shape[1]}."
    rows = getattr(model, "rows_", None)
    if rows is not None and rows.trained is not None:
        yield f"Rows used for training: {len(rows.trained):,} of {rows.count:,}; the others placed."


def _trust(model: Any) -> Iterator[str]:
    density = getattr(model, "density_", None)
    if hasattr(model, "fit_density"):
        yield (
            "The density of the rows is learnt: rows can be judged as typical or odd."
            if density is not None
            else "No density of the rows: no row is judged as typical or odd."
        )
    intervals = getattr(model, "intervals_", None)
    if density is not None and density.fills is not None:
        yield "The widths of the intervals of filled gaps were set on rows kept aside."
    elif getattr(getattr(model, "columns_", None), "widths", ()):
        yield "The widths of the intervals of numbers were set on hidden values of rows kept aside."
    elif intervals is None:
        yield "Intervals are those of the model; they were not calibrated on rows kept aside."
    for each in () if intervals is None else intervals.factors:
        asked = each.asked
        what = ASKED.get(asked.what, asked.what) + (
            f" ({asked.to})" if asked.what == "transfer" else ""
        )
        yield (
            f"95 % intervals of {what} held {100.0 * each.inside:.1f} % of {each.values:,} values "
            f"kept aside ({100.0 * each.before:.1f} % before calibration)."
        )


def _plain(line: str) -> str:
    """A line of Markdown that shows its text: no breaks, and no links or HTML from data."""
    text = " ".join(str(line).split())
    return text.translate({ord(sign): f"\\{sign}" for sign in "\\`<>[]"})
