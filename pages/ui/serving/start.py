"""Start a server: read the settings, set up the guard, and print the address.

Also here: few memory pools for many visitors; pages reuse what earlier pages released.
"""

import contextlib
import ctypes
import os
import sys
from collections.abc import Callable

from starlette.middleware import Middleware
from streamlit import config

from gplvm_core.readers.rows.folders import OWN, opened_folders
from gplvm_core.training import Limits
from pages.ui.serving.address import Address
from pages.ui.serving.guard import Guard
from pages.ui.serving.moved import MovedPages
from pages.ui.serving.settings import Serving
from pages.ui.serving.shell import Shell

EVERYWHERE = (None, "0.0.0.0", "::")  # noqa: S104 (compared with an address)


def before_streamlit(first: Callable[[str, str], str]) -> list[Middleware]:
    """Return the middleware before Streamlit; an invalid setting ends the program with a message.

    first: returns the HTML of the first screen at a path with a query.
    """
    bound, port = config.get_option("server.address"), config.get_option("server.port")
    try:
        serving = Serving.from_environment(os.environ, bound)
        Limits.from_environment(os.environ)
        opened_folders(os.environ)
    except ValueError as error:
        sys.exit(str(error))
    os.environ[OWN] = "1" if serving.own else "0"
    name = "localhost" if bound in EVERYWHERE else f"[{bound}]" if ":" in bound else bound
    scheme = "https" if config.get_option("server.sslCertFile") else "http"
    # Streamlit's own start text is off, because it queries an external service for the address.
    print(serving.greeting(Address(scheme, name, int(port))), flush=True)
    return [Middleware(Guard, serving), Middleware(MovedPages), Middleware(Shell, first=first)]


M_ARENA_MAX = -8  # a constant of malloc.h in the GNU C library
ARENAS = 2


def few_arenas() -> None:
    """Make all threads share a few memory pools; Streamlit runs every page in a separate thread.

    By default, the GNU C library creates many pools, and each retains the memory of its largest
    page. Fifty visitors then need four times as much memory. With other C libraries this function
    does nothing.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # other C libraries have no mallopt
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)
