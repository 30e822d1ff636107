"""Tests of the pre-trained models of the gallery: their size, accuracy, and reproduction."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from gplvm_core import evaluate_bound
from gplvm_core.datasets import NamedBytes
from gplvm_core.prediction import predict
from gplvm_core.priors.temporal import Sites, Timeline, smooth
from gplvm_core.sandbox import perform
from gplvm_core.simulated.pendulum import BEGINS, N_FRAMES, STEP, pictures, swing
from gplvm_core.store import Library
from tests.cases import quickly
from tests.until import Until

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "models"
SMALLEST = "flow"
EVALUATIONS = 50


@pytest.fixture(scope="module")
def command():
    spec = importlib.util.spec_from_file_location("train_gallery", FOLDER / "train.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def gallery() -> Library:
    return Library(FOLDER, read_only=True)


def test_every_ready_model_is_present_and_small(command, gallery: Library) -> None:
    assert {entry.id for entry in gallery.entries()} == set(command.GALLERY)
    assert not [entry.broken for entry in gallery.entries() if entry.broken]
    assert sum(entry.bytes for entry in gallery.entries()) < 27e6


@pytest.mark.slow
def test_every_model_of_the_gallery_has_measurements_on_held_out_rows(
    command, gallery: Library
) -> None:
    measured = json.loads(command.CALIBRATION.read_text())
    assert set(measured) == set(command.GALLERY)
    for name, found in measured.items():
        views = {f"inside_{view.name}" for view in gallery.dataset(name).views}
        gaps = {"inside_gap"} if command.GALLERY[name].in_time else {"inside"}
        assert set(found) == gaps | views | {"rows"}
        # A completely missing view may have several explanations; the model returns one of them.
        assert all(0.8 < found[each] < 1.0 for each in gaps)
        assert all(0.4 < found[each] < 1.0 for each in views)


@pytest.mark.parametrize("name", quickly(["people", "pairs", "moves", "deep-flow"], ["people"]))
def test_an_exported_ready_model_can_be_uploaded(name: str, gallery: Library, tmp_path) -> None:
    """The gallery has the files that unpack to the largest sizes; they are within the upload
    limits.
    """
    source = NamedBytes("x.gplvm", gallery.export_file(name, tmp_path / "x.gplvm").read_bytes())
    library = Library(tmp_path / "library")
    added = library.entry(library.take_in(perform("model", source)))
    assert (added.title, added.bound) == (gallery.entry(name).title, gallery.entry(name).bound)


@pytest.mark.parametrize(
    "name", quickly(["people", "faces", "heads", "poses", "digits", "flow"], ["digits", "flow"])
)
def test_stored_bound_is_the_models_own(name: str, gallery: Library) -> None:
    model, targets = gallery.model(name), gallery.dataset(name).values
    bound, _ = evaluate_bound(
        (targets - model.center_) / model.scale_,
        model.latent_mean_,
        model.latent_variance_,
        model.inducing_,
        model.kernel_,
        model.noise_variance_,
        model.posterior_.jitter,
    )
    bound -= len(targets) * np.sum(np.log(model.scale_))
    assert model.bound_ == pytest.approx(bound, rel=1e-8)


def test_the_second_layer_improves_the_ready_model(gallery: Library) -> None:
    deep, shallow = gallery.model("deep-flow"), gallery.model("flow")
    assert deep.bound_ > shallow.bound_ + 500.0
    assert not any(layer.doubt_ for layer in deep.layers_)


@pytest.mark.slow
def test_a_ready_tree_generates_bodies_from_its_top_and_parts_from_their_maps(
    gallery: Library,
) -> None:
    """Errors are in metres, of the parts from the top, and of each part from its own map."""
    model, rows = gallery.model("limbs"), gallery.dataset("limbs").view_values
    layers = [*model.view_layers_.values(), *(own for (own,) in model.own_layers_.values())]
    assert not any(layer.doubt_ for layer in layers)
    together = model.generate(model.latent_mean_)
    for view, layer in model.view_layers_.items():
        alone, _ = predict(layer.posterior_, layer.latent_mean_)
        errors = [np.sqrt(np.mean((each - rows[view]) ** 2)) for each in (together[view], alone)]
        assert errors[1] < 0.015 and errors[1] < errors[0] < 0.04


@pytest.mark.slow
def test_the_ready_pendulum_knows_angle_and_speed_and_swings_on(gallery: Library) -> None:
    model, data = gallery.model("pendulum"), gallery.dataset("pendulum")
    on = model.latent_mean_[:, model.information_ > 0.05]
    assert on.shape[1] == 2  # an angle and a speed
    angle, speed = data.covariates["angle"], data.covariates["speed"]
    assert max(abs(np.corrcoef(own, angle)[0, 1]) for own in on.T) > 0.999
    state = np.column_stack([np.ones(len(on)), on, on**2, on**3, on[:, :1] * on[:, 1:]])
    left = speed - state @ np.linalg.lstsq(state, speed, rcond=None)[0]
    assert np.var(left) < 0.05 * np.var(speed)
    ahead = (N_FRAMES + np.arange(60)) * STEP
    spread, errors = np.sqrt(np.mean(np.var(data.values, axis=0))), []
    for sequence, begin in enumerate(BEGINS):
        truth = pictures(swing(float(begin), N_FRAMES + 60)[0][N_FRAMES:])
        wrong = model.forecast(ahead, sequence=sequence) - truth
        errors.append(np.sqrt(np.mean(wrong**2, axis=1)) / spread)
    parts = np.mean(errors, axis=0).reshape(3, 20).mean(axis=1)
    np.testing.assert_allclose(parts, [0.07, 0.14, 0.21], atol=0.03)


def test_a_ready_model_shows_what_views_share_and_what_is_their_own(gallery: Library) -> None:
    found = {tuple(sorted(views)) for views in gallery.model("pairs").segmentation()}
    assert {("left",), ("left", "right"), ("right",)} <= found


def test_stored_bounds_of_views_are_the_models_own(gallery: Library) -> None:
    model, dataset = gallery.model("pairs"), gallery.dataset("pairs")
    kl = float(model.information_.sum()) * len(dataset.targets)
    for view, targets in dataset.view_values.items():
        posterior = model.posteriors_[view]
        bound, _ = evaluate_bound(
            posterior.to_internal(targets),
            model.latent_mean_,
            model.latent_variance_,
            posterior.inducing,
            posterior.kernel,
            posterior.noise_variance,
            posterior.jitter,
        )
        bound += kl - len(targets) * np.sum(np.log(posterior.scale))
        assert model.bounds_[view] == pytest.approx(bound, rel=1e-8)


def test_the_first_card_shows_people(gallery: Library) -> None:
    """The pictures are sharp at training points and halfway between them: faces do not blend."""
    model, dataset = gallery.model("people"), gallery.dataset("people")
    places, images = model.latent_mean_, dataset.values.astype(float)
    apart = np.sum((places[:, None] - places) ** 2 * model.relevance_, axis=2)
    np.fill_diagonal(apart, np.inf)
    between = (places + places[apart.argmin(axis=1)]) / 2

    def sharpness(rows: np.ndarray) -> float:
        pictures = np.clip(rows, 0.0, 255.0).reshape(-1, 64, 64)
        steps = np.diff(pictures, axis=1)[:, :, 1:] ** 2 + np.diff(pictures, axis=2)[:, 1:] ** 2
        return float(np.median(np.sqrt(steps.mean(axis=(1, 2)))))

    assert sharpness(model.inverse_transform(places)) > 0.93 * sharpness(images)
    assert sharpness(model.inverse_transform(between)) > 0.92 * sharpness(images)
    # The dimensions have meanings: they predict the factors linearly.
    known = np.column_stack([places, np.ones(len(places))])
    for name in ("gender", "hair_length", "long_face", "african"):
        factor = dataset.covariates[name]
        left = factor - known @ np.linalg.lstsq(known, factor, rcond=None)[0]
        assert left.var() < 0.15 * factor.var()


def test_the_stored_path_is_the_models_own(gallery: Library) -> None:
    """Compute the marginals of the dynamical model from its stored path by dense algebra."""
    model, dataset = gallery.model("moves"), gallery.dataset("moves")
    timeline = Timeline.of(model.times_, np.asarray(dataset.sequences))
    path = model.path_
    sites = Sites(path.dual + path.precision * model.latent_mean_, path.precision)
    found = smooth(model.time_kernel_, timeline, sites)
    np.testing.assert_allclose(found.belief.mean, model.latent_mean_, atol=1e-6)
    np.testing.assert_allclose(found.belief.variance, model.latent_variance_, rtol=1e-4)
    np.testing.assert_allclose(found.kl / len(model.times_), model.information_, rtol=1e-5)


def test_countries_with_like_histories_are_near(gallery: Library) -> None:
    model, dataset = gallery.model("countries"), gallery.dataset("countries")
    names = list(dataset.row_names)
    places = model.latent_mean_ * model.latent_scale_

    def nearest(name: str, count: int) -> set[str]:
        apart = np.sum((places - places[names.index(name)]) ** 2, axis=1)
        return {names[row] for row in np.argsort(apart)[1 : count + 1]}

    assert nearest("Norway", 8) & {"Sweden", "Denmark", "Iceland", "Netherlands", "Switzerland"}
    assert nearest("Zambia", 10) & {"Zimbabwe", "Lesotho", "Botswana", "Kenya", "Malawi"}
    # Income and life expectancy predict a hidden continent better than the base rate.
    rows = dataset.values[::4].copy()
    chances = model.class_probabilities(dataset.in_own_values(rows), "continent")
    words, coded = dataset.columns[0].words, rows[:, 0].astype(int)
    at = np.array([model.class_words("continent").index(word) for word in words])
    own = chances[np.arange(len(rows)), at[coded]]
    shares = np.bincount(dataset.values[:, 0].astype(int)) / len(dataset.values)
    assert -np.log(own).mean() < -np.log(shares[rows[:, 0].astype(int)]).mean() - 0.2


def test_the_path_is_found_from_spikes_alone(gallery: Library) -> None:
    """The map and the positions of half of the windows predict the other positions."""
    model, dataset = gallery.model("spikes"), gallery.dataset("spikes")
    on = model.information_ > 0.05
    assert on.sum() == 2
    places = (model.latent_mean_ * model.latent_scale_)[:, on]
    path = np.column_stack([dataset.covariates["x"], dataset.covariates["y"]])
    apart = np.sum((places[::2, None] - places[1::2]) ** 2, axis=2)
    near = np.argsort(apart, axis=1)[:, :5]
    left = path[::2] - path[1::2][near].mean(axis=1)
    assert (left.var(axis=0) < 0.1 * path.var(axis=0)).all()


def test_training_again_goes_the_same_way(command, gallery: Library) -> None:
    """Fifty evaluations of the smallest model reach the stored bound within 1 %."""
    stored = gallery.model(SMALLEST)
    told = Until(lambda progress: progress.evaluations >= EVALUATIONS)
    model = command.gallery_model(SMALLEST)
    model.fit(gallery.dataset(SMALLEST).values, callback=told)
    place = np.searchsorted(stored.trace_["evaluations"], EVALUATIONS)
    assert told.last.bound == pytest.approx(stored.trace_["bound"][place], rel=0.01)
