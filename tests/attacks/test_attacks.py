"""Tests that the app refuses hostile files with a clear message, and that its process survives."""

import time
from collections.abc import Iterator

import pytest

from gplvm_core.datasets import DataError, NamedBytes
from gplvm_core.sandbox import Readers, reading
from gplvm_core.sandbox.reading import START
from gplvm_core.store import StoreError
from tests.attacks.table import FORMATS, KINDS, TABLE, Attack
from tests.cases import named

SECONDS = 120.0
LONGEST = 1200  # the largest number of characters of an error message


@pytest.fixture(scope="module")
def lasting() -> Iterator[Readers]:
    """Readers whose process is not replaced when its memory has grown, which saves many starts."""
    before, at, after = START.partition("main(Path")
    lasting = "import gplvm_core.sandbox.child as child\nchild.GROWN = 2**60\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "START", before + lasting + at + after)
        readers = Readers()
        yield readers
        readers.close()


def test_every_format_has_an_entry_for_every_attack():
    assert set(TABLE) == set(FORMATS), "a new format needs its row in tests/attacks/table.py"
    for ending, row in TABLE.items():
        assert tuple(row) == KINDS, ending
        assert all(cell for cell in row.values()), ending


def attacks_of(ending: str) -> dict[str, Attack]:
    """Return the attacks on a format by a name."""
    return {
        f"{ending}-{kind}-{number}": attack
        for kind, cell in TABLE[ending].items()
        if not isinstance(cell, str)
        for number, attack in enumerate(cell)
    }


@pytest.mark.parametrize("ending", TABLE)
def test_one_process_refuses_all_hostile_files_of_a_format(lasting: Readers, ending: str):
    task = "model" if ending == "gplvm" else "read"
    for name, attack in attacks_of(ending).items():
        with named(name):
            source = NamedBytes(f"hostile.{ending}", attack.make())
            start = time.monotonic()
            # If the process had been killed, the message would be "too little memory".
            with (
                lasting.reading(task, source) as answering,
                pytest.raises((DataError, StoreError), match=attack.words) as refused,
            ):
                answering.answer()
            assert len(str(refused.value)) < LONGEST
            assert time.monotonic() - start < SECONDS
