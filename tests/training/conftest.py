"""A small data set, a model that trains quickly, and a queue in a temporary folder."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.models import BayesianGPLVM
from gplvm_core.training import Queue
from tests.cases import few_held_out


@pytest.fixture(autouse=True)
def quick_density(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduce the cost of the density and of intervals: jobs try little on a few held-out rows."""
    few_held_out(monkeypatch)


@pytest.fixture(scope="session")
def wave() -> Dataset:
    rng = np.random.default_rng(5)
    time_of = np.linspace(0, 6, 80)
    clean = np.column_stack([np.sin(time_of * k / 2 + k) for k in range(1, 7)])
    return Dataset(
        name="wave",
        title="Waves",
        targets=clean + 0.1 * rng.standard_normal(clean.shape),
        drawing=Drawing.of_vector(6),
    )


@pytest.fixture(scope="session")
def ocean(wave: Dataset) -> Dataset:
    """Return enough rows to keep the training busy during any test."""
    rng = np.random.default_rng(6)
    targets = np.repeat(wave.targets, 25, axis=0) + 0.1 * rng.standard_normal((2000, 6))
    return Dataset("ocean", "Many waves", targets, Drawing.of_vector(6))


@pytest.fixture
def make_model() -> Callable[..., BayesianGPLVM]:
    def make(max_iter: int = 30, **settings) -> BayesianGPLVM:
        defaults = {"n_components": 3, "n_inducing": 12, "random_state": 0}
        return BayesianGPLVM(max_iter=max_iter, **(defaults | settings))

    return make


@pytest.fixture
def open_queue(tmp_path: Path) -> Iterator[Callable[..., Queue]]:
    """Open queues in one folder, like successive processes, and close them."""
    opened = []

    def make(**options) -> Queue:
        opened.append(Queue(tmp_path, **options))
        return opened[-1]

    yield make
    for queue in opened:
        queue.close()


@pytest.fixture
def jobs(open_queue) -> Queue:
    return open_queue()


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Wait until a condition holds; fail after five minutes."""

    def wait(condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 300
        while not condition():
            assert time.monotonic() < end, "the condition did not become true"
            time.sleep(0.001)

    return wait
