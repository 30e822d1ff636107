"""The shared cache: concurrent calls compute a result once; errors are not cached."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.ui.shared.ahead import prepare
from pages.ui.shared.card import card_of, made_card
from pages.ui.shared.catalogue import gallery_items
from pages.ui.shared.kept import kept


def test_simultaneous_requests_share_one_result():
    asked, together = [], threading.Barrier(4)

    @kept(2)
    def answer(name: str) -> object:
        asked.append(name)
        return object()

    def visit(_: int) -> object:
        together.wait()
        return answer("a")

    with ThreadPoolExecutor(4) as visitors:
        assert len(set(visitors.map(visit, range(4)))) == 1
    answer("b")
    answer("a")
    answer("c")  # b was not requested for the longest time
    answer("a")
    answer("b")
    assert asked == ["a", "b", "c", "b"]


def test_an_error_reaches_the_caller_and_is_not_cached():
    asked = []

    @kept(2)
    def answer(name: str) -> str:
        asked.append(name)
        if len(asked) < 2:
            raise ValueError("not yet")
        return name

    with pytest.raises(ValueError, match="not yet"):
        answer("a")
    assert answer("a") == "a"


def test_what_is_drawn_ahead_is_what_the_gallery_would_draw():
    prepare()
    (thread,) = [thread for thread in threading.enumerate() if thread.name == "ahead"]
    thread.join(60)
    assert not thread.is_alive()
    gc.unfreeze()  # for the tests that follow
    for listed in gallery_items()[::4]:
        entry = listed.entry
        version = f"{entry.title}|{entry.created}|{entry.bytes}"
        assert card_of(listed) is card_of(listed)
        assert card_of(listed) == made_card.__wrapped__(listed.key, version, True)
