"""Fixtures of the page tests: a workspace, data, a running app, and a browser."""

import functools
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pytest
import streamlit as st
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    ViewportSize,
    WebSocket,
    expect,
    sync_playwright,
)
from streamlit.components.v2 import manifest_scanner

import gplvm_core
from gplvm_core import BayesianGPLVM, load_dataset
from gplvm_core.datasets import Dataset
from gplvm_core.models.estimators import with_density
from gplvm_core.prediction import fills, intervals, sequence
from gplvm_core.store import Library
from gplvm_core.training import comparing, foresee
from pages.ui.shared import catalogue
from tests.app.watch import PATIENCE, patient, wait_for_function
from tests.cases import few_held_out

ROOT = Path(__file__).parents[2]
# this folder has sitecustomize, which records the server's connections
OUTSIDE = Path(__file__).parent / "outside"
CHROMIUM = shutil.which("chromium")
SCREEN: ViewportSize = {"width": 1280, "height": 900}
TELEPHONE: ViewportSize = {"width": 380, "height": 800}
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # All pages share one process, which has already compiled Streamlit's scripts; with a process
    # for each page, opening a page takes about 1.6 times as much CPU time.
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process",
    "--renderer-process-limit=1",
]
BROWSER = pytest.StashKey[Browser]()
PICTURES = ROOT / "build" / "browser"  # the pages of failed tests


@pytest.fixture(scope="session", autouse=True)
def packages_looked_through_once() -> Iterator[None]:
    """Cache the search for components in all installed packages, which takes half the time of a
    short test.
    """
    scan = functools.cache(manifest_scanner.scan_component_manifests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(autouse=True)
def quick_density(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learn the density of the rows and the widths of intervals from few held-out rows, and
    estimate the time of a training from few steps.
    """
    few_held_out(monkeypatch)
    monkeypatch.setattr(foresee, "SECONDS", 0.02)
    monkeypatch.setattr(foresee, "TRIED", 16)
    monkeypatch.setattr(with_density, "SIZES", (1,))
    monkeypatch.setattr(fills, "MOST_ROWS", 2)
    monkeypatch.setattr(intervals, "MOST_ROWS", 2)
    monkeypatch.setattr(sequence, "MOST_STEPS", 20)


@pytest.fixture(autouse=True)
def nothing_left_running() -> Iterator[None]:
    """End what a page still computes in the background when the test has ended."""
    yield
    for run in comparing._RUNS.values():
        run.end()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a temporary workspace with a gallery."""
    monkeypatch.setenv("MANIFOLIO_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(catalogue, "GALLERY_FOLDER", tmp_path / "gallery")
    monkeypatch.chdir(ROOT)
    st.cache_data.clear()
    return tmp_path / "home"


@pytest.fixture(scope="module")
def flow() -> Dataset:
    """Return sixty rows of the simulated flow."""
    whole = load_dataset("flow")
    return replace(
        whole,
        name="some-flow",
        title="Some flow",
        targets=whole.targets[:60],
        labels=whole.labels[:60],
        covariates={},
    )


@pytest.fixture(scope="module")
def model_of_flow(flow: Dataset, trained: Callable[..., BayesianGPLVM]) -> BayesianGPLVM:
    """Return a small model of the sixty rows; several modules share its training."""
    fresh = BayesianGPLVM(3, n_inducing=10, max_iter=30, random_state=0)
    return trained(fresh, flow.values)


@pytest.fixture(scope="session")
def map_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Return a function that writes a ready model's map once and returns the file's address."""
    folder = tmp_path_factory.mktemp("maps")

    def address(name: str) -> str:
        file = folder / f"{name}.html"
        if not file.exists():
            model = gplvm_core.load(f"assets/models/{name}/model.gplvm")
            gplvm_core.explorer(model, load_dataset(name)).save(file)
        return file.as_uri()

    return address


@dataclass(frozen=True)
class Server:
    """A running app: its address, the key of its small model, and its workspace folder."""

    url: str
    model_key: str
    home: Path

    def outside(self) -> list[str]:
        """Return all hosts outside this machine that the server connected to or looked up."""
        return (self.home / "outside.txt").read_text().splitlines()

    def model(self) -> BayesianGPLVM:
        """Return the small model."""
        return Library(self.home / "library").model(self.model_key.split(":")[1])

    def explore(self, query: str = "") -> str:
        return f"{self.url}/explore?model={self.model_key}{query}"


@dataclass
class Traffic:
    """The messages and requests of a page, recorded while it was open."""

    sent: list[bytes | str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def outside(self) -> list[str]:
        """Return the requests that leave this machine."""
        local = ("http://127.0.0.1:", "ws://127.0.0.1:", "blob:", "data:")
        return [url for url in self.requests if not url.startswith(local)]


@dataclass(frozen=True)
class Visit:
    """A page with its recorded requests and messages."""

    page: Page
    traffic: Traffic


def small_model(folder: Path) -> str:
    """Fit a small model on some digits and store it in a user's library; return its id."""
    digits = load_dataset("digits")
    dataset = replace(
        digits, name="some-digits", targets=digits.targets[:150], labels=digits.labels[:150]
    )
    model = BayesianGPLVM(n_components=4, n_inducing=20, max_iter=60, random_state=0)
    with warnings.catch_warnings(action="ignore"):  # pixels that are always dark cause warnings
        model.fit(dataset.values)
        # fit_density is also the last step of a training in the app; the density fills the gaps of
        # some rows.
        model.fit_density(dataset.values, 5, prior_strength=10.0)
    return Library(folder / "library").add(model, dataset, "Some digits")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_answer(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server answers; its log is shown if it ends, or needs more than a minute."""
    for _ in range(240):
        if process.poll() is not None:
            pytest.fail(f"The server stopped at once:\n{log.read_text()}")
        try:
            urllib.request.urlopen(url, timeout=1).read()
            return
        except OSError:
            time.sleep(0.25)
    pytest.fail(f"The server did not start within a minute:\n{log.read_text()}")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start the app in a separate process, with a workspace that contains one small model."""
    home = tmp_path_factory.mktemp("home")
    identifier = small_model(home)
    port = free_port()
    log = (home / "server.log").open("wb")
    (home / "outside.txt").touch()
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    watched = {"WATCH_OUTSIDE": str(home / "outside.txt"), "PYTHONPATH": f"{ROOT}:{OUTSIDE}"}
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
        cwd=ROOT,
        env=os.environ | threads | watched | {"MANIFOLIO_HOME": str(home)},
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for_answer(f"{url}/_stcore/health", process, home / "server.log")
        served = Server(url, f"library:{identifier}", home)
        yield served
        assert served.outside() == []
    finally:
        process.terminate()
        process.wait(timeout=20)
        log.close()


@pytest.fixture(scope="session")
def browser(pytestconfig: pytest.Config) -> Iterator[Browser]:
    """Return Debian's Chromium; tests that need it are skipped if it is not installed."""
    if CHROMIUM is None:
        pytest.skip("no 'chromium' on the PATH: the browser tests did NOT run (make chromium)")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Page, "wait_for_function", wait_for_function)
        patch.setattr(Page, "evaluate", patient(Page.evaluate))
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        pytestconfig.stash[BROWSER] = chromium
        yield chromium
        chromium.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Keep a picture, the words and the console of every open page when a browser test fails."""
    report = yield
    browser = item.config.stash.get(BROWSER, None)
    if report.failed and report.when == "call" and browser and item.get_closest_marker("browser"):
        PICTURES.mkdir(parents=True, exist_ok=True)
        pages = [page for context in browser.contexts for page in context.pages]
        for number, page in enumerate(page for page in pages if page.url != "about:blank"):
            path = PICTURES / f"{re.sub(r'[^a-z0-9]+', '-', item.name)}-{number}.png"
            said = [f"{each.type}: {each.text}" for each in page.console_messages()]
            path.with_suffix(".txt").write_text("\n".join([page.url, *said]), encoding="utf-8")
            page.screenshot(path=path)
            words = page.locator("body").inner_text()[:2_000]
            report.sections.append(
                ("Picture of the page", f"{path} and its console beside it\n{page.url}\n{words}")
            )
    return report


def opened_tab(browser: Browser, **settings: Any) -> Iterator[Page]:
    """Open one tab for all tests, so that pages share the files that the browser has compiled.

    A new tab would compile all of Streamlit again; this takes most of a page's time.
    """
    context = browser.new_context(**settings)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page
    context.close()


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Iterator[Page]:
    yield from opened_tab(browser, viewport=SCREEN)


@pytest.fixture(scope="session")
def telephone_tab(browser: Browser) -> Iterator[Page]:
    yield from opened_tab(browser, viewport=TELEPHONE, has_touch=True)


@pytest.fixture
def browser_page(tab: Page) -> Iterator[Visit]:
    """Return an empty page, 1280 × 900; see `visited`."""
    yield from visited(tab, SCREEN, "light")


@pytest.fixture
def telephone(telephone_tab: Page) -> Iterator[Visit]:
    """Return an empty page with a touch screen, 380 × 800, in dark colours; see `visited`."""
    yield from visited(telephone_tab, TELEPHONE, "dark")


def visited(page: Page, size: ViewportSize, scheme: Literal["light", "dark"]) -> Iterator[Visit]:
    """Yield a page that records requests, messages to the server and errors, and then empty it.

    The test fails if a request leaves this machine or the page throws an error. The visitor prefers
    reduced motion, because animations take CPU time.
    """
    page.set_viewport_size(size)
    page.emulate_media(media="null", color_scheme=scheme, reduced_motion="reduce")
    page.mouse.move(0, 0)
    traffic = Traffic()

    def follow(socket: WebSocket) -> None:
        traffic.requests.append(socket.url)
        socket.on("framesent", lambda frame: traffic.sent.append(frame))

    def listen(message: ConsoleMessage) -> None:
        # When the path of a page is opened, Streamlit first looks for its server below that path.
        own = "/_stcore/" in message.location.get("url", "")
        if message.type == "error" and not own:
            traffic.errors.append(message.text)

    told = {
        "websocket": follow,
        "request": lambda request: traffic.requests.append(request.url),
        "pageerror": lambda error: traffic.errors.append(str(error)),
        "console": listen,
    }
    for event, listener in told.items():
        page.on(event, listener)
    yield Visit(page, traffic)
    for event, listener in told.items():
        page.remove_listener(event, listener)
    if page.url.startswith("http"):
        page.evaluate("sessionStorage.clear(), localStorage.clear()")
    page.goto("about:blank")
    page.unroute_all()
    assert traffic.outside() == []
    assert traffic.errors == []
