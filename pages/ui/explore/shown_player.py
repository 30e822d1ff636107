"""The player as a Streamlit component: a sequence and its latent path, played in the browser.

A sequence is sent once, as bytes; playing, scrubbing and turning need nothing more from Python.
"""

from pages.ui.shared.component import component

show_player = component("player", "player/player.html", "player/player.css")


def stores(name: str) -> dict[str, str]:
    """The names under which the view finds its bytes."""
    return {part: f"{part}|{name}" for part in ("stage", "reel")}
