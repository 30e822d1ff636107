"""Files that a page offers."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

MEDIA_TYPES = {
    "bvh": "text/plain",
    "csv": "text/csv",
    "gif": "image/gif",
    "html": "text/html",
    "md": "text/markdown",
    "png": "image/png",
    "zip": "application/zip",
}


def download(
    label: str,
    data: Callable[[], str | bytes] | str | bytes,
    file_name: str,
    *,
    icon: str = "download",
    key: str | None = None,
    help: str | None = None,
    type: Literal["primary", "secondary", "tertiary"] = "secondary",
    width: Literal["content", "stretch"] = "content",
) -> None:
    """Offer a file without a rerun of the page.

    data: its content, or a function that makes it once the button is pressed.
    """
    st.download_button(
        label,
        data,
        file_name,
        MEDIA_TYPES.get(file_name.rpartition(".")[2], "application/octet-stream"),
        on_click="ignore",
        icon=f":material/{icon}:",
        key=key,
        help=help,
        type=type,
        width=width,
    )
