"""Tests that the bytes for the canvas restore their arrays and predict as the posterior does."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.kernels import RBF, Bias, Kernel, KernelError, Linear, White
from gplvm_core.prediction import Posterior, predict
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing, Skeleton
from gplvm_core.readers.frames import from_columns
from gplvm_core.wire.first_pair import separating_pair
from gplvm_core.wire.frame import frame, unframe
from gplvm_core.wire.items import own_ranges
from gplvm_core.wire.model import Chart, pack_model

N, Q, D = 60, 3, 12
KERNELS = {
    "rbf": RBF(1.7, np.array([0.7, 1.1, 2.0])),
    "linear": Linear(np.array([1.0, 0.4, 0.2])),
    "sum": RBF(0.8, 1.3) + Linear(0.5) + Bias(0.3) + White(0.05),
}


def chart_of(
    kernel: Kernel, dataset: Dataset | None = None, n_inducing: int = 25, noise: float = 0.01
) -> Chart:
    """Return the posterior of a sparse regression with exact inputs and smooth outputs."""
    rng = np.random.default_rng(0)
    latent = rng.standard_normal((N, Q))
    count = D if dataset is None else dataset.n_outputs
    outputs = np.sin(latent @ rng.standard_normal((Q, count)))
    inducing, jitter = latent[:n_inducing], 1e-6
    gram = kernel.K(inducing) + jitter * np.eye(n_inducing)
    cross = kernel.K(inducing, latent)
    inverse = np.linalg.inv(gram + cross @ cross.T / noise)
    center, scale = np.full(count, 3.0), np.linspace(0.5, 2.0, count)
    posterior = Posterior(
        kernel,
        inducing,
        inverse @ (cross @ outputs) / noise,
        (np.linalg.inv(gram) - inverse)[None],
        noise,
        jitter,
        center,
        scale,
    )
    dataset = dataset or Dataset("made", "Made", center + scale * outputs, Drawing("curve", (D,)))
    return Chart(
        posterior, dataset, latent, np.full((N, Q), 0.04), np.array([2.0, 1.0, 0.25]), (0, 1, 2)
    )


def evaluate(header: dict, arrays: dict, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Evaluate the model as the canvas's model.js does, in NumPy."""
    inducing = arrays["inducing"]
    cross = np.zeros((len(points), len(inducing)))
    diagonal = np.zeros(len(points))
    for part in header["kernel"]:
        if part["kind"] == "rbf":
            difference = points[:, None] - inducing[None]
            distance = np.sum(np.array(part["precision"]) * difference**2, axis=2)
            cross += part["variance"] * np.exp(-0.5 * distance)
        if part["kind"] == "linear":
            cross += (points * part["variance"]) @ inducing.T
            diagonal += points**2 @ np.array(part["variance"])
        else:
            diagonal += part["variance"]
        if part["kind"] == "bias":
            cross += part["variance"]
    alpha = cross @ arrays["transform"].T
    return arrays["center"] + alpha @ arrays["weights"], diagonal - alpha**2 @ arrays["shrink"]


def test_a_frame_restores_header_and_arrays():
    arrays = {
        "a": np.arange(6.0).reshape(2, 3),
        "b": np.arange(5, dtype=np.uint8),
        "c": np.array([1.5], dtype=np.float32),
        "d": np.array([-3, 4], dtype=np.int32),
    }
    header, back = unframe(frame({"name": "ä"}, arrays))
    assert header["name"] == "ä"
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype
        np.testing.assert_array_equal(back[name], array)


def test_arrays_in_a_frame_are_aligned():
    data = frame({"x": 1}, {"a": np.zeros(3, np.uint8), "b": np.zeros(2)})
    header, _ = unframe(data)
    assert all(entry["offset"] % 8 == 0 for entry in header["arrays"].values())


def test_a_frame_refuses_what_the_browser_cannot_read():
    with pytest.raises(TypeError, match="int64"):
        frame({}, {"a": np.arange(3)})


@pytest.mark.parametrize("name", KERNELS)
def test_packed_model_predicts_what_the_posterior_predicts(name):
    chart = chart_of(KERNELS[name])
    header, arrays = unframe(pack_model(chart, "m"))
    points = np.random.default_rng(1).uniform(-3, 3, (40, Q))
    mean, variance = predict(chart.posterior, points)
    packed_mean, packed_variance = evaluate(header, arrays, points)
    np.testing.assert_allclose(packed_mean, mean, atol=2e-5)
    expected = variance[:, 0] / chart.posterior.scale[0] ** 2
    np.testing.assert_allclose(np.maximum(packed_variance, 0), expected, atol=2e-5)


def test_single_precision_weights_survive_a_nearly_singular_kernel():
    # With nearly equal inducing inputs and little noise, the plain weights are huge and cancel.
    chart = chart_of(RBF(1.0, 3.0), n_inducing=50, noise=1e-6)
    posterior, points = chart.posterior, chart.latent_mean
    mean, _ = predict(posterior, points)
    cross = posterior.kernel.K(points, posterior.inducing)
    plain = posterior.center + posterior.scale * (cross @ posterior.weights.astype(np.float32))
    packed, _ = evaluate(*unframe(pack_model(chart, "m")), points)
    assert np.abs(packed - mean).max() < 2e-5
    assert np.abs(plain - mean).max() > 20 * np.abs(packed - mean).max()


def test_one_latent_dimension_is_drawn_against_the_order_of_rows():
    kernel = RBF(1.0, 0.9)
    whole = chart_of(kernel)
    posterior = replace(whole.posterior, inducing=whole.posterior.inducing[:, :1])
    chart = replace(
        whole,
        posterior=posterior,
        latent_mean=whole.latent_mean[:, :1],
        latent_variance=whole.latent_variance[:, :1],
        relevance=np.array([1.0]),
        on=(0,),
    )
    header, arrays = unframe(pack_model(chart, "m"))
    assert header["axes"] == ["Dimension 1", "Order of rows"]
    assert header["dims"] == [0, 1]
    points = np.array([[0.3, -0.9], [0.3, 0.9]])
    mean, _ = evaluate(header, arrays, points)
    np.testing.assert_array_equal(mean[0], mean[1])
    np.testing.assert_allclose(mean[:1], predict(posterior, points[:1, :1])[0], atol=1e-3)


def test_the_first_pair_changes_the_outputs_most_and_is_on():
    chart = chart_of(KERNELS["rbf"])
    narrow = replace(chart, latent_mean=chart.latent_mean * np.array([1.0, 1e-3, 0.3]))
    assert replace(narrow, on=(0, 1, 2)).pair == (0, 2)
    assert replace(narrow, on=(1, 2)).pair == (2, 1)
    assert replace(narrow, on=(1,)).pair == (1, 0)


def test_the_first_pair_separates_labels_where_a_pair_does():
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(120, 5)) * [9.0, 5.0, 1.0, 1.0, 1.0]
    corner = (latent[:, 1] > 0) + 2 * (latent[:, 3] > 0)
    latent[:, [1, 3]] += 4.0 * np.sign(latent[:, [1, 3]]) * [5.0, 1.0]
    assert separating_pair(latent, corner, [0, 1, 2, 3, 4]) == (1, 3)
    # Without a relation to the labels, or with one in the first pair, the largest effects win.
    assert separating_pair(latent, rng.permutation(corner), [0, 1, 2, 3, 4]) == (0, 1)
    assert separating_pair(latent, (latent[:, 1] > 0).astype(int), [0, 1, 2, 3]) == (0, 1)
    # Rows without a label do not count, and a single label separates nothing.
    some = np.where(rng.uniform(size=120) < 0.3, -1, corner)
    assert separating_pair(latent, some, [0, 1, 2, 3]) == (1, 3)
    assert separating_pair(latent, np.where(some < 0, -1, 2), [2, 0, 1]) == (2, 0)


def test_a_chart_takes_the_dimensions_that_are_on_from_the_model():
    whole = chart_of(KERNELS["rbf"])
    model = SimpleNamespace(
        posterior_=whole.posterior,
        latent_mean_=whole.latent_mean,
        latent_variance_=np.zeros((N, Q)),
        relevance_=np.array([0.2, 5.0, 1.0]),
        information_=np.array([0.9, 0.01, 2.0]),
        n_effective_=2,
    )
    chart = Chart.of(model, whole.dataset)
    assert chart.on == (2, 0)
    assert chart.latent_variance is None
    # For a model without a KL, the `n_effective_` most relevant dimensions are on.
    del model.information_
    assert Chart.of(model, whole.dataset).on == (1, 2)


def test_large_images_are_reduced_and_keep_their_grey():
    images = np.full((80, 300 * 200), 128, np.uint8)
    images[0, :10] = 0
    dataset = Dataset("grey", "Grey", images, Drawing("image", (300, 200), (0.0, 255.0)))
    header, arrays = unframe(pack_model(chart_of(KERNELS["rbf"], dataset), "m"))
    rows, columns = header["item_shape"]
    assert arrays["items"].shape == (80, rows * columns)
    assert arrays["items"].nbytes <= 3_000_000
    assert np.all(arrays["items"][1:] == 128)


def test_labels_sequences_and_skeleton_are_packed():
    skeleton = Skeleton(("root", "knee", "foot", "head"), (-1, 0, 1, 0))
    targets = np.random.default_rng(2).standard_normal((N, D))
    dataset = Dataset(
        "walk",
        "Walk",
        targets,
        Drawing("skeleton", (4, 3), skeleton=skeleton),
        labels=np.repeat([0, 1], N // 2),
        label_names=("slow", "fast"),
        times=np.tile(np.arange(N // 2)[::-1], 2),
        sequences=np.repeat([0, 1], N // 2),
    )
    header, arrays = unframe(pack_model(chart_of(KERNELS["rbf"], dataset), "m"))
    assert header["drawing"]["skeleton"]["parents"] == [-1, 0, 1, 0]
    assert header["label_names"] == ["slow", "fast"]
    assert arrays["order"][0] == N // 2 - 1
    np.testing.assert_array_equal(arrays["sequences"], dataset.sequences)


def with_gaps(targets: np.ndarray, share: float = 0.3) -> np.ndarray:
    missing = np.random.default_rng(7).random(targets.shape) < share
    missing[0] = False
    return np.where(missing, np.nan, targets)


def items_of(dataset: Dataset) -> tuple[dict, np.ndarray]:
    header, arrays = unframe(pack_model(chart_of(KERNELS["rbf"], dataset), "m"))
    return header, arrays["items"]


@pytest.mark.parametrize("kind", ["curve", "bars"])
def test_missing_values_are_packed_as_nan(kind):
    targets = with_gaps(np.random.default_rng(3).standard_normal((N, D)))
    header, items = items_of(Dataset("holed", "Holed", targets, Drawing(kind, (D,))))
    np.testing.assert_array_equal(items, targets.astype(np.float32))
    low, high = header["drawing"]["range"]
    assert low < np.nanmin(targets) and np.nanmax(targets) < high
    assert header["item_missing"] is None


def test_missing_pixels_have_a_code_that_no_observed_pixel_has():
    pixels = np.random.default_rng(4).integers(0, 256, (N, 6)).astype(float)
    pixels[0] = [0, 255, 255, 0, 128, 255]
    holed = with_gaps(pixels)
    drawing = Drawing("image", (2, 3), (0.0, 255.0))
    header, items = items_of(Dataset("holed", "Holed", holed, drawing))
    low, high = header["item_range"]
    code = header["item_missing"]
    np.testing.assert_array_equal(items == code, np.isnan(holed))
    assert high < code
    grey = 255 * (items - float(low)) / (high - low)
    known = ~np.isnan(holed)
    np.testing.assert_allclose(grey[known], holed[known], atol=0.51)
    complete, plain = items_of(Dataset("whole", "Whole", pixels, drawing))
    assert complete["item_missing"] is None and complete["item_range"] == [0, 255]
    np.testing.assert_array_equal(plain, pixels)


def test_reduced_images_average_the_observed_pixels_of_a_block():
    images = np.full((60, 300, 200), 50.0)
    for first in range(3):  # every block of two rows keeps an observed row
        images[first::3, first::3] = np.nan
    images[5, :20, :20] = np.nan
    drawing = Drawing("image", (300, 200), (0.0, 100.0))
    header, items = items_of(Dataset("grey", "Grey", images.reshape(60, -1), drawing))
    rows, columns = header["item_shape"]
    assert rows * 2 <= 300
    small = items.reshape(60, rows, columns)
    assert np.all(small[:5] == header["item_range"][1] / 2)
    assert np.all(small[5, :5, :5] == header["item_missing"])
    assert np.all(small[5, 20:] == header["item_range"][1] / 2)


def test_a_skeleton_with_gaps_keeps_its_position_and_size():
    skeleton = Skeleton(("root", "knee", "foot", "head"), (-1, 0, 1, 0))
    rng = np.random.default_rng(2)
    joints = np.array([[0, 1, 0], [0, 0.5, 0.1], [0, 0, 0], [0, 1.6, 0]]).ravel()
    targets = joints + 0.02 * rng.standard_normal((N, 12))
    drawing = Drawing("skeleton", (4, 3), skeleton=skeleton)
    extents = []
    for holed in (targets, with_gaps(targets, 0.05)):
        header, _ = items_of(Dataset("walk", "Walk", holed, drawing))
        extents.append(header["drawing"]["extent"])
    whole, partial = extents
    assert partial["floor"] == pytest.approx(whole["floor"], abs=0.02)
    assert partial["reach"] == pytest.approx(whole["reach"], rel=0.05)
    np.testing.assert_allclose(partial["centre"], whole["centre"], atol=0.05)
    blind = targets.copy()
    blind[3] = np.where(np.arange(12) % 3 == 1, np.nan, blind[3])  # this pose has no height
    header, _ = items_of(Dataset("walk", "Walk", blind, drawing))
    assert header["drawing"]["extent"]["floor"] == pytest.approx(whole["floor"], abs=0.01)


def test_columns_observed_in_different_rows_are_shaded_by_their_mean_variance():
    chart = chart_of(KERNELS["rbf"])
    whole = chart.posterior
    # The first five columns are observed in fewer rows, so less of their variance is explained:
    # half for the first four, a tenth for the fifth.
    gaps = np.stack([whole.gap[0], 0.5 * whole.gap[0], 0.1 * whole.gap[0]])
    groups = np.array([1] * 4 + [2] + [0] * (D - 5))
    posterior = replace(whole, gap=gaps, groups=groups, scale=np.ones(D))
    header, arrays = unframe(pack_model(replace(chart, posterior=posterior), "m"))
    points = np.random.default_rng(1).uniform(-2, 2, (30, Q))
    _, variance = predict(posterior, points)
    assert np.ptp(variance, axis=1).max() > 0.1
    np.testing.assert_allclose(
        evaluate(header, arrays, points)[1], variance.mean(axis=1), atol=2e-5
    )


@pytest.mark.parametrize("gaps", [False, True])
def test_outputs_with_separate_noise_are_shaded_by_their_mean_variance(gaps):
    values = chart_of(KERNELS["rbf"]).dataset.values * np.geomspace(0.1, 10.0, D)
    noise = np.linspace(0.05, 0.5, D) * values.std(axis=0)
    values = values + noise * np.random.default_rng(4).standard_normal(values.shape)
    values = with_gaps(values) if gaps else values
    model = BayesianGPLVM(Q, n_inducing=15, max_iter=60, random_state=0, noise="per_output")
    model.fit(values)
    dataset = Dataset("made", "Made", values, Drawing("curve", (D,)))
    header, arrays = unframe(pack_model(Chart.of(model, dataset), "m"))
    points = np.random.default_rng(1).uniform(-2, 2, (30, Q))
    mean, variance = predict(model.posterior_, points)
    packed_mean, packed_variance = evaluate(header, arrays, points)
    np.testing.assert_allclose(packed_mean, mean, atol=2e-5 * np.ptp(mean))
    expected = variance.mean(axis=1)
    assert np.ptp(expected) > 0.2 * expected.max()
    np.testing.assert_allclose(header["scale"] ** 2 * packed_variance, expected, rtol=1e-4)


def test_shares_of_change_of_a_linear_map():
    """For a linear map, a dimension's share is proportional to (slope × spread)²."""
    chart = chart_of(KERNELS["linear"])
    slopes = predict(chart.posterior, np.eye(Q))[0] - predict(chart.posterior, np.zeros((1, Q)))[0]
    change = np.mean((slopes / chart.posterior.scale) ** 2, axis=1) * chart.latent_mean.var(axis=0)
    header, _ = unframe(pack_model(chart, "map"))
    np.testing.assert_allclose(header["shares"], change / change.sum(), rtol=1e-6)
    assert sum(header["shares"]) == pytest.approx(1.0)


def test_an_unknown_kernel_is_named():
    class Periodic(Kernel):
        """A kernel that the canvas does not have."""

        def K(self, first, second=None):
            return KERNELS["rbf"].K(first, second)

        def diag(self, points):
            return np.ones(len(points))

    chart = chart_of(KERNELS["rbf"])
    with pytest.raises(KernelError, match="Periodic"):
        pack_model(replace(chart, posterior=replace(chart.posterior, kernel=Periodic())), "m")


def test_numerical_covariates_are_packed_by_name():
    rng = np.random.default_rng(5)
    facts = {
        "age": rng.random(N),
        "light": rng.random((N, 2)),
        "constant": np.ones(N),
        "name": np.array(["a", "b"] * (N // 2)),
    }
    dataset = Dataset(
        "made", "Made", rng.standard_normal((N, D)), Drawing("curve", (D,)), covariates=facts
    )
    header, arrays = unframe(pack_model(chart_of(KERNELS["rbf"], dataset), "m"))
    assert header["factors"] == ["age", "light 1", "light 2"]
    np.testing.assert_allclose(arrays["factors"][0], facts["age"], rtol=1e-6)
    np.testing.assert_allclose(arrays["factors"][1:], facts["light"].T, rtol=1e-6)


@pytest.mark.parametrize("count", [24, 30])
def test_omitted_covariates_are_counted(count):
    rng = np.random.default_rng(5)
    facts = {f"fact {i}": rng.random(N) for i in range(count)}
    dataset = Dataset(
        "made", "Made", rng.standard_normal((N, D)), Drawing("curve", (D,)), covariates=facts
    )
    header, arrays = unframe(pack_model(chart_of(KERNELS["rbf"], dataset), "m"))
    assert header["factors"] == list(facts)[:24]
    assert header.get("more_factors", 0) == count - len(arrays["factors"])


@pytest.mark.parametrize("sets", [8, 9])
def test_the_header_counts_row_sets_above_the_limit(sets):
    chart = chart_of(KERNELS["rbf"])
    whole = chart.posterior
    gap = np.stack([whole.gap[0] * (1.0 - 0.05 * group) for group in range(sets)])
    posterior = replace(whole, gap=gap, groups=np.arange(D) % sets)
    header, arrays = unframe(pack_model(replace(chart, posterior=posterior), "m"))
    assert ("variance_basis" in arrays) == (sets == 8)
    assert header.get("sets_of_rows") == (None if sets == 8 else 9)


def test_only_a_table_with_mixed_units_has_an_axis_for_each_column():
    rng = np.random.default_rng(0)
    alike, mixed = rng.random((20, 3)), rng.random((20, 3)) * (1.0, 50.0, 1000.0)
    mixed[:, 0] = 7.0
    names = ("a", "b", "c")
    for values, drawing, own in (
        (alike, "bars", False), (mixed, "curve", False), (mixed, "bars", True)
    ):  # fmt: skip
        dataset = Dataset("made", "Made", values, Drawing(drawing, (3,)), column_names=names)
        ranges = own_ranges(dataset)
        assert (ranges is not None) == own
    low, high = np.array(ranges).T
    assert (low < mixed.min(axis=0)).all() and (high > mixed.max(axis=0)).all()
    assert high[1] - low[1] < 60.0


@pytest.mark.parametrize("words", [False, True])
def test_the_browser_has_every_value_of_the_factors_that_were_taken_out(words):
    rng = np.random.default_rng(0)
    batch = np.array(["Leeds", "Oslo", "Rome"])[np.arange(N) % 3]
    values = rng.standard_normal((N, 2)) @ rng.standard_normal((2, 4)) + np.arange(N)[:, None] % 3
    columns = dict(zip("abcd", values.T, strict=True))
    kinds = None
    if words:
        columns["sex"] = np.where(values[:, 0] > 1.0, "m", "f")
        kinds = {**dict.fromkeys("abcd", "number"), "sex": "category"}
    settings = {"n_inducing": 10, "max_iter": 20, "random_state": 0}
    model = BayesianGPLVM(2, **settings, kinds=kinds, without="batch")
    model.fit(from_columns({**columns, "batch": batch}, ""))
    rows = Dataset.of_table("made", "Made", from_columns(columns, ""), kinds)
    chart = Chart.of(model, rows)
    header, arrays = unframe(pack_model(chart, "made"))
    assert header["levels"]["words"] == ["Leeds", "Oslo", "Rome"]
    points = model.latent_mean_[:6]
    for level, word in enumerate(header["levels"]["words"]):
        own = model.given(word).posterior_
        mean, variance = predict(own, points)
        row = own.kernel.K(points, own.inducing) * arrays["level_fades"][level]
        alpha = row @ arrays["transform"].T
        found = arrays["level_centers"][level] + alpha @ arrays["weights"]
        unit = np.ones(len(found.T))
        if words:
            unit = np.array(header["links"]["unit"])
            found = np.array(header["links"]["center"]) + unit * found
        np.testing.assert_allclose(found, mean, rtol=1e-5, atol=1e-5)
        shared = own.kernel.diag(points) - alpha**2 @ arrays["shrink"]
        expected = np.sqrt((variance / unit**2).mean(axis=1))
        np.testing.assert_allclose(header["scale"] * np.sqrt(shared), expected, rtol=1e-5)
