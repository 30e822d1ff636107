"""Escapes untrusted text for Markdown: names, titles, labels, notes, errors, links."""

import re

from gplvm_core.readers import DataError

# Characters that Streamlit's Markdown interprets, some only at the start of a line. Other
# punctuation is unchanged.
MARKS = re.compile(r"[\\`*_\[\]<>$~#|&]")
SPACES = re.compile(r"[^\S\u00a0]+")  # all spaces except the non-breaking one
LINE_MARKS = re.compile(r"^([-+]|\d+(?=[.)]))")
# After parsing the Markdown, Streamlit replaces these patterns: icons, emojis, addresses, arrows. A
# word joiner prevents the replacement.
JOINT = "\u2060"
TWICE_READ = re.compile(r":(?=\S)(?<!\d:(?=\d))|(?<=[wW]{3})(?=\.)|@(?=\w)|[-<](?=[->])")


def plain(text: object) -> str:
    r"""Return Markdown that shows exactly this text, in one line.

    >>> plain("![a](http://b)")
    '!\\[a\\](http:\u2060//b)'
    """
    # Damaged text may contain single surrogates, which cannot be sent. A DataError may contain
    # advice for scripts; such advice does not help on a page.
    words = text.plain if isinstance(text, DataError) else text
    line = SPACES.sub(" ", str(words).encode("utf-8", "replace").decode()).strip()
    parted = TWICE_READ.sub(lambda found: found[0] + JOINT, line)
    marked = MARKS.sub(lambda found: "\\" + found[0], parted)
    return LINE_MARKS.sub(lambda found: _at_the_beginning(found[0]), marked)


def _at_the_beginning(mark: str) -> str:
    """Escape a hyphen at the start, so that the line is not a list."""
    return mark + JOINT if mark.isdigit() else "\\" + mark
