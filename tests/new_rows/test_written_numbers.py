"""Tests of numbers in the text of new rows: one rule for `read_table` and `apply`."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gplvm_core
from gplvm_core import BayesianGPLVM, DataError, Dataset, Drawing, ProbabilisticPCA
from gplvm_core.readers import read_table

GENERATOR = np.random.default_rng(1)
SIZE = GENERATOR.normal(size=(60, 1)) * [3, 2, 1000]
ROWS = SIZE + GENERATOR.normal(size=(60, 3)) * [0.5, 0.5, 100] + [10, 20, 66880]
ROWS = np.column_stack([ROWS[:, :2].round(2), ROWS[:, 2].round()])
SHAPES = Dataset("a", "A", ROWS, Drawing("bars", (3,)), column_names=("a", "b", "c"))
POINTS = "a,b,c\n" + "".join(f'{a:.2f},{b:.2f},"{c:,.0f}"\n' for a, b, c in ROWS)
COMMAS = "a;b;c\n" + "".join(f"{a:.2f};{b:.2f};{c:_.0f}\n" for a, b, c in ROWS).translate(
    str.maketrans("._", ",.")
)


@pytest.fixture(scope="module")
def model() -> ProbabilisticPCA:
    return ProbabilisticPCA(2).fit(ROWS).fit_density(ROWS, 2, prior_strength=10.0, folds=2)


def answers(model, table, dataset, path: Path) -> tuple[pd.DataFrame, list[str]]:
    """Return the answers about a file's text or blocks, and the warnings."""
    if isinstance(table, str):
        (path / "new.csv").write_text(table)
        table = path / "new.csv"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        gplvm_core.apply(model, table, dataset, reasons=False, output=path / "found.csv")
    return pd.read_csv(path / "found.csv"), [str(each.message) for each in said]


def asked(model, dataset, **columns: list[str]) -> tuple[pd.DataFrame, list[str]]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = gplvm_core.apply(model, pd.DataFrame(columns), dataset, reasons=False)
    return found, [str(each.message) for each in said]


@pytest.mark.parametrize("text", [POINTS, COMMAS])
def test_a_file_has_the_numbers_of_read_table(model, tmp_path, text) -> None:
    np.testing.assert_array_equal(read_table(text.encode()).values, ROWS)
    found, said = answers(model, text, SHAPES, tmp_path)
    np.testing.assert_array_equal(found[["a", "b", "c"]], ROWS)
    assert not found["unlike"].any()
    assert said == []  # the numbers are in the range of the training rows


def test_a_frame_of_text_has_the_same_numbers(model) -> None:
    found, said = asked(model, SHAPES, a=["9,5", "10"], b=["1,9e1", "20"], c=["66.880", "67.123"])
    assert found[["a", "b", "c"]].to_numpy().tolist() == [[9.5, 19, 66880], [10, 20, 67123]]
    assert said == []
    found, said = asked(model, SHAPES, a=["9.5", "10"], c=["66,880", "67,123"])
    assert found["c"].tolist() == [66880, 67123]
    assert said == ["columns that are not in the table count as missing: b"]
    found, said = asked(model, SHAPES, c=["66,880", "1,5", "2,000"])
    assert found["c"].tolist() == [66.88, 1.5, 2.0]
    assert (
        "column “c”: “66,880” was read as 66.88, but 66880 would be more like the training rows. "
        "If the text means that, write it without separators of thousands"
    ) in said


def test_text_with_two_readings_is_said_without_training_rows(model, tmp_path) -> None:
    named = ProbabilisticPCA(2).fit(pd.DataFrame(ROWS, columns=["a", "b", "c"]))
    found, said = asked(named, None, a=["9", "8"], b=["19", "20"], c=["66,880", "67,123"])
    assert found["c"].tolist() == [66880, 67123]
    assert "column “c”: “66,880” was read as 66880, not as 66.88" in said
    found, said = answers(named, "a;b;c\n9;19;66,880\n8;20;67,123\n", None, tmp_path)
    assert found["c"].tolist() == [66.88, 67.123]  # as `read_table` does
    assert "column “c”: “66,880” was read as 66.88, not as 66880" in said
    found, said = answers(named, "a;b;c\n9,5;19;66.880\n8;20;67.123\n", None, tmp_path)
    assert found["c"].tolist() == [66880, 67123]
    assert "column “c”: “66.880” was read as 66880, not as 66.88" in said


def test_robust_models_read_text_by_the_same_rule() -> None:
    table = pd.DataFrame(ROWS, columns=["a", "b", "c"])
    dataset = Dataset.of_table("a", "A", table, kinds=dict.fromkeys("abc", "robust"))
    model = BayesianGPLVM(2, 8, kinds=dataset.kinds, max_iter=3, random_state=0).fit(table)
    found, said = asked(model, dataset, a=["10"], b=["20"], c=["66,880"])
    assert found["c"].tolist() == [66880] and said == []
    found, said = asked(model, dataset, a=["66,880"], b=["1,5"], c=["2,000"])
    assert found[["a", "b", "c"]].to_numpy().tolist() == [[66.88, 1.5, 2.0]]


def test_later_blocks_are_read_like_the_first(model, tmp_path) -> None:
    def blocks(*columns: list[str]) -> list[pd.DataFrame]:
        return [pd.DataFrame({"a": [10.0], "b": [20.0], "c": cells}) for cells in columns]

    found, _ = answers(model, iter(blocks(["66880,5"], ["66,880"])), SHAPES, tmp_path)
    assert found["c"].tolist() == [66880.5, 66.88]
    mixed = "column “c” has decimal commas, but earlier rows were read with decimal points"
    for first in ("66,880", "66880.5"):
        with pytest.raises(DataError, match=mixed):
            answers(model, iter(blocks([first], ["66880,5"])), SHAPES, tmp_path)
    lines = ["a;b;c", *["10,5;20;66.880"] * 2000, "10,5;20;66.880", "10,5;20;7"]
    found, _ = answers(model, "\n".join(lines) + "\n", SHAPES, tmp_path)
    assert found["c"].tolist() == [66880] * 2001 + [7]


def test_bools_that_pandas_wrote_are_numbers(tmp_path) -> None:
    table = pd.DataFrame(ROWS, columns=["a", "b", "c"]).assign(d=ROWS[:, 0] > 10)
    named = ProbabilisticPCA(2).fit(table)
    found, _ = answers(named, table.to_csv(index=False), None, tmp_path)
    np.testing.assert_array_equal(found["d"], table["d"].astype(float))


def test_a_model_of_a_frame_is_asked_about_this_frame_without_warnings() -> None:
    table = pd.DataFrame(ROWS, columns=["a", "b", "c"])
    named = ProbabilisticPCA(2).fit(table)
    for dataset in (SHAPES, Dataset.of_table("a", "A", table)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            gplvm_core.apply(named, table, dataset, reasons=False)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]


def test_an_empty_last_column_is_in_the_table(model, tmp_path) -> None:
    lines = ["a;b;c", *["10,5;20;"] * 300]
    found, said = answers(model, "\n".join(lines) + "\n", SHAPES, tmp_path)
    assert said == [] and (found["c std"] > 0).all()
    found, _ = answers(model, "\n".join([*lines, "10,5;20;66.880"]), SHAPES, tmp_path)
    assert found["c"].iloc[-1] == 66880  # the first lines have no value in this column
