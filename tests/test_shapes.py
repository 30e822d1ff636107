"""Tests that the shapes in the core's annotations are checked whenever a test calls a function."""

import inspect
from typing import Self

import numpy as np
import pytest
from beartype.roar import BeartypeCallHintParamViolation, BeartypeCallHintReturnViolation
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array, Factor, symmetrise
from gplvm_core.statistics import Targets
from tests.shapes import checked, enforce_shapes


def test_a_wrong_shape_is_refused_where_numpy_would_broadcast():
    row = np.array([[1.0, 2.0, 3.0]])
    assert inspect.unwrap(symmetrise)(row).shape == (3, 3)
    with pytest.raises(BeartypeCallHintParamViolation, match="matrix"):
        symmetrise(row)


def test_a_wrong_kind_of_number_is_refused():
    with pytest.raises(BeartypeCallHintParamViolation, match="matrix"):
        symmetrise(np.eye(2, dtype=int))


def test_fields_agree_with_each_other():
    with pytest.raises(BeartypeCallHintParamViolation, match="variance"):
        Belief(np.zeros((5, 2)), np.ones((5, 1)))


def test_methods_of_instances_and_of_classes_are_checked():
    with pytest.raises(BeartypeCallHintParamViolation, match="right"):
        Factor(np.eye(3), 0.0).solve(np.ones(3))
    with pytest.raises(BeartypeCallHintParamViolation, match="values"):
        Targets.whole(np.ones(3))


class Liar:
    @checked
    def told(self, points: Float[Array, "N Q"]) -> tuple[Self, Float[Array, " N"]]:
        return self, points[0]


def test_results_are_checked_also_without_shapes_of_arguments():
    assert Liar().told(np.zeros((3, 3)))[1].shape == (3,)
    with pytest.raises(BeartypeCallHintReturnViolation):
        Liar().told(np.zeros((3, 2)))


def test_a_package_that_is_already_imported_is_refused():
    with pytest.raises(RuntimeError, match="imported already"):
        enforce_shapes("gplvm_core")
