"""Call an ASGI application directly, without a server."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def answered(app: Any, scope: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all messages that the application sends for a request without a body."""
    sent = []

    async def receive():  # wait forever: neither a message nor a disconnect arrives
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    # This runs in a separate thread, because another test's browser has an event loop in the
    # present thread.
    with ThreadPoolExecutor(1) as own:
        own.submit(asyncio.run, app(scope, receive, send)).result()
    return sent
