"""Python code that opens the page's model, for exported code."""

from pages.ui.shared.catalogue import Item
from pages.ui.shared.words import file_stem


def opening_here(item: Item) -> str:
    """Return code for this computer that opens a model of the user's library, or a ready model."""
    place, _, identifier = item.key.partition(":")
    if place == "gallery":
        return _lines("from gplvm_core import ready_model", f"ready_model({identifier!r})", item)
    return _lines(
        "from gplvm_core.store import Library, workspace",
        f'Library(workspace() / "library").model({identifier!r})',
        item,
    )


def opening_elsewhere(item: Item) -> str:
    """Return code for any computer that opens a downloaded file, or a ready model."""
    place, _, identifier = item.key.partition(":")
    if place == "gallery":
        return _lines("from gplvm_core import ready_model", f"ready_model({identifier!r})", item)
    call = f'load({f"{file_stem(item.title)}.gplvm"!r})["model"]'
    return _lines("from gplvm_core import load", call, item, "  # Gallery, Mine, Download")


def rows_elsewhere(item: Item) -> str:
    """Return code for any computer that reads the training rows of the same model."""
    place, _, identifier = item.key.partition(":")
    view = "" if item.view is None else f".view({item.view!r})"
    if place == "gallery":
        call = f"Library(READY, read_only=True).dataset({identifier!r})"
        return f"from gplvm_core.store import READY, Library\n\ndataset = {call}{view}"
    return f'dataset = load({f"{file_stem(item.title)}.gplvm"!r})["dataset"]{view}'


def _lines(imports: str, call: str, item: Item, comment: str = "") -> str:
    view = "" if item.view is None else f".of_view({item.view!r})"
    given = "" if item.at is None else item.at.code
    return f"{imports}\n\nmodel = {call}{view}{given}{comment}"
