"""Python that opens the model of the page, for the code that a visitor takes home."""

from pages.ui.shared.catalogue import Item, library_of
from pages.ui.shared.words import file_stem


def opening_here(item: Item) -> str:
    """On this computer: from the user's library, or the gallery's folder."""
    place, _, identifier = item.key.partition(":")
    if place == "library":
        return _lines(
            "from gplvm_core.store import Library, workspace",
            f'Library(workspace() / "library").model({identifier!r})',
            item,
        )
    file = library_of(item.key)[0].root / identifier / "model.gplvm"
    return _lines("from gplvm_core import load", f"load({str(file)!r})", item)


def opening_elsewhere(item: Item) -> str:
    """On any computer: from the file that Library gives, or the program's own folder."""
    place, _, identifier = item.key.partition(":")
    if place == "library":
        call, where = f'load({f"{file_stem(item.title)}.gplvm"!r})["model"]', "Library, Download"
    else:
        call, where = f"load('assets/models/{identifier}/model.gplvm')", "in Manifolio's folder"
    return _lines("from gplvm_core import load", call, item, f"  # {where}")


def _lines(imports: str, call: str, item: Item, comment: str = "") -> str:
    view = "" if item.view is None else f".of_view({item.view!r})"
    return f"{imports}\n\nmodel = {call}{view}{comment}"
