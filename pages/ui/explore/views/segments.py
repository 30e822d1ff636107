"""Shows which latent dimensions are shared or belong to one view: figures, threshold, export."""

from collections.abc import Iterable, Sequence
from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.figures.segmentation import (
    body_figure,
    clusters,
    heat_map_figure,
    part_colour,
    profiles,
    segmentation_figure,
)
from gplvm_core.figures.thumbnails import oblique_view
from gplvm_core.figures.view_parts import MOST_NAMED_VIEWS, Part
from gplvm_core.readers.errors import plural
from gplvm_core.readers.tables.csv_text import csv_text
from pages.ui.explore.views.desk import Desk, Measure, choose, desk, keep
from pages.ui.explore.views.model import parts_at
from pages.ui.shared.as_text import ask_as_text
from pages.ui.shared.catalogue import Item
from pages.ui.shared.dimension_names import space_of, visitor_names
from pages.ui.shared.download import download
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS, file_stem

MEASURES: dict[Measure, str] = {"drops": "Lost without it", "weights": "Relevance"}
LEAST_THRESHOLD, USUAL_THRESHOLD = -3, 1  # powers of ten, in nats per row
DELTAS = (1e-5, 1e-4, 1e-3, 1e-2, 5e-2, 0.1)
MOST_GROUPS = 7
HEIGHT = 330
PLOT = {"displayModeBar": False}
SHARED_WORDS = (
    "All views share one map. A dimension is shared if two or more views need it, private if only "
    "one view needs it, and unused if no view needs it."
)
LOST_WORDS = (
    "How much worse the model explains a view without this dimension: the decrease of the view's "
    "part of the evidence bound, in nats per row (a nat is 1.44 bits)."
)


def segmentation(item: Item, name: str) -> tuple[Part, ...]:
    """Show the figures, their text and their controls; return the parts."""
    model, kept = item.model, desk(name)
    many = len(item.views) > MOST_NAMED_VIEWS
    names = visitor_names(item, space_of(item))
    st.header("What the views share", anchor=False, help=SHARED_WORDS)
    left, right = st.columns([2, 1] if not many else [3, 2], gap="large")
    with left:  # the figure comes first, since the controls are below the figure on phones
        place = st.container(height="content" if many else HEIGHT, border=False)
    with right:
        if not many:
            measure = choose(
                "Bars show",
                MEASURES,
                kept.measure,
                f"views_measure|{name}",
                help=f"**Lost without it:** {LOST_WORDS}\n\n**Relevance:** {TERMS['relevance']} "
                "The largest relevance of each view is set to 1.",
            )
            kept = keep(name, measure=measure)
        kept = ask_lines(model, kept, name)
        parts = parts_at(model, kept.threshold)
        chips(parts, item.views, names)
        st.caption(agreement_in_words(model, kept))
        if counted := count_in_words(model, parts, kept.threshold):
            st.caption(counted)
        marked = ask_as_text((*item.views, *names), "segments")
        text = partial(segmentation_csv, model, parts, marked, names)
        file = f"{file_stem(item.title)}-dimensions.csv"
        download("Table (CSV)", text, file, key="views_segments_csv")
    place.plotly_chart(
        figure_of(item, parts, kept, names),
        key=f"views_segments|{name}",
        config=PLOT,
        alt=parts_in_words(parts, names),
    )
    if many and item.dataset.drawing.skeleton is not None:
        body(item, name)
    return parts


def ask_lines(model: Any, kept: Desk, name: str) -> Desk:
    """Ask for the threshold above which a view uses a dimension, in the chosen measure."""
    if kept.measure == "weights":
        delta = st.select_slider(
            "Threshold (share of the view's largest weight)",
            DELTAS,
            kept.delta,
            format_func=lambda delta: f"{delta:g}",
            key=f"views_delta|{name}",
            help="Only for comparison; the loss without a dimension determines the shared and "
            "private parts on this page.",
        )
        return keep(name, delta=delta)
    threshold = st.select_slider(
        "Threshold (nats per row)",
        thresholds(model),
        kept.threshold,
        format_func=lambda threshold: f"{threshold:g}",
        key=f"views_threshold|{name}",
        help="A view uses a dimension if it loses more than this without the dimension.",
    )
    return keep(name, threshold=threshold)


def thresholds(model: Any) -> list[float]:
    """Return the thresholds: 1, 2 and 5 times powers of ten, until no view uses any dimension."""
    most = max(float(np.max(drop)) for drop in model.drops_.values())
    last = max(int(np.ceil(np.log10(max(most, 1e-9)))), USUAL_THRESHOLD)
    powers = range(LEAST_THRESHOLD, last + 1)
    # The conversion through text gives exact decimals, such as 0.05.
    return [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]


def figure_of(item: Item, parts: tuple[Part, ...], kept: Desk, names: Sequence[str]) -> Any:
    """Draw bars for few views, or a heat map for many."""
    model = item.model
    if len(item.views) > MOST_NAMED_VIEWS:
        return heat_map_figure(model.drops_, parts, kept.threshold, titles=names)
    if kept.measure == "drops":
        values, line, unit = model.drops_, kept.threshold, "nats per row"
    else:
        values, line, unit = relevance_shares(model), kept.delta, "w / largest w"
    return segmentation_figure(values, parts, line, unit=unit, height=HEIGHT, names=names)


def relevance_shares(model: Any) -> dict[str, Array]:
    """Return the relevances of every view, as fractions of the view's largest relevance."""
    return {name: np.asarray(w) / np.max(w) for name, w in model.relevance_.items()}


def named(part: Part, names: Sequence[str]) -> str:
    """Return the dimensions of a part, by their names or numbers."""
    words = [(names[q] if q < len(names) else "") or str(q + 1) for q in sorted(part.dimensions)]
    return ", ".join(words) or "none"


def chips(parts: tuple[Part, ...], views: tuple[str, ...], names: Sequence[str]) -> None:
    """Show every part with its colour, its title and its dimensions."""
    rows = []
    for part in parts:
        colour = part_colour(part, views) if len(views) <= MOST_NAMED_VIEWS else None
        ground = f"background:{colour};opacity:.45" if colour else "border:1px solid currentColor"
        rows.append(
            '<div style="display:flex;gap:.5em;align-items:baseline;margin:.15rem 0">'
            f'<span style="flex:none;width:.8em;height:.8em;border-radius:.2em;{ground}"></span>'
            f'<span title="{escape(part.words)}"><b>{escape(part.title)}</b>: '
            f"{escape(named(part, names))}</span>"
            "</div>"
        )
    st.html(f'<div style="font-size:.9rem" class="mf-parts">{"".join(rows)}</div>')


def parts_in_words(parts: tuple[Part, ...], names: Sequence[str]) -> str:
    """Describe the figure for screen readers."""
    sentences = [f"{part.title}: {named(part, names)}" for part in parts]
    return f"Latent dimensions, grouped by the views that use them. {'. '.join(sentences)}."


def agreement_in_words(model: Any, kept: Desk) -> str:
    """Describe how far the two measures agree."""
    share = float(model.agreement(kept.threshold, kept.delta))
    count = len(model.views_) * model.latent_mean_.shape[1]
    agreed = round(share * count)
    if agreed == count:
        return f"The relevances (above {kept.delta:g}) give the same parts."
    return (
        f"The relevances (above {kept.delta:g}) give the same answer for {agreed} of "
        f"{plural(count, 'pair')} of view and dimension."
    )


def count_in_words(model: Any, parts: tuple[Part, ...], threshold: float) -> str:
    """Count the shared and private dimensions whatever the axes; "" if that is impossible."""
    if not model.can_count_parts or len(model.views_) > MOST_NAMED_VIEWS:
        return ""
    counts = model.count_parts(threshold)
    own = [f"{counts[frozenset({name})]} of “{plain(name)}” alone" for name in model.views_]
    shared = counts[frozenset(model.views_)]
    words = f"Counted whatever the axes: {plural(shared, 'dimension')} shared, {' and '.join(own)}."
    shown = sum(len(part.dimensions) for part in parts if part.shared)
    if shown > shared:
        words += (
            " The axes of a map are not unique: some of the dimensions above that count as shared "
            "mix a shared and a private part."
        )
    return words


def segmentation_csv(
    model: Any, parts: tuple[Part, ...], as_text: bool = True, names: Sequence[str] = ()
) -> bytes:
    """Write a line per dimension: name, part, information, and both measures for every view."""
    shares = relevance_shares(model)
    columns = [(name, word) for name in model.views_ for word in ("lost", "w", "w share")]
    lines: list[Iterable[object]] = [
        (
            "dimension",
            *(["name"] if any(names) else []),
            "part",
            "information",
            *(f"{n}: {w}" for n, w in columns),
        )
    ]
    title = {q: part.title for part in parts for q in part.dimensions}
    for q in sorted(title):
        numbers = [
            float(table[name][q])
            for name in model.views_
            for table in (model.drops_, model.relevance_, shares)
        ]
        cells = (f"{number:.8g}" for number in numbers)
        own = [names[q] if q < len(names) else ""] if any(names) else []
        lines.append((q + 1, *own, title[q], f"{float(model.information_[q]):.8g}", *cells))
    return csv_text(lines, as_text=as_text).encode()


# --- a body whose joints are views --------------------------------------------------------------


def body(item: Item, name: str) -> None:
    """Show a body's joints, coloured by groups of views with similar losses."""
    skeleton = item.dataset.drawing.skeleton
    assert skeleton is not None  # the caller ensures that there is a skeleton
    st.header(
        "Joints that move together",
        anchor=False,
        help="Joints of one group follow the same dimensions. Each joint has a list of losses, one "
        "for each removed dimension; k-means groups joints with similar lists.",
    )
    left, right = st.columns([1, 2], gap="large", vertical_alignment="center")
    with left:
        count = st.slider("Groups", 2, MOST_GROUPS, desk(name).groups, key=f"views_groups|{name}")
    keep(name, groups=count)
    groups = joint_groups(item, count)
    row = item.dataset.values[len(item.dataset.values) // 2]
    across, upwards = oblique_view(row.reshape(-1, 3))
    sentences = [
        f"**Group {group + 1}:** "
        + ", ".join(plain(skeleton.joint_names[joint]) for joint in np.flatnonzero(groups == group))
        for group in np.unique(groups)
    ]
    with left:
        st.markdown("  \n".join(sentences))
    right.plotly_chart(
        body_figure(across, upwards, skeleton, groups),
        key=f"views_body|{name}",
        config=PLOT,
        alt="A body, with joints in the colours of their groups.",
    )


def joint_groups(item: Item, count: int) -> Array:
    """Return every joint's group (J,), from the losses of the views that have its columns."""
    dataset = item.dataset
    owner = np.repeat(
        np.arange(len(dataset.views)), [view.n_outputs for view in dataset.views]
    ).reshape(-1, 3)
    shares = profiles(item.model.drops_)
    return clusters(shares[owner].mean(axis=1), count)
