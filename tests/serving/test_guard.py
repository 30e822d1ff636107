"""Tests of the guard in front of the app: accepted and refused requests."""

import itertools
from urllib.parse import quote

import pytest

from pages.ui.serving.address import Address
from pages.ui.serving.guard import Guard
from pages.ui.serving.settings import Serving
from tests.asgi import answered

TOKEN = "a-token-of-the-test's-own"
OWN = Address("http", "127.0.0.1", 8501)
OPEN = Serving()
PROXIED = Serving((Address("https", "maps.example.org", 443),))
LOCKED = Serving(token=TOKEN)
PATHS = ("/", "/explore", "/_stcore/health", "/_stcore/stream", "/media/x.png", "/static/js/a.js",
         "/_stcore/upload_file/a/b", "/_stcore/bidi-components/x", "/component/x")  # fmt: skip
OWN_HOSTS = ("127.0.0.1:8501", "localhost:8501", "LOCALHOST:8501", "[::1]:8501")
FOREIGN_HOSTS = ("evil.example", "evil.example:8501", "127.0.0.1", "127.0.0.1:8502", "localhost",
                 "127.0.0.1:8501@evil.example", "127.0.0.1:8501.evil.example", "127.0.0.1:85010",
                 "localhost.:8501", "127.0.0.1:99999", "127.0.0.2:8501", "0.0.0.0:8501", "", " ",
                 "127.0.0.1:8501/", "[::1", "169.254.169.254")  # fmt: skip
FOREIGN_ORIGINS = ("null", "", "http://evil.example", "http://evil.example:8501",
                   "http://127.0.0.1:9999", "http://localhost:9999", "https://127.0.0.1:8501",
                   "http://127.0.0.1", "http://127.0.0.1:8501.evil.example", "file://",
                   "http://127.0.0.1:8501@evil.example", "chrome-extension://abc",
                   "http://127.0.0.1:8501/", "//127.0.0.1:8501")  # fmt: skip


def ask(serving: Serving, kind: str = "http", path: str = "/", query: str = "", **said):
    """Return status, headers and text of the answer.

    If the request reached the app, the status is 200 and the text is `behind`.
    """
    headers = [
        (name.replace("_", "-").encode(), value.encode("latin-1"))
        for name, told in said.items()
        if name not in ("method", "server", "raw_path")
        for value in ([told] if isinstance(told, str) else told)
    ]
    scope = {
        "type": kind,
        "scheme": "http" if kind == "http" else "ws",
        "method": said.get("method", "GET"),
        "path": path,
        "raw_path": said.get("raw_path", quote(path, errors="surrogatepass").encode()),
        "query_string": query.encode(),
        "headers": headers,
        "server": said.get("server", ("127.0.0.1", 8501)),
    }

    async def behind(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"behind"})

    sent = answered(Guard(behind, serving), scope)
    if sent[0]["type"] == "websocket.close":
        return 403, {}, ""
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, sent[1]["body"].decode().strip()


def let_in(*asked, **said) -> bool:
    return ask(*asked, **said)[2] == "behind"


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_host_is_accepted_only_with_the_origin_of_the_same_address(kind):
    """The test covers every Host with every Origin, on every path."""
    origins = tuple(f"http://{host}" for host in OWN_HOSTS) + FOREIGN_ORIGINS
    for path, host, origin in itertools.product(PATHS, OWN_HOSTS + FOREIGN_HOSTS, origins):
        same = host in OWN_HOSTS and origin.lower() == f"http://{host}".lower()
        assert let_in(OPEN, kind, path, host=host, origin=origin) == same, (path, host, origin)


def test_without_an_origin_only_pages_can_be_opened():
    for path, host in itertools.product(PATHS, OWN_HOSTS):
        assert let_in(OPEN, "http", path, host=host)
        assert not let_in(OPEN, "websocket", path, host=host)
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            assert not let_in(OPEN, "http", path, host=host, method=method)
    for path, host in itertools.product(PATHS, FOREIGN_HOSTS):
        assert not let_in(OPEN, "http", path, host=host)


def test_a_request_with_two_hosts_or_two_origins_or_none_is_refused():
    own = "127.0.0.1:8501"
    assert not let_in(OPEN)
    assert not let_in(OPEN, host=[own, "evil.example"])
    assert not let_in(OPEN, host=own, origin=[f"http://{own}", "http://evil.example"])


def test_other_pages_can_link_to_the_app_but_not_load_from_it():
    own = {"host": "127.0.0.1:8501"}
    for site in ("cross-site", "same-site"):  # "same-site" is another port of this machine
        assert let_in(OPEN, **own, sec_fetch_site=site, sec_fetch_dest="document")
        for use in ("image", "script", "iframe", "empty"):
            assert not let_in(OPEN, **own, sec_fetch_site=site, sec_fetch_dest=use)
    for site in ("same-origin", "none"):
        assert let_in(OPEN, **own, sec_fetch_site=site, sec_fetch_dest="image")


def test_the_address_of_the_connection_is_always_served():
    far = {"server": ("::ffff:192.168.1.20", 8501)}
    assert let_in(OPEN, host="192.168.1.20:8501", **far)
    assert not let_in(OPEN, host="192.168.1.21:8501", **far)
    assert let_in(OPEN, host="[2001:db8::1]:8501", server=("2001:db8::1", 8501))


def test_a_named_address_is_served_with_its_own_scheme():
    host, own = "maps.example.org", "https://maps.example.org"
    assert let_in(PROXIED, "websocket", host=host, origin=own)
    assert let_in(PROXIED, "websocket", host=f"{host}:443", origin=own)
    assert not let_in(PROXIED, "websocket", host=host, origin="http://maps.example.org")
    assert not let_in(PROXIED, "websocket", host=f"{host}:8501", origin=own)
    assert not let_in(PROXIED, "websocket", host="127.0.0.1:8501", origin=own)


def test_metrics_are_closed_unless_asked_for():
    own = {"host": "127.0.0.1:8501"}
    for path in ("/_stcore/metrics", "/_stcore/metrics/", "/a/_stcore/metrics"):
        assert ask(OPEN, path=path, **own)[0] == 404
        assert let_in(Serving(metrics=True), path=path, **own)


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_path_that_could_be_read_in_two_ways_is_refused_before_any_other_rule(kind):
    """The result does not depend on the rest of the request. Paths are decoded, as servers pass
    them to the app.
    """
    own = {"host": "127.0.0.1:8501", "origin": "http://127.0.0.1:8501"}
    unplain = ("", "*", "x", "//", "//evil.example/", "/a//b", "/.", "/..", "/a/./b", "/a/../b",
               "/a\\b", "/\ufffd", "/\udcff", *(f"/a{chr(code)}" for code in range(32)),
               "/_stcore/stream\n", "/_stcore/metrics\n", "/\x7f", "/\x85/b")  # fmt: skip
    for path, serving in itertools.product(unplain, (OPEN, LOCKED, Serving(metrics=True))):
        status, _, words = ask(serving, kind, path, **own)
        assert status == (400 if kind == "http" else 403), path
        assert "path" in words or kind == "websocket"
    for path in (
        *PATHS,
        "/karte ü",
        "/図",
        "/a;b",
        "/...",
        "/a..b",
        "/explore/",
        "/a%0a",
        "/\u2028",
    ):
        assert let_in(OPEN, kind, path, **own), path


@pytest.mark.parametrize(
    ("sent", "decoded"),
    [(b"/a%2fb", "/a/b"), (b"/a%2Fb", "/a/b"), (b"/%ff", "/\ufffd"), (b"/other", "/explore"),
     (b"/a%2fb", "/a%2fb"), (b"/%c0%af", "/\ufffd\ufffd")],
)  # fmt: skip
def test_a_path_that_was_sent_otherwise_than_it_is_read_is_refused(sent, decoded):
    assert ask(OPEN, path=decoded, raw_path=sent, host="127.0.0.1:8501")[0] == 400
    for plain, read in ((b"/a%20b", "/a b"), (b"/%e5%9b%b3", "/図"), (None, "/図")):
        assert let_in(OPEN, path=read, raw_path=plain, host="127.0.0.1:8501")


def test_every_answer_has_the_headers_and_a_refusal_is_plain_text():
    for host in ("127.0.0.1:8501", "evil.example"):
        _, headers, words = ask(OPEN, host=host)
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy["frame-ancestors"] == "'none'"
        assert policy["connect-src"] == "'self'"
        assert policy["img-src"] == "'self' data: blob:"
        # No script of a page or of text runs; compiled code may run, if such a script asks for it.
        assert "'unsafe" not in policy["script-src"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
    assert headers["content-type"].startswith("text/plain")
    assert "does not accept this host name" in words


def test_a_token_opens_once_and_its_cookie_from_then_on():
    own = {"host": "127.0.0.1:8501"}
    assert ask(LOCKED, **own)[0] == 403
    for wrong in ("", TOKEN[:-1], TOKEN.upper(), TOKEN + "x", "%00"):
        assert ask(LOCKED, query=f"token={wrong}", **own)[0] == 403
    status, headers, words = ask(LOCKED, path="/explore", query=f"model=a%26b&token={TOKEN}", **own)
    assert (status, words) == (200, "Welcome.")
    assert headers["refresh"] == "0; url=http://127.0.0.1:8501/explore?model=a%26b"
    kept, *rules = headers["set-cookie"].split("; ")
    assert set(rules) == {"Path=/", "HttpOnly", "SameSite=Strict"}
    assert TOKEN not in kept
    for path in PATHS:
        assert let_in(LOCKED, "http", path, cookie=f"other=1; {kept}", **own)
        assert not let_in(LOCKED, "http", path, cookie="other=1", **own)
        origin = {"origin": "http://127.0.0.1:8501"}
        assert let_in(LOCKED, "websocket", path, cookie=kept, **own, **origin)
        assert not let_in(LOCKED, "websocket", path, **own, **origin)
        assert not let_in(LOCKED, "http", path, cookie=kept, host="evil.example")
    renewed = Serving(token="another token altogether")
    assert not let_in(renewed, cookie=kept, **own)


def test_cookies_of_other_programs_do_not_hide_the_apps_cookie():
    """Browsers send cookies to every port of a host name, and accept malformed cookies."""
    own = {"host": "127.0.0.1:8501"}
    kept = ask(LOCKED, query=f"token={TOKEN}", **own)[1]["set-cookie"].split(";")[0]
    for other in ('a={"b": 1}', "a[b]=1", "a b=2", 'a="b', "Path=/", "expires=1", "a=é", "=", ""):
        assert let_in(LOCKED, cookie=f"{other}; {kept}; {other}", **own), other
        assert not let_in(LOCKED, cookie=other, **own)


def test_over_https_the_cookie_never_travels_in_the_clear():
    locked = Serving(PROXIED.addresses, TOKEN)
    headers = ask(locked, query=f"token={TOKEN}", host="maps.example.org")[1]
    assert headers["set-cookie"].endswith("; Secure")
    assert headers["refresh"] == "0; url=https://maps.example.org/"


def test_a_link_from_another_site_is_opened_again_from_here_to_bring_the_strict_cookie():
    linked = {"sec_fetch_site": "cross-site", "sec_fetch_dest": "document"}
    status, headers, _ = ask(LOCKED, path="/karte ü;x", host="127.0.0.1:8501", **linked)
    assert status == 200
    assert headers["refresh"] == "0; url=http://127.0.0.1:8501/karte%20%C3%BC%3Bx"
    assert "set-cookie" not in headers


@pytest.mark.parametrize(
    ("environment", "bound", "asks"),
    [
        ({}, "127.0.0.1", False),
        ({}, "localhost", False),
        ({}, "::1", False),
        ({}, None, True),  # the server listens on every address of the machine
        ({}, "0.0.0.0", True),
        ({}, "192.168.1.20", True),
        ({"MANIFOLIO_HOSTS": "https://maps.example.org"}, "127.0.0.1", True),
        ({"MANIFOLIO_HOSTS": "https://a.example", "MANIFOLIO_SIGN_IN": "none"}, None, False),
        ({"MANIFOLIO_SIGN_IN": "token"}, "127.0.0.1", True),
        ({"MANIFOLIO_SIGN_IN": "none"}, "127.0.0.1", False),
        ({"MANIFOLIO_SIGN_IN": "oidc"}, "127.0.0.1", False),
    ],
)
def test_a_token_is_asked_for_where_others_can_come(environment, bound, asks):
    serving = Serving.from_environment(environment, bound)
    assert bool(serving.token) == asks
    assert ("token" in serving.greeting(OWN)) == asks
    # Files of the machine are opened only where nobody else is expected.
    alone = bound in ("127.0.0.1", "localhost", "::1") and "MANIFOLIO_HOSTS" not in environment
    assert serving.own == (alone and environment.get("MANIFOLIO_SIGN_IN") in (None, "token"))
    if asks:
        assert serving.token != Serving.from_environment(environment, bound).token


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MANIFOLIO_HOSTS", "maps.example.org"),
        ("MANIFOLIO_HOSTS", "https://maps.example.org/app"),
        ("MANIFOLIO_SIGN_IN", "password"),
        ("MANIFOLIO_TOKEN", "short"),
        ("MANIFOLIO_TOKEN", "long enough, but the server does not ask for a token"),
        ("MANIFOLIO_METRICS", "perhaps"),
    ],
)
def test_an_impossible_setting_is_reported(name, value):
    with pytest.raises(ValueError, match=name):
        Serving.from_environment({name: value}, "127.0.0.1")
