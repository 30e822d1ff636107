"""The app in Firefox, over WebDriver BiDi: a map, a known factor, a title, a dragged joint."""

import itertools
import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.app.maps import EXPLORER, SHOWN

COMMAND = shutil.which("firefox-esr") or shutil.which("firefox")
PATIENCE = 90.0  # seconds
READY = "() => window.manifolio?.views?.size > 0 && !document.querySelector('[data-stale=true]')"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(COMMAND is None, reason="Firefox is not installed"),
]


class Firefox:
    """One page of a browser, driven by the commands of WebDriver BiDi."""

    def __init__(self, line: ClientConnection) -> None:
        self.line, self.numbers = line, itertools.count(1)
        self.said: list[str] = []
        self.do("session.new", capabilities={})
        self.do("session.subscribe", events=["log.entryAdded"])
        self.page = self.do("browsingContext.getTree")["contexts"][0]["context"]
        size = {"width": 1280, "height": 900}
        self.do("browsingContext.setViewport", context=self.page, viewport=size)

    def do(self, method: str, **params: Any) -> Any:
        number = next(self.numbers)
        self.line.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            heard = json.loads(self.line.recv(timeout=PATIENCE))
            if heard.get("id") == number:
                assert heard["type"] == "success", heard
                return heard["result"]
            if heard.get("method") == "log.entryAdded":
                self.said.append(str(heard["params"].get("text")))

    def goto(self, url: str) -> None:
        self.do("browsingContext.navigate", context=self.page, url=url, wait="complete")
        self.wait_for(READY)

    def ask(self, function: str) -> Any:
        text = f"(async () => JSON.stringify(await ({function})() ?? null))()"
        target = {"context": self.page}
        found = self.do("script.evaluate", expression=text, target=target, awaitPromise=True)
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])

    def wait_for(self, function: str) -> Any:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with suppress(AssertionError):  # a part of the page may be missing for a moment
                if found := self.ask(function):
                    return found
            time.sleep(0.2)
        raise TimeoutError(function)

    def point(self, *steps: dict[str, Any]) -> None:
        source = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}
        self.do("input.performActions", context=self.page, actions=[source | {"actions": steps}])


@contextmanager
def opened(profile: Path) -> Iterator[Firefox]:
    command = [str(COMMAND), "--headless", "--no-remote", "--profile", str(profile)]
    with subprocess.Popen(
        [*command, "--remote-debugging-port", "0"], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            told = (
                re.search(r"WebDriver BiDi listening on (\S+)", line) for line in process.stderr
            )
            address = next(found[1] for found in told if found)
            with connect(f"{address}/session", max_size=None) as line:
                yield Firefox(line)
        finally:
            process.terminate()


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Firefox]:
    with opened(tmp_path) as browser:
        yield browser


def move(x: float, y: float) -> dict[str, Any]:
    return {"type": "pointerMove", "x": round(x), "y": round(y)}


def test_a_visitor_with_firefox(server, firefox):
    firefox.goto(f"{server.url}/")
    # The pointer on a map changes the face beside it, and so does the slider of the known factor.
    firefox.goto(f"{server.url}/explore?model=gallery:ages")
    before = firefox.wait_for(SHOWN)
    box = firefox.wait_for(f"() => {EXPLORER}.parts.upper.getBoundingClientRect().toJSON()")
    firefox.point(move(box["x"] + 0.3 * box["width"], box["y"] + 0.6 * box["height"]))
    firefox.wait_for(f"() => {EXPLORER}.state.hover")
    assert firefox.wait_for(SHOWN)["output"] != before["output"]
    firefox.point(move(1.0, 1.0))
    firefox.wait_for(f"() => {EXPLORER}.state.hover === null")
    for level in (0, 11):
        firefox.wait_for(f"() => {EXPLORER}.levels.choose({level}) ?? true")
        after = firefox.wait_for(SHOWN)
        assert after["point"] == before["point"] and after["output"] != before["output"]
    # The title is as wide as its words.
    menu = "document.querySelector('[class*=st-key-explore_menu] input')"
    firefox.wait_for(f"() => {menu} && {menu}.scrollWidth <= {menu}.clientWidth + 1")
    # A joint that is dragged arrives where it is let go.
    firefox.goto(f"{server.url}/explore?model=gallery:poses")
    hand = firefox.wait_for(f"() => {EXPLORER}.body.drawing.skeleton.names.indexOf('LFingers end')")
    place = f"""() => {{
        const {{ body }} = {EXPLORER}, box = body.canvas.getBoundingClientRect();
        const [x, y] = body.places()[{hand}];
        return [x + box.left, y + box.top];
    }}"""
    x, y = firefox.wait_for(place)
    press, lift = ({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))
    firefox.point(move(x, y), press, move(x - 20, y - 50), lift)
    firefox.wait_for(f"() => {EXPLORER}.body.drag && !{EXPLORER}.body.busy")
    after = firefox.wait_for(place)
    assert abs(after[0] - x + 20) < 8 and abs(after[1] - y + 50) < 8
    # The policy blocks nothing at any of these visits.
    assert [each for each in firefox.said if "Content-Security-Policy" in each] == []
