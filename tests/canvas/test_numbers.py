"""The reference numbers for node's tests of the page's model; they must equal Python's.

Run this module as a program to write the numbers again.
"""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

from gplvm_core.bounds import OutputGaps
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.kernels import RBF, Bias, Kernel, Linear, Periodic, White
from gplvm_core.prediction import Posterior, predict, sample
from gplvm_core.prediction.factors import at_level
from gplvm_core.wire.levels import Levels
from gplvm_core.wire.model import Chart, pack_model

FILE = Path(__file__).with_name("numbers.json")
N, M, Q, D = 14, 8, 3, 4
KERNELS: dict[str, Kernel] = {
    "rbf": RBF(1.7, np.array([0.7, 1.1, 2.0])),
    "linear": Linear(np.array([1.0, 0.4, 0.2])),
    "waves": Periodic(1.2, np.array([0.9, 1.4, 1.1]), 5.0) * RBF(1.0, 2.5)
    + Periodic(0.3, 1.2, 4.0),
    "sum": RBF(0.8, 1.3) + Linear(0.5) + Bias(0.3) + White(0.05),
}


CASES = {
    **{name: (name, "alike") for name in KERNELS},
    "groups": ("rbf", "groups"),
    "own": ("rbf", "own"),
    "level 0": ("rbf", "level 0"),
    "level 2": ("rbf", "level 2"),
    "own, level 1": ("rbf", "own, level 1"),
}
AROUND = np.array([0.01, 0.0, 0.02])  # the variance of an uncertain position


def chart_of(kernel: Kernel, outputs: str) -> Chart:
    """Return the posterior of a sparse regression with known inputs and smooth outputs.

    outputs: "alike" if all have the same variance; "groups" if they are observed in different rows;
    "own" if each has its own signal and noise; "level" with a number if two known factors are
    further inputs, and have the values of that number. The jitter keeps K well conditioned (1e4 at
    most), because processors that round differently must agree on the stored numbers.
    """
    rng = np.random.default_rng(0)
    latent = rng.standard_normal((N, Q))
    targets = np.sin(latent @ rng.standard_normal((Q, D)))
    level = outputs.rpartition("level ")[2]
    inputs, slope = latent, None
    if level.isdecimal():
        assert isinstance(kernel, RBF)
        inputs = np.hstack([latent, rng.standard_normal((N, 2))])
        kernel = RBF(kernel.variance, np.append(kernel.lengthscale, [1.5, 0.9]))
        slope = np.vstack([np.zeros((Q, D)), rng.standard_normal((2, D))])
    inducing, jitter, noise = inputs[:M], 1e-3, 0.01
    gram = kernel.K(inducing) + jitter * np.eye(M)
    cross = kernel.K(inducing, inputs)
    inverse = np.linalg.inv(gram + cross @ cross.T / noise)
    weights, gap = inverse @ (cross @ targets) / noise, np.linalg.inv(gram) - inverse
    center, scale = np.full(D, 3.0), np.linspace(0.5, 2.0, D)
    gaps, groups, each = gap[None], None, None
    if outputs == "groups":
        gaps, groups = np.stack([gap, 0.5 * gap]), np.array([0, 1, 1, 0])
    if outputs.startswith("own"):
        spectrum, basis = eigh(cross @ cross.T, gram)
        ratio = np.geomspace(0.5, 200.0, D)
        told = ratio[:, None] * spectrum
        each = OutputGaps(ratio, basis[None], ratio[:, None] * told / (1.0 + told))
        noise = 1.0
    posterior = Posterior(
        *(kernel, inducing, weights, gaps, noise, jitter, center, scale),
        groups=groups,
        each=each,
        slope=slope,
    )
    levels = None
    if slope is not None:
        values = np.array([[-1.0, 0.5], [0.2, 0.0], [1.3, -0.8]])
        levels = Levels(
            "factors",
            ("a", "b", "c"),
            int(level),
            False,
            values,
            posterior,
            np.full(len(latent), -1),
        )
        posterior = at_level(posterior, values[int(level)])
    dataset = Dataset("made", "Made", center + scale * targets, Drawing("curve", (D,)))
    relevance = np.array([2.0, 1.0, 0.25])
    return Chart(posterior, dataset, latent, None, relevance, (0, 1, 2), levels=levels)


def numbers_of(name: str) -> dict[str, Any]:
    """Return points, the posterior's means and deviations, and moments at uncertain points."""
    kernel, outputs = CASES[name]
    chart = chart_of(KERNELS[kernel], outputs)
    points = np.random.default_rng(1).normal(0.0, 1.5, (6, Q))
    mean, variance = predict(chart.posterior, points)
    around, spread = moments_around(chart.posterior, points)
    distance = np.sqrt((points[:, None] - chart.latent_mean) ** 2 @ chart.relevance)
    return {
        "points": points.tolist(),
        "mean": mean.tolist(),
        "deviation": np.sqrt(variance.mean(axis=1)).tolist(),
        "deviations": np.sqrt(variance).tolist(),
        "around": AROUND.tolist(),
        "mean_around": around.tolist(),
        "deviations_around": np.sqrt(spread).tolist(),
        "noise": (np.sqrt(chart.posterior.noise_variance) * chart.posterior.scale).tolist(),
        "closest": np.argsort(distance, axis=1)[:, :3].tolist(),
        "distances": np.sort(distance, axis=1)[:, :3].tolist(),
        "metric": [expected_metric(chart.posterior, x).tolist() for x in points],
        "changes": expected_changes(chart.posterior, points).tolist(),
    }


def moments_around(posterior: Posterior, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute the moments at points of the variance AROUND, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(16)
    steps = np.stack(np.meshgrid(*[nodes] * Q, indexing="ij"), axis=-1).reshape(-1, Q)
    share = np.prod(np.meshgrid(*[weights / weights.sum()] * Q, indexing="ij"), axis=0).ravel()
    found = [predict(posterior, x + np.sqrt(AROUND) * steps) for x in points]
    mean = np.stack([share @ own for own, _ in found])
    spread = [share @ (v + (m - at) ** 2) for at, (m, v) in zip(mean, found, strict=True)]
    return mean, np.stack(spread)


def expected_metric(posterior: Posterior, x: np.ndarray) -> np.ndarray:
    """Compute E[JᵀJ] by central differences of mean and covariance, without white noise."""
    step = 1e-3
    ends = np.vstack([x + step * np.eye(Q), x - step * np.eye(Q)])
    # The ends are subtracted first, because the gap has large entries of both signs.
    across = np.hstack([np.eye(Q), -np.eye(Q)]) / (2.0 * step)
    slopes = across @ predict(posterior, ends)[0]
    return slopes @ slopes.T + spread_of(posterior, ends, across)


def expected_changes(posterior: Posterior, points: np.ndarray) -> np.ndarray:
    """Compute E‖f(x) − f(x')‖² from each point to the next, without white noise."""
    across = np.diff(np.eye(len(points)), axis=0)
    mean = across @ predict(posterior, points)[0]
    return np.sum(mean**2, axis=1) + np.diag(spread_of(posterior, points, across))


def spread_of(posterior: Posterior, points: np.ndarray, combine: np.ndarray) -> np.ndarray:
    """Compute the covariance of linear combinations of f at points, over all outputs, without white
    noise.
    """
    cross = posterior.kernel.K(posterior.inducing, points) @ combine.T
    # Between two different sets of points there is no white noise.
    prior = combine @ posterior.kernel.K(points, points.copy()) @ combine.T
    weights, variances = posterior.scale**2, posterior.variances
    level = float(variances.level(weights[None])[0])
    return level * prior - cross.T @ variances.total(weights) @ cross


@pytest.mark.parametrize("name", CASES)
def test_the_stored_numbers_are_what_the_posterior_predicts(name):
    stored = json.loads(FILE.read_text(encoding="utf-8"))[name]
    for key, value in numbers_of(name).items():
        np.testing.assert_allclose(stored[key], value, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", ["rbf", "linear"])
def test_expected_changes_are_those_of_sampled_functions(name):
    posterior, numbers = chart_of(KERNELS[name], "alike").posterior, numbers_of(name)
    points, n = np.array(numbers["points"]), 5000
    step = 0.02 * np.random.default_rng(2).standard_normal((len(points), Q))
    places = np.vstack([points, points + step])
    drawn = sample(posterior, places, n, 3, noise=False)
    near = np.sum((drawn[:, : len(points)] - drawn[:, len(points) :]) ** 2, axis=2)
    small = np.einsum("nq,nqp,np->n", step, np.array(numbers["metric"]), step)
    far = np.sum(np.diff(drawn[:, : len(points)], axis=1) ** 2, axis=2)
    for found, expected in ((near, small), (far, np.array(numbers["changes"]))):
        error = found.std(axis=0) / np.sqrt(n)
        assert np.all(np.abs(found.mean(axis=0) - expected) < 5.0 * error + 2e-3 * expected)


if __name__ == "__main__":
    written = {
        name: {
            **numbers_of(name),
            "bytes": base64.b64encode(
                pack_model(chart_of(KERNELS[kernel], outputs), name)
            ).decode(),
        }
        for name, (kernel, outputs) in CASES.items()
    }
    FILE.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
