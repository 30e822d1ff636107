"""Tests of regressions whose inputs have words: the same as with columns of zeros and ones."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from gplvm_core import DeepGP, SemiDescribedGPRegression, SparseGPRegression, load, save
from gplvm_core.readers import DataError

N, TRAIN = 160, 120
SETTINGS = {"n_inducing": 25, "max_iter": 60, "random_state": 0}
GENERATOR = np.random.default_rng(0)
WOOD = GENERATOR.choice(["oak", "pine", "birch"], N)
LEVEL = GENERATOR.choice(["low", "medium", "high"], N)
X = GENERATOR.uniform(0.0, 6.0, N)
PLACE = np.array([["low", "medium", "high"].index(level) for level in LEVEL], dtype=float)
Y = np.sin(X) + 2.0 * (WOOD == "oak") - 0.5 * (WOOD == "pine") + 0.3 * PLACE
Y += 0.05 * GENERATOR.standard_normal(N)
TABLE = pd.DataFrame({"x": X, "wood": WOOD, "level": LEVEL})
WORDS = sorted(set(WOOD[:TRAIN]), key=list(WOOD[:TRAIN]).count, reverse=True)


def by_hand(words=WOOD) -> np.ndarray:
    return np.column_stack([X, *((words == word).astype(float) for word in WORDS), PLACE])


@pytest.fixture(scope="module")
def model() -> SparseGPRegression:
    return SparseGPRegression(kinds="auto", **SETTINGS).fit(TABLE[:TRAIN], Y[:TRAIN])


@pytest.fixture(scope="module")
def same() -> SparseGPRegression:
    return SparseGPRegression(**SETTINGS).fit(by_hand()[:TRAIN], Y[:TRAIN])


def test_words_are_zeros_and_ones_and_grades_their_numbers(model, same):
    assert model.bound_ == pytest.approx(same.bound_, rel=1e-9)
    np.testing.assert_allclose(model.predict(TABLE[TRAIN:]), same.predict(by_hand()[TRAIN:]))
    assert model.input_columns_.names == ("x", *(f"wood = {word}" for word in WORDS), "level")
    assert model.relevance_.shape == (5,) and model.n_features_in_ == 3
    assert "'wood' category" in model.notes_[0] and "'level' grade" in model.notes_[0]


def test_words_help_where_the_target_depends_on_them(model):
    alone = SparseGPRegression(**SETTINGS).fit(TABLE[["x"]][:TRAIN], Y[:TRAIN])
    without = np.std(alone.predict(TABLE[["x"]][TRAIN:]) - Y[TRAIN:])
    assert np.std(model.predict(TABLE[TRAIN:]) - Y[TRAIN:]) < 0.15 * without


def test_new_rows_are_found_by_their_names(model):
    expected = model.predict(TABLE[TRAIN:])
    other = TABLE[TRAIN:][["level", "x", "wood"]].assign(extra=1)
    np.testing.assert_array_equal(model.predict(other), expected)
    np.testing.assert_array_equal(model.predict(pl.DataFrame(other)), expected)
    np.testing.assert_array_equal(model.predict(TABLE[TRAIN:].to_numpy().tolist()), expected)
    with pytest.raises(DataError, match="the table has no column 'level'"):
        model.predict(TABLE[["x", "wood"]])


def test_an_unknown_word_is_named_with_the_known_ones(model):
    with pytest.raises(DataError, match=r"column 'wood' \(category\) has 'elm' in row 1") as error:
        model.predict(TABLE[:3].assign(wood=["oak", "elm", "pine"]))
    assert all(word in str(error.value) for word in WORDS)


def test_a_gap_needs_a_model_for_gaps(model):
    gaps = TABLE[:TRAIN].copy()
    gaps.loc[[3, 8], "wood"] = None
    with pytest.raises(DataError, match=r"row 3 .* no value in the column 'wood'"):
        SparseGPRegression(kinds="auto", **SETTINGS).fit(gaps, Y[:TRAIN])
    semi = SemiDescribedGPRegression(kinds="auto", **SETTINGS).fit(gaps, Y[:TRAIN])
    asked = TABLE[:2].assign(wood=[None, "oak"])
    _, std = semi.predict(asked, noise=False, return_std=True)
    assert std[0] > 3.0 * std[1]  # the word is unknown


def test_errors_belong_to_numbers_and_words_are_exact(model, same):
    errors = np.array([0.3, 9.0, 9.0]) ** 2
    given = model.predict(TABLE[:5], X_variance=errors, return_std=True)
    spread = np.array([0.09, 0.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(
        given, same.predict(by_hand()[:5], X_variance=spread, return_std=True)
    )
    with pytest.raises(DataError, match="'learned' needs inputs of numbers"):
        SparseGPRegression(kinds="auto", **SETTINGS).fit(TABLE, Y, X_variance="learned")


def test_a_stored_model_knows_its_words_and_deep_models_take_them_too(model, tmp_path):
    save(model, tmp_path / "wood.gplvm")
    again = load(tmp_path / "wood.gplvm")
    np.testing.assert_array_equal(again.predict(TABLE[:4]), model.predict(TABLE[:4]))
    deep = DeepGP(1, 15, kinds="auto", max_iter=40, random_state=0).fit(TABLE[:TRAIN], Y[:TRAIN])
    assert np.std(deep.predict(TABLE[TRAIN:]) - Y[TRAIN:]) < 0.5


def test_kinds_of_numbers_alone_change_nothing():
    few = SETTINGS | {"max_iter": 10}
    plain = SparseGPRegression(**few).fit(TABLE[["x"]], Y)
    found = SparseGPRegression(kinds="auto", **few).fit(TABLE[["x"]], Y)
    assert found.input_columns_ is None and found.bound_ == plain.bound_


def test_variances_follow_the_names_of_their_columns(model):
    rows, variance = TABLE[TRAIN : TRAIN + 3], np.array([[0.3, 0.0, 0.0]] * 3)
    expected = model.predict(rows, X_variance=variance, return_std=True)
    other = rows[["wood", "level", "x"]]
    found = model.predict(other, X_variance=variance[:, [1, 2, 0]], return_std=True)
    np.testing.assert_allclose(found, expected)
    framed = pd.DataFrame(variance, columns=["x", "wood", "level"])
    found = model.predict(other.assign(more=1.0), X_variance=framed, return_std=True)
    np.testing.assert_allclose(found, expected)
    with pytest.raises(DataError, match=r"of shape \(3,\) or of X's shape \(3, 3\); got shape \(2"):
        model.predict(rows, X_variance=np.ones((2, 2)))
