"""Tests of formatted numbers: never "−0", and "100 %" only for exactly one."""

import pytest

from pages.ui.shared.words import percent, whole


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.2, "0"), (0.4, "0"), (-5595244.2, "−5,595,244"), (1234.5, "1,234"), (-0.51, "−1")],
)
def test_a_whole_number_has_a_true_minus_and_never_one_before_zero(value: float, text: str) -> None:
    assert whole(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (0.001, "under 1 %"),
        (0.0099, "under 1 %"),
        (0.93, "93 %"),
        (0.9949, "99 %"),
        (0.995, "99.5 % or more"),
        (1.0, "99.5 % or more"),
    ],
)
def test_a_share_is_never_all(share: float, text: str) -> None:
    assert percent(share) == text
