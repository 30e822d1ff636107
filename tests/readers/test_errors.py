"""Tests of the words in messages."""

import pytest

from gplvm_core.readers.errors import DataError, in_digits, told


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (66_880.4, 4, "66,880"),
        (1234.5, 4, "1234"),
        (1234.5, 6, "1234.5"),
        (-2.5e6, 3, "-2,500,000"),
        (0.00012, 3, "0.00012"),
        (0.0, 4, "0"),
        (3e12, 4, "3 × 10¹²"),
        (1e-6, 1, "1 × 10⁻⁶"),
        (float("nan"), 4, "nan"),
    ],
)
def test_numbers_in_messages_have_no_exponent_below_a_billion(value, digits, text):
    assert in_digits(value, digits) == text


def test_a_page_is_told_the_message_without_the_sentence_for_scripts():
    assert told(DataError("no row", script="Pass rows=.")) == "no row"
    assert told(ValueError("odd")) == "odd" and told(KeyError()) == "KeyError"
