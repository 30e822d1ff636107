"""The player of a sequence and its latent path, as a Streamlit component.

A sequence is sent once, as bytes. The browser then plays, scrubs and turns it without Python.
"""

from pages.ui.shared.component import component

show_player = component("player", "player/player.html", "player/player.css")


def stores(name: str) -> dict[str, str]:
    """Return the names under which the component finds its bytes."""
    return {part: f"{part}|{name}" for part in ("stage", "reel")}
