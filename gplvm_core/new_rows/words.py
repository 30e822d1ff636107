"""The reasons for odd rows, in sentences."""

from math import floor, log10

from gplvm_core.new_rows.answers import Reason
from gplvm_core.new_rows.reasons import ORDINARY
from gplvm_core.readers.errors import in_digits


def sentence_of(reason: Reason, column_name: str, unit: str = "") -> str:
    """Say what was given, what was expected, and what would fit."""
    unit = f" {unit}" if unit else ""
    given = f"{in_digits(reason.given, 6)}{unit}"
    if reason.std == 0.0:
        expected = f"“{column_name}” was {in_digits(reason.expected, 6)}{unit} in every known row"
    else:
        # Two digits of the standard deviation; at least three of the prediction.
        size = max(abs(reason.expected), reason.std)
        digits = max(3, 2 + floor(log10(size)) - floor(log10(reason.std)))
        expected = (
            f"Given its other columns, “{column_name}” would be {reason.expected:.{digits}g} ± "
            f"{reason.std:.2g}{unit}"
        )
    p = f"p = {reason.p_without:.2g}"
    rest = "ordinary" if reason.p_without > ORDINARY else "still odd"
    sentences = [f"{expected}; it is {given}.", f"Without it the row is {rest} ({p})."]
    if reason.hint is not None:
        slip = "of the decimal point" if reason.kind == "decimal" else "of the sign"
        sentences.append(f"A slip {slip}? {in_digits(reason.hint, 6)}{unit} would fit.")
    return " ".join(sentences)
