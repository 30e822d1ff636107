"""The reference numbers for node's tests of drags; they must equal Python's objective.

Run this module as a program to write the numbers again.
"""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gplvm_core.beliefs import Belief
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.kernels import RBF
from gplvm_core.prediction import Posterior
from gplvm_core.prediction.handles import Handles, NearData, Pull, climb
from gplvm_core.readers.drawing import Skeleton
from gplvm_core.wire.model import Chart, pack_model
from tests.canvas.test_numbers import CASES, KERNELS, chart_of

FILE = Path(__file__).with_name("pull_numbers.json")
FUNCTIONALS = np.array([[1.0, 0, 0, 0], [0, 0.3, -0.8, 0], [0, 0, 0.5, 1.0]])
HANDLES = Handles(FUNCTIONALS, np.array([3.2, -1.4, 4.6]), np.array([0.05, 0.2, 0.01]))


# Painted outputs are wanted values with the same tolerance in units of the outputs' scales.
PAINTED = {0: 3.2, 2: -0.4, 3: 4.6}
PAINT_ERROR = 0.4


def painted_of(chart: Chart, points: np.ndarray) -> dict[str, Any]:
    """Return F of painted outputs, and the end of a search."""
    posterior = chart.posterior
    outputs = list(PAINTED)
    scale = np.broadcast_to(posterior.scale, posterior.n_outputs)[outputs]
    handles = Handles(
        np.eye(posterior.n_outputs)[outputs],
        np.array(list(PAINTED.values())),
        PAINT_ERROR * scale,
    )
    near = NearData.of(Belief.certain(chart.latent_mean), chart.relevance)
    pull = Pull(posterior, handles, near)
    found = [pull.at(point) for point in points]
    return {
        "outputs": outputs,
        "targets": list(PAINTED.values()),
        "error": PAINT_ERROR,
        "values": [float(each[0]) for each in found],
        "gradients": [each[1].tolist() for each in found],
        "curvatures": [each[2].ravel().tolist() for each in found],
        "best": float(climb(pull, points[0])[1]),
    }


def numbers_of(name: str) -> dict[str, Any]:
    """Return F, gradient and curvature at points, and the end of a search."""
    kernel, outputs = CASES[name]
    chart = chart_of(KERNELS[kernel], outputs)
    near = NearData.of(Belief.certain(chart.latent_mean), chart.relevance)
    pull = Pull(chart.posterior, HANDLES, near)
    points = np.random.default_rng(4).normal(0.0, 1.2, (4, 3))
    found = [pull.at(point) for point in points]
    end, value, _ = climb(pull, points[0])
    return {
        "functionals": FUNCTIONALS.tolist(),
        "targets": HANDLES.targets.tolist(),
        "tolerance": HANDLES.tolerance.tolist(),
        "points": points.tolist(),
        "values": [float(each[0]) for each in found],
        "gradients": [each[1].tolist() for each in found],
        "curvatures": [each[2].ravel().tolist() for each in found],
        "end": end.tolist(),
        "best": float(value),
        "painted": painted_of(chart, points),
    }


@pytest.mark.parametrize("name", CASES)
def test_the_stored_numbers_are_those_of_the_objective(name):
    stored = json.loads(FILE.read_text(encoding="utf-8"))[name]
    for key, value in numbers_of(name).items():
        exact = 1e-6 if key != "end" else 1e-3
        pairs = value if key == "painted" else {"": value}
        for part, numbers in pairs.items():
            known = stored[key][part] if part else stored[key]
            np.testing.assert_allclose(known, numbers, rtol=exact, atol=exact)


def body() -> Chart:
    """Return a swinging arm with hip, shoulder, elbow and hand: two angles on a circle of poses."""
    phase = np.linspace(0.0, 2.0 * np.pi, 28, endpoint=False)
    upper, lower = 0.6 * np.sin(phase), 0.6 * np.sin(phase) + 0.5 + 0.5 * np.cos(phase)
    joints = np.zeros((len(phase), 4, 3))
    joints[:, 1] = [0.0, 0.5, 0.05]
    for joint, angle, length in ((2, upper, 0.3), (3, lower, 0.28)):
        bone = np.stack([np.sin(angle), -np.cos(angle), 0.2 * np.cos(phase)], axis=1)
        bone *= length / np.linalg.norm(bone, axis=1, keepdims=True)
        joints[:, joint] = joints[:, joint - 1] + bone
    rows = joints.reshape(len(phase), -1)
    latent = np.stack([np.cos(phase), np.sin(phase)], axis=1)
    kernel, inducing, jitter, noise = RBF(1.0, 0.9), latent[::2], 1e-4, 0.002
    center, scale = rows.mean(axis=0), np.full(12, 0.2)
    gram = kernel.K(inducing) + jitter * np.eye(len(inducing))
    cross = kernel.K(inducing, latent)
    inverse = np.linalg.inv(gram + cross @ cross.T / noise)
    weights = inverse @ (cross @ ((rows - center) / scale)) / noise
    gap = np.linalg.inv(gram) - inverse
    posterior = Posterior(kernel, inducing, weights, gap[None], noise, jitter, center, scale)
    skeleton = Skeleton(("Hip", "Shoulder", "Elbow", "Hand"), (-1, 0, 1, 2))
    dataset = Dataset("body", "Body", rows, Drawing("skeleton", (4, 3), skeleton=skeleton))
    return Chart(posterior, dataset, latent, None, np.ones(2), (0, 1))


if __name__ == "__main__":
    written: dict[str, Any] = {name: numbers_of(name) for name in CASES}
    written["body"] = {"bytes": base64.b64encode(pack_model(body(), "body")).decode()}
    FILE.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
