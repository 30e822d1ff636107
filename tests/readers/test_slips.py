"""Tests that misspelt words are found and corrected, and that rare words are not."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core import BayesianGPLVM, apply, load
from gplvm_core.readers import read_table
from gplvm_core.readers.isolated import corrected, word_slips
from gplvm_core.readers.new_rows import read_rows
from gplvm_core.readers.sources import NamedBytes

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
    # The note about the columns has the corrected words.
    said = [next(note for note in data.notes if "tree (" in note) for data in (trees, fixed)]
    assert "tree (category: birch, oak, pine, birhc, Oak and 2 more)" in said[0]
    assert "tree (category: birch, oak, pine, spruce)" in said[1]
    assert dict(fixed.columns[0].slips) == {"Oak": "oak", "pnie": "pine", "birhc": "birch"}
    np.testing.assert_array_equal(fixed.values[:, 1], trees.values[:, 1])
    kept = corrected(trees, [each for each in found if each.word != "Oak"])
    assert kept.columns[0].words[int(kept.values[90, 0])] == "Oak"


@pytest.mark.parametrize(("times", "offered"), [(4, True), (8, False)])
def test_a_slip_may_be_made_several_times(times: int, offered: bool) -> None:
    words = ["Hamburg"] * 72 + ["Hambrug"] * times + ["Berlin"] * 40
    lines = [f"{word},{n}" for n, word in enumerate(words)]
    towns = read_table("\n".join(["town,rent", *lines]).encode(), kinds={"town": "category"})
    assert [each.meant for each in word_slips(towns)] == ["Hamburg"] * offered


def test_new_rows_are_read_as_the_visitor_decided_for_the_training_rows(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr("gplvm_core.new_rows.without_density.MOST_COMPARED", 10)
    generator = np.random.default_rng(0)
    mass = {"b": 1.0, "o": 5.0, "O": 5.0, "p": 9.0, "s": 3.0}
    lines = [f"{word},{mass[word[0]] + 0.1 * generator.normal()}" for word in WORDS]
    text = "\n".join(["tree,mass", *lines]).encode()
    trees = read_table(text, kinds={"tree": "category"})
    fixed = corrected(trees, word_slips(trees))
    model = BayesianGPLVM(2, n_inducing=8, max_iter=10, random_state=0, kinds=fixed.kinds)
    model.fit(fixed.in_own_values(fixed.values)).save(tmp_path / "trees.gplvm")
    model = load(tmp_path / "trees.gplvm")

    rows = read_rows(NamedBytes("new.csv", b"mass,tree\n5,Oak\n1,birch\n"), fixed)
    assert [fixed.columns[0].words[int(code)] for code in rows.values[:, 0]] == ["oak", "birch"]
    assert "Misspelt words of “tree” were read: “Oak” as “oak” (1 ×)." in rows.notes

    wrong = pd.DataFrame({"mass": [5.0, np.nan], "tree": ["Oak", "pnie"]})
    right = wrong.assign(tree=["oak", "pine"])
    with pytest.warns(UserWarning, match="“Oak” as “oak” .* “pnie” as “pine”"):
        found = apply(model, wrong, fixed)
    pd.testing.assert_frame_equal(found, apply(model, right, fixed))
    # The model itself also knows the slips, without the training rows.
    filled, same = (model.complete(each[["tree", "mass"]]) for each in (wrong, right))
    pd.testing.assert_frame_equal(filled.iloc[1:, 1:], same.iloc[1:, 1:])

    kept = corrected(trees, [each for each in word_slips(trees) if each.word != "Oak"])
    assert (
        kept.columns[0].words[
            int(read_rows(NamedBytes("a.csv", b"tree,mass\nOak,5\n"), kept).values[0, 0])
        ]
        == "Oak"
    )


def test_words_that_differ_in_case_spaces_or_punctuation_are_slips_whatever_their_counts() -> None:
    slips = {"pine": ("Pine", 4), "Pin e": ("Pine", 4), "oak.": ("Oak", 12), "pnie": ("Pine", 1)}
    slips["red oak"] = ("Red-oak", 1)
    counts = {word: count for word, (_, count) in slips.items()} | {"Pine": 31, "Oak": 12}
    counts |= dict.fromkeys(("A+", "A-", "site 1", "site 2", "T-1", "T1"), 1) | {"Red-oak": 2}
    words = [word for word, count in sorted(counts.items()) for _ in range(count)]
    text = "\n".join(["mass,tree", *(f"{n},{word}" for n, word in enumerate(words))]).encode()
    trees = read_table(text, kinds={"tree": "category"})
    found = word_slips(trees)
    assert {each.word: (each.meant, len(each.rows)) for each in found} == slips
    fixed = corrected(trees, found)
    assert (fixed.values[:, 1] == [*map(str, fixed.columns[1].words)].index("Pine")).sum() == 40


def test_an_unknown_word_of_a_new_row_is_read_as_a_similar_one_or_is_missing() -> None:
    lines = [f"{('Beech', 'Oak', 'Birch')[n % 3]},{n}" for n in range(30)]
    trees = read_table("\n".join(["tree,mass", *lines]).encode(), kinds={"tree": "category"})
    file = NamedBytes("new.csv", b"tree,mass\nOak,1\nBeeech,2\nelm,3\noak,4\nelm,5\n")
    rows = read_rows(file, trees)
    found = trees.in_own_values(rows.values)["tree"].tolist()
    assert found == ["Oak", "Beech", None, "Oak", None]
    assert rows.values[:, 1].tolist() == [1, 2, 3, 4, 5]
    near, none, case = rows.misfits
    assert near.words.endswith("does not know “Beeech” (line 3). It is read as “Beech”.")
    assert "“elm” (lines 4, 6)" in none.words and "They count as missing" in none.words
    assert none.mend is None and "“oak” (line 5). It is read as “Oak”" in case.words
    assert near.mend is not None
    other = trees.in_own_values(read_rows(file, trees, (near.mend,)).values)["tree"].tolist()
    assert other == ["Oak", None, None, "Oak", None]
