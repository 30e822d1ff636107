"""The path of a request: one spelling that every rule, router and file reads in the same way.

Routers, rules and file systems disagree about unusual spellings: a route's regular expression
accepts a newline at the end, a normal form drops “//”, Windows takes “\\” for “/”. A path that
could be read in two ways is refused before anything reads it.
"""

import unicodedata
from urllib.parse import unquote_to_bytes

from starlette.types import Scope

# Servers write the second one, or surrogates (category Cs), for bytes that are not UTF-8.
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
    """Return whether a path as it was sent decodes to `path` without a slash of its own."""
    return b"%2f" not in raw.lower() and unquote_to_bytes(raw) == path.encode("utf-8")


def routed(scope: Scope) -> str:
    """Return the path that routes are compared with: below the root that the server runs at."""
    path: str = scope["path"]
    below = path.removeprefix(scope.get("root_path", ""))
    return below if below.startswith("/") else path
