"""Tests that the guard reads every spelling of a path as Streamlit's routes do."""

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp
from streamlit import config
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.stats import StatsManager
from streamlit.web.server.starlette.starlette_path_security_middleware import (
    PathSecurityMiddleware,
)
from streamlit.web.server.starlette.starlette_routes import (
    create_host_config_routes,
    create_media_routes,
    create_metrics_routes,
)
from streamlit.web.server.starlette.starlette_static_routes import (
    create_streamlit_static_assets_routes,
)

from pages.ui.serving.guard import Guard
from pages.ui.serving.settings import Serving
from pages.ui.serving.shell import Shell
from pages.ui.shared.parcels import Parcels
from tests.serving.spellings import HONEST, METRICS, NUMBERS, spelled

OPEN, CLOSED = Serving(metrics=True), Serving()
# Streamlit's setting or that of the ASGI server determines the server's base path.
PLACES = {"at the root": ("", ""), "below a base": ("maps", ""), "below a root": ("", "/maps")}


def streamlit(base: str = "", media: MemoryMediaFileStorage | None = None) -> ASGIApp:
    """Return Streamlit's routes in their order, with its check of paths, and the app's parcels."""
    routes = [
        Parcels().route(),
        *create_metrics_routes(SimpleNamespace(stats_mgr=StatsManager()), base),
        *create_host_config_routes(base),
        *create_media_routes(media or MemoryMediaFileStorage("/media"), base),
        *create_streamlit_static_assets_routes(base),
    ]
    return PathSecurityMiddleware(Starlette(routes=routes))


@contextmanager
def served(app: ASGIApp, root: str = "") -> Iterator[int]:
    """Run a server on a free port of this machine until the block ends."""
    # The socket is declared as TCP, because otherwise asyncio would delay small packets by 40 ms.
    with socket.socket(proto=socket.IPPROTO_TCP) as line:
        line.bind(("127.0.0.1", 0))
        settings = uvicorn.Config(app, root_path=root, log_level="critical", lifespan="off")
        server = uvicorn.Server(settings)
        thread = threading.Thread(target=server.run, args=([line],))
        thread.start()
        try:
            end = time.monotonic() + 120
            while not server.started and time.monotonic() < end:
                time.sleep(0.01)
            yield line.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(timeout=20)


def below(base: str, target: str) -> str:
    return f"/{base}{target}" if base else target


def ask(port: int, targets: list[str]) -> list[tuple[int, str, bytes]]:
    """Send each request target unchanged; return status, type and bytes of each answer."""
    found = []
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    for target in targets:
        line.request("GET", target)
        answer = line.getresponse()
        found.append((answer.status, answer.getheader("content-type", ""), answer.read()))
    line.close()
    return found


def numbers(answers: list[tuple[int, str, bytes]]) -> list[bool]:
    return [NUMBERS in words for _, _, words in answers]


@pytest.mark.parametrize("place", PLACES)
def test_no_spelling_of_the_metrics_path_gets_numbers_while_they_are_closed(place):
    base, root = PLACES[place]
    own = below(base, METRICS)
    targets = spelled(own)
    with served(streamlit(base), root) as port:
        unguarded = dict(zip(targets, numbers(ask(port, targets)), strict=True))
    # Without the guard, several spellings return numbers; otherwise the test would be useless.
    assert unguarded[own] and unguarded[f"{own}?x"] and unguarded[own.replace("/_", "/%5f")]
    with served(Guard(streamlit(base), CLOSED), root) as port:
        answers = ask(port, targets)
    assert [target for target, shown in zip(targets, numbers(answers), strict=True) if shown] == []
    for target, (status, _, words) in zip(targets, answers, strict=True):
        if unguarded[target]:
            assert (status, b"Metrics are closed" in words) in ((404, True), (400, False)), target
    with served(Guard(streamlit(base), OPEN), root) as port:
        assert numbers(ask(port, [own, f"{own}%0a"])) == [True, False]


@pytest.mark.parametrize("place", PLACES)
def test_honest_addresses_are_answered_as_without_the_guard(place):
    base, root = PLACES[place]
    targets = [below(base, target) for target in HONEST]
    with served(streamlit(base), root) as port:
        expected = ask(port, targets)
    with served(Guard(streamlit(base), CLOSED), root) as port:
        found = ask(port, targets)
    for target, one, other in zip(targets, expected, found, strict=True):
        assert one == other, target
        assert one[0] != 400, target


def test_a_request_that_names_a_whole_address_is_answered_in_words():
    """A target that is no path (RFC 9112, 3.2.2) matches no route."""
    with served(Guard(streamlit(), CLOSED)) as port:
        targets = [f"http://127.0.0.1:{port}{METRICS}", "*", "x"]
        for status, _, words in ask(port, targets):
            assert status == 400
            assert b"path" in words


@pytest.mark.parametrize("place", PLACES)
def test_a_file_that_is_a_page_is_that_file_wherever_the_server_is(place, monkeypatch):
    base, root = PLACES[place]
    monkeypatch.setitem(
        config.get_config_options(), "server.baseUrlPath", SimpleNamespace(value=base)
    )
    media = MemoryMediaFileStorage("/media")
    held = media.load_and_get_id(b"<p>a map</p>", "text/html", MediaFileKind.DOWNLOADABLE, "map")
    path = media.get_url(held)
    with served(Shell(streamlit(base, media)), root) as port:
        (_, _, file), (_, _, page) = ask(port, [below(base, path), below(base, "/explore")])
    assert file == b"<p>a map</p>"
    assert b"<title>Manifolio</title>" in page
