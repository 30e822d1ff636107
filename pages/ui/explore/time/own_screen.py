"""A visitor's sequence with its gaps filled: the sentence about it, the player, the exports."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.comparison.gaps_in_time import Checked, hidden_like_gaps, share_inside
from gplvm_core.datasets import Dataset
from gplvm_core.figures.cells import column_std
from gplvm_core.prediction.paths import StepCallback
from gplvm_core.readers.errors import plural
from gplvm_core.wire.sequence import Cue, Reel
from pages.ui.explore.inference import filling
from pages.ui.explore.time.export import export
from pages.ui.explore.time.model import completed, filled, step_word
from pages.ui.explore.time.own import OwnSequence, gap_of
from pages.ui.explore.time.screen import OnScreen, before, screen
from pages.ui.explore.time.series import series
from pages.ui.explore.time.tables import deviates
from pages.ui.shared.catalogue import Item
from pages.ui.shared.intervals import GAPS, inside_in_words, learning_in_words
from pages.ui.shared.plain import plain
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import percent

LEAD_IN = 5  # known frames that are played before the filled ones
NARROW = 1.05  # intervals are widened only if their factor exceeds this


STOPPED = "stopped"
DOING = {
    "fill": "Filling the gaps along time …",
    "check": "Checking the intervals: given values are hidden like the gaps, and filled …",
}
# The result of the check; None if no given values can be hidden like the gaps.
Check = tuple[Checked | None]


def show_own(item: Item, name: str, own: OwnSequence) -> None:
    """Fill the gaps, then check the intervals on given values; show every finished part."""
    last, gap = before(name), gap_of(item.dataset, own)
    with st.container():
        said, work = st.empty(), st.container()
        task = partial(filled, item.model, item.dataset, gap)
        with work:
            reel = _answer(name, "fill", "Fill it in", own, task)
        check = None if reel is None else check_at_once(item.dataset, own, reel)
        if reel is not None and check is None:
            with work:
                checking = partial(check_of, item.model, item.dataset, own, reel.by_rule)
                check = _answer(name, "check", "Check the intervals", own, checking)
        if reel is not None:
            said.markdown(summary(item, own, check, reel))
    shown, state = (gap, "open") if reel is None else (reel, "filled")
    factor = widening(own, check)
    if reel is not None and factor > 1.0:
        shown, state = widened(reel, factor), "checked"
    seen = OnScreen("own", own.question, f"{own.question} {state}")
    with st.container(gap=None):
        screen(item, name, shown, seen, _cue(shown, seen, last))
    series(item, name, shown)
    export(item, shown, seen.id, own)


def _answer(
    name: str, stage: str, again: str, own: OwnSequence, task: Callable[[StepCallback], Any]
) -> Any:
    """Return the result of a stage; None while it runs, after an error, and after a cancel."""
    place = f"time_own_{stage}|{name}"
    kept = st.session_state.get(place)
    if kept is not None and kept[0] == own.question:
        if kept[1] is not STOPPED:
            return kept[1]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("Cancelled.", width="content")
            if st.button(again, key=f"{place}|again"):
                st.session_state.pop(place)
                st.rerun(scope="fragment")
        return None
    stop = partial(st.session_state.update, {place: (own.question, STOPPED)})
    told = st.empty()
    told.caption(DOING[stage])
    found = None
    with errors_told():
        found = filling(f"{own.question}|{stage}", task, stop)
    if found is not None:
        told.empty()
        st.session_state[place] = (own.question, found)
    return found


def check_at_once(dataset: Dataset, own: OwnSequence, reel: Reel) -> Check | None:
    """Return the check on values that the visitor hid; it needs no further inference."""
    if own.hidden.any():
        shown = reel.panels[0]
        assert shown.std is not None
        hidden = own.hidden & judged(dataset)
        return (share_inside(shown.values, shown.std, own.given, hidden),)
    return None if _to_hide(dataset, own, reel.by_rule) is not None else (None,)


def check_of(
    model: Any, dataset: Dataset, own: OwnSequence, by_rule: Array, callback: StepCallback
) -> Check:
    """Hide given values in gaps of the same shape, fill them; return the share inside intervals.

    by_rule: rows that a rule filled, whose intervals were checked when it was chosen.
    """
    hidden = _to_hide(dataset, own, by_rule)
    assert hidden is not None
    seen = np.where(hidden, np.nan, own.seen)
    found = completed(model, dataset, seen, own.times, callback)
    return (share_inside(found.values, found.std, own.given, hidden & judged(dataset)),)


def _to_hide(dataset: Dataset, own: OwnSequence, by_rule: Array) -> Array | None:
    hidden = hidden_like_gaps(np.where(by_rule[:, None], 0.0, own.seen))
    return None if hidden is None or not (hidden & judged(dataset)).any() else hidden


def judged(dataset: Dataset) -> Array:
    """Return which columns (D,) have intervals and vary in the training data."""
    kinds = [not dataset.columns or deviates(dataset, d) for d in range(dataset.n_outputs)]
    return np.asarray(kinds) & (column_std(dataset.values) > 0.0)


def summary(item: Item, own: OwnSequence, check: Check | None, reel: Reel) -> str:
    """Describe how many values were filled, and what the check found about their intervals.

    check: None until the check has ended.
    """
    missing = np.isnan(own.seen)
    frames = plural(len(missing), step_word(item.dataset))
    if not missing.any():
        return (
            f"No value is missing in these {frames}, so nothing was filled. Choose a part under "
            "*Also hide* to see how well the model fills it."
        )
    words = (
        f"**{missing.sum():,} of {plural(missing.size, 'value')} were filled**, in "
        f"{missing.any(axis=1).sum():,} of {frames}."
    )
    learning = learning_in_words(item.model, GAPS)
    words = " ".join(filter(None, (words, learning, plain(reel.note))))
    if check is None or (reel.by_rule | ~missing.any(axis=1)).all():
        return words
    (found,) = check
    if found is None:
        return f"{words} {unchecked(item)}"
    share = f"{percent(found.inside)} of them are inside their 95 % intervals"
    if own.hidden.any():
        return f"{words} You hid {plural(found.count, 'known value')}: {share}."
    words += f" Check: of {plural(found.count, 'given value')}, hidden in the same way, "
    factor = widening(own, check)
    share = f"{percent(found.inside)} are inside their 95 % intervals"
    if factor == 1.0:
        return f"{words}{share}."
    return f"{words}{share}. The model's intervals were widened {factor:.2g} times; then 95 % are."


def widening(own: OwnSequence, check: Check | None) -> float:
    """Return the factor of the standard deviations; 1 without a check on given values."""
    found = None if check is None or own.hidden.any() else check[0]
    return found.factor if found is not None and found.factor > NARROW else 1.0


def widened(reel: Reel, factor: float) -> Reel:
    """Return the sequence with the model's standard deviations multiplied by the factor."""
    factors = np.where(reel.by_rule, 1.0, factor)
    panels = tuple(
        panel if panel.std is None else replace(panel, std=factors[:, None] * panel.std)
        for panel in reel.panels
    )
    spread = None if reel.spread is None else factors * reel.spread
    return replace(reel, panels=panels, spread=spread)


def unchecked(item: Item) -> str:
    """Describe the coverage on held-out training rows, for a sequence that allows no check."""
    words = "The intervals could not be checked here: too few given values can be hidden like them."
    promised = inside_in_words(item.model, GAPS)
    return f"{words} {promised} In this sequence it may be fewer." if promised else words


def _cue(shown: Reel, seen: OnScreen, last: OnScreen | None) -> Cue:
    """Return where to start: a new result plays once, from just before its first filled frame."""
    if last is not None and last.sequence == seen.sequence and not last.id.endswith(" open"):
        return Cue()
    new = np.flatnonzero(shown.hidden)
    start = float(shown.times[max(new[0] - LEAD_IN, 0)] if len(new) else shown.times[0])
    return Cue(start, play=shown.spread is not None)
