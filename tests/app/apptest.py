"""Helpers of the page tests: open a page in Streamlit's AppTest, read its text, press buttons."""

import json
import re
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest

from gplvm_core import training
from gplvm_core.wire.frame import unframe
from pages.ui.shared.catalogue import open_item
from pages.ui.shared.component import plain_key
from pages.ui.shared.parcels import parcels

ROOT = Path(__file__).parents[2]
TABS = ("fill", "time", "views", "layers", "rows", "predict")  # the tabs of Explore
# JavaScript that computes a checksum of a canvas's pixels.
PIXELS = """(canvas) => {
    const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let sum = 0;
    for (let i = 0; i < data.length; i++) sum = (sum * 31 + data[i]) % 2147483647;
    return sum;
}"""


def run_page(page: str, **query: str | None) -> AppTest:
    """Start the app at a page, with parameters in its address (None: without this parameter).

    page: a room, a tab of Explore, or Mine (a shelf of the Gallery).
    """
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    return app.run() if page == "gallery" else go_to(app, page, **query)


def go_to(app: AppTest, page: str, /, **query: str | None) -> AppTest:
    """Open a page, a tab or a shelf, also another one in the same visit."""
    app.query_params.clear()
    place = {"tab": page} if page in TABS else {"shelf": "mine"} if page == "mine" else {}
    for name, value in (place | query).items():
        if value is not None:
            app.query_params[name] = value
    room = "explore" if page in TABS else "gallery" if page == "mine" else page
    return app.switch_page(f"pages/{room}.py").run()


def drawn(at: AppTest) -> AppTest:
    """Return the tab Fill in after the browser has drawn its picture; then come the charts."""
    key = query(at, "model")
    at.session_state[plain_key(f"painter|{key}|{open_item(key).version}")] = {"drawn": True}
    return at.run()


def kind_of(at: AppTest, column: str, kind: str) -> AppTest:
    """Choose the kind of a column of an uploaded table, by the column's name on the page."""
    control = next(c for c in at.segmented_control if as_shown(c.label) == f"Kind of {column}")
    return control.set_value(kind).run()


def said(at: AppTest) -> str:
    """Return all text on the page."""
    kinds = (
        "title",
        "header",
        "subheader",
        "markdown",
        "caption",
        "info",
        "warning",
        "error",
        "html",
    )
    return "\n".join(as_shown(str(e.value)) for kind in kinds for e in getattr(at, kind))


def estimated(at: AppTest) -> str:
    """Return all text on Train when the trial behind its estimate has ended."""
    while "Trying a few steps" in said(at):
        time.sleep(0.1)
        at.run()
    assert not at.exception and not at.error
    return said(at)


def as_shown(markdown: str) -> str:
    """Return Markdown without the escapes of its special characters."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown).replace("\u2060", "")


def press(at: AppTest, label: str) -> AppTest:
    """Press the first button with this label, and return the page."""
    return next(button for button in at.button if button.label == label).click().run()


def query(at: AppTest, name: str) -> str:
    """Return one parameter of the address."""
    value = at.query_params[name]
    return value if isinstance(value, str) else value[0]


def finished(job_id: str) -> training.Snapshot:
    """Wait for the end of a job, and check that it succeeded."""
    job = training.here().wait(job_id, timeout=300)
    assert job.status == "finished", job.error
    return job


def upload(at: AppTest, name: str, data: bytes) -> AppTest:
    """Upload a file as the data, and return the page."""
    at.segmented_control(key="train_source").set_value("upload").run()
    return at.file_uploader[0].upload(name, data).run()


def stores(at: AppTest) -> dict[str, tuple[dict, dict]]:
    """Return the headers and arrays of all bytes that were sent to the browser."""
    found: dict[str, tuple[dict, dict]] = {}
    for element in at.main:
        _collect(element, found)
    return found


def _collect(element, found) -> None:
    if hasattr(element, "children"):
        for child in element.children.values():
            _collect(child, found)
        return
    proto = getattr(element, "proto", None)
    sent = getattr(proto, "json", "") if proto is not None else ""
    address = json.loads(sent).get("address", "") if sent.startswith("{") else ""
    if address:
        header, arrays = unframe(parcels.find(address.rpartition("/")[2]))
        found[header["name"].split("|")[0]] = (header, arrays)


def short(at: AppTest) -> AppTest:
    """Choose the shortest training of two latent dimensions, and return the page."""
    at.number_input(key="form_max_iter").set_value(10)  # the form replaces smaller numbers by 500
    dimensions = next(b for b in at.number_input if b.label.startswith("Latent dimensions"))
    return dimensions.set_value(2).run()


def started(at: AppTest) -> training.Snapshot:
    """Press the button that starts training, and return the finished job."""
    press(at, "Start training")
    assert not at.exception
    return finished(query(at, "job"))
