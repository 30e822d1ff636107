"""Fixtures: central differences for gradients, and short starts."""

import pytest

from gplvm_core.models.problems import regression
from tests.gradients.conftest import central_difference

__all__ = ["central_difference"]


@pytest.fixture
def quick_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the training of the shallow regression at the start."""
    monkeypatch.setattr(regression, "SUBSET_ITERATIONS", 1)
    monkeypatch.setattr(regression, "SUBSET", 10)
