"""Streamlit's HTML page with the app's style sheet, name and icon.

If the script sent the style sheet, the style sheet would arrive after the first content, and the
content would move. The content would also move when Streamlit fetches a widget or a font at its
first use.
"""

import base64
import re
from collections.abc import Callable
from pathlib import Path

import streamlit
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

from gplvm_core.offline.scripts import asset
from pages.ui.serving.headers import BACKEND, FIRST_SCREEN
from pages.ui.serving.paths import routed

ASSETS = Path(__file__).parents[3] / "assets"
STREAMLIT = Path(streamlit.__file__).parent / "static"
PARTS = (
    "Html",
    "Button",
    "ButtonGroup",
    "Selectbox",
    "Slider",
    "BidiComponent",
    "Metric",
    "Progress",
)
FONTS = ("SourceSerifVariable-Roman", "MaterialSymbols-Rounded")
IMPORTED = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')
# Paths of the files that Streamlit and the app serve, including exported pages.
FILES = ("/static/", "/media/", "/_stcore/", "/parcels/")
# These headers are removed from requests. Otherwise, a browser with Streamlit's page in its cache
# would receive “not modified”.
CONDITIONS = {b"if-none-match", b"if-modified-since", b"if-range", b"range"}


class Shell:
    """ASGI middleware that replaces Streamlit's HTML page with the app's page at every address."""

    def __init__(
        self, app: ASGIApp, first: Callable[[str, str], str] = lambda path, query: ""
    ) -> None:
        """Store `first`, which maps a path and a query to the HTML shown before scripts run."""
        self.app = app
        self.first = first
        self.html = shell()
        self.base = config.get_option("server.baseUrlPath").strip("/")
        self.files = (*FILES, *(f"/{self.base}{folder}" for folder in FILES if self.base))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an ASGI call."""
        if scope["type"] != "http" or routed(scope).startswith(self.files):
            await self.app(scope, receive, send)
            return
        headers = [(name, value) for name, value in scope["headers"] if name not in CONDITIONS]
        await self.app({**scope, "headers": headers}, receive, self.in_place(scope, send))

    def in_place(self, scope: Scope, send: Send) -> Send:
        """Return a `send` that replaces the page."""
        exchanged = False
        path = routed(scope).removeprefix(f"/{self.base}" if self.base else "")
        first = self.first(path, scope["query_string"].decode("latin-1"))

        async def send_or_exchange(message: Message) -> None:
            nonlocal exchanged
            if message["type"] == "http.response.start" and is_page(message):
                exchanged = True
                page = with_first(self.html, first)
                body = b"" if scope["method"] == "HEAD" else page.body
                await send({**message, "headers": page.raw_headers})
                await send({"type": "http.response.body", "body": body})
            elif not exchanged:
                await send(message)

        return send_or_exchange


def with_first(html: str, first: str) -> Response:
    """Return the page; unless `first` is "", with a first screen and the script that removes it."""
    screen = f"{first}<script>{FIRST_SCREEN}</script>\n</body>" if first else "</body>"
    page = html.replace("</body>", screen)
    return Response(page, media_type="text/html", headers={"cache-control": "no-cache"})


def is_page(start: Message) -> bool:
    """Return whether a response that starts with this message is a page."""
    kinds = [value for name, value in start.get("headers", ()) if name.lower() == b"content-type"]
    return start["status"] == 200 and kinds[:1] != [] and kinds[0].startswith(b"text/html")


def shell() -> str:
    """Return Streamlit's index.html with the app's title, styles and scripts."""
    page = (STREAMLIT / "index.html").read_text(encoding="utf-8")
    icon = base64.b64encode((ASSETS / "icon.png").read_bytes()).decode()
    style = (ASSETS / "style.css").read_text(encoding="utf-8") + asset("compare/purposes.css")
    page = page.replace("<title>Streamlit</title>", "<title>Manifolio</title>")
    page = page.replace("./favicon.png", f"data:image/png;base64,{icon}")
    page = page.replace("<head>", f"<head>\n    <script>{BACKEND}</script>", 1)
    early = "".join(f"    {link}\n" for link in [*fonts(), *parts(page)])
    page = page.replace("  </head>", f"{early}  </head>")
    # The app's styles come after Streamlit's styles, because the last of several equal rules
    # applies.
    return page.replace("</body>", f"<style>\n{style}</style>\n</body>")


def fonts() -> list[str]:
    """Return links that preload the fonts of headings and icons."""
    return [
        f'<link rel="preload" href="./static/media/{path.name}" as="font" type="font/woff2" '
        "crossorigin>"
        for font in FONTS
        for path in (STREAMLIT / "static" / "media").glob(f"{font}.*woff2")
    ]


def parts(page: str) -> list[str]:
    """Return links that preload the widgets of nearly every page, with their imports.

    page: Streamlit's HTML, which names files that the browser fetches anyway.
    """
    scripts = STREAMLIT / "static" / "js"
    found = [path.name for part in PARTS for path in scripts.glob(f"{part}.*.js")]
    for name in found:
        imports = IMPORTED.findall((scripts / name).read_text(encoding="utf-8"))
        found += [other for other in dict.fromkeys(imports) if other not in found]
    return [
        f'<link rel="modulepreload" crossorigin href="./static/js/{name}">'
        for name in found
        if name not in page
    ]
