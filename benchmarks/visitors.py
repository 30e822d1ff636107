"""Many visitors at once while a job trains: seconds until a page is complete, and memory.

    python -m benchmarks.visitors [--sessions 50] [--minutes 5] [--pause 8] [--idle]

The sessions use Streamlit's own protocol over websockets. Each session opens one page after
another, with a pause of random length between them. Like a browser, a session fetches the arrays
that the page shows unless it already has them. A page is complete when its script has ended and its
arrays have arrived. The time to draw in browsers is not included, because visitors use their own
machines. Choosing a point on Explore needs no request to the server
(tests/app/test_map_browser.py), so only `interaction` measures it. Targets on two cores with 50
sessions: p95 3 s, no error, 5 MB per session, and constant memory.
"""

import argparse
import asyncio
import os
import random
import re
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import websockets

from benchmarks.common import table, versions, write_row
from benchmarks.interaction import app

PAGES = (
    ("", ""),
    ("explore", "model=gallery:people"),
    ("explore", "model=gallery:faces"),
    ("explore", "model=gallery:digits"),
    ("views", "model=gallery:pairs"),
    ("dynamics", "model=gallery:moves"),
    ("depth", ""),
    ("library", ""),
    ("train", ""),
)
PARCEL = re.compile(rb"/parcels/[0-9a-f]{64}")


async def visitor(
    seed: int, url: str, until: float, pause: float, found: list[tuple[str, float]]
) -> None:
    """Open pages until the time is over, and record the waiting times."""
    generator, fetched = random.Random(seed), set[bytes]()
    await asyncio.sleep(generator.uniform(0.0, pause))
    stream = url.replace("http", "ws", 1) + "/_stcore/stream"
    async with websockets.connect(
        stream,
        subprotocols=[websockets.Subprotocol("streamlit")],
        origin=websockets.Origin(url),
        max_size=None,
    ) as socket:
        while time.monotonic() < until:
            page, query = generator.choice(PAGES)
            begin = time.perf_counter()
            await socket.send(_asking(page, query))
            for address in await _answered(socket) - fetched:
                await asyncio.to_thread(_fetch, url + address.decode())
                fetched.add(address)
            found.append((page or "gallery", time.perf_counter() - begin))
            await asyncio.sleep(generator.uniform(0.5, 1.5) * pause)


async def _answered(socket: Any) -> set[bytes]:
    """Read until the page's script has ended; return addresses of the page's arrays."""
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    addresses: set[bytes] = set()
    while True:
        message = await asyncio.wait_for(socket.recv(), 120)
        addresses.update(PARCEL.findall(message))
        if len(message) < 2000:
            parsed = ForwardMsg.FromString(message)
            if parsed.WhichOneof("type") == "script_finished":
                if parsed.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                    raise RuntimeError("a script could not be run")
                if parsed.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    return addresses


def _asking(page: str, query: str) -> bytes:
    from streamlit.proto.BackMsg_pb2 import BackMsg

    message = BackMsg()
    message.rerun_script.page_name = page
    message.rerun_script.query_string = query
    return message.SerializeToString()


def _fetch(address: str) -> None:
    urllib.request.urlopen(address, timeout=120).read()


def memory() -> float:
    """Return the memory in megabytes of the server, which is the only child of this process."""
    (process,) = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


async def crowd(url: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run all sessions at once; return waiting times and samples of memory."""
    found: list[tuple[str, float]] = []
    warm: list[tuple[str, float]] = []
    # The first visit of a page fills caches that later visits share.
    await visitor(0, url, time.monotonic() + 45, 0.1, warm)
    before, memories = memory(), []
    until = time.monotonic() + 60 * options.minutes
    visits = [
        asyncio.create_task(visitor(1 + at, url, until, options.pause, found))
        for at in range(options.sessions)
    ]
    while time.monotonic() < until:
        await asyncio.sleep(min(15.0, 60 * options.minutes / 4))
        memories.append(memory())
    ended = await asyncio.gather(*visits, return_exceptions=True)
    errors = [each for each in ended if isinstance(each, BaseException)]
    for error in errors[:3]:
        print(f"error: {error!r}")
    return {"waits": found, "errors": len(errors), "before": before, "memories": memories}


def main() -> None:
    """Serve the app, run the sessions, and print and store their waiting times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--pause", type=float, default=8.0, help="mean seconds between pages")
    parser.add_argument("--idle", action="store_true", help="no job trains beside")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as home,
        app(Path(home), "idle" if options.idle else "busy") as url,
    ):
        report = asyncio.run(crowd(url, options))
    rows, figures = [], {}
    for name in ["all", *sorted({page for page, _ in report["waits"]})]:
        waits = np.array([wait for page, wait in report["waits"] if name in ("all", page)])
        median, most = np.percentile(waits, (50, 95))
        rows.append((name, len(waits), f"{median:.2f}", f"{most:.2f}", f"{waits.max():.2f}"))
        figures[name] = {"pages": len(waits), "median_s": median, "p95_s": most}
    print(table(("page", "opened", "median, s", "p95, s", "most, s"), rows))
    first, last = (np.mean(part) for part in np.array_split(report["memories"], 2))
    print(
        f"errors {report['errors']}; memory {report['before']:.0f} MB before, "
        f"{first:.0f} MB in the first half, {last:.0f} MB in the second: "
        f"{(last - report['before']) / options.sessions:.1f} MB a session"
    )
    write_row(
        "visitors",
        figures
        | {"errors": report["errors"], "memory_mb": [report["before"], *report["memories"]]},
        seed=0,
        settings=vars(options),
        other_versions=versions(("streamlit", "websockets")),
    )


if __name__ == "__main__":
    main()
