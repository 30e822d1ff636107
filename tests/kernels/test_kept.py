"""Tests that `psi2_pullback`, with or without a cache, equals the pullback that `psi2` returns."""

import numpy as np
import pytest

from gplvm_core.beliefs import Belief
from gplvm_core.parameters import leaves
from gplvm_core.statistics import (
    Targets,
    chunk_pullback,
    chunk_statistics,
    reduce,
    reduce_statistics,
)
from tests.kernels.cases import EXPECTED, each


def close(first: object, second: object) -> None:
    for path, value in leaves(first).items():
        np.testing.assert_allclose(leaves(second)[path], value, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", each(EXPECTED))
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
    monkeypatch.setattr(reduce, "FEW", 0)
    # None, the first two of five chunks (60 points each, with 10 pairs), and all.
    for most in (0, 1300, 10**6):
        monkeypatch.setattr(reduce, "most_kept", lambda most=most: most)
        total, pullback = reduce_statistics(kernel, belief, inducing, targets)
        assert reduce.points_kept(300, 4) == min(most // 10, 300)
        close(whole, total)
        close(back.inputs, pullback(whole).inputs)


def test_exponentials_are_stored_where_they_are_slower_than_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reduce, "storing_time", lambda: 1.6e-9)
    for seconds, gigabytes, points in (
        (0.9e-9, 8, 0),  # with AVX-512
        (5.2e-9, 8, 48_000_000 // 1275),  # without
        (5.2e-9, 1, 2**30 // 16 // 8 // 1275),  # in a small container
        (5.2e-9, 0, 0),  # the memory is unknown
    ):
        monkeypatch.setattr(reduce, "exponential_time", lambda seconds=seconds: seconds)
        monkeypatch.setattr(reduce, "memory", lambda size=gigabytes: size * 2**30)
        reduce.most_kept.cache_clear()
        assert reduce.points_kept(4000, 50) == 4000  # few are always stored
        assert reduce.points_kept(64_000, 50) == points
    reduce.most_kept.cache_clear()


def test_the_measurements_are_plausible() -> None:
    assert 1e-10 < reduce.exponential_time() < 1e-6
    assert 1e-11 < reduce.storing_time() < 1e-6
    assert reduce.memory() == 0 or 2**27 < reduce.memory() < 2**50
