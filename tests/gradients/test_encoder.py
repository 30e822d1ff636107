"""Tests of the gradients of every encoder's belief, against central differences."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core.beliefs import Belief
from gplvm_core.models.problems.encoded import ENCODERS, EncodedNode
from gplvm_core.models.problems.starts import Start
from gplvm_core.parameters import leaves, replace_leaves
from gplvm_core.priors import encoder


@pytest.fixture(autouse=True)
def few_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use few hidden units; the code is the same for any number."""
    monkeypatch.setattr(encoder, "HIDDEN_UNITS", 6)


@pytest.fixture(params=[False, True], ids=["whole", "gaps"])
def targets(request: pytest.FixtureRequest) -> np.ndarray:
    generator = np.random.default_rng(1)
    values = generator.normal(size=(12, 2)) @ generator.normal(size=(2, 4))
    values = np.tanh(values) + 0.1 * generator.normal(size=values.shape)
    values -= values.mean(axis=0)
    if request.param:
        values[[2, 5], [0, 3]] = np.nan
    return values


@pytest.mark.parametrize("kind", ENCODERS)
def test_belief(kind: str, targets: np.ndarray, central_difference) -> None:
    node = EncodedNode.of(targets, 2, kind)
    begun = Start((targets,), 2, 4, ("rbf",), "pca")(3)
    generator = np.random.default_rng(4)
    at = node.start(begun.beliefs[0], 3)
    at = replace_leaves(
        at,
        {
            path: value + 0.1 * generator.normal(size=value.shape)
            for path, value in leaves(at).items()
        },
    )
    generator = np.random.default_rng(6)
    to_mean, to_variance = generator.normal(size=(2, 12, 2))

    def value(head) -> float:
        belief = head.belief(node.seen)
        return float(np.sum(to_mean * belief.mean) + np.sum(to_variance * belief.variance))

    belief = at.belief(node.seen)
    gradient = at.pullback(node.seen, belief, Belief(to_mean, to_variance))
    for name, expected in leaves(at).items():
        slope = central_difference(
            lambda entry, name=name: value(replace(at, **{name: entry})), expected
        )
        np.testing.assert_allclose(getattr(gradient, name), slope, rtol=1e-6, atol=1e-7)
