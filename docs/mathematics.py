"""Split MATHEMATICS.md into one page per section, so that each page loads quickly.

The built page gplvm_core/MATHEMATICS keeps the introduction and the contents. Links to headings,
such as MATHEMATICS.md#8-identities, then lead to the page of their section.
"""

import re
from pathlib import Path

FOLDER = "mathematics"
SOURCE = "gplvm_core/MATHEMATICS"
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LINK = re.compile(r"\]\(((?:[\w./]*/)?MATHEMATICS\.md)?#([\w-]+)\)")


def write_sections(docs: Path) -> None:
    """Write docs/mathematics: a Markdown page for each section of MATHEMATICS.md."""
    folder = docs / FOLDER
    folder.mkdir(exist_ok=True)
    pages = {
        folder / f"{name}.md": text.replace("](../", "](../../")
        for name, text in _sections(docs).items()
    }
    for stale in set(folder.glob("*.md")) - set(pages):
        stale.unlink()
    for path, text in pages.items():
        # Sphinx reads a page again only if the modification time of its file has changed.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def contents(docs: Path) -> str:
    """The introduction of MATHEMATICS.md, and links to the pages of its sections."""
    introduction = _text(docs).split("\n## ")[0]
    names = "\n".join(f"../docs/{FOLDER}/{name}" for name in _sections(docs))
    return f"{introduction}\n\n```{{toctree}}\n{names}\n```\n"


def with_links_to_sections(docs: Path, name: str, text: str) -> str:
    """Return the text of a page, with links to headings of MATHEMATICS.md changed to their new
    pages.

    name: the page's path from the root, without extension.
    """
    pages = {_anchor(head): page for page, body in _sections(docs).items() for head in _heads(body)}
    own = name == SOURCE or name.startswith(f"docs/{FOLDER}/")
    up = "../" * name.count("/")

    def link(found: re.Match[str]) -> str:
        file, anchor = found.groups()
        if (file or own) and anchor in pages:
            return f"]({up}docs/{FOLDER}/{pages[anchor]}.md#{anchor})"
        return found[0]

    return _LINK.sub(link, text)


def _sections(docs: Path) -> dict[str, str]:
    """Return the text of every section by the name of its page; a text begins with the section's
    heading.
    """
    found = {}
    for part in _text(docs).split("\n## ")[1:]:
        heading = part.split("\n", 1)[0]
        # A page must begin with a first-level heading, so all headings move up one level.
        found[_anchor(heading)] = re.sub(r"^#(##+ )", r"\1", f"# {part}", flags=re.MULTILINE)
    return found


def _text(docs: Path) -> str:
    return (docs.parent / f"{SOURCE}.md").read_text(encoding="utf-8")


def _heads(text: str) -> list[str]:
    return _HEADING.findall(text)


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub and MyST make from a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
