"""Python that opens the model of the page, for the code that a visitor takes home."""

from pathlib import Path

from pages.ui.shared.catalogue import Item
from pages.ui.shared.words import file_stem

CHECKOUT = (Path(__file__).resolve().parents[4] / "pyproject.toml").exists()  # or installed


def opening_here(item: Item) -> str:
    """On this computer: from the user's library, or as a ready model of the program."""
    place, _, identifier = item.key.partition(":")
    if place == "gallery":
        return _ready(identifier, item)
    return _lines(
        "from gplvm_core.store import Library, workspace",
        f'Library(workspace() / "library").model({identifier!r})',
        item,
    )


def opening_elsewhere(item: Item) -> str:
    """On any computer with the program: from the file that the Gallery gives, or a ready model."""
    place, _, identifier = item.key.partition(":")
    if place == "gallery":
        return _ready(identifier, item)
    call = f'load({f"{file_stem(item.title)}.gplvm"!r})["model"]'
    return _lines("from gplvm_core import load", call, item, "  # Gallery, Mine, Download")


def _ready(identifier: str, item: Item) -> str:
    """By its place within the program, wherever that lies."""
    file = f"assets/models/{identifier}/model.gplvm"
    if CHECKOUT:
        where = "  # run in Manifolio's folder"
        return _lines("from gplvm_core import load", f"load({file!r})", item, where)
    imports = "from importlib.resources import files\n\nfrom gplvm_core import load"
    return _lines(imports, f"load(files('manifolio') / {file!r})", item)


def _lines(imports: str, call: str, item: Item, comment: str = "") -> str:
    view = "" if item.view is None else f".of_view({item.view!r})"
    return f"{imports}\n\nmodel = {call}{view}{comment}"
