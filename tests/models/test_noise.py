"""Tests of models with a signal and a noise variance per output."""

import numpy as np
import pytest
from sklearn.decomposition import FactorAnalysis

from gplvm_core import (
    GPLVM,
    BayesianGPLVM,
    BayesianPCA,
    DeepGP,
    DeepManifoldRelevance,
    DynamicalGPLVM,
    Edge,
    Latent,
    ManifoldRelevance,
    Model,
    SparseGPRegression,
    load,
    load_dataset,
)

SPREAD = np.array([1.0, 100.0, 0.01, 1.0, 1.0, 3.0, 1.0, 1.0])
# These are standard deviations of the noise relative to those of the signal.
SHARE = np.array([0.05, 0.05, 0.1, 0.5, 0.05, 0.3, 0.1, 1.0])


def rows(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return outputs of one latent circle in mixed units and of mixed quality, with and without
    noise.
    """
    generator = np.random.default_rng(seed)
    angle = np.sort(generator.uniform(0.0, 2.0 * np.pi, count))
    phase = np.random.default_rng(7).uniform(0.0, 2.0 * np.pi, len(SPREAD))
    clean = SPREAD * np.sqrt(2.0) * np.cos(angle[:, None] + phase)
    return clean + SPREAD * SHARE * generator.normal(size=clean.shape), clean


def fitted(Y: np.ndarray, **options) -> BayesianGPLVM:
    options = {"noise": "per_output", "scaling": "columns"} | options
    return BayesianGPLVM(4, 25, **{"max_iter": 150, "random_state": 0} | options).fit(Y)


@pytest.fixture(scope="module")
def model() -> BayesianGPLVM:
    return fitted(rows(150, 0)[0])


def test_every_outputs_noise_is_found(model: BayesianGPLVM) -> None:
    np.testing.assert_allclose(model.noise_std_ / (SPREAD * SHARE), 1.0, atol=0.25)


@pytest.mark.slow
def test_quiet_columns_are_not_drowned_and_loud_ones_not_fitted(model: BayesianGPLVM) -> None:
    test, clean = rows(60, 1)
    shared = fitted(rows(150, 0)[0], noise="shared", scaling="global")
    error = [
        np.sqrt(np.mean((each.denoise(test) - clean) ** 2, axis=0)) / SPREAD
        for each in (model, shared)
    ]
    # With one noise and mixed units, only the column of large numbers matters.
    assert error[0].mean() < 0.5 * error[1].mean()
    assert model.score_samples(test).mean() > shared.score_samples(test).mean() + 2.0


def test_standard_deviations_of_completions_match_their_errors(model: BayesianGPLVM) -> None:
    test, _ = rows(80, 2)
    gaps = test.copy()
    gaps[:, 2], gaps[:, 7] = np.nan, np.nan
    whole, deviation = model.complete(gaps, return_std=True)
    apart = (whole - test)[:, [2, 7]] / deviation[:, [2, 7]]
    np.testing.assert_allclose(np.sqrt(np.mean(apart**2, axis=0)), 1.0, atol=0.3)


def test_completions_are_drawn_with_each_outputs_noise(model: BayesianGPLVM) -> None:
    gaps = rows(6, 3)[0]
    gaps[:, 3:5] = np.nan
    assert np.isfinite(model.transform(gaps)).all()
    drawn = model.sample_completions(gaps, 30, random_state=0)
    assert drawn.shape == (30, 6, 8)
    np.testing.assert_array_equal(drawn[:, :, 0], np.broadcast_to(gaps[:, 0], (30, 6)))
    spread = drawn.std(axis=0)
    assert spread[:, 3].mean() > 3.0 * spread[:, 4].mean()


def test_training_continues_where_it_stopped() -> None:
    Y, kept = rows(60, 4)[0], []
    Y[:9, 2] = np.nan
    whole = BayesianGPLVM(2, 10, max_iter=40, random_state=0, noise="per_output")
    whole.fit(Y, callback=kept.append)
    again = BayesianGPLVM(2, 10, max_iter=40, random_state=0, noise="per_output")
    again.fit(Y, resume=kept[20].run)
    assert again.bound_ == whole.bound_
    np.testing.assert_array_equal(again.noise_std_, whole.noise_std_)


def test_noise_per_output_is_stored(model: BayesianGPLVM, tmp_path) -> None:
    model.save(tmp_path / "own.gplvm")
    again = load(tmp_path / "own.gplvm")
    test = rows(5, 5)[0]
    np.testing.assert_array_equal(again.noise_std_, model.noise_std_)
    np.testing.assert_array_equal(again.score_samples(test), model.score_samples(test))


def test_constant_and_noise_free_columns_are_reported_and_harmless() -> None:
    Y, clean = rows(80, 6)
    Y[:, 0], Y[:, 4] = 3.0, clean[:, 4]
    with pytest.warns(UserWarning, match="1 of 8 columns is constant"):
        model = fitted(Y)
    assert any(note.startswith("1 of 8 outputs does not vary") for note in model.notes_)
    assert np.isfinite(model.bound_)
    np.testing.assert_allclose(model.denoise(Y)[:, 0], 3.0, atol=1e-9)
    again, deviation = model.inverse_transform(model.latent_mean_, return_std=True)
    assert np.isfinite(again).all()
    assert (deviation >= 0.0).all()


@pytest.mark.slow
def test_paths_in_time() -> None:
    Y, clean = rows(60, 8)
    model = DynamicalGPLVM(2, 15, max_iter=120, random_state=0, noise="per_output").fit(Y)
    np.testing.assert_allclose(model.noise_std_[[3, 7]], (SPREAD * SHARE)[[3, 7]], rtol=0.3)
    gaps = Y.copy()
    gaps[25:30, :6] = np.nan
    filled = model.complete(gaps, times=np.arange(60.0) + 0.0)
    error = (filled - clean)[25:30, :6] / SPREAD[:6]
    assert np.sqrt(np.mean(error**2)) < 0.5


@pytest.mark.slow
def test_every_view_has_a_noise_per_output() -> None:
    Y, _ = rows(100, 9)
    views = {"one": Y[:, :4], "other": Y[:, 4:]}
    model = ManifoldRelevance(3, 20, max_iter=150, random_state=0, noise="per_output").fit(views)
    found = np.concatenate([model.of_view(name).noise_std_ for name in ("one", "other")])
    # These outputs have much noise. The noise of the other outputs is not tested, because private
    # dimensions may explain it.
    loud = [3, 5, 7]
    np.testing.assert_allclose(found[loud] / (SPREAD * SHARE)[loud], 1.0, atol=0.25)
    assert model.drops_["one"].max() > 1.0
    told = model.transfer({"one": Y[:, :4]}, "other")
    error = (told - Y[:, 4:])[:, [0, 2]] / SPREAD[[4, 6]]
    assert np.sqrt(np.mean(error**2)) < 0.5


@pytest.mark.slow
def test_mixed_units_need_no_decision() -> None:
    """The columns of the wines (acids, alcohol, magnesium, proline) have units a thousand apart."""
    wine = load_dataset("wine").values
    train, test = wine[::2], wine[1::2]
    own = BayesianGPLVM(4, 25, max_iter=150, random_state=0).fit(train)
    assert own.bound_ == fitted(train).bound_
    assert any("each column has its own scale and noise" in note for note in own.notes_)
    one = fitted(train, scaling="none", noise="shared").score_samples(test).mean()
    assert own.score_samples(test).mean() > one + 5.0


def test_columns_with_one_unit_share_one_noise() -> None:
    Y = rows(40, 3)[0] / SPREAD
    found = BayesianGPLVM(2, 10, max_iter=20, random_state=0).fit(Y)
    same = {"noise": "shared", "scaling": "global"}
    expected = BayesianGPLVM(2, 10, max_iter=20, random_state=0, **same).fit(Y)
    assert found.bound_ == expected.bound_
    assert not any("units" in note for note in found.notes_)


def test_a_given_scale_also_decides_the_noise() -> None:
    Y = rows(40, 3)[0]
    found = BayesianGPLVM(2, 10, max_iter=20, random_state=0, scaling="global").fit(Y)
    expected = fitted(Y, noise="shared", scaling="global", max_iter=1)
    np.testing.assert_array_equal(found.posterior_.scale, expected.posterior_.scale)
    assert len(np.unique(found.noise_std_)) == 1


def test_a_model_with_one_noise_still_scales_columns_with_different_units() -> None:
    Y = rows(40, 3)[0]
    found = GPLVM(2, max_iter=20, random_state=0).fit(Y)
    np.testing.assert_allclose(found.posterior_.scale, Y.std(axis=0), rtol=1e-9)
    assert any("each column has its own scale" in note for note in found.notes_)


def test_regressions_and_graphs_report_different_units_too() -> None:
    X = np.linspace(-1.0, 1.0, 20)[:, None]
    Y = np.hstack([np.sin(3.0 * X), 1000.0 * np.cos(3.0 * X)])
    options = {"max_iter": 5, "random_state": 0}
    fits = (
        SparseGPRegression(n_inducing=5, scaling="auto", **options).fit(X, Y),
        DeepGP(n_components=(1,), n_inducing=5, scaling="auto", **options).fit(X, Y),
        Model({"x": Latent(1)}, [Edge("x", "Y", n_inducing=5)], **options).fit({"Y": Y}),
    )
    for found in fits:
        assert any("each column has its own scale" in note for note in found.notes_)


def test_the_units_of_each_view_decide_its_noise() -> None:
    Y = rows(60, 4)[0]
    views = {"mixed": Y, "alike": Y / SPREAD}
    model = ManifoldRelevance(2, 10, max_iter=30, random_state=0).fit(views)
    noise = {name: model.of_view(name).noise_std_ for name in views}
    assert len(np.unique(noise["mixed"])) == len(SPREAD)
    assert len(np.unique(noise["alike"])) == 1
    assert [model.of_view(name).noise for name in views] == ["per_output", "shared"]
    assert any("view 'mixed': the columns seem" in note for note in model.notes_)
    given = ManifoldRelevance(
        2, 10, max_iter=30, random_state=0, noise={"mixed": "per_output", "alike": "shared"}
    )
    assert given.fit(views).bound_ == model.bound_
    with pytest.raises(ValueError, match="noise has no view 'other'"):
        given.set_params(noise={"other": "shared"}).fit(views)
    with pytest.raises(ValueError, match="noise must be one of"):
        given.set_params(noise={"mixed": "own"}).fit(views)
    deep = DeepManifoldRelevance((1, 2), 8, max_iter=10, random_state=0).fit(views)
    assert [deep.of_view(name).noise for name in views] == ["per_output", "shared"]


def test_the_unit_of_a_column_changes_nothing() -> None:
    Y, _ = rows(80, 10)
    # Multiplication by powers of two changes no digit.
    units = 2.0 ** np.array([10, -3, 0, 5, -20, 1, 4, 0])
    first, second = (fitted(each, scaling="global", max_iter=30) for each in (Y, units * Y))
    assert second.bound_ == pytest.approx(first.bound_ - len(Y) * np.log(units).sum(), rel=1e-9)
    np.testing.assert_allclose(second.noise_std_, units * first.noise_std_, rtol=1e-6)
    np.testing.assert_allclose(second.latent_mean_, first.latent_mean_, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
def test_linear_models_are_factor_analysis() -> None:
    """The bound is below scikit-learn's maximum likelihood, because the loadings are uncertain."""
    generator = np.random.default_rng(0)
    loadings, noise = generator.normal(size=(2, 6)), np.array([0.1, 0.2, 0.4, 0.8, 1.2, 0.3])
    Y = generator.normal(size=(300, 2)) @ loadings + noise * generator.normal(size=(300, 6))
    model = BayesianPCA(2, max_iter=400, random_state=0, noise="per_output").fit(Y)
    best = FactorAnalysis(2, tol=1e-6, max_iter=5000).fit(Y)
    assert best.score(Y) - 0.25 < model.bound_ / len(Y) < best.score(Y)
    np.testing.assert_allclose(model.noise_std_, np.sqrt(best.noise_variance_), rtol=0.15)


@pytest.mark.slow
def test_points_instead_of_beliefs() -> None:
    Y, _ = rows(100, 11)
    model = GPLVM(2, 20, max_iter=150, random_state=0, noise="per_output").fit(Y)
    loud = [3, 5, 7]
    np.testing.assert_allclose(model.noise_std_[loud] / (SPREAD * SHARE)[loud], 1.0, atol=0.25)
    with pytest.raises(ValueError, match="one noise variance for all outputs"):
        GPLVM(2, noise="per_output").fit(Y)


def test_regression_learns_the_noise_of_each_output() -> None:
    generator = np.random.default_rng(0)
    X = generator.uniform(-3.0, 3.0, (120, 1))
    scale, noise = np.array([1.0, 1000.0, 0.5]), np.array([0.05, 400.0, 0.3])
    clean = scale * np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 0]), np.sin(2.0 * X[:, 0])])
    Y = clean + noise * generator.normal(size=clean.shape)
    Y[:30, 0] = np.nan
    model = SparseGPRegression(20, random_state=0, noise="per_output").fit(X, Y)
    np.testing.assert_allclose(model.noise_std_, noise, rtol=0.25)
    at = np.linspace(-2.5, 2.5, 40)[:, None]
    mean, deviation = model.predict(at, noise=False, return_std=True)
    truth = scale * np.column_stack([np.sin(at[:, 0]), np.cos(at[:, 0]), np.sin(2.0 * at[:, 0])])
    assert np.sqrt(np.mean(((mean - truth) / deviation) ** 2)) < 2.0
    np.testing.assert_array_less(deviation.mean(axis=0), noise)
