"""Tests that random uploads, imports and links are read or quickly raise one clear error."""

import io
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gplvm_core import store
from gplvm_core.datasets import DataError, Dataset, NamedBytes
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.files import kind_of
from gplvm_core.readers.views import View
from gplvm_core.sandbox import TASKS, Readers
from gplvm_core.store import StoreError
from pages.ui.shared.place import MapPlace
from tests.fuzz.mutations import NUMBERS, WORDS, mutated
from tests.fuzz.samples import QUERY, UPLOADS, bundle, stored

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))
CORPUS = Path(__file__).parent / "corpus"
READERS = Readers()
SECONDS = 120.0
LONGEST = 1500  # the largest number of characters of an error message

fuzzed = settings(
    max_examples=EXAMPLES or 15,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module", autouse=True)
def readers() -> Iterator[Readers]:
    yield READERS
    READERS.close()


def done(task: str, source: NamedBytes, options: dict[str, Any]) -> Any:
    """Return the result of a task. If a C library unpacks damaged bytes, a subprocess runs the
    task.
    """
    if kind_of(source.name) != "cells":
        return TASKS[task](source, **options)
    with READERS.reading(task, source, **options) as reading:
        return reading.answer()


def check_upload(name: str, data: bytes) -> None:
    """Check that each operation on an upload quickly returns a result or raises one clear error."""
    source = NamedBytes(name, data)
    tasks = [("read", {}), ("read", {"skip_empty_rows": True})] if kind_of(name) == "table" else []
    if kind_of(name) == "table":
        like = View("rows", Drawing.of_vector(3), ("width", "height", "weight"))
        tasks += [("inspect", {}), ("rows in use", {}), ("new rows", {"dataset": like})]
    for task, options in tasks or [("read", {})]:
        start = time.perf_counter()
        try:
            found = done(task, source, options)
        except DataError as error:
            assert 10 < len(str(error)) < LONGEST
            # this message would mean that the reading process died
            assert "too little memory" not in str(error)
        else:
            assert task != "read" or (isinstance(found, Dataset) and found.warnings is not None)
        assert time.perf_counter() - start < SECONDS


@pytest.mark.parametrize("name", UPLOADS)
def test_the_files_are_right_before_they_are_changed(name):
    options = {"label_column": "kind"} if name in ("table.csv", "table.tsv") else {}
    if name == "arrays.npz":
        options = {"array": "x"}
    assert TASKS["read"](NamedBytes(name, UPLOADS[name]()), **options).n_points >= 2


@pytest.mark.parametrize("name", UPLOADS)
def test_an_upload_is_read_or_refused_in_words(name):
    @fuzzed
    @given(mutated(UPLOADS[name]()))
    def check(data: bytes) -> None:
        check_upload(name, data)

    check()


def check_model(data: bytes) -> None:
    try:
        store.load(io.BytesIO(data), max_bytes=2**20)
    except StoreError as error:
        assert 10 < len(str(error)) < LONGEST


def test_a_model_is_opened_or_refused_in_words(tmp_path):
    data = stored(bundle(), tmp_path)
    check_model(data)

    @fuzzed
    @given(mutated(data))
    def check(data: bytes) -> None:
        check_model(data)

    check()


@fuzzed
@given(
    st.dictionaries(
        st.sampled_from(sorted(QUERY)),
        st.one_of(
            st.text(max_size=20),
            st.lists(st.one_of(NUMBERS, WORDS), max_size=4).map(",".join),
            st.sampled_from(sorted(QUERY.values())),
        ),
    )
)
def test_a_link_is_understood_or_refused_in_words(query):
    try:
        place = MapPlace.from_query(query, 3)
    except ValueError as error:
        assert type(error) is ValueError and 10 < len(str(error)) < LONGEST
    else:
        assert place.point is None or all(abs(x) < 1e7 for x in place.point)


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_files_that_once_caused_a_failure_are_read_or_refused_in_words(path):
    data = path.read_bytes()
    if path.suffix == ".gplvm":
        check_model(data)
    else:
        check_upload(path.name, data)
