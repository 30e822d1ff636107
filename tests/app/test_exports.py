"""Tests that files of the app contain no formula and lose no array, for any names in the data."""

import io
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from pages.ui.explore.views.export import outputs_npz
from pages.ui.shared.catalogue import Item
from tests.app import exports
from tests.spreadsheet import HOSTILE, begins_like_one, formulas


def test_no_table_holds_a_formula():
    for title, text in exports.tables().items():
        assert not formulas(text), title
        assert "'=1+1" in text, title


def test_no_page_holds_a_formula():
    for title, html in exports.pages().items():
        text = re.sub(r"<(script|style).*?</\1>", "", html, flags=re.DOTALL)
        cells = [unescape(cell) for cell in re.findall(r">([^<]+)<", text)]
        assert f"\u2060{HOSTILE[0]}" in cells, title
        # cells that are not numbers
        words = [c for c in cells if not re.fullmatch(r"[−-]?[\d.,\s]+%?", c)]
        assert not [c for c in words if begins_like_one(c) and not c.startswith("\u2060")], title


def test_names_in_markdown_are_words():
    table = replace(exports.measured(), names=("![a](http://b)", "<img src=c>|\nd", *HOSTILE[2:]))
    comparison = replace(exports.found(), names=table.names, reference=table.names[0])
    for text in (table.to_markdown(), comparison.to_markdown()):
        assert r"!\[a\](http://b) | " in text
        assert r" | \<img src=c\>\| d | " in text or r"| \<img src=c\>\| d | " in text


@pytest.mark.parametrize("names", [("file", "latent"), ("../a", "..//a"), ("a", "a_std")])
def test_every_view_has_separate_arrays(names: tuple[str, str]):
    _, paired = exports.data()
    views = tuple(replace(view, name=name) for view, name in zip(paired.views, names, strict=True))
    paired = replace(paired, views=views)
    model = exports.two_views(paired)
    item = Item("library:x", "Two", model, paired, model.views_)
    with np.load(io.BytesIO(outputs_npz(item, (0.1, 0.2)))) as arrays:
        assert len(arrays.files) == 5
        assert not [name for name in arrays.files if "/" in name]
        np.testing.assert_array_equal(arrays["latent"], [0.1, 0.2])
        means = model.inverse_transform(np.array([[0.1, 0.2]]))
        for place, name in enumerate(names):
            np.testing.assert_array_equal(arrays[arrays.files[1 + 2 * place]], means[name][0])
