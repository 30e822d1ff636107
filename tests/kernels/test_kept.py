"""Tests that `psi2_pullback`, with or without a cache, equals the pullback that `psi2` returns."""

import numpy as np
import pytest

from gplvm_core.beliefs import Belief
from gplvm_core.parameters import leaves
from gplvm_core.statistics import Targets, chunk_pullback, chunk_statistics, reduce_statistics
from tests.kernels.cases import EXPECTED


def close(first: object, second: object) -> None:
    for path, value in leaves(first).items():
        np.testing.assert_allclose(leaves(second)[path], value, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", EXPECTED)
def test_psi2_pullback_matches_the_pullback_of_psi2(name: str) -> None:
    generator = np.random.default_rng(3)
    # These are more points than one block has.
    mean, variance = generator.normal(size=(150, 3)), generator.uniform(0.05, 0.3, (150, 3))
    inputs, kernel = (mean, variance, generator.normal(size=(4, 3))), EXPECTED[name]
    rows = generator.integers(0, 2, (150, 2)).astype(float)
    for groups in (None, rows):
        kept: list = []
        if groups is None:
            _, pullback = kernel.psi2(*inputs, kept)
            adjoint = generator.normal(size=(4, 4))
        else:
            _, pullback = kernel.grouped_psi2(*inputs, groups, kept)
            adjoint = generator.normal(size=(2, 4, 4))
        adjoint = adjoint + np.swapaxes(adjoint, -1, -2)
        for given in (None, kept, kept):
            close(pullback(adjoint), kernel.psi2_pullback(*inputs, adjoint, groups, given))


@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
def test_chunks_sum_to_the_whole(gaps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(4)
    mean, variance = generator.normal(size=(300, 3)), generator.uniform(0.05, 0.3, (300, 3))
    values = generator.normal(size=(300, 2))
    if gaps:
        values[generator.uniform(size=values.shape) < 0.2] = np.nan
    kernel, belief, targets = EXPECTED["rbf"], Belief(mean, variance), Targets.whole(values)
    inducing = generator.normal(size=(4, 3))
    whole = chunk_statistics(kernel, belief, inducing, targets)
    back = chunk_pullback(kernel, belief, inducing, targets, whole)
    monkeypatch.setattr("gplvm_core.statistics.reduce.POINTS_PER_CHUNK", 70)
    for most in (0, 10**6):
        monkeypatch.setattr("gplvm_core.statistics.reduce.KEPT_NUMBERS", most)
        total, pullback = reduce_statistics(kernel, belief, inducing, targets)
        close(whole, total)
        close(back.inputs, pullback(whole).inputs)
