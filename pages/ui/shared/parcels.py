"""Bytes that browsers fetch by address; the server has one copy, and every browser caches a copy.

If pages contained these bytes, Streamlit would copy and hash them for every visitor.
"""

import hashlib
import threading

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

MOST = 256 * 2**20  # largest number of bytes in memory; a rerun of a page restores removed bytes
# The bytes never change. Compressing them for every visitor would cost more than it saves.
HEADERS = {"cache-control": "private, max-age=31536000, immutable", "content-encoding": "identity"}


class Parcels:
    """Bytes by their digest; the least recently used bytes are removed first."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._held: dict[str, bytes] = {}
        self._scripts: dict[str, bytes] = {}
        self._size = 0
        self._lock = threading.Lock()

    def hold(self, data: bytes) -> str:
        """Store bytes; return the path from which browsers fetch them."""
        digest = hashlib.sha256(data).hexdigest()
        with self._lock:
            self._size += 0 if self._held.pop(digest, None) is not None else len(data)
            self._held[digest] = data
            while self._size > self.most and len(self._held) > 1:
                self._size -= len(self._held.pop(next(iter(self._held))))
        return f"/parcels/{digest}"

    def hold_script(self, text: str) -> str:
        """Store a script while the server runs; return the path from which browsers import it."""
        data = text.encode()
        digest = hashlib.sha256(data).hexdigest()
        self._scripts[digest] = data
        return f"/parcels/{digest}"

    def find(self, digest: str) -> bytes | None:
        """Return the bytes with that digest, or None."""
        return self._scripts.get(digest) or self._held.get(digest)

    async def answer(self, request: Request) -> Response:
        """Return the response to a browser's request."""
        data = self.find(request.path_params["digest"])
        if data is None:
            return Response(
                "These data are no longer available. Reload the page.\n",
                404,
                media_type="text/plain",
            )
        script = request.path_params["digest"] in self._scripts
        kind = "text/javascript" if script else "application/octet-stream"
        return Response(data, headers=HEADERS, media_type=kind)

    def route(self) -> Route:
        """Return the server's route to the bytes."""
        return Route("/parcels/{digest}", self.answer)


parcels = Parcels()
