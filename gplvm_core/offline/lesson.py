"""Write stops of a lesson to one HTML file, with the pictures of some settings of every stop."""

import gzip
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gplvm_core.offline.page import content, page
from gplvm_core.offline.scripts import asset
from gplvm_core.readers.tables.csv_text import html_text
from gplvm_core.wire.frame import frame


@dataclass(frozen=True)
class StopPictures:
    """A stop of the file.

    texts: Markdown paragraphs above the figure and below it; note: Markdown paragraphs for
    teachers; controls: descriptions for the browser; states, pictures: settings with their packed
    pictures, the first is the initial one; together: whether every combination of settings has a
    picture, so that a change of a control keeps the other controls.
    """

    name: str
    title: str
    above: Sequence[str]
    below: Sequence[str]
    note: Sequence[str]
    controls: Sequence[Mapping[str, Any]]
    states: Sequence[Mapping[str, Any]]
    pictures: Sequence[bytes]
    together: bool


def offline_lesson(stops: Sequence[StopPictures], title: str, notes: Sequence[str]) -> str:
    """Return the text of the file; notes: sentences at its end."""
    sections, contents = [], []
    for number, stop in enumerate(stops, 1):
        header = {
            "stop": stop.name,
            "controls": list(stop.controls),
            "states": list(stop.states),
            "together": stop.together,
        }
        pictures = {
            f"picture{at}": np.frombuffer(each, np.uint8) for at, each in enumerate(stop.pictures)
        }
        packed = gzip.compress(frame(header, pictures), 6, mtime=0)
        contents.append(content(f"stop-{stop.name}", packed, {}))
        sections.append(
            f'<section class="lesson-stop" data-stop="{stop.name}">'
            f"<h2>{number}. {html_text(stop.title)}</h2>{_paragraphs(stop.above)}"
            f"{asset('learn/lesson.html')}{_paragraphs(stop.below)}"
            f"<details><summary>For teachers</summary>{_paragraphs(stop.note)}</details></section>"
        )
    return page(
        "offline/lesson.js",
        title,
        ("learn/learn.css", "offline/lesson.css"),
        "\n".join(sections),
        "\n".join(contents),
        notes,
    )


def _paragraphs(texts: Sequence[str]) -> str:
    """Return paragraphs of HTML from Markdown with bold and italic words."""
    found = []
    for text in texts:
        bold = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html_text(text))
        italic = re.sub(r"\*(.+?)\*", r"<i>\1</i>", bold)
        found.append(f"<p>{italic}</p>")
    return "".join(found)
