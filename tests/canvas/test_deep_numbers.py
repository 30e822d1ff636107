"""The numbers that the page's layers are tested against by node: what they say is what Python says.

Run as a program, it writes them again.
"""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.figures.pack_deep import pack_layers
from gplvm_core.kernels import RBF, Kernel
from gplvm_core.prediction import Posterior, predict, through

FILE = Path(__file__).with_name("deep_numbers.json")
N, M, D = 20, 9, 4
WIDTHS = (2, 1, 3)  # a layer of one dimension between others, which has a second axis on its map


@dataclass(frozen=True, eq=False)
class Layer:
    """What a chart asks of a layer."""

    posterior_: Posterior
    latent_mean_: np.ndarray
    latent_variance_: np.ndarray
    relevance_: np.ndarray
    information_: np.ndarray


@dataclass(frozen=True, eq=False)
class Model:
    layers_: tuple[Layer, ...]


def regressed(kernel: Kernel, inputs: np.ndarray, outputs: np.ndarray) -> Posterior:
    """A sparse regression of the outputs on inputs that are known."""
    inducing, jitter, noise = inputs[:M], 1e-6, 0.01
    gram = kernel.K(inducing) + jitter * np.eye(M)
    cross = kernel.K(inducing, inputs)
    inverse = np.linalg.inv(gram + cross @ cross.T / noise)
    weights, gap = inverse @ (cross @ outputs) / noise, np.linalg.inv(gram) - inverse
    units = np.zeros(outputs.shape[1]), np.ones(outputs.shape[1])
    return Posterior(kernel, inducing, weights, gap[None], noise, jitter, *units)


def made() -> tuple[Model, Dataset]:
    """Three layers of smooth functions of each other."""
    rng = np.random.default_rng(0)
    at, layers = rng.standard_normal((N, WIDTHS[0])), []
    for width, below in zip(WIDTHS, (*WIDTHS[1:], D), strict=True):
        outputs = np.sin(at @ rng.standard_normal((width, below)))
        posterior = regressed(RBF(1.3, np.linspace(0.8, 1.4, width)), at, outputs)
        told = np.ones(width)
        layers.append(Layer(posterior, at, np.full_like(at, 1e-3), told, told))
        at = outputs
    return Model(tuple(layers)), Dataset("made", "Made", at, Drawing("curve", (D,)))


def numbers_of(layer: int) -> dict[str, Any]:
    """Points of a layer, the composed means there, and the moments handed on."""
    posteriors = [each.posterior_ for each in made()[0].layers_[layer:]]
    points = np.random.default_rng(1).normal(0.0, 0.7, (6, WIDTHS[layer]))
    at = points
    for posterior in posteriors:
        at = predict(posterior, at)[0]
    mean, variance = through(posteriors, points)
    return {
        "points": points.tolist(),
        "composed": at.tolist(),
        "mean": mean.tolist(),
        "deviations": np.sqrt(variance).tolist(),
    }


def test_the_stored_numbers_are_what_the_layers_predict() -> None:
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    assert len(stored) == len(WIDTHS)
    for layer, known in enumerate(stored):
        for key, value in numbers_of(layer).items():
            np.testing.assert_allclose(known[key], value, rtol=1e-6, atol=1e-9)


if __name__ == "__main__":
    model, dataset = made()
    written = [
        {
            **numbers_of(layer),
            "bytes": base64.b64encode(pack_layers(model, dataset, layer, f"{layer}")).decode(),
        }
        for layer in range(len(WIDTHS))
    ]
    FILE.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
