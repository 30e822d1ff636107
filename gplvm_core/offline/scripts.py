"""The scripts and styles of assets/canvas as text.

The scripts are modules that import each other by relative paths: node's tests and the type checker
read them as they stand. A page gets them joined into one scope, since that is what Streamlit takes
and what a file that works without a server can hold; the imports tell which and in which order.
"""

import re
from pathlib import Path

HERE = Path(__file__).resolve()
# A wheel has them within this package, a checkout beside the core.
INSTALLED, CHECKED_OUT = HERE.parent / "canvas", HERE.parents[2] / "assets" / "canvas"
ASSETS = INSTALLED if INSTALLED.is_dir() else CHECKED_OUT
# Beside the kit's, of map/map.html: in the app and in a file that needs no server.
MAP_STYLES = ("map/map.css", "map/bookmarks.css", "map/paths.css", "map/taking.css")
IMPORT = re.compile(
    r'^import \{\s*\w+(?:,\s*\w+)*,?\s*\} from "(\.{1,2}/[\w./]+\.js)";\n', re.MULTILINE
)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)


def asset(*names: str) -> str:
    """The text of files in assets/canvas, joined."""
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names)


def script(*names: str, folder: Path = ASSETS) -> str:
    """Modules and all that they import as one script: what a module uses stands above it.

    names: relative to the folder. Only `export default` is left of imports and exports; a script
    without one can stand in a page as it is. Raises ValueError for what cannot be joined.
    """
    texts: dict[Path, str] = {}
    for name in names:
        _collect((folder / name).resolve(), texts, ())
    joined = "\n".join(texts.values())
    left = re.search(r"^(?:import\b|export (?!default\b)).*", joined, re.MULTILINE)
    if left:
        raise ValueError(
            f"A script holds {left[0]!r}. Scripts are joined into one: they import by "
            "'import { name } from \"./file.js\"' and export where they declare."
        )
    return joined


def _collect(path: Path, texts: dict[Path, str], above: tuple[Path, ...]) -> None:
    """Add a module to the texts, those that it imports before it; above: who asked for it."""
    if path in above:
        circle = " → ".join(each.name for each in (*above[above.index(path) :], path))
        raise ValueError(f"Scripts import each other in a circle: {circle}.")
    if path in texts:
        return
    text = path.read_text(encoding="utf-8")
    for source in IMPORT.findall(text):
        _collect((path.parent / source).resolve(), texts, (*above, path))
    texts[path] = EXPORT.sub("", IMPORT.sub("", text))
