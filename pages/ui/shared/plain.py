"""Text that was not written here, shown as text: names, titles, labels, notes, errors, links."""

import re

from gplvm_core.readers import DataError

# Read by Streamlit's Markdown or, like a line's beginning, only in some places. Punctuation that
# no rule reads is left alone.
MARKS = re.compile(r"[\\`*_\[\]<>$~#|&]")
SPACES = re.compile(r"[^\S\u00a0]+")  # all but the one at which no line breaks
LINE_MARKS = re.compile(r"^([-+]|\d+(?=[.)]))")
# Read once more after the marks: icons, emojis, addresses, arrows. An invisible joint parts them.
JOINT = "\u2060"
TWICE_READ = re.compile(r":(?=\S)(?<!\d:(?=\d))|(?<=[wW]{3})(?=\.)|@(?=\w)|[-<](?=[->])")


def plain(text: object) -> str:
    r"""As Markdown that shows exactly that, in one line.

    >>> plain("![a](http://b)")
    '!\\[a\\](http:\u2060//b)'
    """
    # Halves of characters, which damaged text may have, cannot be sent.
    words = (
        text.plain if isinstance(text, DataError) else text
    )  # what helps in a script helps there
    line = SPACES.sub(" ", str(words).encode("utf-8", "replace").decode()).strip()
    parted = TWICE_READ.sub(lambda found: found[0] + JOINT, line)
    marked = MARKS.sub(lambda found: "\\" + found[0], parted)
    return LINE_MARKS.sub(lambda found: _at_the_beginning(found[0]), marked)


def _at_the_beginning(mark: str) -> str:
    """A line that begins with it is no list."""
    return mark + JOINT if mark.isdigit() else "\\" + mark
