"""Tests of the sentences about calibrated intervals on pages."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from gplvm_core.prediction.intervals import Asked, Intervals, Widening
from pages.ui.shared.catalogue import calibration_in_words
from pages.ui.shared.intervals import FORECAST, GAPS, inside_in_words, learning_in_words, of_film


def factors(asked: Asked, inside: float) -> Widening:
    return Widening(asked, np.ones(2), 0.5, inside, 100, 5)


def test_a_page_says_how_many_held_out_values_were_inside() -> None:
    film = Asked("transfer", "pose", ("silhouette",), "nearest", timed=True)
    each = [factors(film, 0.934), factors(GAPS[0], 0.951), factors(GAPS[1], 0.94)]
    model = SimpleNamespace(intervals_=Intervals(tuple(each)))
    assert inside_in_words(model, of_film("silhouette", "pose")) == (
        "Error bars: 93 % of held-out values inside (95 % promised)."
    )
    assert inside_in_words(model, GAPS) == (
        "Error bars: 95 % of held-out values inside in hidden rows, 94 % in partly hidden rows "
        "(95 % promised)."
    )


def test_a_page_is_silent_about_intervals_that_were_not_calibrated() -> None:
    unjudged = Intervals((factors(FORECAST[0], np.nan),))
    for found in (None, Intervals(()), unjudged):
        assert inside_in_words(SimpleNamespace(intervals_=found), FORECAST) == ""
    assert inside_in_words(SimpleNamespace(), FORECAST) == ""


def test_a_page_says_when_new_sequences_update_the_mapping() -> None:
    values = GAPS[1]
    each = [factors(values, 0.94), factors(replace(values, adapted=True), 0.96)]
    fixed = SimpleNamespace(intervals_=Intervals(tuple(each)))
    updated = SimpleNamespace(intervals_=Intervals(tuple(each), (values,)))
    assert learning_in_words(fixed, GAPS) == "" == learning_in_words(SimpleNamespace(), GAPS)
    assert "also learns from the given rows" in learning_in_words(updated, GAPS)
    assert "96 % of held-out values" in inside_in_words(updated, [values])
    # A training sequence does not update the mapping, which already knows it.
    assert "94 % of held-out values" in inside_in_words(updated, [values], new=False)


def test_a_card_says_one_range_for_all_views_that_may_be_missing() -> None:
    words = "Error bars: 91\u00a0% of unseen values inside (95\u00a0% promised)"
    assert spaced(calibration_in_words({"inside": 0.91, "rows": 60})) == spaced(words)
    views = {"inside": 0.91, "inside_arms": 0.91, "inside_trunk": 0.84, "rows": 60}
    expected = f"{words}, 84 % to 91 % if a whole view is missing"
    assert spaced(calibration_in_words(views)) == spaced(expected)
    assert "unseen block" in calibration_in_words({"inside_gap": 0.92})


def spaced(words: str) -> str:
    return words.replace("\u00a0", " ")
