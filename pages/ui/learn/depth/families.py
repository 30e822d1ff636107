"""The approximations of a deep posterior (variational families), side by side on one curve."""

from collections.abc import Callable
from html import escape
from urllib.parse import quote

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.comparison import Step
from gplvm_core.figures.palette import COLOURS, FAINT
from gplvm_core.lessons.bend import CURVES, GRID, LEFT, RIGHT
from gplvm_core.lessons.families import (
    MAX_ITER,
    FamilyFit,
    FamilyFits,
    family_fits,
    unpack_families,
)
from gplvm_core.training import begin_comparison
from pages.ui.learn.depth.bend import READY
from pages.ui.shared.about import about
from pages.ui.shared.families import FAMILIES
from pages.ui.shared.inputs import one_of
from pages.ui.shared.link import go_to, keep_in_link, whole_number
from pages.ui.shared.plain import plain
from pages.ui.shared.running import ended, running
from pages.ui.shared.words import percent

MOST_DRAWS = 10**6
WIDTH, HEIGHT, EDGE = 300, 170, 6  # size of a curve's picture in pixels

HERE = "Here the inputs are known, so this adds nothing."
UNHELPFUL = ("diagonal", "full")  # these depend on inputs, which are known on the curve


def families() -> None:
    """Show a card for every family on the chosen curve, and a button for other points."""
    curve, draw = chosen_curve(), chosen_draw()
    key = key_of(curve, draw)
    running(key, "depth_families", "Shows the approximations that are already trained.", step_words)
    run = ended(key)
    found = ready(curve) if draw == 0 else None if run is None else run.result
    if found is not None:
        st.html(cards(curve, found))
        st.info(plain(verdict(found)), icon=":material/balance:")
    elif run is None:
        st.button(
            "Train all",
            key="depth_families_start",
            type="primary",
            icon=":material/play_arrow:",
            help="Trains all approximations on these points; takes a minute or two, in the "
            "background.",
            on_click=_begin,
            args=(curve, draw),
        )
    if run is None or run.done:
        st.button(
            "Other points",
            key="depth_families_other",
            icon=":material/casino:",
            help="Draws new points and trains all approximations again; takes a minute or two, "
            "in the background.",
            on_click=_other,
            args=(curve, draw),
        )
    about(
        "**What differs.** The exact posterior of a deep model cannot be computed, so each "
        "approximation assumes a form (Damianou 2015; Chamberlin 2016). All models have the same "
        f"layers, two hidden dimensions, ten inducing inputs and {MAX_ITER} iterations.",
        "**Bound.** A lower bound on the evidence, in nats; higher is better. All approximations "
        "have the same evidence, so their bounds are comparable. If a richer form ends below the "
        "marginalised fit, the marginalised fit is used.",
        "**Unseen points.** The mean log density of 200 points of the curve that were not used "
        "for training. Higher is better.",
        "**One training** of each approximation proves little: on other points another one may "
        "be best.",
    )


def chosen_curve() -> str:
    """Return the curve from the link, and show the control that changes it."""
    wanted = st.query_params.get("curve")
    usual = wanted if wanted in CURVES else next(iter(CURVES))
    control = f"families_curve|{usual}"

    def switch() -> None:
        go_to(curve=st.session_state[control])

    titles = {name: curve.title for name, curve in CURVES.items()}
    one_of("Curve", titles, control, usual=usual, lasts=False, hidden=True, on_change=switch)
    return usual


def chosen_draw() -> int:
    """Return the number of the random draw of points; the results of draw 0 are shipped."""
    number = whole_number(st.query_params.get("points"))
    draw = 0 if number is None else min(max(number, 0), MOST_DRAWS)
    if draw:
        keep_in_link(points=str(draw))
    return draw


@st.cache_data(show_spinner=False)
def ready(curve: str) -> FamilyFits:
    """Read the shipped results; assets/depth/train.py wrote them."""
    return unpack_families((READY / f"{curve}_families.bin").read_bytes())


def key_of(curve: str, draw: int) -> str:
    return f"families|{curve}|{draw}"


def _begin(curve: str, draw: int) -> None:
    def task(callback: Callable[[Step], None]) -> FamilyFits:
        return family_fits(CURVES[curve], CURVES[curve].seed + draw, callback)

    begin_comparison(key_of(curve, draw), task)


def _other(curve: str, draw: int) -> None:
    go_to(curve=curve, points=str(draw + 1))
    _begin(curve, draw + 1)


def step_words(step: Step) -> str:
    """Name the family that is being trained."""
    return f"Training: {named(step.name)}"


def named(family: str) -> str:
    return FAMILIES[family][0] if family in FAMILIES else family


def verdict(found: FamilyFits) -> str:
    """Name the family with the highest bound and the one that predicts unseen points best."""
    fits = found.fits
    usual = next((fit for fit in fits if fit.family == "marginalised"), None)
    if usual is None or len(fits) < 3:
        return "Stopped too early for a comparison."
    best, predictor = (max(fits, key=lambda fit: getattr(fit, what)) for what in ("bound", "score"))
    gain, lead = best.bound - usual.bound, predictor.score - usual.score
    if gain < 0.1 and lead < 0.01:
        return "All approximations are equally good on these points, so the default is enough."
    words = (
        f"{named(best.family)} has the highest bound, {gain:.1f} nats above the marginalised "
        "approximation."
        if gain >= 0.1
        else "The marginalised approximation has the highest bound, or nearly so."
    )
    if lead < 0.01:
        return f"{words} None of the approximations predicts unseen points better than the others."
    return (
        f"{words} {named(predictor.family)} predicts unseen points best, {lead:.2f} nats a point "
        "better than the marginalised approximation."
    )


def cards(curve: str, found: FamilyFits) -> str:
    """Return HTML with a card for each family: its curve with the band, and its scores."""
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
    if fit.family in UNHELPFUL:
        words = f"{words} {HERE}"
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
    """Return the band, median, truth and points as SVG, in colours for light and dark pages."""

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
    words = f"{name}: the points, the median and the 95 % band of new points"
    return f'<img src="data:image/svg+xml,{quote(svg)}" alt="{escape(words)}">'
