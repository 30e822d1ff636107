"""Build an HTML file that contains its scripts, styles and data, and fetches nothing."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from html import escape
from string import Template

from gplvm_core.offline.scripts import asset, script
from gplvm_core.readers.tables.csv_text import html_text


def page(
    entry: str, title: str, styles: Sequence[str], body: str, contents: str, notes: Sequence[str]
) -> str:
    """Return the text of the file.

    entry: the first script; styles: stylesheets in addition to those of the kit; body: HTML that
    the scripts fill; contents: elements with bytes, see `content`; notes: sentences at the end of
    the page.
    """
    code = f'(() => {{\n"use strict";\n{script(entry)}\n}})();'
    return Template(asset("offline/offline.html")).substitute(
        digest=_digest(code),
        title=html_text(title),
        styles=asset("offline/offline.css", "kit/kit.css", *styles),
        body=body,
        contents=contents,
        notes="\n".join(f"<p>{html_text(note)}</p>" for note in notes if note),
        script=code,
    )


def content(identifier: str, data: bytes, facts: Mapping[str, str]) -> str:
    """Return an HTML element that contains bytes; facts: its data-… attributes."""
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in facts.items())
    text = base64.b64encode(data).decode()
    return f'<script type="application/octet-stream" id="{identifier}"{attributes}>{text}</script>'


def _digest(code: str) -> str:
    """Return the script's hash for the page's content security policy, which allows no other
    script.
    """
    if "</script" in code.lower() or "<!--" in code:
        raise ValueError("The canvas' scripts contain “</script” or “<!--”, which break a page.")
    return f"sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}"
