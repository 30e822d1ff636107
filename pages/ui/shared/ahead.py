"""What the first visitor would wait for, done while the server waits for the first visitor."""

import gc
import threading

from pages.ui.shared.card import card_of
from pages.ui.shared.catalogue import gallery_items
from pages.ui.shared.first_screen import draw_ahead


def prepare() -> None:
    """Open the ready models, draw their cards and first screens in a thread of its own."""
    threading.Thread(target=_prepare, name="ahead", daemon=True).start()


def _prepare() -> None:
    """The first card first; whoever comes meanwhile finds what is there and waits for the rest."""
    for listed in gallery_items():
        try:
            draw_ahead(listed)
            card_of(listed)
        except (ValueError, OSError):  # which the Gallery says, in the card's place
            continue
    # Modules and models stay: later collections need not walk through them.
    gc.collect()
    gc.freeze()
