"""Tests of the guide's nginx configuration in front of the app: allowed and refused requests."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

ROOT = Path(__file__).parents[2]
NGINX, OPENSSL = shutil.which("nginx"), shutil.which("openssl")
TOKEN = "a-token-of-the-test's-own"
pytestmark = pytest.mark.skipif(not (NGINX and OPENSSL), reason="nginx or openssl is not here")
# These settings let an ordinary user run nginx with the guide's lines, with all files in a
# temporary folder.
AROUND = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {lines}
}}
"""


@dataclass(frozen=True)
class Front:
    """The server for visitors: nginx, with a self-signed certificate."""

    address: str
    app: str
    trust: ssl.SSLContext

    def ask(self, path: str = "/", **headers: str) -> tuple[int, str, str]:
        """Return status, text and cookie of an answer."""
        return ask(f"{self.address}{path}", headers, self.trust)

    def stream(self, **headers: str):
        address = self.address.replace("https", "wss") + "/_stcore/stream"
        origin = headers.pop("origin", None)
        return connect(
            address, origin=origin, ssl=self.trust, additional_headers=headers,
            subprotocols=["streamlit"],
        )  # fmt: skip


def ask(address: str, headers: dict[str, str], trust: ssl.SSLContext | None = None):
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20, context=trust) as answer:
            return answer.status, answer.read().decode(), answer.headers.get("Set-Cookie", "")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), ""


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """Start the app on loopback with a name and a token, and nginx in front of it."""
    folder = tmp_path_factory.mktemp("nginx")
    inner, outer = free_port(), free_port()
    make_certificate(folder)
    guide = (ROOT / "docs" / "shared_server.md").read_text(encoding="utf-8")
    lines = re.findall(r"```nginx\n(.*?)```", guide, re.DOTALL)[0]
    for said, here in (
        ("listen 443 ssl", f"listen 127.0.0.1:{outer} ssl"),
        ("server_name ada.maps.example.org", "server_name localhost"),
        ("/etc/ssl/maps.example.org", f"{folder}/it"),
        ("127.0.0.1:8501", f"127.0.0.1:{inner}"),
    ):
        assert said in lines
        lines = lines.replace(said, here)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, lines=lines))
    address = f"https://localhost:{outer}"
    settings = {
        "MANIFOLIO_HOME": str(folder / "home"),
        "MANIFOLIO_HOSTS": address,
        "MANIFOLIO_TOKEN": TOKEN,
    }
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={inner}"],
            cwd=ROOT,
            env=os.environ | settings,
            stdout=(folder / "said.txt").open("wb"),
        ),
        subprocess.Popen([NGINX, "-p", folder, "-c", folder / "nginx.conf"]),
    ]
    found = Front(
        address, f"http://127.0.0.1:{inner}", ssl.create_default_context(cafile=folder / "it.pem")
    )
    try:
        await_answer(found)
        assert f"{address}/?token={TOKEN}" in (folder / "said.txt").read_text()
        yield found
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(timeout=20)


def make_certificate(folder: Path) -> None:
    subprocess.run(
        [OPENSSL, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", folder / "it.key", "-out", folder / "it.pem"],
        check=True, capture_output=True,
    )  # fmt: skip


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_answer(front: Front) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if front.ask()[0] == 403:
                return
        except OSError:
            pass
        time.sleep(0.1)
    pytest.fail("nginx or the app did not start")


def test_the_guide_s_server_lets_in_whoever_has_the_token(front: Front):
    assert "needs a token" in front.ask()[1]
    status, words, cookie = front.ask(f"/explore?token={TOKEN}")
    assert (status, words.strip()) == (200, "Welcome.")
    assert "Secure" in cookie and "HttpOnly" in cookie and "SameSite=Strict" in cookie
    kept = {"Cookie": cookie.split(";")[0]}
    assert "<title>" in front.ask("/explore", **kept)[1]
    assert front.ask("/_stcore/health", **kept)[1] == "ok"
    assert front.ask("/_stcore/metrics", **kept)[0] == 404
    with front.stream(origin=front.address, **kept) as browser:
        browser.send(b"\x5a\x00")  # this message asks Streamlit to run the page again
        assert browser.recv(timeout=30)
    for origin in (None, "https://evil.example", front.address.replace("https", "http")):
        with pytest.raises(InvalidStatus), front.stream(origin=origin, **kept):
            pass
    with pytest.raises(InvalidStatus), front.stream(origin=front.address):
        pass


def test_other_names_and_the_way_around_nginx_are_refused(front: Front):
    assert front.ask(Host="evil.example")[0] == 400
    assert ask(front.app, {})[0] == 403
