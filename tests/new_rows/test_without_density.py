"""Tests of odd rows in tables with words: the answer names the odd number and a correction."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core import BayesianGPLVM, Dataset, apply
from gplvm_core.models.estimators.with_known import for_training
from gplvm_core.new_rows import Answers, answers_of, sentence_of


@pytest.fixture(scope="module")
def people() -> tuple[BayesianGPLVM, Dataset]:
    rng = np.random.default_rng(3)
    height = rng.normal(170.0, 9.0, 60)
    table = pd.DataFrame(
        {
            "height": height,
            "weight": 0.9 * (height - 100.0) + rng.normal(0.0, 4.0, 60),
            "region": np.where(height + rng.normal(0.0, 8.0, 60) > 170.0, "north", "south"),
        }
    )
    data = Dataset.of_table("people", "People", table)
    model = BayesianGPLVM(2, 12, kinds=data.kinds, max_iter=60, random_state=0)
    return model.fit(table), data


def test_the_number_that_makes_a_row_odd_is_named(people) -> None:
    model, data = people
    row = data.values[5].copy()
    slip = row.copy()
    slip[0] *= 10.0
    found = next(iter(answers_of(model, data, np.stack([row, slip]), ranked=True)))
    assert found.reasons[0] == () and found.p[0] > found.p[1]
    (reason,) = found.reasons[1]
    assert (reason.column, reason.given) == (0, slip[0])
    assert abs(reason.expected - row[0]) < 4.0 * reason.std
    assert reason.kind == "decimal" and reason.hint == pytest.approx(row[0])
    # Without the height, the row is that of an ordinary person.
    assert reason.p_without > 0.05


def test_a_row_of_one_number_has_no_reason(people) -> None:
    model, data = people
    row = np.array([[5000.0, np.nan, np.nan]])
    found = next(iter(answers_of(model, data, row, ranked=True)))
    assert found.reasons == ((),)


def test_the_answer_about_a_row_does_not_depend_on_the_rows_beside_it(people, monkeypatch) -> None:
    monkeypatch.setattr("gplvm_core.new_rows.without_density.MOST_COMPARED", 20)
    model, data = people
    rows = data.values[:5].copy()
    rows[1, 0] = rows[3, 2] = np.nan
    together = next(iter(answers_of(model, data, rows, ranked=True))).p
    alone = [next(iter(answers_of(model, data, row[None], ranked=True))).p[0] for row in rows]
    np.testing.assert_allclose(together, alone, atol=1e-12)
    table = data.in_own_values(rows)
    scores = model.score_samples(table)
    each = [model.score_samples(table.iloc[[at]])[0] for at in range(len(table))]
    np.testing.assert_allclose(scores, each, atol=1e-3)
    many = model.score_samples(table, n_samples=20_000, random_state=1)
    np.testing.assert_allclose(scores, many, atol=0.1)


def test_training_rows_are_judged_by_a_layer_that_has_not_seen_them(people) -> None:
    model, data = people
    # The layer of all rows is the trained one; training stopped before the words' factors settled.
    whole, trained = for_training(model, np.array([], dtype=int), data).posterior_, model.posterior_
    np.testing.assert_allclose(whole.weights[:, :2], trained.weights[:, :2], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(whole.weights[:, 2], trained.weights[:, 2], atol=0.05)
    numbers = np.arange(data.n_points)
    asked = answers_of(model, data, data.values, ranked=True, reasons=False, trained=numbers)
    found = Answers.joined(list(asked))
    by_script = apply(model, data.in_own_values(), data, reasons=False)
    np.testing.assert_allclose(by_script["p"], found.p)
    assert found.held_out and found.known == data.n_points - 1
    # Training rows that are compared with each other have all ranks.
    assert found.p.min() < 0.04 and found.p.max() > 0.95
    assert 0.4 < np.median(found.p) < 0.6


def test_slips_among_training_rows_are_the_oddest_and_are_named() -> None:
    rng = np.random.default_rng(4)
    oak = rng.random(120) < 0.5
    size = rng.normal(0.0, 1.0, 120)
    columns = {
        "tree": np.where(oak, "oak", "birch"),
        "height": 15.0 + 3.0 * size + rng.normal(0.0, 0.5, 120),
        "girth": np.where(oak, 50.0, 30.0) + 8.0 * size + rng.normal(0.0, 1.5, 120),
        "bark": np.where(oak, 20.0, 6.0) + rng.normal(0.0, 1.5, 120),
    }
    columns["height"][17] *= 10.0
    ten = rng.permutation(np.flatnonzero(oak))[0]
    columns["tree"][ten] = "birch"  # with the girth and the bark of an oak
    table = pd.DataFrame(columns)
    data = Dataset.of_table("trees", "Trees", table)
    model = BayesianGPLVM(3, 20, kinds=data.kinds, max_iter=150, random_state=0).fit(table)
    rows = np.arange(data.n_points)
    found = Answers.joined(list(answers_of(model, data, data.values, ranked=True, trained=rows)))
    assert {17, ten} == set(np.argsort(found.p)[:2].tolist()) and max(found.p[[17, ten]]) < 0.02
    (slip,) = found.reasons[17]
    assert slip.column == 1 and abs(slip.expected - slip.given / 10.0) < 2.0
    word = found.reasons[ten][0]
    assert (word.column, word.words) == (0, ("birch", "oak")) and word.chance > 0.9
    assert sentence_of(word, "tree").startswith("Given its other columns, “tree” would be oak (")
    assert "; it is birch. Without it the row is" in sentence_of(word, "tree")
