"""Opens what the command named: Train with a file, or Explore with a model (`manifolio FILE`)."""

import os
from pathlib import Path

import streamlit as st

from gplvm_core.readers.rows.folders import own_table
from gplvm_core.readers.rows.table import is_large
from gplvm_core.store import Library
from pages.ui.shared.catalogue import user_library
from pages.ui.shared.doors import UPLOAD, main_door, open_own_file
from pages.ui.shared.plain import plain
from pages.ui.shared.reading import read_sandboxed

ASKED = "MANIFOLIO_OPEN"  # the path, which the command sets; also a session key: it was opened
OWN_FILE = "train_own_file"  # session key: the path of a table that training reads from disk


def open_asked() -> None:
    """At the first run of a visit that begins at the landing page, open the file."""
    path = os.environ.get(ASKED)
    if not path or ASKED in st.session_state or st.query_params:
        return
    st.session_state[ASKED] = True
    file = Path(path)
    try:
        if is_large(file):
            own_table(path, os.environ)  # raises an error on a server for others
            st.session_state[OWN_FILE] = path
            st.session_state["train_source"] = "own"
            st.switch_page("pages/train.py")
        if file.suffix.lower() == ".gplvm":
            key = taken_in(user_library(), file)
            capabilities = user_library().entry(key).capabilities
        else:
            st.session_state[UPLOAD] = (file.name, file.read_bytes())
    except (ValueError, OSError) as error:
        said = f"{file.name} cannot be opened. {error}"
        st.error(plain(said), icon=":material/error:")
        return
    if file.suffix.lower() == ".gplvm":
        main_door(capabilities).open(f"library:{key}")
    open_own_file()


def taken_in(library: Library, file: Path) -> str:
    """Add a model's file to the library, unless the library has it already; return its id."""
    return library.take_in_once(read_sandboxed("model", file.name, file.read_bytes(), keep=False))
