"""Bytes for the browser, fetched by their address: one copy here, and one in every browser's cache.

Sent along with a page, they would be copied and hashed anew for every visitor.
"""

import hashlib
import threading

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

MOST = 256 * 2**20  # bytes of all that is held; a page that runs again brings what had to go
# Never changes; compressing floats again for everybody costs more than it saves.
HEADERS = {"cache-control": "private, max-age=31536000, immutable", "content-encoding": "identity"}


class Parcels:
    """Bytes by a digest of what they are; those not asked for the longest go first."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._held: dict[str, bytes] = {}
        self._size = 0
        self._lock = threading.Lock()

    def hold(self, data: bytes) -> str:
        """Keep bytes; returns the path at which browsers find them."""
        digest = hashlib.sha256(data).hexdigest()
        with self._lock:
            self._size += 0 if self._held.pop(digest, None) is not None else len(data)
            self._held[digest] = data
            while self._size > self.most and len(self._held) > 1:
                self._size -= len(self._held.pop(next(iter(self._held))))
        return f"/parcels/{digest}"

    def find(self, digest: str) -> bytes | None:
        """The bytes of that digest, if they are held."""
        return self._held.get(digest)

    async def answer(self, request: Request) -> Response:
        """What a browser gets that asks for them."""
        data = self.find(request.path_params["digest"])
        if data is None:
            return Response("Not here any more: reload the page.\n", 404, media_type="text/plain")
        return Response(data, headers=HEADERS, media_type="application/octet-stream")

    def route(self) -> Route:
        """The server's route to them."""
        return Route("/parcels/{digest}", self.answer)


parcels = Parcels()
