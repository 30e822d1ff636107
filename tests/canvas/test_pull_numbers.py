"""Tests that the reference numbers for node's tests of drags equal Python's results.

Run this module as a program to write the numbers again.
"""

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from gplvm_core.beliefs import Belief
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.kernels import RBF
from gplvm_core.prediction import Posterior
from gplvm_core.prediction.handles import Answers, Handles, NearData, Pull, climb, fit_to
from gplvm_core.readers.drawing import Skeleton
from gplvm_core.wire.model import Chart, pack_model
from gplvm_core.wire.table import units
from tests.canvas.test_numbers import CASES as MODELS
from tests.canvas.test_numbers import KERNELS, chart_of
from tests.canvas.test_table_numbers import chart_of_table

CASES = [name for name in MODELS if name != "level 2"]  # two values of factors are enough
FILE = Path(__file__).with_name("pull_numbers.json")
FUNCTIONALS = np.array([[1.0, 0, 0, 0], [0, 0.3, -0.8, 0], [0, 0, 0.5, 1.0]])
HANDLES = Handles(FUNCTIONALS, np.array([3.2, -1.4, 4.6]), np.array([0.05, 0.2, 0.01]))


# Painted outputs are treated as wanted values. Their tolerance, in units of each output's scale, is
# the same.
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


# Held columns, with their errors in units of the noise: the default of fit_to.
HELD = {0: 3.0, 2: -0.5}
EXACT = 0.1


def held_of(chart: Chart, held: dict[int, float]) -> dict[str, Any]:
    """Return the points that fit held functions, the best first."""
    posterior = chart.seen
    outputs = list(held)
    noise = np.sqrt(posterior.noise_variance) * posterior.scale
    handles = Handles(
        np.eye(posterior.n_outputs)[outputs],
        np.array(list(held.values())),
        EXACT * np.broadcast_to(noise, posterior.n_outputs)[outputs],
    )
    # Let the search of `fit_to` converge to the last digit.
    with patch.multiple("gplvm_core.prediction.handles", LEAST_GAIN=1e-13, MOST_STEPS=5000):
        found = fit_to(posterior, Belief.certain(chart.latent_mean), chart.relevance, handles)
    return {
        "columns": outputs,
        "targets": list(held.values()),
        "outputs": [each.outputs.tolist() for each in found],
        "deviations": [each.std.tolist() for each in found],
        "scores": [each.score for each in found],
    }


def held_in_a_table() -> dict[str, Any]:
    """Return the points that fit a held number in a table with words, with unitless functions."""
    chart = chart_of_table()
    assert chart.columns is not None
    kinds = [column.kind for column in chart.columns.columns]
    at = chart.columns.places[kinds.index("number")].start
    value = 4150.0
    posterior = chart.posterior
    center = np.broadcast_to(posterior.center, posterior.n_outputs)[at]
    unit = np.broadcast_to(posterior.scale, posterior.n_outputs)[at] / chart.seen.scale[at]
    return {"value": value, "function": at, **held_of(chart, {at: float((value - center) / unit)})}


def words_in_a_table() -> dict[str, Any]:
    """Return F, its gradient and the best end for a word, a yes/no answer, a count and a number."""
    chart = chart_of_table()
    assert chart.columns is not None
    posterior, columns = chart.posterior, chart.columns
    assert posterior.links is not None
    held = {"category": 1, "count": 3, "yes/no": 0, "number": 4150.0}
    kinds = [column.kind for column in columns.columns]
    start = {kind: columns.places[kinds.index(kind)].start for kind in held}
    size = posterior.links.columns[start["count"]].size
    outputs = [start["count"], start["number"]]
    handles = Handles(
        np.eye(posterior.n_outputs)[outputs],
        np.array([np.log(3.0 / size), 4150.0]),
        np.array([np.sqrt(1.0 / 3.0 + 1.0 / size), EXACT * posterior.scale[start["number"]]]),
        np.array([0.0, 1.0]),
    )
    # The second of three words: not the first one, and not a later one.
    word, yes = start["category"], start["yes/no"]
    answers = Answers(np.array([word, word + 1, yes]), np.array([-1.0, 1.0, 1.0]))
    functions = replace(posterior, links=None)
    near = NearData.of(Belief.certain(chart.latent_mean), chart.relevance)
    pull = Pull(functions, handles, near, answers)
    points = np.random.default_rng(4).normal(0.0, 1.0, (4, 2))
    found = [pull.at(point) for point in points]
    # The page's functions have other units, which adds a constant to F.
    constant = float(np.sum(np.log(units(posterior, columns)[outputs])))
    with patch.multiple("gplvm_core.prediction.handles", LEAST_GAIN=1e-13, MOST_STEPS=5000):
        ends = fit_to(
            functions, Belief.certain(chart.latent_mean), chart.relevance, handles, answers
        )
    return {
        "values": {str(kinds.index(kind)): value for kind, value in held.items()},
        "places": points.tolist(),
        "objectives": [float(each[0]) + constant for each in found],
        "gradients": [each[1].tolist() for each in found],
        "ends": [each.point.tolist() for each in ends],
        "scores": [each.score + constant for each in ends],
    }


def numbers_of(name: str) -> dict[str, Any]:
    """Return F, gradient and curvature at points, and the end of a search."""
    kernel, outputs = MODELS[name]
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
        "held": held_of(chart, HELD),
    }


@pytest.mark.parametrize("name", CASES)
def test_the_stored_numbers_are_those_of_the_objective(name):
    stored = json.loads(FILE.read_text(encoding="utf-8"))[name]
    for key, value in numbers_of(name).items():
        exact = 1e-6 if key != "end" else 1e-3
        pairs = value if key in {"painted", "held"} else {"": value}
        for part, numbers in pairs.items():
            known = stored[key][part] if part else stored[key]
            limit = 1e-3 if key == "held" else exact
            np.testing.assert_allclose(known, numbers, rtol=limit, atol=limit)


def test_the_stored_numbers_of_a_held_column_of_a_table_are_those_of_the_search():
    stored = json.loads(FILE.read_text(encoding="utf-8"))["table"]
    for key, value in held_in_a_table().items():
        np.testing.assert_allclose(stored[key], value, rtol=1e-3, atol=1e-3)


def test_the_stored_numbers_of_held_words_are_those_of_the_objective():
    stored = json.loads(FILE.read_text(encoding="utf-8"))["words"]
    for key, value in words_in_a_table().items():
        if key != "values":
            np.testing.assert_allclose(stored[key], value, rtol=1e-3, atol=1e-3)


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
    written["table"] = held_in_a_table()
    written["words"] = words_in_a_table()
    FILE.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
