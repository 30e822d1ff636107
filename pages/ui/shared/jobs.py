"""Parts of training jobs that several pages show."""

import streamlit as st

STATUS: dict[str, tuple[str, str, str]] = {
    "queued": ("waiting", "gray", ":material/hourglass_top:"),
    "running": ("training", "blue", ":material/play_arrow:"),
    "paused": ("paused", "orange", ":material/pause:"),
    "finished": ("finished", "green", ":material/check:"),
    "cancelled": ("stopped", "gray", ":material/stop:"),
    "failed": ("failed", "red", ":material/error:"),
    "interrupted": ("interrupted", "orange", ":material/power_off:"),
}


def status_badge(status: str) -> None:
    """Show the job's state as a small coloured word."""
    word, colour, icon = STATUS.get(status, (status, "gray", ":material/circle:"))
    st.badge(word, icon=icon, color=colour)  # type: ignore[arg-type]
