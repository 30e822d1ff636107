"""Tests of unusual names in keys of components, and of links to positions far from all data."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shared.place import MapPlace


def page() -> None:
    from pages.ui.shared.component import hold_bytes

    for name in ("left__hand", "a___b", "____"):
        hold_bytes(key=f"bytes|{name}", data=b"1")


def test_a_view_may_have_two_underscores_in_its_name():
    assert not AppTest.from_function(page).run().exception


@pytest.mark.parametrize("at", ["1e308,0", "-1e7,0", "nan,0", "9" * 5000 + ",0"])
def test_a_place_far_from_everything_is_refused_in_words(at):
    with pytest.raises(ValueError, match=r"must have 2 coordinates between") as told:
        MapPlace.from_query({"at": at}, 2)
    assert len(str(told.value)) < 200


def test_a_long_word_in_a_link_is_shortened():
    with pytest.raises(ValueError, match="is not the number") as told:
        MapPlace.from_query({"dims": "9" * 5000 + ",1"}, 2)
    assert len(str(told.value)) < 200
