"""Redirects from old addresses of pages to the new addresses, with the link's parameters."""

from collections.abc import Callable
from urllib.parse import parse_qsl, quote, urlencode

from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

from pages.ui.serving.paths import routed

Query = dict[str, str]
OF_A_MAP = ("model", "layer", "view", "dims", "at", "hold")
STOPS = ("why", "families", "ten")  # stops of the tour that were parts of the old page Depth


def tab(name: str) -> Callable[[Query], tuple[str, Query]]:
    """Return the function that gives the new address of a page that became a tab of Explore."""
    return lambda query: ("explore", query | {"tab": name})


def depth(query: Query) -> tuple[str, Query]:
    """Return the new address of the page Depth: a stop of the tour, or a tab of Explore."""
    part = query.pop("part", None)
    if part == "layers" or (part not in STOPS and "model" in query):
        return "explore", query | {"tab": "layers"}
    said = {name: text for name, text in query.items() if name not in OF_A_MAP}
    return "learn", {"stop": part if part in STOPS else STOPS[0]} | said


MOVED: dict[str, Callable[[Query], tuple[str, Query]]] = {
    "gallery": lambda query: ("", query),
    "library": lambda query: ("", query | {"shelf": "mine"}),
    "dynamics": tab("time"),
    "views": tab("views"),
    "complete": tab("fill"),
    "depth": depth,
}


def new_place(page: str, query: str) -> str | None:
    """Return a moved page's new address, relative to the old address; None for other paths."""
    if page not in MOVED:
        return None
    name, parameters = MOVED[page](dict(parse_qsl(query, keep_blank_values=True)))
    said = urlencode(parameters, safe=",:", quote_via=quote)
    return f"./{name}{'?' if said else ''}{said}"


class MovedPages:
    """ASGI middleware that redirects browsers from old addresses."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        base = config.get_option("server.baseUrlPath").strip("/")
        self.base = f"/{base}/" if base else "/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an ASGI call."""
        path = routed(scope) if scope["type"] == "http" else ""
        page = path.removeprefix(self.base).removeprefix("/")
        place = new_place(page.rstrip("/"), scope.get("query_string", b"").decode("latin-1"))
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or place is None:
            await self.app(scope, receive, send)
            return
        if page.endswith("/"):
            place = f".{place}"
        headers = [(b"location", place.encode()), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 308, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
