"""Tests that the app refuses hostile files with a clear message, and that its process survives."""

import time
from collections.abc import Iterator

import pytest

from gplvm_core.datasets import DataError, NamedBytes
from gplvm_core.sandbox import Readers
from gplvm_core.store import StoreError
from tests.attacks.table import FORMATS, KINDS, TABLE, Attack

SECONDS = 30.0
LONGEST = 1200  # the largest number of characters of an error message


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    readers = Readers()
    yield readers
    readers.close()


def test_every_format_has_an_entry_for_every_attack():
    assert set(TABLE) == set(FORMATS), "a new format needs its row in tests/attacks/table.py"
    for ending, row in TABLE.items():
        assert tuple(row) == KINDS, ending
        assert all(cell for cell in row.values()), ending


ATTACKS = [
    pytest.param(ending, attack, id=f"{ending}-{kind}-{number}")
    for ending, row in TABLE.items()
    for kind, cell in row.items()
    if not isinstance(cell, str)
    for number, attack in enumerate(cell)
]


@pytest.mark.parametrize(("ending", "attack"), ATTACKS)
def test_a_hostile_file_is_refused_in_words(readers: Readers, ending: str, attack: Attack):
    source = NamedBytes(f"hostile.{ending}", attack.make())
    start = time.monotonic()
    task = "model" if ending == "gplvm" else "read"
    # If the process had been killed, the message would be "too little memory".
    with (
        readers.reading(task, source) as reading,
        pytest.raises((DataError, StoreError), match=attack.words) as refused,
    ):
        reading.answer()
    assert len(str(refused.value)) < LONGEST
    assert time.monotonic() - start < SECONDS
