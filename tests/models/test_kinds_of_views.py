"""Tests of views with columns of any kind: partial labels, mixed tables and numbers, time."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gplvm_core import BayesianGPLVM, ManifoldRelevance, load
from gplvm_core.models.problems.kinds import ITERATIONS
from gplvm_core.optimise import Progress
from gplvm_core.readers import DataError
from gplvm_core.store import save

SETTINGS = {"n_components": 3, "n_inducing": 15, "max_iter": 90, "random_state": 0}
KINDS = {"label": ["category"], "card": {"size": ["s", "m", "l"], "eggs": "count"}}
WORDS = np.array(["a", "b", "c"], dtype=object)
ANGLE = np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, 90)


def views_at(angle: np.ndarray, seed: int) -> dict:
    """Return views of one angle: numbers, a table with words and counts, and a label."""
    generator = np.random.default_rng(seed)
    x, y = np.cos(angle), np.sin(angle)
    body = np.column_stack([x, y, x * y, x + y]) + 0.05 * generator.standard_normal((len(x), 4))
    card = pd.DataFrame(
        {
            "weight": 5.0 + y + 0.2 * generator.standard_normal(len(x)),
            "size": [("s", "m", "l")[at] for at in np.digitize(y, [-0.5, 0.5])],
            "eggs": generator.poisson(np.exp(1.0 + x)),
        }
    )
    return {"body": body, "card": card, "label": WORDS[(angle // 2.1).astype(int)][:, None]}


def partly(views: dict) -> dict:
    """Return the views with labels for every third row only, and a few gaps in the table."""
    label = views["label"].copy()
    label[1::3], label[2::3] = "", None
    return {
        **views,
        "label": label,
        "card": views["card"]
        .astype(object)
        .mask(np.random.default_rng(1).random(views["card"].shape) < 0.1),
    }


@pytest.fixture(scope="module")
def model() -> ManifoldRelevance:
    return ManifoldRelevance(**SETTINGS, kinds=KINDS).fit(partly(views_at(ANGLE, 0)))


@pytest.mark.slow
def test_a_blank_label_is_missing_and_is_found_from_the_other_views(model) -> None:
    views = views_at(ANGLE, 0)
    assert set(model.class_words("label")) == {"a", "b", "c"}
    assert_array_equal(model.seen_["label"], np.arange(90) % 3 == 0)
    blank = ~model.seen_["label"]
    chance = model.class_probabilities({"body": views["body"]}, "label")
    assert_allclose(chance.sum(axis=1), 1.0)
    found = np.array(model.class_words("label"), dtype=object)[chance.argmax(axis=1)]
    right = (found == views["label"][:, 0])[blank]
    assert right.mean() > 0.8
    assert abs(chance.max(axis=1)[blank].mean() - right.mean()) < 0.2
    said = model.transfer({"body": views["body"]}, "label")
    assert (said[:, 0] == found).mean() > 0.95
    assert any("'label': 66.7% of the values are missing" in note for note in model.notes_)
    # A vector, list or series of labels counts as one column.
    label = views["label"][:4, 0]
    for given in (label, label.tolist(), pd.Series(label)):
        points = model.transform({"label": given})
        assert_array_equal(points, model.transform({"label": views["label"][:4]}))
    # The prediction does not use the label of the row itself.
    with_label = {"body": views["body"], "label": views["label"]}
    assert_array_equal(model.class_probabilities(with_label, "label"), chance)


def test_cards_are_filled_in_and_transferred_with_their_own_values(model) -> None:
    views = views_at(np.linspace(0.1, 6.2, 60), 5)
    card, std = model.transfer({"body": views["body"]}, "card", return_std=True)
    assert list(card) == ["weight", "size", "eggs"]
    assert (card["size"] == views["card"]["size"]).mean() > 0.7
    assert card["eggs"].dtype.kind == "i"
    assert np.isfinite(std[:, [0, 2]]).all() and np.isnan(std[:, 1]).all()
    shown = views["card"].astype(object)
    shown.loc[:29, "size"], shown.loc[30:, "eggs"] = None, None
    whole, std, sure = model.complete(
        {"body": views["body"], "card": shown}, return_std=True, return_probability=True
    )
    assert_array_equal(whole["body"], views["body"])
    assert (whole["card"]["size"] == views["card"]["size"])[:30].mean() > 0.7
    assert (whole["card"]["eggs"][:30] == views["card"]["eggs"][:30]).all()
    assert (sure["card"][30:, 1] == 1.0).all() and (sure["card"][:30, 1] < 1.0).all()
    assert (std["card"][:30, 2] == 0.0).all() and (std["card"][30:, 2] > 0.0).all()
    assert list(sure) == ["card"]
    low, _, high = model.column_quantiles({"body": views["body"]}, "card", "eggs")
    inside = (low <= views["card"]["eggs"]) & (views["card"]["eggs"] <= high)
    assert inside.mean() > 0.8
    chance = model.count_probabilities({"body": views["body"][:4]}, "card", "eggs", 200)
    assert_allclose(chance.sum(axis=1), 1.0, atol=1e-4)
    assert set(model.column_quantiles({"card": shown}, "card", "size", [0.5])[0]) <= {"s", "m", "l"}


def test_several_answers_and_draws_are_words(model) -> None:
    views = views_at(np.linspace(0.1, 6.2, 12), 6)
    several, std = model.transfer(
        {"body": views["body"]}, "card", n_alternatives=3, return_std=True
    )
    assert several.shape == std.shape == (12, 3, 3)
    there = several[:, :, 1] != None  # noqa: E711
    assert there[:, 0].all()
    assert set(several[there][:, 1]) <= {"s", "m", "l"}
    assert np.isnan(std[~there]).all()
    assert (several[:, 0, 1] == model.transfer({"body": views["body"]}, "card")["size"]).all()
    prior = model.transfer({"body": views["body"]}, "label", private="prior")
    assert set(prior[:, 0]) <= set(WORDS)
    drawn = model.sample(200, random_state=0)
    assert set(drawn["label"][:, 0]) == set(WORDS)
    assert drawn["card"].shape == (200, 3) and drawn["body"].shape == (200, 4)
    at = model.inverse_transform(model.latent_mean_[:5], return_std=True)
    assert at[0]["card"].shape == at[1]["card"].shape == (5, 3)
    assert set(at[0]["label"][:, 0]) <= set(WORDS)


def test_densities_add_the_probabilities_of_words(model) -> None:
    body = views_at(np.array([0.5]), 7)["body"]
    alone = model.score_samples({"body": body}, 4_000)
    words = np.array(model.class_words("label"), dtype=object)[:, None]
    both = model.score_samples({"body": np.repeat(body, 3, axis=0), "label": words}, 4_000)
    assert np.exp(both - alone).sum() == pytest.approx(1.0, abs=0.1)
    chance = model.class_probabilities({"body": body}, "label")[0]
    assert_allclose(np.exp(both - alone), chance, atol=0.1)
    # The words contribute to the score, even without n_samples.
    assert np.isfinite(model.score({"body": body, "label": words[:1]}))


def test_one_view_is_a_model_with_the_same_probabilities(model, tmp_path: Path) -> None:
    card = model.of_view("card")
    assert isinstance(card, BayesianGPLVM)
    points = model.latent_mean_[:8]
    chance = card.class_probabilities_at(points, "size")
    values = model.inverse_transform(points)["card"]["size"]
    assert values.tolist() == [card.class_words("size")[at] for at in chance.argmax(axis=1)]
    rows = views_at(ANGLE[:6], 8)["card"]
    assert_allclose(
        card.class_probabilities(rows, "size"),
        model.class_probabilities({"card": rows}, "card", "size"),
        rtol=1e-9,
    )
    # The label has no private dimension: it depends only on what the other views share.
    parts = model.segmentation()
    assert frozenset({"label"}) not in parts
    assert any({"label", "body"} <= users for users in parts)
    model.save(tmp_path / "model.gplvm")
    back = load(tmp_path / "model.gplvm")
    assert back.kinds_ == model.kinds_
    body = {"body": views_at(ANGLE[:6], 8)["body"]}
    assert_allclose(
        back.class_probabilities(body, "label"), model.class_probabilities(body, "label"), rtol=1e-9
    )


def test_a_row_of_which_nothing_is_known_has_the_shares_of_all_rows(model) -> None:
    nothing = {"label": np.full((2, 1), None)}
    chance = model.class_probabilities(nothing, "label")
    seen = views_at(ANGLE, 0)["label"][::3, 0]
    share = [np.mean(seen == word) for word in model.class_words("label")]
    assert_allclose(chance, [share, share], atol=0.15)
    some = {"body": np.vstack([views_at(ANGLE[:1], 0)["body"], np.full((1, 4), np.nan)])}
    known = model.class_probabilities(some, "label")
    assert known[0].max() > 0.6
    assert_allclose(known[1], share, atol=0.15)


@pytest.mark.slow
def test_training_rises_and_continues_where_it_stopped(tmp_path: Path) -> None:
    views, runs = partly(views_at(ANGLE[:40], 2)), list[Progress]()
    settings = SETTINGS | {"n_inducing": 6, "max_iter": 75, "kinds": KINDS}
    whole = ManifoldRelevance(**settings).fit(views, callback=runs.append)
    assert (np.diff(whole.trace_["bound"]) > -1e-8).all()
    assert whole.trace_["phase"][0] == "noise held"
    for at in (ITERATIONS - 1, 6 * ITERATIONS + 3):
        save(runs[at].run, tmp_path / "run.gplvm")
        again = ManifoldRelevance(**settings).fit(views, resume=load(tmp_path / "run.gplvm"))
        assert again.bound_ == whole.bound_
        assert_array_equal(
            again.class_probabilities({"body": views["body"]}, "label"),
            whole.class_probabilities({"body": views["body"]}, "label"),
        )


def test_a_single_view_is_the_model_of_one_table() -> None:
    card = views_at(ANGLE[:40], 3)["card"]
    settings = {"n_components": 2, "n_inducing": 8, "max_iter": 12, "random_state": 0}
    one = BayesianGPLVM(**settings, kinds=KINDS["card"]).fit(card)
    view = ManifoldRelevance(**settings, kinds={"card": KINDS["card"]}).fit({"card": card})
    assert view.bound_ == one.bound_
    assert_array_equal(view.latent_mean_, one.latent_mean_)


def test_views_of_numbers_give_the_same_model_with_and_without_kinds() -> None:
    views = views_at(ANGLE[:40], 4)
    numbers = {"body": views["body"], "weight": views["card"][["weight"]]}
    settings = SETTINGS | {"max_iter": 8}
    plain = ManifoldRelevance(**settings).fit(numbers)
    auto = ManifoldRelevance(**settings, kinds="auto").fit(numbers)
    assert auto.bound_ == plain.bound_ and auto.kinds_ == {}
    assert_array_equal(auto.latent_mean_, plain.latent_mean_)
    for name in numbers:
        assert_array_equal(auto.drops_[name], plain.drops_[name])
    assert auto.columns_ == {"weight": ("weight",)}
    with pytest.raises(DataError, match="all columns of the view 'body' are numbers"):
        auto.class_words("body")
    with pytest.raises(ValueError, match="which have no probability"):
        auto.complete(numbers, return_probability=True)


@pytest.mark.slow
def test_words_of_views_follow_a_path_over_time() -> None:
    times = np.linspace(0.0, 4.0 * np.pi, 70)
    generator, wave = np.random.default_rng(0), np.sin(times)
    views = {
        "level": np.column_stack([wave, np.cos(times)]) + 0.1 * generator.normal(size=(70, 2)),
        "tide": np.where(wave > 0.3, "high", np.where(wave < -0.3, "low", "middle"))[:, None],
    }
    views["tide"] = views["tide"].astype(object)
    views["tide"][40:44] = None
    model = ManifoldRelevance(
        2, 15, time_kernel="rbf", kinds="auto", max_iter=70, random_state=0
    ).fit(views, times=times)
    seen = {"level": views["level"][30:50]}
    said = model.transfer(seen, "tide", times=times[30:50])
    expected = np.where(wave > 0.3, "high", np.where(wave < -0.3, "low", "middle"))[30:50]
    assert (said[:, 0] == expected).mean() > 0.8
    mean, variance = model.forecast_latent(times[-1] + np.array([0.05, 0.1]))
    later = model.inverse_transform(mean, X_variance=variance)["tide"][:, 0]
    assert set(later) <= {"high", "low", "middle"}
    with pytest.raises(ValueError, match="needs a table of numbers"):
        model.transfer(seen, "tide", times=times[30:50], adapt=True)


def test_large_views_of_words_say_that_all_rows_are_trained() -> None:
    x, y, z = np.random.default_rng(0).standard_normal((3, 20_000))
    views = {"x": (x + 0.1 * y)[:, None], "word": np.where(z < x, "low", "high")[:, None]}
    model = ManifoldRelevance(1, 3, kinds={"word": ["yes/no"]}, max_iter=1, random_state=0)
    with pytest.warns(UserWarning, match="training used all 20,000 rows"):
        model.fit(views)
    assert model.rows_.trained is None


def test_impossible_kinds_of_views_are_refused(model) -> None:
    views = views_at(ANGLE[:20], 0)
    with pytest.raises(DataError, match=r"view 'card' must be numbers.*kinds="):
        ManifoldRelevance(2, 5).fit(views)
    with pytest.raises(DataError, match="kinds names the view 'face'; the views are body"):
        ManifoldRelevance(2, 5, kinds={"face": "auto"}).fit(views)
    with pytest.raises(DataError, match='"auto", "robust", "fraction", or a dict of kinds by view'):
        ManifoldRelevance(2, 5, kinds="category").fit(views)
    with pytest.raises(DataError, match="view 'label': kinds has 2 entries for 1 column"):
        ManifoldRelevance(2, 5, kinds={"label": ["category"] * 2}).fit(views)
    with pytest.raises(DataError, match="view 'label': column '0' has 1 value"):
        one = {**views, "label": np.array([["a"]] + [[None]] * 19, dtype=object)}
        ManifoldRelevance(2, 5, kinds={"label": ["category"]}).fit(one)
    with pytest.raises(DataError, match=r"view 'label': column '0' .category. has 'd' in row 0"):
        model.transform({"label": [["d"]]})
    with pytest.raises(DataError, match="no order"):
        model.column_quantiles({"body": views["body"]}, "label", 0)
    with pytest.raises(DataError, match="kind category, not of counts"):
        model.count_probabilities({"body": views["body"]}, "label", 0, 5)
    with pytest.raises(DataError, match="no view 'face'"):
        model.class_words("face")
