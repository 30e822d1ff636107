"""Unexpected errors: a message on the page, and an entry in a log that contains no data."""

import logging
import os
import secrets
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import streamlit as st

from gplvm_core.datasets import DataError
from gplvm_core.sandbox import places_of
from gplvm_core.store import StoreError, workspace
from gplvm_core.store.atomic import private_folder
from pages.ui.shared.plain import plain

LOG_FILE = Path("logs") / "manifolio.log"
MOST_BYTES, KEPT = 500_000, 3  # bytes per log file; number of older log files


class PrivateLog(RotatingFileHandler):
    """A rotating log that only the user may read."""

    def __init__(self, path: Path) -> None:
        private_folder(path.parent)
        super().__init__(path, maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8", delay=True)
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))

    def _open(self) -> Any:
        return open(
            self.baseFilename,
            self.mode,
            encoding=self.encoding,
            opener=lambda path, flags: os.open(path, flags, 0o600),
        )


def start_log() -> None:
    """Write the messages of app and core to a log in the library's folder, if possible."""
    try:
        handler: logging.Handler = PrivateLog(workspace() / LOG_FILE)
    except OSError:  # the folder cannot be written; the page reports it
        handler = logging.NullHandler()
    for name in ("manifolio", "gplvm_core"):
        logger = logging.getLogger(name)
        if not any(isinstance(each, PrivateLog) for each in logger.handlers):
            logger.addHandler(handler)


def tell(error: Exception) -> bool:
    """Handle uncaught errors of a page (Streamlit's `on_script_error`).

    The log gets the number that the page shows, the error's type and its lines of code. It never
    gets the error's text, which may quote data.
    """
    number = secrets.token_hex(3)
    page = urlparse(st.context.url or "").path or "/"
    logging.getLogger("manifolio").error("%s on %s: %s", number, page, places_of(error))
    if isinstance(error, DataError | StoreError):
        st.error(plain(error), icon=":material/error:")
    else:
        st.error(
            f"Something unexpected went wrong here. Your models and data are unchanged. Reload the "
            f"page, or open another one. The error has number **{number}** in the log "
            f"({LOG_FILE.name} in your library's folder).",
            icon=":material/error:",
        )
    return True
