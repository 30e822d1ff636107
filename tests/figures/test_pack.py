"""The bytes for the canvas: what goes in comes out, and predicts what the posterior predicts."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from gplvm_core.datasets.dataset import Dataset, Drawing, Skeleton
from gplvm_core.figures.frame import frame, unframe
from gplvm_core.figures.pack import Chart, pack_details, pack_model
from gplvm_core.kernels import RBF, Bias, Kernel, KernelError, Linear, White
from gplvm_core.prediction import Posterior, predict

N, Q, D = 60, 3, 12
KERNELS = {
    "rbf": RBF(1.7, np.array([0.7, 1.1, 2.0])),
    "linear": Linear(np.array([1.0, 0.4, 0.2])),
    "sum": RBF(0.8, 1.3) + Linear(0.5) + Bias(0.3) + White(0.05),
}


def chart_of(
    kernel: Kernel, dataset: Dataset | None = None, n_inducing: int = 25, noise: float = 0.01
) -> Chart:
    """A sparse regression posterior on points that are known, over smooth outputs."""
    rng = np.random.default_rng(0)
    latent = rng.standard_normal((N, Q))
    outputs = np.sin(latent @ rng.standard_normal((Q, D)))
    inducing, jitter = latent[:n_inducing], 1e-6
    gram = kernel.K(inducing) + jitter * np.eye(n_inducing)
    cross = kernel.K(inducing, latent)
    inverse = np.linalg.inv(gram + cross @ cross.T / noise)
    center, scale = np.full(D, 3.0), np.linspace(0.5, 2.0, D)
    posterior = Posterior(
        kernel,
        inducing,
        inverse @ (cross @ outputs) / noise,
        np.linalg.inv(gram) - inverse,
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
    """What the canvas' model.js does, in NumPy."""
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


def test_a_frame_gives_back_header_and_arrays():
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
    # Inducing inputs that all but coincide, little noise: the plain weights are huge and cancel.
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


def test_the_first_pair_is_the_most_relevant_that_are_on():
    chart = chart_of(KERNELS["rbf"])
    relevance = np.array([0.2, 5.0, 1.0])
    assert replace(chart, relevance=relevance, on=(2, 0)).pair == (2, 0)
    assert replace(chart, relevance=relevance, on=(0,)).pair == (0, 1)


def test_a_chart_takes_what_is_on_from_the_model():
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
    # A model without a KL: as many as its map has directions, by relevance.
    model.information_ = np.full(Q, np.nan)
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


def test_labels_sequences_and_skeleton_travel():
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


def test_details_hold_the_exact_mean_and_what_lies_near():
    chart = chart_of(KERNELS["rbf"])
    point = chart.latent_mean[7]
    header, arrays = unframe(pack_details(chart, point, "d"))
    mean, variance = predict(chart.posterior, point[None])
    np.testing.assert_allclose(arrays["mean"], mean[0], rtol=1e-6)
    assert header["std"] == pytest.approx(np.sqrt(variance.mean()))
    assert header["nearest"][0] == {"row": 7, "label": None, "distance": 0.0}
    distances = [item["distance"] for item in header["nearest"]]
    assert distances == sorted(distances)
    np.testing.assert_allclose(arrays["nearest"][0], chart.dataset.values[7], rtol=1e-6)


def test_latent_uncertainty_makes_outputs_differ_in_theirs():
    chart = chart_of(RBF(1.0, 1.0))
    chart = replace(chart, posterior=replace(chart.posterior, scale=np.ones(D)))
    point = np.array([0.2, -0.1, 0.3])
    spread = unframe(pack_details(chart, point, "d"))[1]["deviation"]
    certain = unframe(pack_details(replace(chart, latent_variance=None), point, "d"))[1]
    assert np.ptp(spread) > 0.05
    np.testing.assert_allclose(certain["deviation"], certain["deviation"][0], rtol=1e-4)
    assert np.all(spread >= certain["deviation"] - 1e-6)


def test_details_of_a_point_are_the_same_every_time():
    chart = chart_of(KERNELS["sum"])
    point = np.zeros(Q)
    assert pack_details(chart, point, "d") == pack_details(chart, point, "d")
