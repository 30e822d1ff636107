"""Tests of the shared cache: concurrent calls compute a result once; errors are not cached."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gplvm_core.figures.thumbnails import table_card
from pages.ui.shared.ahead import prepare
from pages.ui.shared.card import SIZE, card_of, made_card, pictures_of
from pages.ui.shared.catalogue import gallery_items, open_item
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
    answer("c")  # b is removed, because its last request is the oldest
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


@pytest.mark.slow
def test_pictures_drawn_in_advance_equal_those_that_the_gallery_draws():
    prepare()
    (thread,) = [thread for thread in threading.enumerate() if thread.name == "ahead"]
    thread.join(300)
    assert not thread.is_alive()
    gc.unfreeze()  # later tests need the collector's normal state
    for listed in gallery_items()[::4]:
        entry = listed.entry
        version = f"{entry.title}|{entry.created}|{entry.bytes}"
        assert card_of(listed) is card_of(listed)
        assert card_of(listed) == made_card.__wrapped__(listed.key, version, True)


def test_the_card_of_a_table_with_words_has_every_column_in_its_own_range():
    (listed,) = [each for each in gallery_items() if each.key == "gallery:countries"]
    html = card_of(listed).html
    assert "Map of 142 countries" in html and "mf-reel" in html
    item = open_item(listed.key)
    data = item.dataset
    (drawn,) = pictures_of(item, {"": data.values[:1]}, SIZE)
    alone = table_card(data.columns, data.values, data.values[0], SIZE)
    np.testing.assert_array_equal(np.asarray(drawn), np.asarray(alone))
