"""Which columns make a row odd, also in sentences.

The search hides the value that is most surprising given the row's other values. The search repeats
this step until the rest of the row is ordinary. A row that is still odd after three columns are
hidden is odd as a whole.
"""

from math import floor, log10

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.mixtures import Gaussians
from gplvm_core.new_rows.answers import Reason, Slip
from gplvm_core.numerics import Array
from gplvm_core.prediction.intervals import NORMAL
from gplvm_core.prediction.typicality import Scores, Typicality
from gplvm_core.readers.errors import in_digits

# A row is odd if its p-value, or the p-value of its most surprising value, is at most this.
ORDINARY = 0.05
MOST_REASONS = 3
# A corrected value fits if it is within FITS standard deviations of its prediction. The standard
# deviation must be below SHARP times the value, because almost any small number fits a wide
# interval.
FITS, SHARP = 3.0, 0.25
SHIFTS = (10.0, 0.1, 100.0, 0.01, 1000.0, 0.001)


def reasons_of(
    density: Gaussians, known: Typicality, rows: Float[Array, "n D"], scores: Scores
) -> list[tuple[Reason, ...]]:
    """Return the reasons for each row. scores: the scores of the rows."""
    found: list[list[Reason]] = [[] for _ in rows]
    rows, active = rows.copy(), np.flatnonzero(_odd(known, scores, rows))
    scores = scores.rows(active)
    for _ in range(MOST_REASONS):
        if not len(active):
            break
        columns = scores.most_surprising
        far = columns >= 0
        active, columns, scores = active[far], columns[far], scores.rows(np.flatnonzero(far))
        here = np.arange(len(active)), columns
        given, rest = rows[active, columns], scores.conditionals
        new = scores.strange[here]
        expected = np.where(new, known.only[columns], rest.expected[here])
        std = np.where(new, 0.0, rest.std[here])
        rows[active, columns] = np.nan
        some = ~np.isnan(rows[active]).all(axis=1)
        active, columns = active[some], columns[some]
        given, expected, std = given[some], expected[some], std[some]
        scores = Scores.of(density, rows[active], known.only)
        p, _ = known.p_values(scores, rows[active])
        for at, row in enumerate(active):
            hint, kind = hint_of(given[at], expected[at], std[at])
            own = float(given[at]), float(expected[at]), float(std[at])
            found[row].append(Reason(int(columns[at]), *own, hint, kind, float(p[at])))
        odd = _odd(known, scores, rows[active])
        active, scores = active[odd], scores.rows(np.flatnonzero(odd))
    for row in active:  # three columns are not enough
        found[row] = []
    return [tuple(own) for own in found]


def hint_of(given: float, expected: float, std: float) -> tuple[float | None, Slip | None]:
    """Return the value with a corrected decimal point or sign, if it then fits the prediction."""
    candidates: list[tuple[float, Slip]] = [(-given, "sign")]
    candidates += [(shift * given, "decimal") for shift in SHIFTS]
    fitting = [
        (abs(value - expected), value, kind)
        for value, kind in candidates
        if abs(value - expected) <= FITS * std and std < SHARP * abs(value)
    ]
    if not fitting:
        return None, None
    _, value, kind = min(fitting)
    return float(f"{value:.12g}"), kind


def _odd(known: Typicality, scores: Scores, rows: Float[Array, "n D"]) -> NDArray[np.bool_]:
    return np.minimum(*known.p_values(scores, rows)) <= ORDINARY


def given_of(reason: Reason, digits: int = 4) -> str:
    """The row's value or word."""
    return in_digits(reason.given, digits) if reason.words is None else reason.words[0]


def expected_of(reason: Reason) -> str:
    """The 95 % interval of the expected value, its value if it never varied, or the likely word."""
    if reason.words is not None:
        return f"{reason.words[1]} ({100.0 * reason.chance:.0f} %)"
    if reason.std == 0.0:
        return in_digits(reason.expected)
    # The decimals that are needed for two digits of the standard deviation.
    decimals = max(1 - floor(log10(reason.std)), 0)
    low, high = (reason.expected + sign * NORMAL * reason.std for sign in (-1.0, 1.0))
    return f"{low:.{decimals}f} to {high:.{decimals}f}"


def sentence_of(reason: Reason, column_name: str) -> str:
    """Say what was given, what was expected, and what would fit."""
    given = given_of(reason, 6)
    if reason.std == 0.0:
        expected = f"“{column_name}” was {in_digits(reason.expected, 6)} in every known row"
    else:
        expected = f"Given its other columns, “{column_name}” would be {expected_of(reason)}"
    p = f"p = {reason.p_without:.2g}"
    rest = "ordinary" if reason.p_without > ORDINARY else "still odd"
    sentences = [f"{expected}; it is {given}.", f"Without it the row is {rest} ({p})."]
    if reason.hint is not None:
        slip = "of the decimal point" if reason.kind == "decimal" else "of the sign"
        sentences.append(f"A slip {slip}? {in_digits(reason.hint, 6)} would fit.")
    return " ".join(sentences)
