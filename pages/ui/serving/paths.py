"""Check the paths of requests, and accept only one spelling of each path.

Routers, rules and file systems disagree about unusual spellings. A route's regular expression
accepts a newline at the end, a normal form drops “//”, and Windows reads “\\” as “/”. The check
refuses paths with two possible meanings before any other code reads them.
"""

import unicodedata
from urllib.parse import unquote_to_bytes

from starlette.types import Scope

# Servers replace bytes that are not UTF-8 with "\ufffd" or with surrogates (category Cs).
UNREAD = "\\\N{REPLACEMENT CHARACTER}"


def is_plain(scope: Scope) -> bool:
    """Return whether the path of a request has one spelling and one meaning."""
    path, raw = scope["path"], scope.get("raw_path")
    parts = path[1:].split("/")
    return (
        path.startswith("/")
        and "" not in parts[:-1]
        and not {".", ".."} & set(parts)
        and not any(each in UNREAD or unicodedata.category(each) in ("Cc", "Cs") for each in path)
        and (raw is None or means(raw, path))
    )


def means(raw: bytes, path: str) -> bool:
    """Return whether the raw path decodes to `path` and has no encoded slashes."""
    return b"%2f" not in raw.lower() and unquote_to_bytes(raw) == path.encode("utf-8")


def routed(scope: Scope) -> str:
    """Return the path without the server's root path, as routers compare it with routes."""
    path: str = scope["path"]
    below = path.removeprefix(scope.get("root_path", ""))
    return below if below.startswith("/") else path
