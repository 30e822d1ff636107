"""The reference numbers for node's tests of the page's layers; they must equal Python's.

Run this module as a program to write the numbers again.
"""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.kernels import RBF, Kernel
from gplvm_core.prediction import Posterior, predict
from gplvm_core.prediction.generate import predict_at
from gplvm_core.wire.deep import pack_layers
from gplvm_core.wire.model import Chart
from gplvm_core.wire.views import pack_views

FILE = Path(__file__).with_name("deep_numbers.json")
N, M, D = 20, 9, 4
WIDTHS = (2, 1, 3)  # layer 2 has one dimension; its map needs a second axis


@dataclass(frozen=True, eq=False)
class Layer:
    """The parts of a layer that a chart uses."""

    posterior_: Posterior
    latent_mean_: np.ndarray
    latent_variance_: np.ndarray
    relevance_: np.ndarray
    information_: np.ndarray


@dataclass(frozen=True, eq=False)
class Model:
    layers_: tuple[Layer, ...]


def regressed(
    kernel: Kernel, inputs: np.ndarray, outputs: np.ndarray, slope: np.ndarray | None
) -> Posterior:
    """Return a sparse regression of the outputs on known inputs, beside a linear map of these
    inputs.

    The jitter keeps the condition numbers small (1e3 for K, 2e6 for K with the data), because
    processors that round differently must agree on the stored numbers.
    """
    inducing, jitter, noise = inputs[:M], 1e-2, 0.01
    gram = kernel.K(inducing) + jitter * np.eye(M)
    cross = kernel.K(inducing, inputs)
    inverse = np.linalg.inv(gram + cross @ cross.T / noise)
    rest = outputs if slope is None else outputs - inputs @ slope
    weights, gap = inverse @ (cross @ rest) / noise, np.linalg.inv(gram) - inverse
    units = np.zeros(outputs.shape[1]), np.ones(outputs.shape[1])
    return Posterior(kernel, inducing, weights, gap[None], noise, jitter, *units, slope=slope)


def made(handed_on: bool) -> tuple[Model, Dataset]:
    """Return three layers; each layer's outputs are smooth functions of the layer before.

    handed_on: whether the layers receive the inputs, by a linear mean in the first layer, and
    unchanged in all others.
    """
    rng = np.random.default_rng(0)
    inputs = at = rng.standard_normal((N, WIDTHS[0]))
    layers: list[Layer] = []
    for width, below in zip(WIDTHS, (*WIDTHS[1:], D), strict=True):
        seen = np.hstack([at, inputs]) if handed_on and layers else at
        slope = 0.5 * rng.standard_normal((width, below)) if handed_on and not layers else None
        outputs = np.sin(at @ rng.standard_normal((width, below)))
        outputs = outputs if slope is None else outputs + at @ slope
        lengthscales = np.linspace(0.8, 1.4, width)
        # The model's inputs get long lengthscales, so that few points constrain the function.
        if seen is not at:
            lengthscales = np.append(lengthscales, np.full(WIDTHS[0], 6.0))
        kernel = RBF(1.3, lengthscales)
        posterior = regressed(kernel, seen, outputs, slope)
        told = np.ones(width)
        layers.append(Layer(posterior, at, np.full_like(at, 1e-3), np.ones(seen.shape[1]), told))
        at = outputs
    return Model(tuple(layers)), Dataset("made", "Made", at, Drawing("curve", (D,)))


def numbers_of(handed_on: bool, layer: int) -> dict[str, Any]:
    """Return points of a layer, the composed means at these points, and the propagated moments."""
    posteriors = [each.posterior_ for each in made(handed_on)[0].layers_[layer:]]
    points = np.random.default_rng(1).normal(0.0, 0.5, (6, posteriors[0].n_latent))
    inputs = points[:, -WIDTHS[0] :]
    at, mean, variance = points, points, np.zeros_like(points)
    for posterior in posteriors:
        added = posterior.n_latent - mean.shape[1]
        known = inputs[:, :added]
        at = predict(posterior, np.hstack([at, known]))[0]
        mean, variance = predict_at(
            posterior,
            np.hstack([mean, known]),
            np.hstack([variance, np.zeros_like(known)]),
            noise=posterior is not posteriors[-1],
        )
    return {
        "points": points.tolist(),
        "composed": at.tolist(),
        "mean": mean.tolist(),
        "deviations": np.sqrt(variance).tolist(),
    }


CASES = [(handed_on, layer) for handed_on in (False, True) for layer in range(len(WIDTHS))]


def test_the_stored_numbers_are_what_the_layers_predict() -> None:
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    for case, known in zip(CASES, stored, strict=True):
        for key, value in numbers_of(*case).items():
            np.testing.assert_allclose(known[key], value, rtol=1e-8, atol=1e-10)


def written(handed_on: bool, layer: int) -> dict[str, Any]:
    packed = pack_layers(*made(handed_on), layer, f"{layer}")
    named = {"handed_on": handed_on, "layer": layer}
    known = named | numbers_of(handed_on, layer) | {"bytes": base64.b64encode(packed).decode()}
    if handed_on or layer:
        return known
    # The same deep model again, packed as the only view of a model of views.
    below = pack_views({"bent": Chart.of(*made(False), 0)}, ("bent",), (0, 1), "views")
    return known | {"view": base64.b64encode(below).decode()}


if __name__ == "__main__":
    text = json.dumps([written(*case) for case in CASES], indent=1)
    FILE.write_text(text + "\n", encoding="utf-8")
