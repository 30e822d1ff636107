"""Tests of many rows: training on a growing sample, placing the other rows, adding rows later."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas
import pytest

from gplvm_core import (
    BayesianGPLVM,
    DeepGP,
    DeepGPLVM,
    DeepManifoldRelevance,
    DynamicalGPLVM,
    ManifoldRelevance,
    RowFiles,
    evaluate_bound,
    load,
)
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, Local, MixedOutputs, evaluate_mixed
from gplvm_core.datasets import DataError
from gplvm_core.models.problems import many_rows
from gplvm_core.prediction import DATA, Network
from gplvm_core.prediction.added import SUMMED
from gplvm_core.prediction.place import place_rows
from gplvm_core.readers.kinds import in_own_values
from gplvm_core.store import save
from gplvm_core.wire.model import as_seen

SETTINGS = {"n_components": 2, "n_inducing": 8, "max_iter": 20, "random_state": 0}


def rows(count: int, gaps: bool = False) -> np.ndarray:
    generator = np.random.default_rng(1)
    latent = generator.normal(size=(count, 1))
    waves = np.hstack([latent, np.sin(2.0 * latent), np.cos(latent), latent**2])
    values = 3.0 + waves + 0.05 * generator.normal(size=waves.shape)
    if gaps:
        values[generator.uniform(size=values.shape) < 0.1] = np.nan
        values[:, 0] = waves[:, 0]
    return values


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_rows, "MANY", 250)
    monkeypatch.setattr("gplvm_core.models.problems.deep_many_rows.SAMPLES", (120,))
    monkeypatch.setattr(many_rows, "SAMPLES", (30, 30, 60, 120))
    monkeypatch.setattr(many_rows, "FEW_INDUCING", 5)


def dense_bound(model: BayesianGPLVM, values: np.ndarray) -> float:
    """Compute the bound of these rows at the model's beliefs, in the data's units.

    Each output is evaluated separately, with one KL divergence for all outputs.
    """
    at, belief = model.posterior_, (model.latent_mean_, model.latent_variance_)
    ratios = np.ones(values.shape[1]) if at.each is None else at.each.ratio
    columns = [
        evaluate_bound(
            column[:, None],
            *belief,
            at.inducing,
            at.kernel.scaled(ratio),
            at.noise_variance,
            ratio * at.jitter,
        )[0]
        for column, ratio in zip(at.to_internal(values).T, ratios, strict=True)
    ]
    mean, variance = belief
    kl = 0.5 * np.sum(mean**2 + variance - np.log(variance) - 1.0)
    scales = float((~np.isnan(values)).sum(axis=0) @ np.log(at.scale))
    return sum(columns) + (len(columns) - 1) * kl - scales


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
def test_a_sample_is_trained_and_the_others_are_placed(gaps: bool, tmp_path: Path) -> None:
    values = rows(300, gaps)
    model = BayesianGPLVM(**SETTINGS).fit(values)
    assert len(model.rows_.trained) == 120 and len(set(model.rows_.trained)) == 120
    assert any("trained on 120 of 300 rows; the other 180" in note for note in model.notes_)
    assert model.inducing_.shape == (8, 2)
    assert model.latent_mean_.shape == (300, 2)
    np.testing.assert_allclose(model.bound_, dense_bound(model, values), rtol=1e-8, atol=1e-4)
    # The model explains placed rows no worse than trained rows.
    left = np.sqrt(np.nanmean((model.inverse_transform(model.latent_mean_) - values) ** 2, axis=1))
    others = np.setdiff1d(np.arange(300), model.rows_.trained)
    assert np.median(left[others]) < 1.2 * np.median(left[model.rows_.trained])
    model.save(tmp_path / "model.gplvm")
    again = load(tmp_path / "model.gplvm")
    np.testing.assert_array_equal(again.rows_.trained, model.rows_.trained)
    np.testing.assert_array_equal(again.transform(values[:3]), model.transform(values[:3]))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_training_continues_from_any_sample_with_the_same_numbers() -> None:
    values, seen = rows(300), []
    whole = BayesianGPLVM(**SETTINGS).fit(values, callback=seen.append)
    assert {len(each.latent_mean) for each in seen} == {300}
    for at, threads in ((2, None), (15, 2), (len(seen) - 2, None)):
        again = BayesianGPLVM(**SETTINGS, n_jobs=threads).fit(values, resume=seen[at].run)
        np.testing.assert_array_equal(again.latent_mean_, whole.latent_mean_)
        assert again.bound_ == whole.bound_


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_stopped_early_it_is_still_a_model_of_all_rows() -> None:
    def stop(progress: object) -> None:
        raise StopIteration

    values = rows(300)
    model = BayesianGPLVM(**SETTINGS).fit(values, callback=stop)
    assert len(model.rows_.trained) == 30 and len(model.latent_mean_) == 300
    np.testing.assert_allclose(model.bound_, dense_bound(model, values), rtol=1e-8, atol=1e-4)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_training_can_be_stopped_while_rows_are_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gplvm_core.prediction.place.ROWS_AT_ONCE", 50)
    values, told = rows(300), []

    def stop(progress) -> None:
        told.append(progress.message)
        if told[-1] == "placing rows on the map: 100 of 180":
            raise StopIteration

    model = BayesianGPLVM(**SETTINGS).fit(values, callback=stop)
    assert "placing rows on the map: 50 of 180" in told
    assert any(
        "80 rows kept the position of the nearest trained row" in note for note in model.notes_
    )
    # The result is still a model of all rows, and `bound_` is its bound.
    np.testing.assert_allclose(model.bound_, dense_bound(model, values), rtol=1e-8, atol=1e-4)
    assert model.bound_ < BayesianGPLVM(**SETTINGS).fit(values).bound_


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize(
    "gaps", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["whole", "gaps"]
)
def test_views_are_trained_on_a_sample_as_well(gaps: bool, tmp_path: Path) -> None:
    values = rows(300, gaps)
    views = {"some": values[:, :2], "others": values[:, 2:].copy()}
    if gaps:
        views["others"][::7] = np.nan  # some rows lack a whole view
    seen = []
    model = ManifoldRelevance(**SETTINGS).fit(views, callback=seen.append)
    assert len(model.rows_.trained) == 120 and model.latent_mean_.shape == (300, 2)
    assert any("trained on 120 of 300 rows; the other 180" in note for note in model.notes_)
    assert {len(each.latent_mean) for each in seen} == {300}
    # The bound is the sum of both views' parts, at the beliefs about all rows.
    mean, variance = model.latent_mean_, model.latent_variance_
    kl = 0.5 * np.sum(mean**2 + variance - np.log(variance) - 1.0)
    np.testing.assert_allclose(model.bound_, sum(model.bounds_.values()) - kl, rtol=1e-9)
    for name, given in views.items():
        alone = model.of_view(name)
        left = np.abs(alone.inverse_transform(mean) - given)
        others = np.setdiff1d(np.arange(300), model.rows_.trained)
        assert np.nanmedian(left[others]) < 1.3 * np.nanmedian(left[model.rows_.trained])
    again = ManifoldRelevance(**SETTINGS).fit(views, resume=seen[-4].run)
    np.testing.assert_array_equal(again.latent_mean_, mean)
    model.save(tmp_path / "model.gplvm")
    np.testing.assert_array_equal(load(tmp_path / "model.gplvm").rows_.trained, model.rows_.trained)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_a_deep_model_is_trained_on_a_sample(tmp_path: Path) -> None:
    values, seen = rows(300, gaps=True), []
    settings = SETTINGS | {"n_components": (2, 2), "max_iter": 20}
    model = DeepGPLVM(**settings).fit(values, callback=seen.append)
    assert len(model.rows_.trained) == 120
    assert [each.latent_mean_.shape for each in model.layers_] == [(300, 2), (300, 2)]
    assert any("trained on 120 of 300 rows; the other 180" in note for note in model.notes_)
    assert {len(each.latent_mean) for each in seen} == {300}
    left = np.abs(model.inverse_transform(model.latent_mean_) - values)
    others = np.setdiff1d(np.arange(300), model.rows_.trained)
    assert np.nanmedian(left[others]) < 1.3 * np.nanmedian(left[model.rows_.trained])
    # Every row has its own position again, and the stored last layer matches its inputs.
    last, at = model.layers_[-1], model.posterior_
    count = np.array([np.sum(~np.isnan(column)) for column in values.T])
    assert last.statistics_.n_values == count.sum()
    inputs = as_seen(model.layers_, 1)
    psi1, _ = at.kernel.psi1(inputs.latent_mean_, inputs.latent_variance_, at.inducing)
    carried = psi1.T @ np.nan_to_num(at.to_internal(values))
    np.testing.assert_allclose(last.statistics_.psi1_targets, carried, atol=1e-8)
    model.save(tmp_path / "model.gplvm")
    again = load(tmp_path / "model.gplvm")
    np.testing.assert_array_equal(again.rows_.trained, model.rows_.trained)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_a_deep_regression_is_trained_on_a_sample(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    inputs = generator.uniform(-1.0, 1.0, (400, 2))
    outputs = np.sign(inputs[:, :1]) + 0.3 * inputs + 0.05 * generator.normal(size=(400, 2))
    outputs[::9, 1] = np.nan
    settings = {"n_inducing": 8, "max_iter": 10, "random_state": 0, "mean": "zero"}
    seen, hidden = [], (2, 1)
    model = DeepGP(hidden, **settings).fit(inputs, outputs, callback=seen.append)
    assert len(model.rows_.trained) == 120
    assert any("trained on 120 of 400 rows; the other 280" in note for note in model.notes_)
    assert seen[-1].message == "placing rows in the hidden layers: 280 of 280"
    # Every layer is stored for all rows, at their own positions.
    first, last, at = model.layers_[0], model.layers_[-1], model.posterior_
    units = (inputs - model.input_center_) / model.input_scale_
    np.testing.assert_allclose(first.latent_mean_, units, atol=1e-12)
    psi1, _ = at.kernel.psi1(last.latent_mean_, last.latent_variance_, at.inducing)
    carried = psi1.T @ np.nan_to_num(at.to_internal(outputs))
    np.testing.assert_allclose(last.statistics_.psi1_targets, carried, atol=1e-8)
    # The model explains placed rows no worse than trained rows.
    left = np.abs(
        at.kernel.K(last.latent_mean_, at.inducing) @ at.weights - at.to_internal(outputs)
    )
    others = np.setdiff1d(np.arange(400), model.rows_.trained)
    assert np.nanmedian(left[others]) < 1.3 * np.nanmedian(left[model.rows_.trained])

    def stop(progress) -> None:
        if "placing" in progress.message:
            raise StopIteration

    again = DeepGP(hidden, **settings)
    stopped = again.fit(inputs, outputs, callback=stop, resume=seen[-1].run)
    assert stopped.result_.status == "stopped" and stopped.bound_ < model.bound_
    assert any(
        "280 rows kept the position that the layers above" in note for note in stopped.notes_
    )
    model.save(tmp_path / "model.gplvm")
    again = load(tmp_path / "model.gplvm")
    np.testing.assert_array_equal(again.rows_.trained, model.rows_.trained)
    np.testing.assert_array_equal(again.predict(inputs[:3]), model.predict(inputs[:3]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_views_below_a_deep_model_are_trained_on_a_sample() -> None:
    values = rows(300, gaps=True)
    views = {"some": values[:, :2], "others": values[:, 2:]}
    settings = SETTINGS | {"n_components": (2, 2), "max_iter": 20}
    model = DeepManifoldRelevance(**settings).fit(views)
    assert len(model.rows_.trained) == 120
    assert model.latent_mean_.shape == model.layers_[0].latent_mean_.shape == (300, 2)
    assert any("trained on 120 of 300 rows; the other 180" in note for note in model.notes_)
    others = np.setdiff1d(np.arange(300), model.rows_.trained)
    for name, given in model.generate(model.latent_mean_, 1).items():
        left = np.abs(given - views[name])
        assert np.nanmedian(left[others]) < 1.3 * np.nanmedian(left[model.rows_.trained])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_deep_models_that_cannot_be_sampled_say_so() -> None:
    settings = {"n_inducing": 4, "max_iter": 1, "random_state": 0}
    values, told = rows(250), "training used all 250 rows, which takes long"
    models = (
        DeepGPLVM((1, 1), family="gated", **settings).fit(values),
        DeepGP((1,), family="gated", **settings).fit(values[:, :1], values[:, 1:]),
        DeepGP((1,), input_connections=True, **settings).fit(values[:, :1], values[:, 1:]),
        DeepManifoldRelevance((1,), view_components=1, **settings).fit(
            {"first": values[:, :2], "second": values[:, 2:]}
        ),
    )
    for model in models:
        assert model.rows_.trained is None and any(told in note for note in model.notes_)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("noise", ["shared", "per_output"])
@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
def test_rows_are_added_without_training(gaps: bool, noise: str, tmp_path: Path) -> None:
    values = rows(120, gaps)
    model = BayesianGPLVM(**SETTINGS, noise=noise).fit(values[:80])
    before, placed = model.latent_mean_, model.transform(values[80:])
    kernel, scale = model.kernel_, model.scale_
    model.extend(values[80:100]).extend(values[100:])
    assert model.kernel_ is kernel and model.scale_ is scale
    np.testing.assert_array_equal(model.latent_mean_[:80], before)
    # `extend` infers the rows from one start instead of two, and the first rows change the mapping
    # a little.
    assert np.median(np.abs(model.latent_mean_[80:] - placed)) < 0.02
    np.testing.assert_allclose(model.bound_, dense_bound(model, values), rtol=1e-8, atol=1e-4)
    assert "added without training again: 20 rows" in model.notes_[-1]
    np.testing.assert_array_equal(model.rows_.trained, np.arange(80))
    model.save(tmp_path / "model.gplvm")
    again = load(tmp_path / "model.gplvm")
    np.testing.assert_array_equal(again.score_samples(values[:3]), model.score_samples(values[:3]))
    np.testing.assert_array_equal(again.extend(values[:2]).bound_, model.extend(values[:2]).bound_)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rows_that_do_not_fit_are_refused() -> None:
    values = rows(40)
    model = BayesianGPLVM(**SETTINGS | {"max_iter": 5}).fit(values)
    bound = model.bound_
    with pytest.raises(ValueError, match="3 features, but BayesianGPLVM is expecting 4"):
        model.extend(values[:, :3])
    with pytest.raises(ValueError, match="nothing is observed in row 2"):
        model.extend(np.where(np.arange(4)[:, None] == 1, np.nan, values[:4]))
    assert model.bound_ == bound and len(model.latent_mean_) == 40
    timed = DynamicalGPLVM(**SETTINGS | {"max_iter": 3}).fit(values)
    with pytest.raises(ValueError, match="couples its rows by their times"):
        timed.extend(values[:2])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
def test_files_are_streamed_through_a_trained_sample(
    gaps: bool, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr("gplvm_core.prediction.added.AT_ONCE", 130)
    values = rows(700, gaps).astype(np.float32)
    files = []
    for name, part in (("a", values[:300]), ("b", values[300:])):
        np.save(tmp_path / f"{name}.npy", part)
        files.append(tmp_path / f"{name}.npy")
    model = BayesianGPLVM(**SETTINGS).fit(RowFiles.of(files))
    kept = model.rows_.kept
    assert len(kept) == len(model.latent_mean_) == 250 and set(model.rows_.trained) <= set(kept)
    assert "450 of 700 rows were streamed once" in model.notes_[-1]
    # Reach the same model in two steps: train on the sample, then add the other rows.
    whole = BayesianGPLVM(**SETTINGS).fit(values[kept].astype(float))
    np.testing.assert_array_equal(model.latent_mean_, whole.latent_mean_)
    others = np.setdiff1d(np.arange(700), kept)
    whole.extend(values[others].astype(float))
    # Rows with gaps have fewer starts than in `extend`. The last digits of a row's optimum may
    # depend on the other rows of its part.
    np.testing.assert_allclose(model.bound_, whole.bound_, atol=5e-2 if gaps else 1e-3)
    # Rows with gaps of which only sums are stored are searched from fewer starts.
    np.testing.assert_allclose(model.information_, whole.information_, rtol=1e-4 if gaps else 1e-5)
    np.testing.assert_allclose(model.statistics_.yy, whole.statistics_.yy)
    probe = rows(720)[700:]
    expected = whole.inverse_transform(whole.transform(probe))
    found = model.inverse_transform(model.transform(probe))
    np.testing.assert_allclose(found, expected, atol=2e-3 if gaps else 1e-4)
    model.save(tmp_path / "model.gplvm")
    again = load(tmp_path / "model.gplvm")
    np.testing.assert_array_equal(again.rows_.kept, kept)
    again.extend(values[:10]).extend(values[:5])
    assert again.rows_.count == 715
    # Added rows are numbered after all rows of the file.
    np.testing.assert_array_equal(again.rows_.kept, [*kept, *range(700, 715)])
    assert len(again.latent_mean_) == 265


def wooded(folder: Path) -> Path:
    """A table of numbers, a category, yes/no, counts and slips, with gaps."""
    generator = np.random.default_rng(2)
    latent = generator.normal(size=700)
    noisy = latent[:, None] + 0.3 * generator.normal(size=(700, 4))
    table = pandas.DataFrame({"height": 5.0 + 2.0 * latent, "width": np.sin(latent)})
    table += 0.1 * generator.normal(size=table.shape)
    table["wood"] = np.array(["ash", "elm", "oak"])[np.digitize(noisy[:, 0], [-0.5, 0.5])]
    table["alive"] = np.where(noisy[:, 1] > 0.0, "yes", "no")
    table["nests"] = generator.poisson(np.exp(0.5 * noisy[:, 2]))
    table["heat"] = noisy[:, 3]
    table = table.mask(generator.random(table.shape) < 0.05)
    table.loc[::50, "heat"] = 90.0
    table.to_csv(folder / "woods.csv", index=False)
    return folder / "woods.csv"


def moments(posterior, belief: Belief) -> tuple[np.ndarray, np.ndarray]:
    """⟨f⟩ and ⟨f²⟩ of every output without its bias, from dense matrices for every row."""
    kernel, inducing = posterior.kernel, posterior.inducing
    psi0, psi1 = (
        kernel.psi0(belief.mean, belief.variance)[0],
        kernel.psi1(belief.mean, belief.variance, inducing)[0],
    )
    v, variances = posterior.weights, posterior.variances
    square = np.empty((belief.n_points, posterior.n_outputs))
    for n in range(belief.n_points):
        one = belief.rows(slice(n, n + 1))
        psi2 = kernel.psi2(one.mean, one.variance, inducing)[0]
        for d in range(posterior.n_outputs):
            inner = np.outer(v[:, d], v[:, d]) - variances.gap(d)
            square[n, d] = psi0[n] * variances.ratio(d) + np.sum(psi2 * inner)
    return psi1 @ v, square


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_words_and_counts_of_files_are_streamed(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("gplvm_core.prediction.added.AT_ONCE", 130)
    files = RowFiles.of(wooded(tmp_path), kinds={"heat": "robust"})
    assert files.kinds == ["number", "number", "category", "yes/no", "count", "robust"]
    settings = SETTINGS | {"kinds": files.kinds, "second_stage": "off"}
    told = []
    model = BayesianGPLVM(**settings).fit(files, callback=told.append)
    kept = model.rows_.kept
    assert len(kept) == len(model.latent_mean_) == 120 and model.rows_.count == 700
    assert "580 of 700 rows were streamed once" in model.notes_[-1]
    shares = np.array([each.share for each in told])
    assert (np.diff(shares) >= 0.0).all() and shares[-1] == 1.0 > shares[-3]
    values = np.asarray(files)
    alone = BayesianGPLVM(**settings).fit(in_own_values(files.columns, values[kept]))
    np.testing.assert_array_equal(model.latent_mean_, alone.latent_mean_)
    # The bound and q(u) of all rows, with the factors that the trained map gives them.
    rows, at = np.concatenate([kept, np.setdiff1d(np.arange(700), kept)]), alone.posterior_
    outputs = alone.columns_.encoded(in_own_values(files.columns, values[rows]))
    network = Network.star({DATA: at}, alone._belief)
    new, _ = place_rows(network, {DATA: outputs[120:]}, effort=SUMMED)
    belief = alone._belief.followed_by(new[0])
    measured = at.links.measured
    bias = np.where(measured, 0.0, at.center)
    mean, square = moments(at, belief)
    links = at.links.in_units(1.0 / at.scale)

    def whole(count: int):
        given = MixedOutputs(at.to_internal(outputs[:count]), links)
        first, some = bias + mean[:count], square[:count]
        second = bias**2 + 2.0 * bias * mean[:count] + some
        own = links.of(links.others)
        xi = own.local(given.others, first[:, links.others], second[:, links.others])
        layer = Layer(
            at.kernel,
            at.inducing,
            np.ones(at.n_outputs),
            at.each.ratio,
            bias=bias,
            local=Local(xi, own),
        )
        part = belief.rows(slice(count))
        found = evaluate_mixed(layer, part, given, jitter=at.jitter, relative=False)
        kl = 0.5 * np.sum(part.mean**2 + part.variance - np.log(part.variance) - 1.0)
        seen = np.count_nonzero(~np.isnan(outputs[:count, measured]), axis=0)
        return found, found.value - kl - float(seen @ np.log(at.scale[measured]))

    (found, after), (_, before) = whole(700), whole(120)
    np.testing.assert_allclose(model.bound_ - alone.bound_, after - before, rtol=1e-6)
    new_weights, scale = model.posterior_.weights, np.abs(found.posterior.weights).max(axis=0)
    np.testing.assert_allclose(new_weights / scale, found.posterior.weights / scale, atol=1e-4)
    probe = in_own_values(files.columns, values[:4])
    assert model.class_words("wood") == alone.class_words("wood")
    np.testing.assert_allclose(model.class_probabilities(probe, "wood").sum(axis=1), 1.0)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_a_large_table_of_words_in_memory_trains_as_its_file_does(tmp_path: Path) -> None:
    path, told = wooded(tmp_path), []
    table, files = pandas.read_csv(path), RowFiles.of(path, kinds="auto")
    settings = SETTINGS | {"max_iter": 4}
    expected = BayesianGPLVM(**settings, kinds=files.kinds).fit(files)
    model = BayesianGPLVM(**settings, kinds=files.kinds).fit(table, callback=told.append)
    assert model.bound_ == pytest.approx(expected.bound_, rel=1e-9)
    np.testing.assert_array_equal(model.rows_.kept, expected.rows_.kept)
    np.testing.assert_allclose(model.latent_mean_, expected.latent_mean_, atol=1e-6)
    assert len(model.latent_mean_) == 120 and model.rows_.count == len(table)
    streamed = len(table) - 120
    assert told[-1].message == f"rows streamed: {streamed:,} of {streamed:,}"
    assert list(model.feature_names_in_) == list(table)
    assert list(model.complete(table.iloc[:2]).columns) == list(table)
    # A table with known errors trains on all rows, and says so.
    errors = pandas.DataFrame({"width": np.full(len(table), 0.1)})
    whole = BayesianGPLVM(**settings | {"max_iter": 1}, kinds=files.kinds)
    whole.fit(table, errors=errors)
    assert any(f"training used all {len(table)} rows" in note for note in whole.notes_)
    # A word that no trained row has is a gap, which a note says.
    left = np.setdiff1d(np.arange(len(table)), model.rows_.kept)
    rare = table.assign(wood=table["wood"].where(np.arange(len(table)) != left[0], "teak"))
    model.set_params(kinds="auto").fit(rare)
    assert model.kinds == "auto"
    assert any("does not have the value: “teak” in wood (1 ×)" in note for note in model.notes_)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_words_of_files_are_named_when_the_files_are_opened(tmp_path: Path) -> None:
    path = wooded(tmp_path)
    for kinds, model in (
        ("auto", BayesianGPLVM(**SETTINGS)),
        (None, BayesianGPLVM(**SETTINGS, kinds="robust")),
    ):
        files = RowFiles.of(path, None if kinds else ["height", "width"], kinds=kinds)
        with pytest.raises(DataError, match=r"RowFiles.of\(path, kinds=…\)"):
            model.fit(files)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_an_unused_executor_is_reported(tmp_path: Path) -> None:
    np.save(tmp_path / "few.npy", rows(60))
    np.save(tmp_path / "many.npy", rows(300))
    few, many = RowFiles.of(tmp_path / "few.npy"), RowFiles.of(tmp_path / "many.npy")
    settings = SETTINGS | {"max_iter": 3}
    for model, files, why in (
        (BayesianGPLVM(**settings), few, "they are few"),
        (BayesianGPLVM(**settings, encoder="kernel"), many, "an encoder"),
    ):
        model.fit(files, executor=map)
        assert "executor was not used" in model.notes_[-1] and why in model.notes_[-1]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_a_file_that_changes_leaves_the_model_unchanged(tmp_path: Path) -> None:
    values, path = rows(400), tmp_path / "rows.npy"
    np.save(path, values)
    model = BayesianGPLVM(**SETTINGS | {"max_iter": 8}).fit(RowFiles.of(path))
    bound = model.bound_
    files = RowFiles.of(path)

    def spoil(progress: object) -> None:
        np.save(path, values[:350])

    with pytest.raises(DataError, match=r"rows.npy changed while it was read"):
        model.fit(files, callback=spoil)
    assert model.bound_ == bound and model.rows_.count == 400
    values[390] = np.inf
    np.save(path, values)
    with pytest.raises(ValueError, match="an infinite value"):
        model.fit(RowFiles.of(path))
    assert model.bound_ == bound


class Once:
    """A callback that stops training once, at a message that matches a pattern; it records all
    progress.
    """

    def __init__(self, begins: str) -> None:
        self.begins, self.told, self.stopped = begins, [], False

    def __call__(self, progress) -> None:
        self.told.append(progress)
        if re.match(self.begins, progress.message) and not self.stopped:
            self.stopped = True
            raise StopIteration


class PauseError(Exception):
    """Ends a fit as a pause does: its last run can be resumed."""


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize(
    ("worded", "max_iter"),
    [
        (False, 9),
        pytest.param(True, 4, marks=pytest.mark.slow),
        pytest.param(False, 400, id="flat", marks=pytest.mark.slow),
    ],
)
def test_a_pause_keeps_the_rows_that_were_streamed(
    worded: bool, max_iter: int, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr("gplvm_core.prediction.added.AT_ONCE", 50)
    path = wooded(tmp_path)
    if worded:
        files = RowFiles.of(path, kinds="auto")
    else:
        files = RowFiles.of(path, ["height", "width"])
    settings = SETTINGS | {"kinds": files.kinds, "max_iter": max_iter, "second_stage": "off"}
    ended = Once("nothing")
    whole = BayesianGPLVM(**settings).fit(files, callback=ended)
    assert (whole.result_.status == "limit") == (max_iter < 400)
    told = []

    def pause(progress) -> None:
        told.append(progress)
        if re.match("rows streamed: [23]", progress.message):
            raise PauseError

    with pytest.raises(PauseError):
        BayesianGPLVM(**settings).fit(files, callback=pause)
    save(told[-1].run, tmp_path / "run.gplvm")  # as a job does
    later, resume = Once("nothing"), load(tmp_path / "run.gplvm")
    model = BayesianGPLVM(**settings).fit(files, callback=later, resume=resume)
    streamed = [
        [each.message for each in own.told if each.message.startswith("rows streamed")]
        for own in (ended, later)
    ]
    assert streamed[1][0] == told[-1].message and len(streamed[1]) > 1
    assert streamed[0][-len(streamed[1]) :] == streamed[1]
    np.testing.assert_array_equal(model.posterior_.weights, whole.posterior_.weights)
    assert model.bound_ == whole.bound_ and model.notes_ == whole.notes_
    # Sums of other files are not used.
    path.write_text(path.read_text() + path.read_text().splitlines()[-1] + "\n")
    anew = RowFiles.read_as(path, files.coded) if worded else RowFiles.of(path, ["height", "width"])
    again = Once("nothing")
    model = BayesianGPLVM(**settings).fit(anew, callback=again, resume=resume)
    assert "the map or the files have changed, so all rows were streamed again" in model.notes_
    assert model.rows_.count == whole.rows_.count + 1


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.usefixtures("few_are_many")
def test_a_stop_ends_all_later_steps(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("gplvm_core.prediction.added.AT_ONCE", 50)
    np.save(tmp_path / "rows.npy", rows(400))
    table, files = rows(300), RowFiles.of(tmp_path / "rows.npy")
    settings = SETTINGS | {"max_iter": 12}
    ended = Once("nothing")
    whole = BayesianGPLVM(**settings).fit(files, callback=ended)
    assert whole.result_.status == "limit" and whole.rows_.count == 400
    # The reported fraction and time increase until all rows are streamed; every step has a message.
    shares = np.array([each.share for each in ended.told])
    assert (np.diff(shares) >= 0.0).all() and shares[0] < 0.2 and shares[-1] == 1.0
    assert (np.diff([each.seconds for each in ended.told]) >= 0.0).all()
    assert ended.told[-1].message == "rows streamed: 150 of 150"
    assert shares[len(ended.told) - 4] < 0.9  # streaming the rows is a part of the work
    assert "placing rows on the map: 0 of 130" in [each.message for each in ended.told]
    run = replace(ended.told[-1].run, streamed=None)  # as in files of earlier versions
    for begins, given, resume, seen in (
        ("1,000 rows", files, None, 250),
        ("placing rows", files, None, 250),
        ("rows streamed: [1-9]", files, None, None),
        # If the resumed run has finished training, only the steps after training can still be
        # stopped.
        ("placing rows", files, run, 250),
        ("rows streamed: 0", files, run, 250),
    ):
        stop = Once(begins)
        model = BayesianGPLVM(**settings).fit(given, callback=stop, resume=resume)
        assert re.match(begins, stop.told[-1].message), begins
        assert model.result_.status == "stopped", begins
        assert model.restarts_[0].result is model.result_
        count = model.rows_.count
        assert count == seen if seen else 250 < count < 400, begins
        if given is files:
            assert f"not read, because training was stopped: {400 - count}" in model.notes_[-1]
        assert np.isfinite(model.bound_) and model.transform(table[:2]).shape == (2, 2)
