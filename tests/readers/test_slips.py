"""Tests that misspelt words are found and corrected, and that rare words are not."""

import numpy as np

from gplvm_core.readers import read_table
from gplvm_core.readers.slips import corrected, word_slips

WORDS = ["birch"] * 30 + ["oak"] * 30 + ["pine"] * 30 + ["Oak", "pnie", "birhc", "birhc", "spruce"]


def test_slips_of_words_are_found_and_corrected() -> None:
    lines = [f"{word},{n * n}" for n, word in enumerate(WORDS)]
    trees = read_table(
        "\n".join(["tree,mass", *lines]).encode(),
        label_column="tree",
        kinds={"tree": "category"},
    )
    found = word_slips(trees)
    pairs = {(each.word, each.meant, each.rows) for each in found}
    assert pairs == {("Oak", "oak", (90,)), ("pnie", "pine", (91,)), ("birhc", "birch", (92, 93))}
    fixed = corrected(trees, found)
    right = [*WORDS[:90], "oak", "pine", "birch", "birch", "spruce"]
    assert [fixed.columns[0].words[int(code)] for code in fixed.values[:, 0]] == right
    assert [fixed.label_word(row) for row in range(len(right))] == right
    assert "“pnie” is read as “pine”" in fixed.notes[-1]
    np.testing.assert_array_equal(fixed.values[:, 1], trees.values[:, 1])
    kept = corrected(trees, [each for each in found if each.word != "Oak"])
    assert kept.columns[0].words[int(kept.values[90, 0])] == "Oak"
