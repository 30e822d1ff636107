"""The ways in which the hidden layers may be believed, side by side on one curve."""

from collections.abc import Callable
from html import escape
from pathlib import Path
from urllib.parse import quote

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.figures.palette import COLOURS, FAINT
from gplvm_core.lessons.bend import CURVES, GRID, LEFT, RIGHT
from gplvm_core.lessons.families import (
    MAX_ITER,
    FamilyFit,
    FamilyFits,
    FamilyStep,
    family_fits,
    unpack_families,
)
from gplvm_core.training import begin_comparison, comparison_of
from pages.ui.shared.about import about
from pages.ui.shared.link import go_to, keep_in_link, whole_number
from pages.ui.shared.plain import plain
from pages.ui.shared.running import running
from pages.ui.shared.words import percent

READY = Path(__file__).resolve().parents[4] / "assets" / "depth"
MOST_DRAWS = 10**6
WIDTH, HEIGHT, EDGE = 300, 170, 6  # of a curve's picture

FAMILIES = {
    "mean_field": (
        "Mean field",
        "The hidden numbers and what a layer has learnt know nothing of each other.",
    ),
    "marginalised": (
        "Marginalised",
        "The same, with what a layer has learnt at its best for them, summed out. The default.",
    ),
    "gated": (
        "Gated",
        "The hidden numbers follow what the layer above has learnt; a gate for each dimension says "
        "how closely.",
    ),
    "free": ("Free", "They follow it in any linear way, each row its own."),
    "diagonal": (
        "Along the inputs",
        "They follow the inputs of their layer. Here those are known, so nothing is gained.",
    ),
    "joint": ("Joint", "As gated, and the dimensions of a layer hang together."),
    "full": (
        "All along the inputs",
        "As along the inputs, every dimension by all of them: here nothing is gained, either.",
    ),
    "chain": (
        "Chain",
        "As joint, and what a layer has learnt follows what the one above has learnt.",
    ),
    "low_rank_chain": ("Short chain", "The same, by a matrix of low rank."),
}


def families() -> None:
    """The curve's points, a picture and the numbers of every family, and a way to try others."""
    curve, draw = chosen_curve(), chosen_draw()
    key = key_of(curve, draw)
    run = comparison_of(key)
    running(key, "depth_families", "Keeps the forms that are trained.", said_of_step)
    if run is not None and run.problem is not None:
        st.error(plain(run.problem), icon=":material/error:")
    found = ready(curve) if draw == 0 else None if run is None else run.result
    if found is not None:
        st.html(cards(curve, found))
        st.info(plain(said_of(found)), icon=":material/balance:")
    elif run is None:
        st.button(
            "Train all on these points",
            key="depth_families_start",
            type="primary",
            icon=":material/play_arrow:",
            help="A minute or two, in the background.",
            on_click=_begin,
            args=(curve, draw),
        )
    if run is None or run.done:
        st.button(
            "Other points of this curve",
            key="depth_families_other",
            icon=":material/casino:",
            help="Draws new points and trains all anew: a minute or two, in the background.",
            on_click=_other,
            args=(curve, draw),
        )
    about(
        "**What differs.** A deep model cannot be worked out exactly. What is believed of a hidden "
        "layer has to have a form, and these are forms that the sources describe (Damianou 2015; "
        "Chamberlin 2016). All have the same layers, two hidden dimensions, ten inducing inputs "
        f"and {MAX_ITER} iterations.",
        "**Bound.** In nats, higher is better. All of them are bounds on the same evidence, so the "
        "differences mean something: a richer form lies no lower at its best. Training may stop "
        "before that; a form that ends below the marginalised one gives way to it.",
        "**Unseen points.** The logarithm of the density of 200 points of the curve that were not "
        "shown, a point on average. Higher is better.",
        "**One training each** says little: other points may put another form first.",
    )


def chosen_curve() -> str:
    """From the link, and by choice."""
    asked = st.query_params.get("curve")
    usual = asked if asked in CURVES else next(iter(CURVES))
    control = f"families_curve|{usual}"

    def switch() -> None:
        go_to(curve=st.session_state[control])

    st.segmented_control(
        "Curve",
        list(CURVES),
        format_func=lambda name: CURVES[name].title,
        default=usual,
        required=True,
        key=control,
        on_change=switch,
        label_visibility="collapsed",
    )
    return usual


def chosen_draw() -> int:
    """Which points of the curve; 0: those of the ready results."""
    number = whole_number(st.query_params.get("points"))
    draw = 0 if number is None else min(max(number, 0), MOST_DRAWS)
    if draw:
        keep_in_link(points=str(draw))
    return draw


@st.cache_data(show_spinner=False)
def ready(curve: str) -> FamilyFits:
    """Trained beforehand (assets/depth/train.py)."""
    return unpack_families((READY / f"{curve}_families.bin").read_bytes())


def key_of(curve: str, draw: int) -> str:
    return f"families|{curve}|{draw}"


def _begin(curve: str, draw: int) -> None:
    def task(callback: Callable[[FamilyStep], None]) -> FamilyFits:
        return family_fits(CURVES[curve], CURVES[curve].seed + draw, callback)

    begin_comparison(key_of(curve, draw), task)


def _other(curve: str, draw: int) -> None:
    go_to(curve=curve, points=str(draw + 1))
    _begin(curve, draw + 1)


def said_of_step(step: FamilyStep) -> str:
    """Which form is being trained."""
    return f"Training: {named(step.family)}"


def named(family: str) -> str:
    return FAMILIES[family][0] if family in FAMILIES else family


def said_of(found: FamilyFits) -> str:
    """Which form has the highest bound and which foresees unseen points best."""
    fits = found.fits
    usual = next((fit for fit in fits if fit.family == "marginalised"), None)
    if usual is None or len(fits) < 3:
        return "Ended before enough of them were trained to compare."
    best, seer = (max(fits, key=lambda fit: getattr(fit, what)) for what in ("bound", "score"))
    gain, sight = best.bound - usual.bound, seer.score - usual.score
    if gain < 0.1 and sight < 0.01:
        return "On these points all forms come to the same: the plain one is enough."
    words = (
        f"{named(best.family)} has the highest bound, {gain:.1f} nats above the marginalised one."
        if gain >= 0.1
        else "No form has a bound that is higher than the marginalised one by a tenth of a nat."
    )
    if sight < 0.01:
        return f"{words} On unseen points nothing is gained by any."
    return f"{words} {named(seer.family)} foresees unseen points best, by {sight:.2f} nats a point."


def cards(curve: str, found: FamilyFits) -> str:
    """One card a family: its curve with the band, and the numbers."""
    shown = np.concatenate([found.y, *(each for fit in found.fits for each in (fit.low, fit.high))])
    low, high = float(np.quantile(shown, 0.01)), float(np.quantile(shown, 0.99))
    margin = 0.08 * (high - low)
    window = (low - margin, high + margin)
    truth = CURVES[curve].function(GRID)
    return (
        '<div class="mf-families">'
        + "".join(card(fit, found.x, found.y, truth, window) for fit in found.fits)
        + "</div>"
    )


def card(fit: FamilyFit, x: Array, y: Array, truth: Array, window: tuple[float, float]) -> str:
    name, words = FAMILIES.get(fit.family, (fit.family, ""))
    facts = [
        f"bound {fit.bound:.1f} nats",
        f"unseen {fit.score:.2f} nats a point",
        f"{percent(fit.inside)} inside the band",
        f"{fit.seconds:.1f} s of computing",
        *([fit.note] if fit.note else []),
    ]
    return (
        f"<figure><figcaption><b>{escape(name)}</b> {escape(words)}</figcaption>"
        f"{picture(fit, x, y, truth, window, name)}"
        f'<small class="mf-facts">{escape(" · ".join(facts).replace("-", "−"))}</small></figure>'
    )


def picture(
    fit: FamilyFit, x: Array, y: Array, truth: Array, window: tuple[float, float], name: str
) -> str:
    """The band, the median, the truth and the points, in tones for light and dark pages."""

    def line(across: Array, up: Array) -> list[str]:
        right = EDGE + (across - LEFT) / (RIGHT - LEFT) * (WIDTH - 2 * EDGE)
        share = np.clip((up - window[0]) / (window[1] - window[0]), -0.2, 1.2)
        height = HEIGHT * (1.0 - share)
        return [f"{a:.1f},{b:.1f}" for a, b in zip(right, height, strict=True)]

    def stroke(up: Array, colour: str, width: int) -> str:
        points = " ".join(line(GRID, up))
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>'

    band = " ".join(line(GRID, fit.low) + line(GRID, fit.high)[::-1])
    dots = "".join(
        f'<circle cx="{across}" cy="{up}" r="2.4" fill="{COLOURS[5]}"/>'
        for across, _, up in (at.partition(",") for at in line(x, y))
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<polygon points="{band}" fill="{COLOURS[4]}" fill-opacity=".3"/>'
        f"{stroke(truth, FAINT, 1)}{stroke(fit.middle, COLOURS[0], 2)}{dots}</svg>"
    )
    words = f"{name}: the points, the median and the band that should hold 95 % of new points"
    return f'<img src="data:image/svg+xml,{quote(svg)}" alt="{escape(words)}">'
