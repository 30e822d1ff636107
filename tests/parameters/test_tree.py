"""Tests of nested dataclasses as one vector: fixed, tied, bounded and scaled leaves."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gplvm_core.kernels import RBF, Linear, Sum
from gplvm_core.parameters import IDENTITY, LOG, SOFTPLUS, Layout, Leaf, add, leaves, replace_leaves


@dataclass(frozen=True)
class Pair:
    kernel: Sum
    points: np.ndarray
    noise: float


@pytest.fixture
def pair() -> Pair:
    kernel = RBF(2.0, np.array([0.5, 3.0])) + Linear(np.array([1.0, 4.0]))
    return Pair(kernel, np.arange(6.0).reshape(3, 2), 0.1)


def test_leaves_have_paths(pair: Pair) -> None:
    assert list(leaves(pair)) == [
        "kernel.parts.0.variance",
        "kernel.parts.0.lengthscale",
        "kernel.parts.1.variance",
        "points",
        "noise",
    ]
    changed = replace_leaves(pair, {"kernel.parts.1.variance": np.zeros(2), "noise": 7.0})
    assert changed.noise == 7.0
    assert not changed.kernel.parts[1].variance.any()
    assert pair.noise == 0.1
    with pytest.raises(KeyError, match="nowhere"):
        replace_leaves(pair, {"nowhere": 1.0})
    np.testing.assert_array_equal(add(pair, pair).points, 2 * pair.points)


@given(st.floats(1e-6, 1e6))
def test_transforms_return(value: float) -> None:
    for transform in (IDENTITY, LOG, SOFTPLUS):
        there = transform.inverse(np.array([value]))
        np.testing.assert_allclose(transform.forward(there), value, rtol=1e-7)
        step = 1e-6 * max(1.0, abs(float(there[0])))
        rise = transform.forward(there + step) - transform.forward(there - step)
        slope = transform.slope(np.array([value]))
        np.testing.assert_allclose(slope, rise / (2 * step), rtol=1e-4, atol=1e-9)


def test_only_free_entries_move(pair: Pair) -> None:
    mask = np.array([[True, False], [False, False], [True, True]])
    layout = Layout(
        pair,
        {
            "points": Leaf(scale=2.0, free=mask),
            "noise": Leaf(LOG),
            "kernel.parts.0.variance": Leaf(SOFTPLUS),
        },
    )
    vector = layout.pack(pair)
    assert vector.shape == (5,)
    back = layout.unpack(vector)
    for path, value in leaves(pair).items():
        np.testing.assert_allclose(leaves(back)[path], value, rtol=1e-12)
    moved = layout.unpack(vector + 1.0)
    np.testing.assert_allclose(moved.points - pair.points, 2.0 * mask)
    assert moved.noise == pytest.approx(0.1 * np.e)
    np.testing.assert_array_equal(moved.kernel.parts[1].variance, pair.kernel.parts[1].variance)


def test_fixed_entries_may_be_outside_the_transform(pair: Pair) -> None:
    known = np.array([[0.0, 0.5], [0.2, 0.0], [0.0, 0.0]])
    tree = replace_leaves(pair, {"points": known})
    layout = Layout(tree, {"points": Leaf(LOG, free=known > 0)})
    np.testing.assert_allclose(layout.unpack(layout.pack(tree)).points, known)


def test_tied_leaves_share_value_and_slope(pair: Pair) -> None:
    layout = Layout(
        pair,
        {
            "kernel.parts.0.lengthscale": Leaf(LOG),
            "kernel.parts.1.variance": Leaf(tied="kernel.parts.0.lengthscale"),
        },
    )
    vector = layout.pack(pair)
    assert vector.shape == (2,)
    tree = layout.unpack(vector)
    np.testing.assert_array_equal(tree.kernel.parts[1].variance, tree.kernel.parts[0].lengthscale)

    def value(tree: Pair) -> float:
        first, second = tree.kernel.parts
        return float(np.sum(first.lengthscale**2) + np.sum(3.0 * second.variance))

    first = tree.kernel.parts[0]
    gradient = replace_leaves(
        tree,
        {
            "kernel.parts.0.lengthscale": 2.0 * first.lengthscale,
            "kernel.parts.1.variance": np.full(2, 3.0),
        },
    )
    found = layout.chain(tree, gradient)
    for i in range(2):
        step = np.eye(2)[i] * 1e-6
        rise = value(layout.unpack(vector + step)) - value(layout.unpack(vector - step))
        assert found[i] == pytest.approx(rise / 2e-6, rel=1e-6)
