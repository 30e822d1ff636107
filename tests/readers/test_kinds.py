"""Tests of a data set whose columns are of any kind; it stores words as numbers."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gplvm_core import BayesianGPLVM, load
from gplvm_core.readers import DataError, Dataset, Drawing, NamedBytes, inspect_table, read_table
from gplvm_core.readers.new_rows import read_rows
from gplvm_core.readers.proposals import of_numbers
from gplvm_core.store import save
from gplvm_core.store.trial import check_usable

FRAME = pd.DataFrame(
    {
        "width": [1.5, 2.0, np.nan, 4.0, 2.5, 3.0],
        "sex": ["no", "yes", "yes", None, "no", "no"],
        "sort": ["b", "a", "c", "a", "a", "b"],
        "size": ["s", "l", "m", "m", None, "s"],
        "eggs": [0, 3, 1, 2, 0, 1],
    }
)
KINDS = {"sex": "yes/no", "size": ["s", "m", "l"], "eggs": "count"}


def data() -> Dataset:
    return Dataset.of_table("birds", "Birds", FRAME, KINDS)


def test_words_are_stored_as_their_numbers_and_come_back():
    found = data()
    assert [column.kind for column in found.columns] == [
        "number",
        "yes/no",
        "category",
        "grade",
        "count",
    ]
    assert found.columns[1].words == ("yes", "no")
    assert found.columns[2].words == ("a", "b", "c")  # by frequency, then in natural order
    assert found.column_names == tuple(FRAME)
    gap = np.nan
    np.testing.assert_array_equal(found.values[:, 1], [1, 0, 0, gap, 1, 1])
    np.testing.assert_array_equal(found.values[:, 3], [0, 2, 1, 1, gap, 0])
    own = found.in_own_values()
    pd.testing.assert_frame_equal(own.convert_dtypes(), FRAME.convert_dtypes())
    np.testing.assert_array_equal(found.coded(own), found.values)
    assert found.in_own_values(found.values[1:2]).iloc[0].tolist() == [2.0, "yes", "a", "l", 3]
    assert "columns seem to be in different units" not in " ".join(found.warnings)


def test_a_model_learns_the_same_from_the_data_set_and_from_the_frame():
    settings = {"n_components": 2, "n_inducing": 4, "max_iter": 4, "random_state": 0}
    found = data()
    first = BayesianGPLVM(**settings, kinds=KINDS).fit(FRAME)
    second = BayesianGPLVM(**settings, kinds=found.kinds).fit(found.in_own_values())
    assert first.bound_ == second.bound_
    assert second.columns_.columns == found.columns
    check_usable(second, found)  # the check that files from other people must pass


def test_columns_are_stored_except_for_tables_of_numbers(tmp_path):
    save(data(), tmp_path / "birds.gplvm")
    back = load(tmp_path / "birds.gplvm")
    assert back.columns == data().columns
    assert back.in_own_values().equals(data().in_own_values())
    numbers = Dataset.of_table("numbers", "Numbers", FRAME[["width"]].fillna(0.5))
    assert numbers.columns == () and numbers.kinds is None
    assert numbers.in_own_values().columns.tolist() == ["width"]


def test_values_and_columns_that_do_not_fit_are_refused():
    found = data()
    beyond = found.values.copy()
    beyond[0, 2] = 3.0
    with pytest.raises(DataError, match=r"'sort' .category. must be numbers of its 3 words from 0"):
        replace(found, targets=beyond)
    half = found.values.copy()
    half[0, 4] = 0.5
    with pytest.raises(DataError, match=r"'eggs' .count. must be whole numbers from 0"):
        replace(found, targets=half)
    with pytest.raises(DataError, match="the same column names"):
        replace(found, column_names=tuple("abcde"))
    wordless = replace(found.columns[1], words=())
    with pytest.raises(DataError, match="'sex' cannot be 'yes/no'"):
        replace(found, columns=(found.columns[0], wordless, *found.columns[2:]))
    with pytest.raises(
        DataError, match=r"'sort' .* has 'z' in row 0 .*its words are 'a', 'b', 'c'"
    ):
        found.coded([[1.0, "yes", "z", "s", 0]])
    both = Dataset.of_views(
        "both", "Both", {"one": found, "two": (np.eye(len(half)), Drawing.of_vector(len(half)))}
    )
    assert both.kinds == {"one": found.kinds} and both.view("one").columns == found.columns
    with pytest.raises(DataError, match=r"'eggs' .count. must be whole numbers from 0"):
        replace(both, targets=np.column_stack([half, np.eye(len(half))]))


PENGUINS = b"""species,island,sex,mass,year,size
Adelie,Torgersen,male,3750,2007,small
Gentoo,Biscoe,female,5000,2007,large
Adelie,Dream,,3800,2008,medium
Gentoo,Biscoe,female,,2008,large
Chinstrap,Dream,male,4100,2009,small
Chinstrap,Dream,female,3900,2009,medium
Adelie,Torgersen,male,3600,2008,small
"""


def birds(text: bytes = PENGUINS, **options: Any) -> Dataset:
    return read_table(NamedBytes("birds.csv", text), **options)


def test_a_file_with_words_is_read_with_proposed_kinds():
    found = birds(kinds="auto")
    assert found.kinds == [
        "category",
        "category",
        "yes/no",
        "number",
        [2007, 2008, 2009],
        ["small", "medium", "large"],
    ]
    assert found.in_own_values().iloc[2].tolist()[:3] == ["Adelie", "Dream", None]
    assert np.isnan(found.values[3, 3]) and found.values[1, 5] == 2.0
    assert any("sex (yes/no: " in note and "size (grade: small" in note for note in found.notes)
    # A column is both learnt and a label only if its kind is given by name.
    label = birds(kinds="auto", label_column="species")
    assert "species" not in label.column_names and label.label_names[0] == "Adelie"
    both = birds(kinds={"species": "category"}, label_column="species", id_columns=["year"])
    assert both.column_names[0] == "species" and both.n_outputs == 5
    assert both.label_names == ("Adelie", "Chinstrap", "Gentoo")
    with pytest.raises(DataError, match="is not a number"):
        birds()


def test_kinds_have_reasons_and_numbers_stay_numbers():
    report = {column.name: column for column in inspect_table(PENGUINS).columns}
    assert report["sex"].kinds == ("yes/no",)
    assert report["sex"].kind_reason == "two values: female, male"
    assert report["island"].kinds == ("category", "grade")
    assert report["size"].kind_reason == "words in an order: small, medium, large"
    assert report["year"].kinds == ("grade", "number", "category") and not report["year"].is_text
    assert report["year"].kind_reason == "3 different numbers; 43% of the rows have 2008"
    flags = b"a,b,eggs\n" + b"".join(b"%d,%d,%d\n" % (n, n % 2, n % 4) for n in range(20))
    alone = read_table(flags, kinds="auto")
    assert alone.columns == () and alone.kinds is None
    words = b"\n".join(line + (b",s", b",x", b",y")[n % 3] for n, line in enumerate(flags.split()))
    mixed = read_table(words, kinds="auto")
    assert mixed.kinds == ["number", "yes/no", "count", "category"]
    below = inspect_table(words.replace(b"19,1,3", b"19,1,-1")).columns[2]
    assert "count" not in below.kinds
    assert below.kind_reason.endswith("; not counts, because one value is -1")


COLUMN = b"a,b,c\n" + b"".join(b"%d,%s,%%s\n" % (n, (b"x", b"y", b"z")[n % 3]) for n in range(12))


@pytest.mark.parametrize(
    ("cells", "kind", "words"),
    [
        ([f"name {n}" for n in range(12)], "auto", "text, different in every row. Leave it out"),
        ([*[""] * 11, "x"], "category", "'c' has 1 value in 12 rows"),
        ([*range(11), -1], "count", "'c' holds counts, but line 13 has -1"),
        ([*range(11), 0.5], "count", "'c' holds counts, but line 13 has 0.5"),
        (["low", "high"] * 5 + ["odd"] * 2, ["low", "high"], "has 'odd' in line 12; its words are"),
        (
            ["low", "high"] * 5 + ["odd"] * 2,
            "grade",
            "the order of its words .* is unknown",
        ),
        (["no", "yes"] * 5 + ["odd"] * 2, "yes/no", "has 3 values .*make it a category"),
        (["1", "2", "oops"] * 4, "number", "line 4, column 'c': 'oops' is not a number"),
    ],
)
def test_values_that_are_not_of_a_kind_are_named(cells, kind, words):
    text = COLUMN % tuple(str(cell).encode() for cell in cells)
    kinds = {"b": "category"} | ({} if kind == "auto" else {"c": kind})
    with pytest.raises(DataError, match=words):
        read_table(NamedBytes("t.csv", text), kinds=kinds)


def test_very_many_words_are_left_out_and_refused():
    rows = b"a,b,name\n" + b"".join(b"%d,%d,w%d\n" % (n, n * n, n // 2) for n in range(20_000))
    column = inspect_table(rows).columns[2]
    assert (column.role, column.kinds) == ("id", ())
    assert column.reason == "10,000 different words, and at most 100 are learnt"
    with pytest.raises(DataError, match="'name' has 10,000 different words"):
        read_table(rows, kinds={"name": "category"})


def test_new_rows_have_the_model_s_words_or_are_missing():
    known = birds(kinds="auto")
    rows = read_rows(NamedBytes("new.csv", b"sex,island,mass\nfemale,,4000\n,Dream,NA\n"), known)
    np.testing.assert_array_equal(known.in_own_values(rows.values).iloc[:, 1], [None, "Dream"])
    assert rows.values[0, 3] == 4000.0 and np.isnan(rows.values[1, 3])
    odd = read_rows(NamedBytes("new.csv", b"sex,island\nmale,Dream\nmale,Atka\n"), known)
    assert known.in_own_values(odd.values).iloc[1, 1] is None
    assert odd.misfits[0].words == (
        "Column “island”: the model does not know “Atka” (line 3). It has learnt Dream, Biscoe, "
        "Torgersen. The cell counts as missing."
    )


def test_labels_from_a_column_of_words_have_the_numbers_of_its_words() -> None:
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "kind": ["tree", "bush", "tree", "herb"]})
    kinds, names = {"kind": ["tree", "bush", "herb"]}, ("bush", "herb", "tree")
    own = {"labels": np.array([2, 0, 2, 1]), "label_names": names}
    found = Dataset.of_table("t", "T", frame, kinds, **own)
    assert found.label_names == found.columns[1].words
    assert [found.label_names[label] for label in found.labels] == list(frame["kind"])
    np.testing.assert_array_equal(found.labels, found.values[:, 1])


N_ROWS = np.arange(60)
SORTS: dict[str, tuple[list[Any], Any, tuple[Any, ...]]] = {
    "decimals": ([0.37 * n for n in N_ROWS], "number", ()),
    "1 to 5": ([1 + n % 5 for n in N_ROWS], "grade", (1, 2, 3, 4, 5)),
    "1 to 3": ([1 + n % 3 for n in N_ROWS], "grade", (1, 2, 3)),
    "1 and 2": ([1 + n % 2 for n in N_ROWS], "yes/no", (1, 2)),
    "0 and 1": ([n % 2 for n in N_ROWS], "yes/no", (1, 0)),
    "counts": ([n * n % 11 for n in N_ROWS], "count", ()),
    "counts with gaps": ([None if n % 9 == 4 else n * n % 11 for n in N_ROWS], "count", ()),
    "low to high": ([("high", "low", "medium")[n % 3] for n in N_ROWS], "grade",
                    ("low", "medium", "high")),
    "answers": ([("no", "yes")[n % 2] for n in N_ROWS], "yes/no", ("yes", "no")),
    "sites": ([f"site {10 - n % 4}" for n in N_ROWS], "category",
              ("site 7", "site 8", "site 9", "site 10")),
    "truths": ([bool(n % 3) for n in N_ROWS], "yes/no", ("True", "False")),
    "same": (["here" for n in N_ROWS], "constant", ("here",)),
    "years": ([1990 + n for n in N_ROWS], "number", ()),
}  # fmt: skip


def test_files_frames_and_fits_agree_on_the_kind_of_every_column() -> None:
    frame = pd.DataFrame({name: values for name, (values, _, _) in SORTS.items()})
    file = read_table(NamedBytes("t.csv", frame.to_csv(index=False).encode()), kinds="auto")
    table = Dataset.of_table("t", "T", frame)
    model = BayesianGPLVM(1, 2, kinds="auto", max_iter=1, random_state=0).fit(frame)
    for columns in (file.columns, table.columns, model.columns_.columns):
        for column, (name, (_, kind, words)) in zip(columns, SORTS.items(), strict=True):
            assert (column.name, column.kind) == (name, kind)
            assert tuple(map(str, column.words)) == tuple(map(str, words)), name
    uneven = frame.assign(sites=[f"site {10 - n * n % 7}" for n in N_ROWS])
    model.fit(uneven)
    assert model.class_words("sites") == ("site 6", "site 8", "site 9", "site 10")
    chance = model.class_probabilities(uneven[uneven["sites"] == "site 6"], "sites")
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
    # Words have their own reasons not to be learnt, in frames as in files.
    with pytest.raises(DataError, match="'names' cannot be learnt: text, different in every row"):
        Dataset.of_table("t", "T", frame.assign(names=[f"name {n}" for n in N_ROWS]))
    # Without words, all columns are numbers in each of the three ways.
    numbers = frame[["1 to 5", "0 and 1", "counts"]]
    assert Dataset.of_table("n", "N", numbers).columns == ()
    assert read_table(numbers.to_csv(index=False).encode(), kinds="auto").columns == ()


def species(n_sites: int = 150, n_species: int = 30) -> np.ndarray:
    """Return counts of species along two gradients, overdispersed."""
    rng = np.random.default_rng(1)
    sites, best = rng.standard_normal((n_sites, 2)), 1.2 * rng.standard_normal((n_species, 2))
    away = np.sum((sites[:, None] - best) ** 2, axis=2) / (2.0 * rng.uniform(0.6, 1.5, n_species))
    mean = np.exp(rng.uniform(0.0, 4.5, n_species) - away)
    return rng.negative_binomial(1.5, 1.5 / (1.5 + mean)).astype(float)


def test_a_table_of_counts_is_one_of_counts_and_filled_better_than_by_means() -> None:
    values = species()
    frame = pd.DataFrame(values, columns=[f"s{n}" for n in range(values.shape[1])])
    frame.iloc[3, 2] = np.nan  # pandas has only floats in a column with gaps
    kinds = [column.kind for column in Dataset.of_table("s", "S", frame).columns]
    assert kinds.count("count") > 15
    file = read_table(frame.to_csv(index=False).encode(), kinds="auto")
    assert [column.kind for column in file.columns] == kinds
    rare = frame.assign(**{f"r{n}": frame[f"s{n}"].clip(upper=3) for n in range(20)})
    assert "count" in [column.kind for column in Dataset.of_table("r", "R", rare).columns]
    new, train = frame[:30], frame[30:]
    hidden = np.random.default_rng(2).random(new.shape) < 0.3
    hidden &= new.notna().to_numpy()
    found = {}
    for asked in ("auto", None):
        model = BayesianGPLVM(3, 20, kinds=asked, max_iter=25, random_state=0).fit(train)
        found[asked] = model.complete(new.mask(hidden)).to_numpy()
    found["means"] = np.broadcast_to(train.mean().to_numpy(), new.shape)
    truth = np.log1p(new.to_numpy()[hidden])
    error = {
        name: np.sqrt(np.mean((np.log1p(np.maximum(each[hidden], 0.0)) - truth) ** 2))
        for name, each in found.items()
    }
    assert error["auto"] < 0.9 * min(error[None], error["means"])


@pytest.mark.parametrize("kind", [{"x", "y"}, {"x": 1}, 3])
def test_what_is_no_kind_is_refused(kind: Any) -> None:
    with pytest.raises(DataError, match="kind must be one of number"):
        Dataset.of_table("t", "T", pd.DataFrame({"a": [1, 2, 3], "b": list("xyx")}), {"b": kind})


def test_a_far_value_is_no_grade() -> None:
    numbers = np.tile([0, 0, 0, 1, 2, 3, 5, 8], 10).astype(float)
    assert of_numbers(numbers).kinds[0] == "count"
    numbers[4] = 20_000
    assert of_numbers(numbers).kinds[0] == "number"


def test_tables_of_other_whole_numbers_are_no_counts() -> None:
    rng = np.random.default_rng(0)
    bounded = np.clip(rng.normal(6.0, 9.0, (200, 8)).round(), 0, 16)  # many at the upper limit
    rare = rng.poisson(1.0, (200, 8))  # without a long tail
    for values in (bounded, rare):
        frame = pd.DataFrame(values.astype(float)).add_prefix("c")
        assert read_table(frame.to_csv(index=False).encode(), kinds="auto").columns == ()
