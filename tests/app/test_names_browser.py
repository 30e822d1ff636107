"""Tests that names from data and links are shown as plain text and cause no requests."""

import socket
import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from gplvm_core import BayesianGPLVM, Dataset, Drawing, ManifoldRelevance
from gplvm_core.datasets import View
from gplvm_core.store import Library
from tests.app.conftest import Server, Visit
from tests.app.watch import settled

pytestmark = pytest.mark.browser
PICTURE = "![a](http://127.0.0.1:1/x.png)"
MARKS = (
    PICTURE,
    "<img src=http://127.0.0.1:1/y.png>",
    "[x](javascript:alert(1))",
    ":red[b] :material/home: :smile:",
    "$c$ **d** `e` a->b",
    "http://127.0.0.1:1/z www.x.example",
)
SOURCE = " ".join(MARKS)
TITLE = f"{PICTURE} <img src=/y.png> [x](javascript:y) :red[b] :smile: $c$ **d**"
EVIL = "http://evil.example"
# JavaScript that returns the visible text, also in components, without invisible separators.
READ = r"""() => {
    const words = (root) => [...root.childNodes].map((node) =>
        node.nodeType === Node.TEXT_NODE ? node.data
        : ["STYLE", "SCRIPT"].includes(node.nodeName) ? ""
        : (node.shadowRoot ? words(node.shadowRoot) : "") + words(node)).join("");
    return words(document.body).replaceAll("\u2060", "").replaceAll(/\s+/g, " ");
}"""
DRAWN = "img[src*='127.0.0.1:1/'], a[href*='127.0.0.1:1'], a[href^='javascript'], a[href*='www.x']"


@pytest.fixture(scope="module")
def hostile(server: Server) -> Iterator[dict[str, str]]:
    """Return a temporary library with a model of one view and a model of two, and special
    characters in every name.
    """
    rng = np.random.default_rng(0)
    values = rng.standard_normal((24, 2)) @ rng.standard_normal((2, 6))
    values += 0.1 * rng.standard_normal(values.shape)
    names = tuple(f"{mark} {place}" for place, mark in enumerate(MARKS))
    labels = np.arange(24) % 2
    table = Dataset(
        "hostile", TITLE, values, Drawing("bars", (6,)), labels=labels,
        label_names=MARKS[:2], column_names=names, source=SOURCE, notes=MARKS,
    )  # fmt: skip
    three = Drawing("bars", (3,))
    views = (View(MARKS[0], three, names[:3]), View(MARKS[1], three, names[3:]))
    library = Library(server.home / "library")
    with warnings.catch_warnings(action="ignore"):
        one = BayesianGPLVM(2, n_inducing=6, max_iter=8, random_state=0).fit(values)
        paired = replace(table, views=views)
        both = ManifoldRelevance(2, n_inducing=6, max_iter=8, random_state=0).fit(
            paired.view_values
        )
    keys = {"one": library.add(one, table, TITLE), "both": library.add(both, paired, TITLE)}
    library.tag(keys["one"], [PICTURE])
    yield {name: f"library:{identifier}" for name, identifier in keys.items()}
    for identifier in keys.values():
        library.delete(identifier)
    library.empty_trash()


def test_names_are_shown_as_plain_text_on_every_page(
    browser_page: Visit, server: Server, hostile: dict[str, str]
):
    page = browser_page.page
    one, both = hostile["one"], hostile["both"]
    walk = {
        "library": (TITLE, PICTURE),
        f"explore?model={PICTURE}": (f"“{PICTURE}” names no model",),
        f"explore?model={one}&at={PICTURE}": (TITLE, SOURCE, *MARKS, f"“{PICTURE}” is not a coor"),
        f"views?model={both}": (TITLE, *MARKS[:2]),
        "train": (),
    }
    for address, words in walk.items():
        page.goto(f"{server.url}/{address}")
        shows(page, words)
        expect(page.locator(DRAWN)).to_have_count(0)
    page.get_by_text("My own file", exact=True).click()
    table = ",".join(f'"{mark}"' for mark in MARKS) + "\n"
    table += "\n".join(f"text {n},{n},{n * n % 7},{n % 3},{n % 4},{n % 5}" for n in range(12))
    file = {"name": "**e** $c$.csv", "mimeType": "text/csv", "buffer": table.encode()}
    page.locator("input[type=file]").first.set_input_files([file])
    expect(page.get_by_text("Start training")).to_be_visible()
    shows(page, (MARKS[0], "**e** $c$.csv, a table"))
    page.get_by_role("tab", name="Table").click()
    page.get_by_test_id("stDataFrame").last.hover()
    expect(page.get_by_role("button", name="Search")).to_be_visible()
    # The CSV file that Streamlit writes would not protect spreadsheets from names that begin like
    # formulas.
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)
    expect(page.locator(DRAWN)).to_have_count(0)
    own = (server.url, server.url.replace("http", "ws"), "blob:", "data:")
    assert [url for url in browser_page.traffic.requests if not url.startswith(own)] == []


def shows(page: Page, words: tuple[str, ...]) -> None:
    """Wait until all these texts are on the page."""
    wanted = f"(words) => {{ const read = ({READ})(); return words.filter((each) => "
    wanted += "!read.includes(each)).length === 0; }"
    try:
        page.wait_for_function(wanted, arg=list(words))
    except AssertionError:
        read = page.evaluate(READ)
        pytest.fail(f"{[each for each in words if each not in read]} are not in: {read}")
    settled(page)


def test_a_refused_page_causes_no_request_of_the_server(server: Server):
    """The app's own guard refuses the page; Streamlit's check would ask an outside host for this
    machine's address.
    """
    host = server.url.removeprefix("http://")
    for path in ("/", "/_stcore/stream", "/_stcore/metrics"):
        assert refused(host, path, f"Host: {host}\r\nOrigin: {EVIL}")
        assert refused(host, path, f"Host: evil.example\r\nOrigin: {EVIL}")
    assert server.outside() == []


def refused(host: str, path: str, headers: str) -> bool:
    """Return whether the server refuses the handshake of a websocket."""
    name, port = host.split(":")
    with socket.create_connection((name, int(port)), timeout=10) as line:
        handshake = (
            f"GET {path} HTTP/1.1\r\n{headers}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        line.sendall(handshake.encode())
        return line.recv(200).split(b" ")[1] in (b"400", b"403")
