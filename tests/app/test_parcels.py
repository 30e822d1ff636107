"""Tests of bytes for the browser: stored once, found by their address, limited in total."""

import hashlib

from starlette.applications import Starlette

from pages.ui.shared.parcels import Parcels
from tests.asgi import answered


def fetched(parcels: Parcels, path: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of a server's response on this route."""
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "headers": [],
        "query_string": b"",
        "root_path": "",
    }
    sent = answered(Starlette(routes=[parcels.route()]), scope)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(each.get("body", b"") for each in sent[1:])


def test_a_browser_gets_the_bytes_at_their_address_and_keeps_them() -> None:
    parcels, data = Parcels(), bytes(range(256)) * 9
    path = parcels.hold(data)
    status, headers, body = fetched(parcels, path)
    assert (status, body) == (200, data)
    assert hashlib.sha256(body).hexdigest() in path  # an address contains the digest of its content
    assert "immutable" in headers["cache-control"]


def test_deleted_data_are_reported_and_nothing_else_is_served() -> None:
    parcels = Parcels()
    for path in ("/parcels/0", "/parcels/..%2Fapp.py", f"/parcels/{'a' * 64}"):
        status, _, body = fetched(parcels, path)
        assert status == 404
        assert b"Reload" in body


def test_equal_bytes_are_held_once_and_the_oldest_make_room() -> None:
    parcels = Parcels(most=250)
    first, second, third = (parcels.hold(bytes([each]) * 100) for each in (1, 2, 1))
    assert first == third
    parcels.hold(bytes(100))  # drops the second parcel, because the first was stored again
    found = [fetched(parcels, path)[0] for path in (first, second)]
    assert found == [200, 404]
    # this parcel is larger than all others together, so only it is stored
    large = parcels.hold(bytes(1000))
    assert [fetched(parcels, path)[0] for path in (first, large)] == [404, 200]


def test_a_script_is_served_as_one_and_makes_no_room() -> None:
    parcels = Parcels(most=10)
    path = parcels.hold_script("export default 1;")
    parcels.hold(bytes(100))
    status, headers, body = fetched(parcels, path)
    assert (status, body) == (200, b"export default 1;")
    assert headers["content-type"].startswith("text/javascript")
    assert "immutable" in headers["cache-control"]
