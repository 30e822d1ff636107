"""The scripts and styles of assets/canvas as text.

The scripts are modules that import each other by relative paths; node's tests and the type checker
read them unchanged. Streamlit and a file without a server need a single script, so this module
joins the modules for a page. The imports determine the files and their order.
"""

import re
from pathlib import Path

HERE = Path(__file__).resolve()
# In a wheel, the files are inside this package; in a checkout, they are beside gplvm_core.
INSTALLED, CHECKED_OUT = HERE.parent / "canvas", HERE.parents[2] / "assets" / "canvas"
ASSETS = INSTALLED if INSTALLED.is_dir() else CHECKED_OUT
# The styles that map/map.html needs besides the kit's styles, in the app and in a file without a
# server.
MAP_STYLES = (
    "map/map.css",
    "map/bookmarks.css",
    "map/paths.css",
    "map/table.css",
    "map/taking.css",
    "pull/pull.css",
)
IMPORT = re.compile(
    r'^import \{\s*\w+(?:,\s*\w+)*,?\s*\} from "(\.{1,2}/[\w./]+\.js)";\n', re.MULTILINE
)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)


def asset(*names: str) -> str:
    """Return the text of files in assets/canvas, joined."""
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names)


def script(*names: str, folder: Path = ASSETS) -> str:
    """Join modules and their imports into one script, imported modules first.

    names: file names relative to the folder. Imports and exports are removed, except `export
    default`; a script without `export default` can be put into a page. Raises ValueError if the
    modules cannot be joined.
    """
    texts: dict[Path, str] = {}
    for name in names:
        _collect((folder / name).resolve(), texts, ())
    joined = "\n".join(texts.values())
    left = re.search(r"^(?:import\b|export (?!default\b)).*", joined, re.MULTILINE)
    if left:
        raise ValueError(
            f"A script contains {left[0]!r}. Scripts are joined into one, so they must import by "
            "'import { name } from \"./file.js\"' and export in declarations."
        )
    return joined


def _collect(path: Path, texts: dict[Path, str], above: tuple[Path, ...]) -> None:
    """Add a module to the texts, after its imports; above: the chain of importers."""
    if path in above:
        circle = " → ".join(each.name for each in (*above[above.index(path) :], path))
        raise ValueError(f"Scripts import each other in a circle: {circle}.")
    if path in texts:
        return
    text = path.read_text(encoding="utf-8")
    for source in IMPORT.findall(text):
        _collect((path.parent / source).resolve(), texts, (*above, path))
    texts[path] = EXPORT.sub("", IMPORT.sub("", text))
