"""Record the outside connections of a process; Python imports this file when it starts.

Every connection and every name lookup outside this machine becomes a line of the file that
WATCH_OUTSIDE names.
"""

import os
import sys

LOOKUPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
HERE = ("127.", "::1", "localhost", "::ffff:127.")


def watch(event: str, args: tuple) -> None:
    """Record a connection or a name lookup; this function is an audit hook (PEP 578)."""
    if event in ("socket.connect", "socket.sendto") and isinstance(args[1], tuple):
        called = args[1][0]
    elif event in LOOKUPS:
        called = args[0]
    else:
        return
    name = called.decode() if isinstance(called, bytes) else str(called or "localhost")
    if not name.startswith(HERE):
        with open(os.environ["WATCH_OUTSIDE"], "a", encoding="utf-8") as file:
            file.write(f"{event} {name}\n")


if "WATCH_OUTSIDE" in os.environ:
    sys.addaudithook(watch)
