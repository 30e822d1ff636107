"""The reference numbers for node's tests of regressions; they must equal Python's.

Run this module as a program to write the numbers again.
"""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.kernels import RBF
from gplvm_core.prediction import DATA, Network, Posterior, moments
from gplvm_core.readers import ask_column
from gplvm_core.readers.column_task import InputColumns
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.wire.regression import pack_regression
from tests.canvas.test_deep_numbers import regressed

FILE = Path(__file__).with_name("regression_numbers.json")
N, Q = 20, 2
WIDTHS = ((), (2,), (2, 1))  # widths of the hidden layers


@dataclass(frozen=True, eq=False)
class Layer:
    posterior_: Posterior
    verdict_: str = "the layer is on"


@dataclass(frozen=True, eq=False)
class Model:
    layers_: tuple[Layer, ...]
    input_center_: np.ndarray
    input_scale_: np.ndarray


def numbers() -> list[dict[str, Any]]:
    """Return regressions of one to three layers and their predictions, also for unknown inputs."""
    generator = np.random.default_rng(0)
    inputs = generator.normal(size=(N, Q))
    center, scale = np.array([3.0, -1.0]), np.array([2.0, 0.5])
    found = []
    for widths in WIDTHS:
        at, layers = inputs, []
        for number, width in enumerate((*widths, 1)):
            outputs = np.tanh(at @ generator.normal(size=(at.shape[1], width)))
            slope = generator.normal(size=(at.shape[1], width)) if number < len(widths) else None
            kernel = RBF(1.3, np.linspace(0.8, 1.4, at.shape[1]))
            layers.append(Layer(regressed(kernel, at, outputs, slope)))
            at = outputs
        values = np.hstack([center + scale * inputs, at])
        data = Dataset("x", "X", values, Drawing.of_vector(3), column_names=("a", "b", "y"))
        model = Model(tuple(layers), center, scale)
        points = generator.normal(size=(3, Q))
        known = np.array([[True, True], [True, False], [False, False]])
        belief = Belief(np.where(known, points, 0.0), np.where(known, 0.0, 1.0))
        network = Network.chain(tuple(layer.posterior_ for layer in layers), known=(0,))
        # Rows in which all inputs are known have exact predictions.
        mean, variance = np.vstack(
            [
                np.hstack(moments(network, {0: Belief(row, spread)}, noise=True)[DATA])
                for row, spread in zip(belief.mean[:, None], belief.variance[:, None], strict=True)
            ]
        ).T
        units = np.where(known, center + scale * points, np.nan)
        found.append(
            {
                "bytes": base64.b64encode(
                    pack_regression(model, ask_column(data, "y", ["a", "b"]), "x")
                ).decode(),
                "points": [[None if np.isnan(v) else v for v in row] for row in units.tolist()],
                "mean": mean.tolist(),
                "deviation": np.sqrt(variance).tolist(),
            }
        )
    return [*found, of_words()]


def of_words() -> dict[str, Any]:
    """Return a regression with a category and a grade among its inputs; a word may be unknown."""
    generator = np.random.default_rng(1)
    columns = InputColumns(
        (
            TableColumn("a", "number"),
            TableColumn("wood", "category", ("oak", "pine", "elm")),
            TableColumn("size", "grade", ("small", "large")),
        )
    )
    coded = np.column_stack(
        [generator.normal(size=N), generator.integers(3, size=N), generator.integers(2, size=N)]
    )
    inputs = columns.expanded(coded)
    center, scale = inputs.mean(axis=0), inputs.std(axis=0)
    target = np.tanh((inputs - center) / scale @ generator.normal(size=(5, 1)))
    kernel = RBF(1.3, np.linspace(0.4, 0.9, 5))
    posterior = regressed(kernel, (inputs - center) / scale, target, None)
    values = np.hstack([coded, target])
    data = Dataset(
        "x", "X", values, Drawing.of_vector(4), column_names=("a", "wood", "size", "y"),
        columns=(*columns.columns, TableColumn("y", "number")),
    )  # fmt: skip
    asked = ask_column(data, "y", ["a", "wood", "size"])
    points = [[0.3, 1.0, 1.0], [-0.8, None, 0.0], [0.1, 2.0, None]]
    at = columns.expanded(np.array(points, dtype=float))
    known = ~np.isnan(at)
    belief = Belief(np.where(known, (at - center) / scale, 0.0), np.where(known, 0.0, 1.0))
    network = Network.chain((posterior,), known=(0,))
    mean, variance = np.vstack(
        [
            np.hstack(moments(network, {0: Belief(row, spread)}, noise=True)[DATA])
            for row, spread in zip(belief.mean[:, None], belief.variance[:, None], strict=True)
        ]
    ).T
    return {
        "bytes": base64.b64encode(
            pack_regression(Model((Layer(posterior),), center, scale), asked, "x")
        ).decode(),
        "points": points,
        "mean": mean.tolist(),
        "deviation": np.sqrt(variance).tolist(),
    }


def test_the_stored_numbers_are_those_of_python():
    stored = json.loads(FILE.read_text())
    for before, now in zip(stored, numbers(), strict=True):
        for key in ("mean", "deviation"):
            np.testing.assert_allclose(before[key], now[key], rtol=1e-6, atol=1e-8)


if __name__ == "__main__":
    FILE.write_text(json.dumps(numbers(), indent=1) + "\n")
