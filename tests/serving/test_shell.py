"""Tests of the page into which Streamlit draws.

The app's own page is sent at every address, and Streamlit's files are unchanged.
"""

import re
from base64 import b64encode
from hashlib import sha256

import pytest
from starlette.applications import Starlette
from streamlit.web.server.starlette.starlette_static_routes import (
    create_streamlit_static_assets_routes,
)

from pages.ui.serving.headers import INLINE_SCRIPT, POLICY
from pages.ui.serving.shell import ASSETS, PARTS, Shell
from tests.asgi import answered

STREAMLIT = Starlette(routes=create_streamlit_static_assets_routes(None))


def ask(app, path: str, method: str = "GET", **said: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of an answer."""
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(),
        "query_string": b"", "root_path": "", "scheme": "http", "server": ("127.0.0.1", 8501),
        "headers": [(key.replace("_", "-").encode(), told.encode()) for key, told in said.items()],
    }  # fmt: skip
    sent = answered(app, scope)
    assert [message["type"] for message in sent].count("http.response.start") == 1
    headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize("path", ["/", "/explore", "/no_such_page", "/index.html"])
def test_every_address_has_the_style_before_the_first_word(path):
    status, headers, body = ask(Shell(STREAMLIT), path)
    page = body.decode()
    assert status == 200
    assert headers["content-length"] == str(len(body))
    assert (ASSETS / "style.css").read_text() in page
    assert "<title>Manifolio</title>" in page
    assert "favicon.png" not in page and "data:image/png;base64," in page
    # All files that the page fetches exist, including those that Streamlit fetches later.
    files = re.findall(r'href="\.(/static/[^"]*)"', page)
    assert set(re.findall(r'href="\.(/static/[^"]*)"', ask(STREAMLIT, path)[2].decode())) < set(
        files
    )
    assert len(files) == len(set(files)) and sum("woff2" in name for name in files) == 3
    for part in PARTS:
        assert any(f"/{part}." in name for name in files), part
    for name in files if path == "/" else ():
        found = ask(STREAMLIT, name, "HEAD")
        assert found[0] == 200 and "text/html" not in found[1]["content-type"], name


def test_a_first_screen_is_only_in_the_page_of_its_address():
    asked = []

    def first(path: str, query: str) -> str:
        asked.append((path, query))
        return "<div id='mf-first'>A map</div>" if path == "/explore" else ""

    shell = Shell(STREAMLIT, first)
    status, headers, body = ask(shell, "/explore")
    assert (status, headers["content-length"]) == (200, str(len(body)))
    assert b"A map" in body and body.rstrip().endswith(b"</html>")
    scripts = INLINE_SCRIPT.findall(body)
    digests = [b64encode(sha256(script).digest()).decode() for script in scripts]
    assert all(f"'sha256-{digest}'" in POLICY["script-src"] for digest in digests)
    assert b"mf-first'" not in ask(shell, "/")[2]
    assert asked == [("/explore", ""), ("/", "")]


def test_a_cached_page_of_streamlit_is_replaced():
    """The server sends the page again if a browser cached it with an old style or none."""
    kept = ask(STREAMLIT, "/")[1]
    conditions = {"if_none_match": kept["etag"], "if_modified_since": kept["last-modified"]}
    assert ask(STREAMLIT, "/", **conditions)[0] == 304
    for said in (conditions, {"if_none_match": "*"}, {"range": "bytes=0-99"}):
        assert ask(Shell(STREAMLIT), "/", **said) == ask(Shell(STREAMLIT), "/")
    assert not {"etag", "last-modified"} & set(ask(Shell(STREAMLIT), "/")[1])


def test_head_has_the_headers_of_get():
    got, asked = ask(Shell(STREAMLIT), "/"), ask(Shell(STREAMLIT), "/", "HEAD")
    assert asked == (got[0], got[1], b"")


def test_files_and_refusals_are_streamlit_s():
    script = next(
        line.split('"./')[1].split('"')[0]
        for line in ask(STREAMLIT, "/")[2].decode().splitlines()
        if 'type="module"' in line
    )
    for path in (f"/{script}", "/manifest.json", "/x/_stcore/health", "//elsewhere", "/explore/"):
        assert ask(Shell(STREAMLIT), path) == ask(STREAMLIT, path), path
    kept = ask(STREAMLIT, f"/{script}")[1]["etag"]
    assert ask(Shell(STREAMLIT), f"/{script}", if_none_match=kept)[0] == 304


def test_a_page_to_download_is_that_page():
    async def taken_home(scope, receive, send):
        headers = [(b"content-type", b"text/html")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"a map"})

    assert ask(Shell(taken_home), "/media/0123.html")[2] == b"a map"
