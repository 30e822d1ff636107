"""Prepares the ready models while the server waits for its first visitor."""

import gc
import threading

from pages.ui.shared.card import card_of
from pages.ui.shared.catalogue import gallery_items
from pages.ui.shared.first_screen import draw_ahead


def prepare() -> None:
    """Open the ready models and draw their cards and first screens in a separate thread."""
    threading.Thread(target=_prepare, name="ahead", daemon=True).start()


def _prepare() -> None:
    """Prepare the models in the order of their cards; finished models can be used at once."""
    for listed in gallery_items():
        try:
            draw_ahead(listed)
            card_of(listed)
        except (ValueError, OSError):  # the Gallery shows the error in place of the card
            continue
    # Modules and models stay in memory for ever, so exclude them from later garbage collections.
    gc.collect()
    gc.freeze()
