"""What a page says about the intervals of a model: how many held-out values were inside."""

from collections.abc import Sequence
from typing import Any

from gplvm_core.prediction.intervals import Asked, Intervals
from pages.ui.shared.words import percent

FORECAST = (Asked("forecast"),)
GAPS = (Asked("frames"), Asked("values"))
WORDS = {"frames": "whole frames", "values": "parts of frames"}


def of_film(given: str, to: str) -> tuple[Asked, ...]:
    """The question of a film: a view from another one, over time."""
    return (Asked("transfer", to, (given,), "nearest", timed=True),)


def inside_in_words(model: Any, asked: Sequence[Asked]) -> str:
    """The shares inside calibrated intervals; "" for a model that was not calibrated for this."""
    intervals: Intervals | None = getattr(model, "intervals_", None)
    found = [] if intervals is None else [intervals.of(each) for each in asked]
    shares = [
        f"{percent(own.inside)} inside" + (f" ({WORDS[own.asked.what]})" if len(asked) > 1 else "")
        for own in found
        if own is not None and own.inside == own.inside
    ]
    if not shares:
        return ""
    return f"95 % intervals, in held-out rows: {', '.join(shares)}; 95 % promised."
