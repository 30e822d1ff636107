"""Tests of encoders: q(X) as a function of the outputs, trained with the layer."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from gplvm_core import GPLVM, BayesianGPLVM, DeepGPLVM, evaluate_bound
from gplvm_core.beliefs import Belief
from gplvm_core.models.problems.edges import LayerEdge
from gplvm_core.models.problems.encoded import ENCODERS, EncodedNode
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.problems.initialise import principal_scores
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.training.run import Phase
from gplvm_core.prediction import DATA, Network, explain
from gplvm_core.priors.encoder import Bumps, Encoder
from gplvm_core.statistics import Targets
from gplvm_core.store import load, save
from tests.cases import quickly
from tests.until import Until


def curve(count: int, seed: int) -> np.ndarray:
    """Return rows along a bent curve in six dimensions, with noise of standard deviation 0.02."""
    generator = np.random.default_rng(seed)
    place = generator.uniform(-1.5, 1.5, count)
    rows = np.stack([place, np.sin(2 * place), np.cos(2 * place), place**2, -place, place**3], 1)
    return np.asarray(rows + 0.02 * generator.normal(size=rows.shape))


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return curve(80, 0)


@pytest.fixture(scope="module", params=ENCODERS)
def model(request: pytest.FixtureRequest, rows: np.ndarray) -> BayesianGPLVM:
    return BayesianGPLVM(2, 15, max_iter=100, random_state=0, encoder=request.param).fit(rows)


def started(kind: str, rows: np.ndarray, init: object = "pca") -> tuple[EncodedNode, Belief]:
    """Return the node with an encoder, and the belief that its start should reproduce."""
    centred = rows - np.nanmean(rows, axis=0)
    begun = Start((centred,), 2, 6, ("rbf",), init)(0)
    return EncodedNode.of(centred, 2, kind), begun.beliefs[0]


@pytest.mark.parametrize("kind", ENCODERS)
def test_training_starts_at_the_principal_components(kind: str, rows: np.ndarray) -> None:
    node, wanted = started(kind, rows)
    belief = node.believed(node.start(wanted, 0)).belief
    scores = principal_scores(rows - rows.mean(axis=0))[:, :2]
    np.testing.assert_allclose(belief.mean, scores / scores[:, 0].std(), atol=1e-10)
    np.testing.assert_allclose(belief.variance, belief.variance[0, 0])
    assert node.notes(wanted, 0) == ()


@pytest.mark.parametrize("kind", ENCODERS)
def test_a_linear_map_is_reproduced_for_every_row_far_ones_too(kind: str, rows) -> None:
    centred = rows - rows.mean(axis=0)
    directions = np.linalg.svd(centred)[2][:4].T @ np.random.default_rng(0).normal(size=(4, 2))
    node, wanted = started(kind, rows, centred @ directions)
    far = 20.0 * np.random.default_rng(1).normal(size=(5, 4)) @ np.linalg.svd(centred)[2][:4]
    encoded = node.encoder(node.start(wanted, 0)).belief(far)
    np.testing.assert_allclose(encoded.mean, far @ directions, rtol=1e-7, atol=1e-7)
    assert np.isfinite(encoded.variance).all()


def test_a_start_that_no_encoder_reproduces_is_reported(rows: np.ndarray) -> None:
    noise = np.random.default_rng(0).normal(size=(80, 2))
    node, wanted = started("network", rows, noise)
    assert "of the variance of the starting means" in node.notes(wanted, 0)[0]


def test_centres_and_their_lengthscale() -> None:
    few, many = curve(150, 1), curve(300, 1)
    bumps = Bumps.of(np.vstack([few, few[:10]]))
    assert bumps is not None
    assert len(bumps.centers) == 150
    median = np.median(cdist(bumps.centers, bumps.centers)[np.triu_indices(150, 1)])
    at = bumps(few)
    # Products of the features are the kernel's values, up to a common constant.
    expected = np.exp(-((cdist(few, few) / median) ** 2))
    products = at @ at.T
    level = products[0, 0] / expected[0, 0]
    np.testing.assert_allclose(products, level * expected, atol=1e-6 * level)
    thinned = Bumps.of(many)
    assert thinned is not None
    assert thinned.centers.shape == (200, 6)
    nearest = cdist(many, thinned.centers).min(axis=1)
    assert nearest.max() < 0.25 * cdist(many, many).mean()


def test_bound_is_that_of_the_encoded_belief(model: BayesianGPLVM, rows: np.ndarray) -> None:
    scaled = (rows - model.center_) / model.scale_
    expected, _ = evaluate_bound(
        scaled,
        model.latent_mean_,
        model.latent_variance_,
        model.inducing_,
        model.kernel_,
        model.noise_variance_,
        model.posterior_.jitter,
    )
    assert model.bound_ == pytest.approx(expected - rows.size * np.log(model.scale_[0]), rel=1e-9)
    assert (np.diff(model.trace_["bound"]) >= 0).all()
    assert model.trace_["bound"][-1] > model.trace_["bound"][0]


@pytest.mark.parametrize("kind", ENCODERS)
def test_bound_is_at_most_that_of_the_best_free_belief(kind: str) -> None:
    targets = curve(10, 3)
    node, wanted = started(kind, targets)
    centred = targets - targets.mean(axis=0)
    begin = Start((centred,), 2, 6, ("rbf",), "pca")
    inner, phase = (
        Graph((LatentNode(),), (LayerEdge((0,), Targets.of(centred)),), begin, 1e-6),
        Phase("free", 1),
    )
    generator = np.random.default_rng(5)
    for seed in range(2):
        head, layers = node.start(wanted, seed), begin(seed).layers
        moved = head.mean + 0.1 * generator.normal(size=head.mean.shape)
        at = node.believed(replace(head, mean=moved)).belief
        encoded = inner.evaluate(Parameters((at,), layers), phase).bound
        shape = at.mean.shape

        def negative(vector: np.ndarray, layers=layers, shape=shape) -> tuple[float, np.ndarray]:
            mean, variance = vector[:20].reshape(shape), np.exp(vector[20:]).reshape(shape)
            found = inner.evaluate(Parameters((Belief(mean, variance),), layers), phase)
            slope = found.gradient.nodes[0]
            return -found.bound, -np.concatenate(
                [slope.mean.ravel(), (slope.variance * variance).ravel()]
            )

        vector = np.concatenate([at.mean.ravel(), np.log(at.variance).ravel()])
        found = minimize(negative, vector, jac=True, method="L-BFGS-B", options={"maxiter": 40})
        best = -found.fun
        # The encoder restricts q(X), which lowers the bound here.
        assert encoded < best - 1.0


def test_training_rows_are_where_training_put_them(model: BayesianGPLVM, rows) -> None:
    mean, std = model.transform(rows, return_std=True)
    np.testing.assert_allclose(mean, model.latent_mean_, atol=1e-10)
    np.testing.assert_allclose(std**2, model.latent_variance_, rtol=1e-10)
    np.testing.assert_allclose(model.transform(rows[7:9]), mean[7:9], atol=1e-10)


def test_new_rows_are_found_as_well_as_by_inference(model: BayesianGPLVM) -> None:
    new = curve(60, 9)
    training = Belief(model.latent_mean_, model.latent_variance_)
    inferred = explain(Network.star({DATA: model.posterior_}, training), {DATA: new})[0].best
    error = np.sqrt(np.mean((model.denoise(new) - new) ** 2))
    best = np.sqrt(np.mean((model.inverse_transform(inferred.mean) - new) ** 2))
    assert best < error < 2.5 * best
    correlation = [
        np.corrcoef(model.transform(new)[:, q], inferred.mean[:, q])[0, 1]
        for q in np.flatnonzero(model.information_ > 0.5)
    ]
    assert min(correlation) > 0.97


def test_densities_are_inferred_not_encoded(model: BayesianGPLVM, rows: np.ndarray) -> None:
    # The same layer without its encoder gives the same predictions.
    free = load_without_encoder(model)
    np.testing.assert_array_equal(model.score_samples(rows[:5]), free.score_samples(rows[:5]))


def load_without_encoder(model: BayesianGPLVM) -> BayesianGPLVM:
    free = BayesianGPLVM(2, 15)
    vars(free).update(vars(model), encoder=None, encoder_=None)
    return free


def test_rows_with_gaps_are_inferred(model: BayesianGPLVM, rows: np.ndarray) -> None:
    gaps = rows[:6].copy()
    gaps[1, [0, 4]] = gaps[4, 3] = np.nan
    free = load_without_encoder(model)
    found = model.transform(gaps)
    np.testing.assert_array_equal(found[[1, 4]], free.transform(gaps[[1, 4]]))
    np.testing.assert_allclose(found[[0, 2, 3, 5]], model.latent_mean_[[0, 2, 3, 5]], atol=1e-10)
    np.testing.assert_allclose(model.transform(gaps[[4]]), found[[4]], atol=1e-3)
    completed = model.complete(gaps)
    np.testing.assert_array_equal(completed[[1, 4]], free.complete(gaps[[1, 4]]))
    assert np.abs(completed - rows[:6]).max() < 0.25
    weights, _, whole = model.alternatives(gaps, 2)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(weights[0], [1.0, 0.0])
    np.testing.assert_array_equal(whole[0, 0], gaps[0])


@pytest.mark.parametrize("kind", quickly(ENCODERS, ["network"]))
def test_training_with_gaps(kind: str, rows: np.ndarray) -> None:
    gaps = rows.copy()
    missing = np.random.default_rng(2).uniform(size=rows.shape) < 0.15
    missing[missing.all(axis=1), 0] = False
    gaps[missing] = np.nan
    model = BayesianGPLVM(2, 15, max_iter=60, random_state=0, encoder=kind)
    with pytest.warns(UserWarning, match="gaps filled in by probabilistic PCA"):
        model.fit(gaps)
    assert any(
        "for new rows with gaps, optimisation replaces the encoder" in note for note in model.notes_
    )
    whole = ~missing.any(axis=1)
    np.testing.assert_allclose(model.transform(gaps)[whole], model.latent_mean_[whole], atol=1e-10)
    error = np.abs(model.complete(gaps) - rows)[missing].mean()
    assert error < 0.3 * np.abs(rows - np.nanmean(gaps, axis=0))[missing].mean()


def test_stored_and_read_back(model: BayesianGPLVM, tmp_path: Path) -> None:
    save(model, tmp_path / "model.gplvm")
    again = load(tmp_path / "model.gplvm")
    new = curve(9, 4)
    assert isinstance(again.encoder_, Encoder)
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.transform(new), model.transform(new))
    np.testing.assert_array_equal(again.denoise(new), model.denoise(new))


@pytest.mark.parametrize("kind", ENCODERS)
def test_paused_stored_and_resumed_is_not_interrupted(kind: str, rows, tmp_path: Path) -> None:
    settings = {"n_components": 2, "n_inducing": 10, "random_state": 0, "encoder": kind}
    whole = BayesianGPLVM(max_iter=20, n_restarts=2, **settings).fit(rows)
    kept = Until(27)
    BayesianGPLVM(max_iter=20, n_restarts=2, **settings).fit(rows, callback=kept)
    save(kept.last, tmp_path / "progress.gplvm")
    run = load(tmp_path / "progress.gplvm").run
    resumed = BayesianGPLVM(max_iter=20, n_restarts=2, **settings).fit(rows, resume=run)
    assert len(whole.restarts_) == 2
    np.testing.assert_array_equal(resumed.trace_["bound"], whole.trace_["bound"])
    np.testing.assert_array_equal(resumed.transform(rows), whole.transform(rows))
    assert kept.last.latent_mean.shape == (80, 2)


def test_no_encoder_forgets_an_earlier_one(rows: np.ndarray) -> None:
    model = BayesianGPLVM(2, 8, max_iter=5, random_state=0, encoder="kernel").fit(rows)
    model.set_params(encoder=None).fit(rows)
    assert model.encoder_ is None
    fresh = BayesianGPLVM(2, 8, max_iter=5, random_state=0).fit(rows)
    np.testing.assert_array_equal(model.transform(rows[:4]), fresh.transform(rows[:4]))


def test_only_known_encoders(rows: np.ndarray) -> None:
    with pytest.raises(
        ValueError, match="encoder must be None or one of kernel, network, outputs; got 'pca'"
    ):
        BayesianGPLVM(2, encoder="pca").fit(rows)
    assert "encoder" not in GPLVM().get_params()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", ENCODERS)
def test_repeated_rows_and_more_columns_than_rows(kind: str) -> None:
    generator = np.random.default_rng(0)
    repeated = np.repeat(generator.normal(size=(5, 3)), 6, axis=0)
    wide = generator.normal(size=(7, 30))
    for targets in (repeated, wide, wide[:2], generator.normal(size=(20, 1))):
        model = BayesianGPLVM(2, 8, max_iter=8, random_state=0, encoder=kind).fit(targets)
        assert np.isfinite(model.bound_)
        np.testing.assert_allclose(model.transform(targets), model.latent_mean_, atol=1e-8)


@pytest.fixture(scope="module")
def tied(rows: np.ndarray) -> BayesianGPLVM:
    """Return the autoencoder whose q(X) is centred on the outputs."""
    return BayesianGPLVM(6, 15, max_iter=60, random_state=0, encoder="outputs").fit(rows)


def test_points_are_the_outputs_in_units_of_their_spread(tied: BayesianGPLVM, rows: np.ndarray):
    known = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    np.testing.assert_allclose(tied.latent_mean_, known, atol=1e-10)
    np.testing.assert_allclose(tied.latent_variance_, 0.01)
    fresh = curve(5, 3)
    there = (fresh - rows.mean(axis=0)) / rows.std(axis=0)
    np.testing.assert_allclose(tied.transform(fresh), there, atol=1e-10)
    error = np.sqrt(np.mean((tied.inverse_transform(there) - fresh) ** 2))
    assert error < 0.15 * rows.std()


def test_the_autoencoder_has_the_bound_of_these_points(tied: BayesianGPLVM, rows: np.ndarray):
    known = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    bound, _ = evaluate_bound(
        (rows - tied.center_) / tied.scale_,
        known,
        np.full_like(known, 0.01),
        tied.inducing_,
        tied.kernel_,
        tied.noise_variance_,
        tied.posterior_.jitter,
    )
    bound -= len(rows) * np.sum(np.log(np.broadcast_to(tied.scale_, rows.shape[1])))
    assert tied.bound_ == pytest.approx(bound, rel=1e-8)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_deep_autoencoder_narrows_below_its_outputs(rows: np.ndarray, tmp_path: Path):
    model = DeepGPLVM((6, 1), 12, max_iter=60, random_state=0, encoder="outputs").fit(rows)
    known = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    np.testing.assert_allclose(model.latent_mean_, known, atol=1e-10)
    error = np.sqrt(np.mean((model.inverse_transform(known) - rows) ** 2))
    assert error < 0.3 * rows.std()
    save(model, tmp_path / "model.gplvm")
    again = load(tmp_path / "model.gplvm")
    np.testing.assert_array_equal(again.transform(rows[:3]), model.transform(rows[:3]))


def test_the_autoencoder_refuses_another_width(rows: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"as many latent dimensions .* as outputs, 6; got 2"):
        BayesianGPLVM(2, 5, encoder="outputs").fit(rows)
