"""Requests of other pages, hostile names and links to a running server: rows of the table of trust.

    python -m benchmarks.trust.web

The benchmark starts the app on a free port of this machine, and sends requests only to this app.
"""

import http.client
import itertools
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from benchmarks.common import ROOT
from benchmarks.trust.row import Row
from tests.serving.spellings import METRICS, NUMBERS, spelled

PATHS = ("/", "/explore", "/_stcore/health", "/_stcore/host-config", "/_stcore/metrics",
         "/media/none.png", "/_stcore/upload_file/a/b", "/component/none/index.html",
         "/_stcore/bidi-components/none", "/_stcore/agent/openapi.json",
         "/parcels/none")  # fmt: skip
NAMES = (
    "![a](http://127.0.0.1:1/x.png)",
    "<img src=http://127.0.0.1:1/y.png>",
    "[x](javascript:alert(1))",
    "[x](http://127.0.0.1:1/z)",
    ":red[b]",
    ":material/home:",
    "$c$",
    "**d**",
    "`e`",
)
LINKS = (
    "explore?model={}", "explore?model=library:{}", "explore?model=gallery:people&at={}",
    "explore?model=gallery:people&dims={}", "views?model=gallery:lit_pairs&view={}",
    "complete?model=gallery:lit_pairs&view={}", "depth?curve={}", "train?job={}",
)  # fmt: skip


@dataclass
class Count:
    """The numbers of tries and of failures."""

    tries: int = 0
    failures: int = 0

    def add(self, good: bool) -> None:
        self.tries += 1
        self.failures += not good


class Running(NamedTuple):
    """A server for this row, and the file that records its outside connections."""

    port: int
    outside: Path


@contextmanager
def running() -> Iterator[Running]:
    """Run the app with an empty workspace until the block ends."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
        probe.close()
        outside = Path(folder) / "outside.txt"
        outside.touch()
        settings = {
            "MANIFOLIO_HOME": folder,
            "WATCH_OUTSIDE": str(outside),
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests' / 'app' / 'outside'}",
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}",
             "--server.headless=true"],
            cwd=ROOT, env=os.environ | settings, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            end = time.monotonic() + 60
            while status(port, "/_stcore/health", f"127.0.0.1:{port}", None) != 200:
                if time.monotonic() > end:
                    raise RuntimeError("The app did not start within a minute.")
                time.sleep(0.1)
            yield Running(port, outside)
        finally:
            process.terminate()
            process.wait(timeout=20)


def status(
    port: int, path: str, host: str, origin: str | None, handshake: bool = False
) -> int | None:
    """Return the answer to a request with these headers; None without an answer."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        line.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
        headers = {"Host": host} | ({} if origin is None else {"Origin": origin})
        if handshake:
            headers |= {
                "Connection": "Upgrade",
                "Upgrade": "websocket",
                "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            }
        for name, value in headers.items():
            line.putheader(name, value)
        line.endheaders()
        return line.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        line.close()


def hosts_and_origins(server: Running) -> tuple[Row, Row, Row]:
    """Try every combination of Host and Origin, for pages and websockets, and requests that must be
    accepted.
    """
    port = server.port
    own = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")]
    foreign = ["evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}",
               f"127.0.0.1:{port}.evil.example", f"x@127.0.0.1:{port}", "0.0.0.0", ""]  # fmt: skip
    origins = [None, "null", "", *(f"http://{host}" for host in [*own, *foreign]),
               f"https://{own[0]}", "file://", f"http://{own[0]}/"]  # fmt: skip
    pages, websockets, rightly = Count(), Count(), Count()
    for host, origin in itertools.product([*own, *foreign], origins):
        same = host in own and origin == f"http://{host}"
        reads = same or (host in own and origin is None)
        for path in PATHS:
            closed = path == "/_stcore/metrics"
            answer = status(port, path, host, origin)
            if closed or not reads:
                pages.add(answer in (400, 403) or (closed and answer == 404))
            else:
                rightly.add(answer not in (None, 400, 403))
        answer = status(port, "/_stcore/stream", host, origin, handshake=True)
        if same:
            rightly.add(answer == 101)
        else:
            websockets.add(answer in (400, 403))
    return (
        Row("Host × Origin, pages", pages.tries, pages.failures, f"{len(PATHS)} paths"),
        Row("Host × Origin, websockets", websockets.tries, websockets.failures),
        Row("Host × Origin, the app's own are let in", rightly.tries, rightly.failures),
    )


def metrics(server: Running) -> Row:
    """Try every spelling of the metrics path, from a page of the app: none may return numbers."""
    count = Count()
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    for target in [target for path in (METRICS, f"/explore{METRICS}") for target in spelled(path)]:
        line.request("GET", target)
        answer = line.getresponse()
        count.add(answer.status < 500 and NUMBERS not in answer.read())
    line.close()
    return Row("spellings of the metrics path", count.tries, count.failures)


def linked_names(server: Running) -> Row:
    """Try links that contain markup: every one must be returned as escaped text."""
    tries = failures = 0
    for name, link in itertools.product(NAMES, LINKS):
        page, _, query = link.format(quote(name, safe="")).partition("?")
        tries += 1
        failures += any(name in text for text in markdown_of(server.port, page, query))
    return Row("links with Markdown or HTML", tries, failures, f"{len(LINKS)} parameters")


def markdown_of(port: int, page: str, query: str) -> list[str]:
    """Return the content of a page's first run that the browser reads as Markdown or HTML."""
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    texts: list[str] = []
    with connect(
        address,
        origin=Origin(f"http://127.0.0.1:{port}"),
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
    ) as browser:
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_name = page
        browser.send(message.SerializeToString())
        while True:
            reply = ForwardMsg.FromString(browser.recv(timeout=60, decode=False))
            kind = reply.WhichOneof("type")
            if kind == "delta":
                element = reply.delta.new_element
                texts += [element.markdown.body, element.heading.body, element.alert.body]
                texts += [element.html.body, element.button.label, element.exception.message]
            again = reply.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            if kind == "script_finished" and not again:
                return texts


def rows() -> list[Row]:
    """Return rows: Host and Origin, spellings of a path, links, and outside connections of the
    server.
    """
    with running() as server:
        found = [*hosts_and_origins(server), metrics(server), linked_names(server)]
        called = server.outside.read_text().splitlines()
        tries = sum(row.tries for row in found)
        return [*found, Row("calls beyond this machine meanwhile", tries, len(called))]


if __name__ == "__main__":
    for row in rows():
        print(f"{row.kind}: {row.failures} of {row.tries}. {row.remark}")
