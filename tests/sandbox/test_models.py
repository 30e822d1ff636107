"""Tests that a subprocess opens the files of models, and that the server uses only its output
files.
"""

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gplvm_core.datasets import Dataset, Drawing, NamedBytes
from gplvm_core.models import BayesianGPLVM
from gplvm_core.sandbox import Readers
from gplvm_core.store import Library, StoreError, save

MEGABYTE = 2**20


@pytest.fixture(scope="module")
def dots() -> Dataset:
    outputs = np.random.default_rng(0).normal(size=(40, 4))
    return Dataset("dots", "Dots", outputs, Drawing.of_vector(4))


def with_zeros(dots: Dataset, megabytes: int) -> Dataset:
    zeros = np.zeros((40, megabytes * MEGABYTE // 40), dtype=np.uint8)
    return replace(dots, covariates={"zeros": zeros})


def exported(dots: Dataset, folder: Path) -> NamedBytes:
    model = BayesianGPLVM(2, 6, max_iter=3, random_state=0).fit(dots.values)
    bundle = {"title": "Dots", "tags": ("a",), "model": model, "dataset": dots}
    return NamedBytes("dots.gplvm", save(bundle, folder / "dots.gplvm").read_bytes())


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    readers = Readers()
    yield readers
    readers.close()


def imported(readers: Readers, source: NamedBytes, library: Library) -> str:
    """Import a model as the Library does."""
    with readers.reading("model", source) as reading:
        return library.take_in(reading.answer())


def test_an_import_uses_no_memory_of_the_server(
    tmp_path: Path, dots: Dataset, readers: Readers
) -> None:
    library, source = Library(tmp_path / "library"), exported(with_zeros(dots, 40), tmp_path)
    tracemalloc.start()
    try:
        id = imported(readers, source, library)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * MEGABYTE
    assert library.entry(id).broken is None
    assert library.dataset(id).covariates["zeros"].nbytes > 39 * MEGABYTE


def test_a_model_refused_by_the_subprocess_changes_nothing_in_the_server(
    tmp_path: Path, dots: Dataset, readers: Readers
) -> None:
    library, source = Library(tmp_path / "library"), exported(with_zeros(dots, 100), tmp_path)
    with pytest.raises(StoreError, match=r"would need 100\.\d MB of memory"):
        imported(readers, source, library)
    assert not library.root.exists()
