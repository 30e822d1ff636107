"""Tests of models with robust noise: values far off, answers, stored files and views."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from gplvm_core import (
    BayesianGPLVM,
    DynamicalGPLVM,
    ManifoldRelevance,
    apply,
    explorer,
    load,
)
from gplvm_core.beliefs import Belief
from gplvm_core.datasets import Dataset, read_table
from gplvm_core.likelihoods import Number, Robust
from gplvm_core.prediction.generate import predict
from gplvm_core.prediction.row_bound import RowBound
from gplvm_core.readers import DataError, Drawing
from gplvm_core.wire.table import coded_rows, pack_links, table_drawing
from tests.cases import quickly
from tests.models.row_slopes import check_slopes

SETTINGS = {"n_components": 2, "n_inducing": 15, "max_iter": 60, "random_state": 0}


def rows(
    count: int = 80, seed: int = 0, share: float = 0.05
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the truth, noisy rows with a share of cells far off, and which cells these are."""
    generator = np.random.default_rng(seed)
    angle = generator.uniform(-1.5, 1.5, (count, 2))
    own = np.random.default_rng(100)
    truth = np.sin(0.8 * angle @ own.normal(size=(2, 10)) + own.uniform(0.0, 6.0, 10))
    truth = 50.0 + np.linspace(1.0, 5.0, 10) * truth
    noisy = truth + 0.1 * np.linspace(1.0, 5.0, 10) * generator.standard_normal(truth.shape)
    far = generator.random(truth.shape) < share
    noisy[far] += generator.choice([-1.0, 1.0], far.sum()) * generator.uniform(
        15.0, 60.0, far.sum()
    )
    return truth, noisy, far


def error(found: object, truth: np.ndarray) -> float:
    own = np.asarray(found, dtype=float) - truth
    return float(np.sqrt(np.mean((own / truth.std(axis=0)) ** 2)))


@pytest.fixture
def robust(trained: Callable[..., Any]) -> BayesianGPLVM:
    return trained(BayesianGPLVM(**SETTINGS, kinds="robust"), rows()[1])


@pytest.fixture
def gaussian(trained: Callable[..., Any]) -> BayesianGPLVM:
    return trained(BayesianGPLVM(**SETTINGS, noise="per_output"), rows()[1])


def test_values_far_off_do_not_pull_the_map(robust: BayesianGPLVM, gaussian: BayesianGPLVM) -> None:
    """The promise: with 5 % of cells far off, the error is less than half of the Gaussian's."""
    truth, _, _ = rows()
    own, other = (error(m.inverse_transform(m.latent_mean_), truth) for m in (robust, gaussian))
    assert own < 0.5 * other
    clean = BayesianGPLVM(**SETTINGS).fit(rows(share=0.0)[1])
    assert own < 2.0 * error(clean.inverse_transform(clean.latent_mean_), truth)
    noise = robust.noise_std_ / np.linspace(1.0, 5.0, 10)
    assert ((noise > 0.08) & (noise < 0.8)).all()


def test_new_rows_are_placed_and_filled_despite_values_far_off(
    robust: BayesianGPLVM, gaussian: BayesianGPLVM
) -> None:
    truth, noisy, far = rows(40, seed=7)
    hidden = np.random.default_rng(3).random(noisy.shape) < 0.2
    given = np.where(hidden, np.nan, noisy)
    model = robust
    whole, std = model.complete(given, return_std=True)
    assert whole.dtype == np.float64
    np.testing.assert_array_equal(whole[~hidden], noisy[~hidden])
    other = gaussian.complete(given)
    scale = truth.std(axis=0)
    miss = [((each - truth) / scale)[hidden] for each in (whole, other)]
    assert np.sqrt(np.mean(miss[0] ** 2)) < 0.5 * np.sqrt(np.mean(miss[1] ** 2))
    seen = hidden & ~far
    inside = np.abs(whole - noisy)[seen] < 2.0 * std[seen]
    assert inside.mean() > 0.9
    # A row with a value far off is where the row without it is.
    row = noisy[~far.any(axis=1)][:5]
    wrong = row.copy()
    wrong[:, 4] += 1e4
    np.testing.assert_allclose(model.transform(wrong), model.transform(row), atol=0.15)


def test_rows_are_placed_where_their_bound_is_highest(robust: BayesianGPLVM) -> None:
    given = rows(6, seed=3)[1]
    given[1:4, 2] = np.nan
    bound = RowBound.of(robust._network, {"data": given}, roots=(0,))
    generator = np.random.default_rng(0)
    belief = Belief(generator.normal(size=(6, 2)), generator.uniform(0.05, 0.5, (6, 2)))
    for seed in range(4):
        check_slopes(bound, [belief], seed, 1e-4, 1e-5)


def test_densities_and_quantiles_know_the_noise(
    robust: BayesianGPLVM, gaussian: BayesianGPLVM
) -> None:
    model, row = robust, rows(30, seed=8, share=0.0)[1]
    far = row.copy()
    far[:, 2] += 100.0
    scores = model.score_samples(row), model.score_samples(far), gaussian.score_samples(far)
    assert np.isfinite(scores).all()
    # A value at r costs about (ν + 1) log r in place of r²/2.
    assert ((scores[0] - scores[1] > 10.0) & (scores[0] - scores[1] < 40.0)).all()
    assert (scores[2] < scores[1] - 30.0).all()
    low, middle, high = model.column_quantiles(row, 3)
    inside = (row[:, 3] > low) & (row[:, 3] < high)
    assert inside.mean() > 0.8 and (low < middle).all() and (middle < high).all()
    drawn = np.asarray(model.sample(4000, random_state=0), dtype=float)
    assert np.isfinite(drawn).all()
    assert spearmanr(scores[0], model.score_samples(row, random_state=1)).statistic > 0.9


def test_predictions_with_noise_have_its_variance(
    robust: BayesianGPLVM,
) -> None:
    model = robust
    points = model.latent_mean_[:3]
    mean, variance = predict(model.posterior_, points)
    noisy = predict(model.posterior_, points, noise=True)
    np.testing.assert_allclose(noisy[0], mean)
    np.testing.assert_allclose(noisy[1] - variance, model.noise_std_[None].repeat(3, axis=0) ** 2)
    scales = [column.scale for column in model.posterior_.links.columns]
    np.testing.assert_allclose(model.noise_std_, np.sqrt(2.0) * np.array(scales))
    whole, std = model.inverse_transform(points, return_std=True)
    np.testing.assert_allclose(whole, mean)
    np.testing.assert_allclose(std**2, noisy[1])


def test_a_stored_model_gives_the_same_numbers(robust: BayesianGPLVM, tmp_path: Path) -> None:
    model, row = robust, rows(5, seed=9)[1]
    model.save(tmp_path / "robust.gplvm")
    back = load(tmp_path / "robust.gplvm")
    assert back.posterior_.links == model.posterior_.links
    assert isinstance(back.posterior_.links.columns[0], Robust)
    np.testing.assert_array_equal(back.score_samples(row), model.score_samples(row))
    np.testing.assert_array_equal(back.transform(row), model.transform(row))


def test_the_browser_and_new_rows_know_the_noise(tmp_path: Path) -> None:
    _, noisy, _ = rows()
    names = [f"sensor {d}" for d in range(10)]
    dataset = Dataset.of_table("made", "Made", pd.DataFrame(noisy, columns=names), "robust")
    model = BayesianGPLVM(**SETTINGS | {"max_iter": 20}, kinds=dataset.kinds)
    model.fit(dataset.in_own_values())
    explorer(model, dataset).save(tmp_path / "map.html")
    packed = pack_links(model.posterior_, model.columns_, coded_rows(dataset, model.columns_))
    for column, std in zip(packed["columns"], model.noise_std_, strict=True):
        assert column["noise"] == pytest.approx(std**2) and column["freedom"] == 4.0
    drawing = table_drawing(dataset, model.columns_)
    assert {entry["kind"] for entry in drawing["table"]} == {"number"}
    given = dataset.in_own_values().iloc[:6].copy()
    given.iloc[2, 3] = np.nan
    found = apply(model, given, dataset)
    assert len(found) == 6 and np.isfinite(found["sensor 3"]).all()


def test_units_change_the_bound_only_by_their_jacobian() -> None:
    _, noisy, _ = rows(30)
    settings = SETTINGS | {"max_iter": 10}
    one, other = (
        BayesianGPLVM(**settings, kinds="robust").fit(factor * noisy) for factor in (1.0, 1000.0)
    )
    change = one.bound_ - other.bound_
    assert change == pytest.approx(noisy.size * np.log(1000.0), rel=1e-9)
    np.testing.assert_allclose(other.noise_std_, 1000.0 * one.noise_std_, rtol=1e-6)


def test_a_wanted_value_is_reached(robust: BayesianGPLVM) -> None:
    model, truth = robust, rows()[0]
    best = model.fit_to({"0": float(truth[3, 0]), "1": float(truth[3, 1])})[0]
    assert abs(best.outputs[0] - truth[3, 0]) < 0.5 and (best.std > 0.0).all()


def test_some_columns_are_robust_and_the_others_keep_their_kind() -> None:
    _, noisy, _ = rows(60)
    frame = pd.DataFrame(noisy[:, :4], columns=list("abcd")).assign(
        big=np.where(noisy[:, 5] > 50.0, "yes", "no")
    )
    settings = SETTINGS | {"max_iter": 10}
    model = BayesianGPLVM(**settings, kinds={"b": "robust"}).fit(frame)
    kinds = [column.kind for column in model.columns_.columns]
    assert kinds == ["number", "robust", "number", "number", "yes/no"]
    assert isinstance(model.posterior_.links.columns[0], Number)
    assert list(model.complete(frame)) == list(frame)
    every = BayesianGPLVM(**settings, kinds="robust").fit(frame)
    assert [column.kind for column in every.columns_.columns] == ["robust"] * 4 + ["yes/no"]
    # Whole numbers stay numbers where no column has words.
    whole = BayesianGPLVM(**settings, kinds={"b": "robust"}).fit(frame[list("abcd")].round())
    assert [column.kind for column in whole.columns_.columns] == ["number", "robust"] + [
        "number"
    ] * 2


def test_files_have_robust_columns() -> None:
    _, noisy, _ = rows(20)
    text = pd.DataFrame(noisy[:, :3], columns=list("abc")).to_csv(index=False).encode()
    for kinds, own in (
        ("robust", ["robust"] * 3),
        ({"a": "robust"}, ["robust", "number", "number"]),
    ):
        dataset = read_table(text, kinds=kinds)
        assert [column.kind for column in dataset.columns] == own
        assert dataset.kinds == own
        np.testing.assert_allclose(dataset.in_own_values().to_numpy(float), noisy[:, :3])


@pytest.mark.slow
def test_views_and_paths_over_time_have_robust_columns() -> None:
    truth, noisy, _ = rows(50)
    settings = SETTINGS | {"max_iter": 20}
    views = {"left": noisy[:, :5], "right": noisy[:, 5:]}
    model = ManifoldRelevance(**settings, kinds="robust").fit(views)
    found = model.transfer({"left": truth[:4, :5]}, "right")
    assert np.isfinite(np.asarray(found, dtype=float)).all()
    order = np.argsort(truth[:, 0])
    times = np.linspace(0.0, 1.0, 50)
    path = DynamicalGPLVM(**settings, kinds="robust").fit(noisy[order], times=times)
    mean, std = path.forecast([1.02], return_std=True)
    assert np.isfinite(mean.astype(float)).all() and (std > 0.0).all()


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ("sturdy", 'None, "auto", "robust", "fraction", or a list'),
        ({"a": "sturdy"}, "must be one of number, rob"),
    ],
)
def test_unknown_kinds_are_refused(kinds: object, words: str) -> None:
    frame = pd.DataFrame(rows(10)[1][:, :2], columns=["a", "b"])
    with pytest.raises(DataError, match=words):
        BayesianGPLVM(**SETTINGS, kinds=kinds).fit(frame)


def test_words_are_no_robust_numbers() -> None:
    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": [1.0, 2.0, 3.0]})
    with pytest.raises(DataError, match="'a' holds numbers"):
        BayesianGPLVM(**SETTINGS, kinds={"a": "robust", "b": "robust"}).fit(frame)


@pytest.mark.parametrize("beside", quickly(["numbers", "words", "only words"], ["words"]))
def test_a_constant_robust_column_is_a_column_of_numbers(
    beside: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every query works for any other value of the column, as with kinds=None."""
    monkeypatch.setattr("gplvm_core.new_rows.without_density.MOST_COMPARED", 24)
    noisy = rows(50)[1]
    frame = pd.DataFrame(noisy[:, :3], columns=list("abd")).assign(c=3.1)
    if beside != "numbers":
        frame["w"] = np.where(noisy[:, 0] > 50.0, "x", "y")
    if beside == "only words":
        frame = frame[["c", "w"]]
    settings = SETTINGS | {"max_iter": 10}
    with pytest.warns(UserWarning, match=r"the column .c. is constant \(3.1\)"):
        model = BayesianGPLVM(**settings, kinds="robust").fit(frame)
    assert model.columns_.columns[model.columns_.column("c")].kind == "number"
    other, gap = frame[:3].copy(), frame[:2].copy()
    other.loc[0, "c"], gap.loc[0, "c"] = 7.0, np.nan
    scores = model.score_samples(other)
    assert np.isfinite(scores).all() and scores[0] < scores[1:].min() - 1000.0
    c = frame.columns.get_loc("c")
    std = np.asarray(model.complete(frame[:2], return_std=True)[1], dtype=float)
    np.testing.assert_array_equal(std[:, c], 0.0)
    whole, std = model.complete(gap, return_std=True)
    assert whole["c"][0] == pytest.approx(3.1)
    assert 0.0 < np.asarray(std, dtype=float)[0, c] < 0.01
    dataset = Dataset.of_table("rows", "Rows", frame, "robust")
    assert dataset.kinds[c] == "number"
    found = apply(model, other, dataset)
    assert found["p"].notna().all()
    if beside != "only words":  # of two columns, one is left to be ordinary
        assert "“c” was 3.1 in every known row; it is 7." in found["reasons"][0]


def test_a_table_of_constant_columns_is_refused() -> None:
    frame = pd.DataFrame({"a": [1.0] * 5, "b": ["x"] * 5})
    for table in (frame, frame[["a"]]):
        with pytest.raises(DataError, match="there is nothing to learn"):
            BayesianGPLVM(**SETTINGS, kinds="robust").fit(table)


def test_training_rows_that_were_read_as_numbers_give_p_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gplvm_core.new_rows.without_density.MOST_COMPARED", 24)
    noisy = rows(50)[1][:, :4]
    model = BayesianGPLVM(**SETTINGS | {"max_iter": 10}, kinds="robust").fit(noisy)
    plain = Dataset("rows", "Rows", noisy, Drawing.of_vector(4), column_names=tuple("abcd"))
    frame = pd.DataFrame(noisy, columns=list("abcd"))
    robust = Dataset.of_table("rows", "Rows", frame, "robust")
    odd = noisy[:3].copy()
    odd[0, 1] += 1e3
    found = apply(model, odd, plain)
    pd.testing.assert_frame_equal(found, apply(model, odd, robust))
    assert found["p"].notna().all() and "“b”" in found["reasons"][0]
    assert plain.kinds is None
    assert "</html>" in explorer(model, plain).html
    with pytest.raises(DataError, match="robust numbers or fractions: pass the training rows"):
        apply(model, odd)
    with pytest.raises(ValueError, match="fitted to 50 rows × 4 columns, the data set has 50 × 3"):
        explorer(model, Dataset("rows", "Rows", noisy[:, :3], Drawing.of_vector(3)))


def test_views_of_robust_numbers_say_how_to_read_their_training_rows() -> None:
    noisy = rows(30)[1][:, :3]
    frame = pd.DataFrame(noisy, columns=list("abc"))
    settings = SETTINGS | {"max_iter": 5}
    views = {"left": frame[["a", "b"]], "right": frame[["c"]]}
    model = ManifoldRelevance(**settings, kinds="robust").fit(views)
    plain = {name: (own.to_numpy(), Drawing.of_vector(own.shape[1])) for name, own in views.items()}
    dataset = Dataset.of_views("rows", "Rows", plain)
    with pytest.warns(UserWarning, match="read the training rows of dataset with the kinds"):
        found = apply(model, noisy[:2], dataset)
    assert found["p"].isna().all()


def test_the_note_on_a_file_names_its_kinds() -> None:
    frame = pd.DataFrame(rows(20)[1][:, :2], columns=list("ab"))
    text = frame.to_csv(index=False).encode()
    notes = read_table(text, kinds="robust").notes
    assert "Columns of robust numbers: a (robust); b (robust)." in notes
    frame["w"] = ["x", "y"] * 10
    for kinds, named in (
        ("auto", "Columns of words and counts: w ("),
        ("robust", "Columns of words, counts and robust numbers: a (robust); b (robust); w ("),
    ):
        notes = read_table(frame.to_csv(index=False).encode(), kinds=kinds).notes
        assert any(note.startswith(named) for note in notes)
