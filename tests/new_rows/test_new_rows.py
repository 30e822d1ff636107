"""Tests of answers about new rows: typicality, odd columns, gaps, positions, tables, files."""

import copy
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gplvm_core
from gplvm_core import (
    BayesianGPLVM,
    DataError,
    Dataset,
    DeepGPLVM,
    Drawing,
    ManifoldRelevance,
    ProbabilisticPCA,
    prediction,
)
from gplvm_core.new_rows import Answers, Reason, answers_of, prepare, sentence_of
from gplvm_core.new_rows.reasons import hint_of
from gplvm_core.prediction.typicality import Scores
from gplvm_core.readers.divided import in_groups

NAMES = ("height", "width", "depth", "mass", "price", "label")


def curve(seed: int, count: int) -> np.ndarray:
    """Return five correlated columns with values near 10, 20, 30, 40 and 50, and a constant."""
    generator = np.random.default_rng(seed)
    angle = generator.uniform(0.0, 2.5, count)
    rows = [10 + np.sin(angle), 20 + np.cos(angle), 30 + angle, 40 + angle**2, 50 - angle]
    noise = 0.1 * generator.standard_normal((count, 5))
    return np.column_stack([np.column_stack(rows) + noise, np.full(count, 7.0)])


ROWS, NEW = curve(0, 200), curve(1, 400)
DATASET = Dataset("shapes", "Shapes", ROWS, Drawing("bars", (6,)), column_names=NAMES)


@pytest.fixture(scope="module")
def plain() -> BayesianGPLVM:
    return BayesianGPLVM(2, 12, max_iter=60, random_state=0, noise="per_output").fit(ROWS)


@pytest.fixture(scope="module")
def model(plain: BayesianGPLVM) -> Any:
    found = copy.copy(plain).fit_density(ROWS, 5, prior_strength=10.0)
    return prepare(found, DATASET)


def asked(model: Any, rows: np.ndarray, dataset: Dataset = DATASET, **how: Any) -> Answers:
    return Answers.joined(list(answers_of(model, dataset, rows, **how)))


@pytest.mark.slow
def test_few_ordinary_rows_have_small_p_values(model: Any) -> None:
    generator = np.random.default_rng(0)
    gapped = np.where(generator.random(NEW.shape) < 0.3, np.nan, NEW)
    gapped[:, 5] = np.nan
    for rows in (NEW, gapped[~np.isnan(gapped).all(axis=1)], NEW[:, [0, 1, 2, 3, 4, 5]]):
        found = asked(model, rows, reasons=False)
        for p in (found.p, found.p_cell):
            assert 0.01 < (p <= 0.05).mean() < 0.08
            assert (p <= 0.01).mean() < 0.035
        assert found.unlike.mean() < 0.02
        assert found.known == 200


def test_a_column_that_the_table_lacks_raises_no_alarms(model: Any) -> None:
    rows = NEW.copy()
    rows[:, 3] = np.nan
    found = asked(model, rows, reasons=False)
    assert 0.01 < (found.p <= 0.05).mean() < 0.09


def test_p_is_the_share_of_training_rows_that_are_as_odd(model: Any) -> None:
    density, known = model.density_.rows, model.density_.typicality
    scores = Scores.of(density, NEW[:20], known.only)
    p, p_cell = known.p_values(scores, NEW[:20])
    for at in range(20):
        assert p[at] == (1 + np.sum(known.whole[0] >= scores.whole[at])) / 201
        assert p_cell[at] == (1 + np.sum(known.cell[0] >= scores.cell[at])) / 201


def test_the_planted_column_is_the_first_reason(model: Any) -> None:
    for at, column in enumerate(range(5)):
        faulty = NEW[20 * at : 20 * at + 20].copy()
        faulty[:, column] *= 10.0
        found = asked(model, faulty)
        assert found.unlike.all()
        assert (found.p == 1 / 201).all()
        assert all(reasons[0].column == column for reasons in found.reasons)
        for row, reasons in enumerate(found.reasons):
            first = reasons[0]
            assert first.given == faulty[row, column]
            assert abs(first.expected - NEW[20 * at + row, column]) < 4.0 * first.std
            if first.hint is not None:
                assert first.kind == "decimal"
                assert first.hint == pytest.approx(NEW[20 * at + row, column])
        assert sum(own[0].hint is not None for own in found.reasons) > 17
        assert np.mean([own[-1].p_without for own in found.reasons]) > 0.3


def test_two_odd_columns_are_both_named(model: Any) -> None:
    faulty = NEW[:10].copy()
    faulty[:, 0] *= -1.0
    faulty[:, 2] += 50.0
    for reasons in asked(model, faulty).reasons:
        assert {each.column for each in reasons[:2]} == {0, 2}
        assert reasons[0].p_without <= 0.05
        assert reasons[1].p_without > 0.01
        assert [each.kind for each in reasons if each.column == 0] in (["sign"], [None])


def test_a_reason_is_never_a_value_inside_its_own_expected_interval(model: Any) -> None:
    found = asked(model, np.vstack([NEW, NEW[:40] * 1.15]))
    reasons = [each for own in found.reasons for each in own]
    assert len(reasons) > 20
    assert all(abs(each.given - each.expected) > 1.95 * each.std for each in reasons)


def test_a_row_without_three_columns_may_be_odd_as_a_whole(model: Any) -> None:
    found = asked(model, NEW[:5] + np.array([900.0, -500.0, 800.0, -700.0, 600.0, 0.0]))
    assert found.unlike.all()
    assert found.reasons == ((),) * 5


def test_a_column_with_one_value_has_a_rule_of_its_own(model: Any) -> None:
    rows = NEW[:2].copy()
    rows[1, 5] += 1e-3
    found = asked(model, rows)
    assert not found.unlike[0]
    assert found.p[1] == 1 / 201
    reason = found.reasons[1][0]
    assert (reason.column, reason.expected, reason.std) == (5, 7.0, 0.0)
    assert reason.p_without == pytest.approx(found.p[1], abs=1.0)
    assert "was 7 in every known row; it is 7.001" in sentence_of(reason, "label")


def test_gaps_are_filled_with_intervals_that_hold(model: Any) -> None:
    generator = np.random.default_rng(2)
    gaps = generator.random(NEW.shape) < 0.2
    gaps[:, 5] = False
    found = asked(model, np.where(gaps, np.nan, NEW), reasons=False)
    inside = np.abs(found.filled - NEW)[gaps] < 1.96 * found.std[gaps]
    assert 0.91 < inside.mean() < 0.98
    assert (found.filled[~gaps] == NEW[~gaps]).all()
    assert (found.std[~gaps] == 0.0).all()
    expected, std = model.complete(np.where(gaps, np.nan, NEW)[:9], return_std=True)
    assert found.filled[:9] == pytest.approx(expected, rel=1e-3)
    assert found.std[:9] == pytest.approx(std, rel=3e-2)


def test_places_are_those_of_transform_and_the_nearest_rows_are_near(model: Any) -> None:
    found = asked(model, ROWS[:7], reasons=False)
    mean, std = model.transform(ROWS[:7], return_std=True)
    assert found.places == pytest.approx(mean)
    assert found.place_std == pytest.approx(std)
    away = np.linalg.norm((model.latent_mean_ - mean[3]) * model.latent_scale_, axis=1)
    assert found.nearest[3].tolist() == np.argsort(away)[:5].tolist()


def test_blocks_do_not_change_the_answers_and_empty_rows_have_none(model: Any) -> None:
    rows = NEW[:60].copy()
    rows[30] = np.nan
    rows[31, :3] = np.nan
    blocks = list(answers_of(model, DATASET, rows, batch=15))
    assert [len(block.p) for block in blocks] == [20, 15, 15, 10]
    found, alone = Answers.joined(blocks), asked(model, rows[31:32])
    assert np.isnan(found.p[30])
    assert np.isnan(found.filled[30]).all()
    assert found.p[31] == alone.p[0]
    assert found.filled[31] == pytest.approx(alone.filled[0], rel=1e-5)


def test_the_model_that_was_asked_does_not_change(plain: BayesianGPLVM, model: Any) -> None:
    assert plain.density_ is None
    found = asked(plain, NEW[:5])
    assert found.known == 0
    assert np.isnan(found.p).all()
    assert found.reasons == ((),) * 5
    assert prepare(model, DATASET) is model


def test_preparing_reports_its_folds_and_can_be_stopped() -> None:
    seen: list[float] = []

    def stop(share: float) -> None:
        seen.append(share)
        if share > 0.3:
            raise KeyboardInterrupt

    few = ProbabilisticPCA(2).fit(ROWS).fit_density(ROWS, 2, prior_strength=10.0)
    with pytest.raises(KeyboardInterrupt):
        prepare(few, DATASET, stop)
    # The fills and the scores report, too: it ends soon after the first of five folds.
    assert seen == sorted(seen) and 0.3 < seen[-1] < 0.5 and min(np.diff(seen)) >= 0.0
    assert few.density_.typicality is None
    with pytest.raises(ValueError, match="folds must be 0 or a whole number from 2"):
        few.fit_density(ROWS, folds=1)


def test_scores_are_saved_with_the_model(model: Any, tmp_path: Path) -> None:
    model.save(tmp_path / "model.gplvm")
    again = gplvm_core.load(tmp_path / "model.gplvm")
    for one, other in zip(asked(again, NEW[:5]).p, asked(model, NEW[:5]).p, strict=True):
        assert one == other


def test_a_table_is_matched_by_name(model: Any) -> None:
    csv = "price;mass;height;colour;width\n49,1;40,5;10,7;red;20,9\n49;;1075;blue;20,6\n"
    table = pd.read_csv(io.StringIO(csv), sep=";", index_col=None)
    table.index = ["first", "second"]
    with pytest.warns(UserWarning) as caught:
        found = gplvm_core.apply(model, table, DATASET)
    said = " ".join(str(each.message) for each in caught)
    assert "does not have were ignored: colour" in said
    assert "count as missing: depth, label" in said
    assert found.index.tolist() == ["first", "second"]
    assert found.loc["first", "price"] == 49.1
    assert found.loc["first", "price std"] == 0.0
    assert found.loc["first", "depth"] == pytest.approx(30.9, abs=0.5)
    assert found.loc["first", "p"] > 0.05 > found.loc["second", "p"]
    assert found.loc["second", "reasons"].startswith("Given its other columns, “height” would be 1")
    assert found.columns[:4].tolist() == ["x1", "x1 std", "x2", "x2 std"]
    alone = gplvm_core.apply(model, ROWS[:3], reasons=False)
    assert alone["column 1"].tolist() == ROWS[:3, 0].tolist()


def test_text_with_decimal_commas_is_read_beside_words() -> None:
    rows = pd.DataFrame({"wood": ["oak", "elm"] * 10, "mass": np.arange(20) / 8})
    dataset = Dataset.of_table("woods", "Woods", rows)
    model = BayesianGPLVM(2, n_inducing=8, max_iter=5, random_state=0, kinds=dataset.kinds)
    model.fit(dataset.in_own_values())
    new = pd.DataFrame({"wood": ["elm", "oak"], "mass": ["1,25", "12,5 %"]})
    with pytest.raises(DataError, match="row 2, column “mass”: “12,5 %” is no number"):
        gplvm_core.apply(model, new, dataset)
    found = gplvm_core.apply(model, new.replace("12,5 %", "k.A."), dataset)
    assert found["mass"].iloc[0] == 1.25 and found["mass std"].iloc[1] > 0.0


def test_tables_that_do_not_fit_say_why(model: Any, plain: BayesianGPLVM) -> None:
    with pytest.raises(DataError, match=r"must be a Dataset, as from read_table .* got DataFrame"):
        gplvm_core.apply(plain, NEW[:2], pd.DataFrame(ROWS))
    with pytest.raises(DataError, match="none of the model's columns"):
        gplvm_core.apply(model, pd.DataFrame({"a": [1.0]}), DATASET)
    with pytest.raises(DataError, match="row 2, column “mass”: “heavy” is no number"):
        gplvm_core.apply(model, pd.DataFrame({"mass": [1.0, "heavy"]}), DATASET)
    with pytest.raises(DataError, match="6 columns"):
        gplvm_core.apply(model, np.ones((2, 3)), DATASET)
    with pytest.warns(UserWarning, match="no out-of-fold scores"):
        found = gplvm_core.apply(plain, ROWS[:2])
    assert found["p"].isna().all()
    rows = np.random.default_rng(0).random((20, 3))
    with pytest.raises(DataError, match="has no map of rows"):
        [*answers_of(gplvm_core.SparseGPRegression().fit(rows, rows[:, 0]), DATASET, rows)]


@pytest.mark.slow
def test_models_of_views_and_deep_models_answer() -> None:
    views = {"shape": ROWS[:, :3], "rest": ROWS[:, 3:5]}
    drawing = {3: Drawing("bars", (3,)), 2: Drawing("bars", (2,))}
    parts = {name: (own, drawing[own.shape[1]]) for name, own in views.items()}
    several = Dataset.of_views("views", "Views", parts)
    joint = ManifoldRelevance(2, 10, max_iter=30).fit(views)
    joint.fit_density(views, 3, prior_strength=10.0, folds=2)
    one = Dataset("one", "One", ROWS[:, :5], Drawing("bars", (5,)))
    deep = DeepGPLVM((2, 2), 10, max_iter=5).fit(one.values)
    deep.fit_density(one.values, 2, prior_strength=10.0, folds=2)
    rows = NEW[:30, :5].copy()
    rows[:10, 3:] = np.nan
    rows[10, 1] *= 10.0
    for model, dataset in ((joint, several), (deep, one)):
        found = asked(model, rows, dataset)
        assert np.isfinite(found.filled).all()
        assert found.reasons[10][0].column == 1
        error = np.abs(found.filled - NEW[:30, :5])[:10, 3:]
        assert np.mean(error < 3.0 * found.std[:10, 3:]) > 0.9


@pytest.mark.slow
def test_tables_with_words_are_compared_with_training_rows_by_the_bound(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    size = generator.standard_normal(60)
    noise = 0.1 * generator.standard_normal(60)
    word = np.where(size > 0, "big", "small")
    table = pd.DataFrame({"size": size, "mass": 2 * size + noise, "word": word})
    dataset = Dataset.of_table("words", "Words", table)
    views = in_groups(dataset, {"body": [0, 1], "name": [2]})
    one = BayesianGPLVM(2, 10, max_iter=30, kinds=dataset.kinds, random_state=0).fit(table)
    several = ManifoldRelevance(2, 10, max_iter=30, kinds=views.kinds, random_state=0)
    several.fit(views.views_in_own_values())
    new = pd.DataFrame({"word": ["big", None, None], "size": [None, -1.5, 1.0]})
    new["mass"] = [2.0, -3.0, 20.0]  # the last one with a slip of the decimal point
    called = {"size": "body: size", "mass": "body: mass", "word": "name: word"}
    for model, data, names in ((one, dataset, {}), (several, views, called)):
        found = gplvm_core.apply(model, new.rename(columns=names), data)
        filled = found[[names.get(name, name) for name in table]]
        assert filled.iloc[:, 2].tolist()[:2] == ["big", "small"]
        assert filled.iloc[1, 0] == -1.5 and 0.5 < filled.iloc[0, 0] < 1.5
        assert (found["p"][:2] > 0.05).all() and found["p"][2] < 0.05
        assert "2 would fit" in found["reasons"][2]
    rows = gplvm_core.apply(one, [[None, 2.0, "big"], [-1.5, None, None]], dataset, reasons=False)
    assert rows["word"].tolist() == ["big", "small"]
    blocks = [new, new.assign(word=["big", "huge", None])]
    with pytest.raises(DataError, match="'huge' in row 5; its words are 'big', 'small'"):
        gplvm_core.apply(one, blocks, dataset, output=tmp_path / "answers.csv")
    with pytest.raises(DataError, match="2 columns, but the model has 3"):
        gplvm_core.apply(one, [[1.0, "big"]], dataset)


def test_rows_of_several_views_with_words_are_inferred_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generator = np.random.default_rng(0)
    size = generator.standard_normal(60)
    table = pd.DataFrame({"size": size, "mass": 2 * size + 0.1 * generator.standard_normal(60)})
    table["word"] = np.where(size > 0, "big", "small")
    table["eggs"] = generator.poisson(np.exp(1.0 + 0.5 * size))
    kinds = {"word": "category", "eggs": "count"}
    dataset = Dataset.of_table("words", "Words", table, kinds)
    views = in_groups(dataset, {"body": [0, 1], "name": [2], "nest": [3]})
    model = ManifoldRelevance(2, 10, max_iter=20, kinds=views.kinds, random_state=0)
    model.fit(views.views_in_own_values())
    gap = np.nan
    # The rows have no word, so the view of words is not given.
    rows = np.array([[1.0, gap, gap, 6.0], [gap, -2.0, gap, gap], [0.5, 1.0, gap, 4.0]])
    inferred = []
    real = prediction.explain

    def explain(network: Any, given: Any, inputs: Any = None) -> Any:
        inferred.append(given)
        return real(network, given, inputs)

    monkeypatch.setattr(prediction, "explain", explain)
    found = asked(model, rows, views)
    assert len(inferred) == 1
    whole, std = model.complete(views.views_in_own_values(rows), return_std=True)
    np.testing.assert_allclose(found.filled, views.coded(whole), rtol=1e-5)
    np.testing.assert_allclose(
        found.std, np.hstack([std[view.name] for view in views.views]), atol=1e-4
    )
    assert np.isnan(found.std[:, 2]).all() and np.isfinite(found.std[:, [0, 1, 3]]).all()
    given = {"body": rows[:, :2], "nest": views.views_in_own_values(rows)["nest"]}
    np.testing.assert_allclose(found.places, model.transform(given), atol=1e-5)


def test_exact_models_answer_as_their_own_completion() -> None:
    rows = NEW[:6, :5].copy()
    rows[:, 2] = np.nan
    one = Dataset("one", "One", ROWS[:, :5], Drawing("bars", (5,)))
    model = ProbabilisticPCA(2, scaling="columns").fit(one.values)
    expected, std = model.complete(rows, return_std=True)
    found = asked(model, rows, one)
    assert found.filled == pytest.approx(expected)
    assert found.std == pytest.approx(std)


@pytest.mark.parametrize(
    ("given", "expected", "std", "hint"),
    [
        (145.0, 13.0, 0.8, (14.5, "decimal")),
        (-2.1, 2.0, 0.3, (2.1, "sign")),
        (0.013, 13.0, 0.8, (13.0, "decimal")),
        (5.0, 0.0, 1.0, (None, None)),  # 0 fits because the interval is wide; this is no hint
        (20.0, 13.0, 0.8, (None, None)),
        (0.0, 13.0, 0.8, (None, None)),
    ],
)
def test_a_slip_is_a_hint_only_if_it_fits(
    given: float, expected: float, std: float, hint: tuple[Any, Any]
) -> None:
    assert hint_of(given, expected, std) == hint


def test_reasons_are_sentences() -> None:
    reason = Reason(0, 145.0, 13.04, 0.46, 14.5, "decimal", 0.41)
    assert sentence_of(reason, "alcohol") == (
        "Given its other columns, “alcohol” would be 12.14 to 13.94; it is 145. Without it the "
        "row is ordinary (p = 0.41). A slip of the decimal point? 14.5 would fit."
    )


def test_a_row_that_two_places_explain_has_both() -> None:
    # The height of a point of an arch leaves two possibilities for its side.
    side = np.linspace(-1.5, 1.5, 60)
    noise = 0.02 * np.random.default_rng(0).standard_normal((60, 3))
    arch = np.column_stack([1.0 - side**2, side, side**3]) + noise
    model = BayesianGPLVM(1, 16, max_iter=80, random_state=0).fit(arch)
    data = Dataset("arch", "Arch", arch, Drawing("bars", (3,)))
    gap = np.nan
    found = asked(model, np.array([[0.0, gap, gap], [0.0, 1.0, gap]]), data)
    first, second = found.weights
    assert first[:2].min() > 0.2 and first.sum() == pytest.approx(1.0)
    assert second[0] == pytest.approx(1.0) and np.isnan(found.explanations[1, 1:]).all()
    np.testing.assert_allclose(found.explanations[:, 0], found.places)
    heights, sides, _ = model.inverse_transform(found.explanations[0, :2]).T
    np.testing.assert_allclose(heights, 0.0, atol=0.1)
    np.testing.assert_allclose(np.sort(sides), [-1.0, 1.0], atol=0.1)


def test_an_odd_training_row_is_scored_by_a_density_that_has_not_seen_it():
    generator = np.random.default_rng(0)
    table = generator.standard_normal((80, 1)) @ generator.standard_normal((1, 6))
    table += 0.1 * generator.standard_normal(table.shape)
    table[7, 2] += 12.0
    rows = Dataset("rows", "Rows", table, Drawing.of_vector(6))
    model = BayesianGPLVM(3, 15, max_iter=60, random_state=0, second_stage="off").fit(table)
    model = prepare(model, rows)
    numbers = np.arange(80)
    seen, held = (
        Answers.joined([*answers_of(model, rows, table, trained=own)]) for own in (None, numbers)
    )
    # p is the rank among all 80 rows: a row is compared with 79 others.
    np.testing.assert_allclose(np.sort(held.p), np.arange(1, 81) / 80)
    assert np.argmin(held.p) == 7 and seen.p[7] > held.p[7]
    assert [reason.column for reason in held.reasons[7]] == [2]
    assert not held.unlike.any()
    # Other rows are as typical as held-out rows are on average.
    assert np.mean(held.p[numbers != 7]) == pytest.approx(0.5, abs=0.05)
    # In another order, every row keeps its own score.
    back = Answers.joined([*answers_of(model, rows, table[::-1], trained=numbers[::-1])])
    np.testing.assert_allclose(back.p, held.p[::-1])
    # Beside rows that are new, and twice in one file, it keeps it, too.
    some, known = np.vstack([table[[7, 7, 3]], table[3] + 0.01]), np.array([7, 7, 3, -1])
    mixed = Answers.joined([*answers_of(model, rows, some, trained=known)])
    np.testing.assert_allclose(mixed.p[:3], held.p[[7, 7, 3]])
    alone = Answers.joined([*answers_of(model, rows, some[3:])])
    np.testing.assert_allclose(mixed.p[3], alone.p[0])
