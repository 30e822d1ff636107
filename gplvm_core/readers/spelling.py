"""Which known word a word probably means."""

import difflib
import re
from collections.abc import Sequence

ALIKE = 0.75  # similarity of two words, from 0 to 1
SHORTEST = 4  # shorter words that differ are seldom slips
# Spaces between digits, and signs beside digits or at the end, may be part of the meaning: "1 2",
# "T-1", "A+".
SPACES = re.compile(r"(?<!\d)[\s_]+|[\s_]+(?!\d)")
BETWEEN = re.compile(r"(?<=[^\W\d_])[-.,;:/'’]+(?=[^\W\d_])|[.,;:!]+$")


def bare(word: str) -> str:
    """Return a word without case, spaces, and punctuation between letters; never empty."""
    found = SPACES.sub("", " ".join(word.casefold().split()))
    return BETWEEN.sub("", found) or word


def meant(word: str, known: Sequence[str]) -> str | None:
    """Return the known word with the same letters, or the one with few other letters; else None."""
    same = [each for each in known if bare(each) == bare(word)]
    plain = " ".join(word.casefold().split())
    if same or len(plain) < SHORTEST or not plain.isalpha():
        return next(iter(same), None)
    letters = {each.casefold(): each for each in known}
    near = difflib.get_close_matches(plain, letters, 1, ALIKE)
    return letters[near[0]] if near else None
