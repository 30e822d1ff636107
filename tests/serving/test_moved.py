"""Tests that every former address leads to the present page, with the parameters of the link."""

import pytest

from pages.ui.serving.moved import MOVED, MovedPages, new_place
from tests.asgi import answered

# Each line has a page, the parameters of its link, and the present address.
OLD = [
    ("gallery", "", "./"),
    ("library", "", "./?shelf=mine"),
    ("dynamics", "", "./explore?tab=time"),
    (
        "dynamics",
        "model=gallery:moves&view=upper",
        "./explore?model=gallery:moves&view=upper&tab=time",
    ),
    ("views", "", "./explore?tab=views"),
    (
        "views",
        "model=gallery:pairs&dims=1,3&at=0.4,-1&hold=1",
        "./explore?model=gallery:pairs&dims=1,3&at=0.4,-1&hold=1&tab=views",
    ),
    ("complete", "", "./explore?tab=fill"),
    ("complete", "model=library:my-faces", "./explore?model=library:my-faces&tab=fill"),
    ("depth", "", "./learn?stop=why"),
    ("depth", "part=why&curve=chirp", "./learn?stop=why&curve=chirp"),
    ("depth", "part=families&curve=step&points=2", "./learn?stop=families&curve=step&points=2"),
    ("depth", "part=ten&depth=8&draw=2&sees=1", "./learn?stop=ten&depth=8&draw=2&sees=1"),
    ("depth", "part=ten&model=gallery:deep-flow&layer=2", "./learn?stop=ten"),
    ("depth", "part=layers", "./explore?tab=layers"),
    (
        "depth",
        "model=gallery:deep-flow&layer=2",
        "./explore?model=gallery:deep-flow&layer=2&tab=layers",
    ),
    ("depth", "part=nonsense", "./learn?stop=why"),
]


@pytest.mark.parametrize(("page", "query", "place"), OLD)
def test_an_old_address_leads_to_its_new_place(page: str, query: str, place: str) -> None:
    assert new_place(page, query) == place


def test_all_moved_pages_are_listed_and_no_room_is_moved() -> None:
    assert {page for page, _, _ in OLD} == set(MOVED)
    assert not set(MOVED) & {"explore", "compare", "train", "learn"}


def asked(path: str, method: str = "GET") -> list[dict]:
    """Return the server's answer to a request, or None if Streamlit would answer."""

    async def streamlit(scope: dict, receive: object, send: object) -> None:
        pass

    scope = {"type": "http", "method": method, "path": path, "query_string": b"model=a%26b"}
    return answered(MovedPages(streamlit), scope)


def test_the_server_redirects_a_browser_and_lets_everything_else_through() -> None:
    start = asked("/dynamics")[0]
    assert start["status"] == 308
    assert dict(start["headers"])[b"location"] == b"./explore?model=a%26b&tab=time"
    assert dict(asked("/dynamics/")[0]["headers"])[b"location"].startswith(b"../explore?")
    for path in ("/", "/explore", "/dynamics/_stcore/health", "/static/library", "/no_such_page"):
        assert asked(path) == []
    assert asked("/library", "POST") == []
