"""Where a server starts: its settings are read, its guard is set, its token is printed."""

import os
import sys

import streamlit as st
from starlette.middleware import Middleware

from pages.ui.serving.guard import Guard
from pages.ui.serving.settings import Serving


def guards() -> list[Middleware]:
    """What runs before Streamlit; a setting that cannot be meant ends the program, in words."""
    try:
        serving = Serving.from_environment(os.environ, st.get_option("server.address"))
    except ValueError as error:
        sys.exit(str(error))
    print(serving.greeting(), end="", flush=True)
    return [Middleware(Guard, serving)]
