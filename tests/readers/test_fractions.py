"""Which columns of a file look like fractions of one whole, and how they are read."""

import io

import numpy as np
import pytest

from gplvm_core.models.data.fractions import Fractions
from gplvm_core.readers import DataError, EmptyRowsError, NamedBytes, inspect_table, read_table
from gplvm_core.readers.fractions import run_of_fractions, whole_of
from gplvm_core.readers.new_rows import read_rows


def source(rows, names):
    lines = [",".join(names), *(",".join(f"{value:.3f}" for value in row) for row in rows)]
    return NamedBytes("soils.csv", io.BytesIO("\n".join(lines).encode()).getvalue())


PARTS = np.random.default_rng(0).dirichlet([2.0, 3.0, 1.0], 30)
OTHERS = np.random.default_rng(1).standard_normal((30, 2))
ROWS = np.hstack([OTHERS[:, :1], 100.0 * PARTS, OTHERS[:, 1:]])
NAMES = ["pH", "sand", "silt", "clay", "iron"]


def test_neighbouring_columns_with_the_sum_100_are_found_and_read_as_fractions():
    file = source(ROWS, NAMES)
    assert inspect_table(file).fractions == ("sand", "silt", "clay")
    dataset = read_table(file, kinds=dict.fromkeys(NAMES[1:4], "fraction"))
    assert [column.kind for column in dataset.columns] == [
        "number",
        *["fraction"] * 3,
        "number",
    ]
    assert "Columns of fractions: sand (fraction)" in " ".join(dataset.notes)
    np.testing.assert_allclose(dataset.values[:, 1:4].sum(axis=1), 100.0, atol=0.01)


@pytest.mark.parametrize(
    "rows",
    [
        PARTS - 0.1,  # negative
        np.eye(3)[np.arange(30) % 3],  # one-hot
        PARTS * np.linspace(0.9, 1.1, 30)[:, None],  # other sums
        PARTS * 0.985,  # all sums are 0.985
        PARTS[:, :1] * [1.0, 0.0, 0.0] + [0.0, 0.5, 0.5],  # a constant pair beside another column
        np.where(np.arange(30)[:, None] < 20, np.nan, PARTS),  # too few complete rows
    ],
)
def test_other_columns_are_no_fractions(rows):
    assert whole_of(rows) is None
    assert not run_of_fractions(list(rows.T))


def test_a_part_of_the_fractions_is_no_whole():
    assert run_of_fractions(list(ROWS.T)) == range(1, 4)
    assert not run_of_fractions(list(np.delete(ROWS, 2, axis=1).T))
    assert whole_of(PARTS) == 1.0


@pytest.mark.parametrize("digits", [2, 3])
def test_rounded_fractions_are_recognised_and_learnt(digits):
    rows = PARTS.round(digits)
    rows[0] = 0.33  # a third three times, with the sum 0.99
    assert whole_of(rows) == 1.0
    assert run_of_fractions(list(rows.T)) == range(3)
    columns = Fractions.learnt(["a", "b", "c"], range(3), rows)[0]
    np.testing.assert_allclose(columns.decoded(columns.encoded(rows[:1])), 1.0 / 3.0)


def test_rows_that_lack_two_fractions_and_all_else_are_left_out_by_name():
    lines = source(PARTS, NAMES[1:4]).data.decode().splitlines()
    lines[6] = ",0.3,"  # line 7 of the file
    file = NamedBytes("soils.csv", "\n".join(lines).encode())
    kinds = dict.fromkeys(NAMES[1:4], "fraction")
    with pytest.raises(EmptyRowsError, match=r"line 7.*two or more fractions are missing"):
        read_table(file, kinds=kinds)
    kept = read_table(file, kinds=kinds, skip_empty_rows=True)
    assert kept.n_points == 29 and any(
        "two or more fractions are missing: line 7" in note for note in kept.notes
    )
    assert read_table(file).n_points == 30  # as numbers, each says something
    new = read_rows(NamedBytes("new.csv", "\n".join(lines[:9]).encode()), kept)
    assert len(new.values) == 7 and new.number(5) == 7
    assert new.notes[0].startswith("Row 6 is left out: two or more fractions are missing")
    with pytest.raises(DataError, match="missing in every row"):
        read_rows(NamedBytes("new.csv", "\n".join([lines[0], lines[6]]).encode()), kept)
