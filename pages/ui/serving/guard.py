"""The guard in front of Streamlit accepts only requests to and from the app's own addresses.

A page of another site can make a visitor's browser send requests here. With a host name that
points to this machine (DNS rebinding), it can even read the responses. Browsers name the target in
Host and the sender in Origin (RFC 6454; Fetch Metadata); the guard requires that both are addresses
of this server.
"""

import hashlib
import hmac
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.ui.serving.address import Address
from pages.ui.serving.headers import SECURITY_HEADERS
from pages.ui.serving.paths import is_plain
from pages.ui.serving.settings import Serving

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
READING = ("GET", "HEAD")  # methods for which browsers send no Origin


class Refusal(NamedTuple):
    """The response to a refused request, with its status, text and headers."""

    status: int
    words: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Guard:
    """ASGI middleware that refuses a request, or passes it to the app and adds security headers."""

    def __init__(self, app: ASGIApp, serving: Serving) -> None:
        self.app = app
        self.serving = serving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an ASGI call."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif refusal := self.refusal(scope):
            await refuse(scope, refusal, send)
        else:
            await self.app(scope, receive, with_headers(send))

    def refusal(self, scope: Scope) -> Refusal | None:
        """Return the refusal, or None for an accepted request."""
        if not is_plain(scope):
            return Refusal(
                400,
                "This server refuses this path: it contains control characters, backslashes, "
                "encoded slashes, invalid UTF-8, “//”, “.” or “..”. Correct the path.",
            )
        address = self.address(scope)
        if address is None:
            return Refusal(
                400,
                "This server does not accept this host name. Open the address that the server "
                "printed when it started; MANIFOLIO_HOSTS adds further addresses.",
            )
        if not asked_by(address, scope):
            return Refusal(
                403,
                "This request comes from another site, which has no access here. "
                "Open the app's own address.",
            )
        if is_metrics(scope["path"]) and not self.serving.metrics:
            return Refusal(404, "Metrics are closed; MANIFOLIO_METRICS=1 opens them.")
        return self.stranger(address, scope) if self.serving.token else None

    def address(self, scope: Scope) -> Address | None:
        """Return the address in the request's Host header if this server has it; else None."""
        hosts = values(scope, b"host")
        if len(hosts) != 1:
            return None
        scheme = {"ws": "http", "wss": "https"}.get(scope["scheme"], scope["scheme"])
        here, port = scope.get("server") or ("", 0)
        # This is the address of the connection; a host name cannot fake it.
        own = here.removeprefix("::ffff:")
        names = (*LOOPBACK, f"[{own}]" if ":" in own else own)
        served = [Address(str(scheme), name, port) for name in names]
        return next(
            (
                address
                for address in (*served, *self.serving.addresses)
                if Address.of(address.scheme, hosts[0]) == address
            ),
            None,
        )

    def stranger(self, address: Address, scope: Scope) -> Refusal | None:
        """Return the response to a visitor without the token's cookie; None for a visitor with the
        cookie.
        """
        name = f"manifolio-{address.port}"  # browsers send cookies to every port of a name
        proof = hashlib.sha256(self.serving.token.encode()).hexdigest()
        if hmac.compare_digest(cookie(scope, name).encode(), proof.encode()):
            return None
        path = f"{address}{quote(scope['path'])}"
        query = parse_qsl(scope["query_string"].decode("utf-8", "replace"), True)
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        # This is not a redirect, because browsers send strict cookies when a page reloads itself,
        # but not after a redirect.
        again = (b"refresh", f"0; url={path}{'?' if rest else ''}{rest}".encode())
        if scope["type"] == "http" and scope["method"] == "GET":
            given = dict(query).get("token", "")
            if hmac.compare_digest(given.encode(), self.serving.token.encode()):
                secure = "; Secure" if address.scheme == "https" else ""
                kept = f"{name}={proof}; Path=/; HttpOnly; SameSite=Strict{secure}".encode()
                return Refusal(200, "Welcome.", (again, (b"set-cookie", kept)))
            if not given and values(scope, b"sec-fetch-site") == ["cross-site"]:
                return Refusal(200, "Opening.", (again,))
        return Refusal(
            403,
            "This server needs a token. Open the address with ?token=… that the server printed "
            "when it started, or ask the person who runs it.",
        )


def asked_by(address: Address, scope: Scope) -> bool:
    """Return whether a request comes from a page of this address, or from opening such a page."""
    origins = values(scope, b"origin")
    if origins:
        return [Address.parse(origin) for origin in origins] == [address]
    if scope["type"] == "websocket" or scope["method"] not in READING:
        return False
    # Other sites may link to this server, but may not load its pictures, scripts or frames.
    foreign = set(values(scope, b"sec-fetch-site")) & {"cross-site", "same-site"}
    opened = values(scope, b"sec-fetch-dest") == ["document"]
    return not foreign or opened


def is_metrics(path: str) -> bool:
    return path.rstrip("/").lower().endswith("_stcore/metrics")


def values(scope: Scope, header: bytes) -> list[str]:
    """Return all values of a request's header."""
    return [value.decode("latin-1") for name, value in scope["headers"] if name == header]


def cookie(scope: Scope, name: str) -> str:
    """Return a request's cookie of that name, or "".

    The parser is lenient, so that malformed cookies of other programs do not hide this cookie.
    """
    return cookie_parser("; ".join(values(scope, b"cookie"))).get(name, "")


def with_headers(send: Send) -> Send:
    """Return a `send` that adds the security headers to every response."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *SECURITY_HEADERS]
        await send(message)

    return send_with_headers


async def refuse(scope: Scope, refusal: Refusal, send: Send) -> None:
    """Respond in plain text; close a websocket (403), since a page cannot read its text."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    words = refusal.words.encode() + b"\n"
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(words)).encode()),
        (b"cache-control", b"no-store"),
        *refusal.headers,
        *SECURITY_HEADERS,
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": words})
