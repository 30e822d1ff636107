"""Tests of the tab New rows: rows are uploaded, judged and exported."""

import csv
import io
import time
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import openpyxl
import pandas
import pytest
from streamlit.testing.v1 import AppTest

import gplvm_core
from gplvm_core import training
from gplvm_core.datasets import Dataset, Drawing, load_dataset
from gplvm_core.models import BayesianGPLVM, ProbabilisticPCA
from gplvm_core.new_rows import Answers, answers_of
from gplvm_core.readers import DataError, NamedBytes, read_table
from gplvm_core.readers.error_columns import ERRORS
from gplvm_core.readers.new_rows import NewRows, read_rows
from gplvm_core.readers.rows.folders import OWN
from gplvm_core.readers.tables.csv_text import csv_text
from gplvm_core.store import READY, Library, ready_model, workspace
from gplvm_core.training import comparing, comparison_of
from pages.ui.explore.ask_rows import DISK
from pages.ui.explore.bring import CHOSEN, answers_file, beside_training
from pages.ui.explore.rows.export import code
from pages.ui.explore.rows.files import (
    answer_table,
    as_csv,
    as_excel,
    as_h5ad,
    as_parquet,
    example,
)
from pages.ui.explore.rows.work import key_of
from pages.ui.shared.catalogue import Item, open_item
from pages.ui.shared.intervals import ENDS
from tests.app.apptest import finished, go_to, press, query, run_page, said, stores
from tests.cases import quickly

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture(scope="module")
def flow() -> Dataset:
    whole = load_dataset("flow")
    keep = np.arange(0, whole.n_points, 6)
    return Dataset(
        "small flow", "Small flow", whole.values[keep], whole.drawing, labels=whole.labels[keep],
        label_names=whole.label_names, column_names=tuple(f"ray {d}" for d in range(12)),
    )  # fmt: skip


@pytest.fixture(scope="module")
def model(flow: Dataset) -> BayesianGPLVM:
    return BayesianGPLVM(3, n_inducing=10, max_iter=30, random_state=0).fit(flow.values)


@pytest.fixture
def opened(flow: Dataset, model: BayesianGPLVM) -> Callable[[], AppTest]:
    def app() -> AppTest:
        key = Library(workspace() / "library").add(model, flow, "My flow")
        return run_page("rows", model=f"library:{key}")

    return app


def table(*rows: list[object], delimiter: str = ";") -> bytes:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(rows)
    return file.getvalue().encode()


def sent(at: AppTest) -> tuple[dict, dict]:
    """Return the answers that the page has sent to the browser."""
    return stores(at)["new rows"]


def compared(at: AppTest, model: BayesianGPLVM) -> AppTest:
    """Return the page after the comparison with the training rows."""
    run = comparison_of(key_of(f"{query(at, 'model')}|{model.bound_:.10g}"))
    assert run is not None
    run.wait(300)
    return at.run()


def test_all_rows_of_a_large_file_are_answered(opened, flow, model, tmp_path, monkeypatch):
    for room in ("bring", "rows.tab", "rows.all_rows"):
        monkeypatch.setattr(f"pages.ui.explore.{room}.MOST_ROWS", 6)
    monkeypatch.setenv(OWN, "1")
    rows = [[f"{value:.4f}" for value in row] for row in flow.values[:9]]
    file = table([*flow.column_names], *rows, delimiter=",")
    at = opened()
    at.file_uploader[0].upload("mine.csv", file).run()
    assert not at.exception
    assert len(sent(at)[0]["rows"]) == 6
    assert "The map shows the first 6 of 9 rows" in said(at)
    own = answered_all(at, "9 rows are answered")
    expected = gplvm_core.apply(model, flow.values[:9].round(4), flow)
    assert own["row"].tolist() == [*range(1, 10)]
    np.testing.assert_allclose(own[["x1", "p"]], expected[["x1", "p"]], atol=1e-5)
    # A file of the machine is answered beside it, and an existing file is kept.
    (tmp_path / "new.csv").write_bytes(file)
    at = press(at, "Other rows")
    at.segmented_control(key=f"rows_source|{room_of(at, model)}").set_value(DISK).run()
    at.text_input(key=f"rows_disk|{room_of(at, model)}").set_value(str(tmp_path / "new.csv")).run()
    answered_all(at, "new answers.csv")
    assert len(pandas.read_csv(tmp_path / "new answers.csv")) == 9
    (tmp_path / "new.csv").write_bytes(file + b"\n")
    assert "already there. Move it" in answered_all(at.run(), "is already there")


def test_a_row_that_is_no_mixture_is_named_and_the_others_are_answered():
    parts = 100.0 * np.random.default_rng(0).dirichlet([2.0, 2.0, 2.0], 30)
    names = ["sand", "silt", "clay"]
    soils = Dataset.of_table("soils", "Soils", pandas.DataFrame(parts, columns=names), "fraction")
    model = BayesianGPLVM(2, 8, max_iter=5, random_state=0, kinds=soils.kinds)
    model.fit(soils.in_own_values())
    at = run_page(
        "rows", model="library:" + Library(workspace() / "library").add(model, soils, "S")
    )
    rows = [[80, 5, 15], [50, 46, 4], [69, 22, 9], [60, 18, 22], [50, 30, 40], [98, 1, 1]]
    at.file_uploader[0].upload("new.csv", table(names, *rows, delimiter=",")).run()
    assert not at.exception and not at.error
    assert "Row 5 is left out: the fractions sum to 120, but the sum must be 100 ± 1" in said(at)
    assert [row["name"] for row in sent(at)[0]["rows"]] == [f"Row {n}" for n in (1, 2, 3, 4, 6)]


def test_the_training_file_is_recognised_and_its_rows_are_judged_unseen(opened, flow, model):
    """A row that the model has seen looks more typical than it is."""
    order = np.r_[5:25, 0:5]
    rows = [[repr(float(value)) for value in row] for row in flow.values[order]]
    new = [[f"{value:.2f}" for value in row] for row in flow.values[30:33]]
    file = table([*flow.column_names], *rows, *new, delimiter=",")
    at = opened()
    at.file_uploader[0].upload("again.csv", file).run()
    at = compared(at, model)
    assert "25 rows of 28 are rows that the model was trained on. Each is judged by a" in said(at)
    held = sent(at)[0]["rows"]
    known = gplvm_core.new_rows.prepare(model, flow)
    p = Answers.joined(
        [*answers_of(known, flow, flow.values, trained=np.arange(len(flow.values)))]
    ).p
    np.testing.assert_allclose([each["p"] for each in held[:25]], p[order], atol=1e-5)


def room_of(at: AppTest, model: BayesianGPLVM) -> str:
    return f"{query(at, 'model')}|{model.bound_:.10g}"


def answered_all(at: AppTest, words: str):
    """Press the button, wait for the end, and return the file, or the page's words."""
    press(at, "Answer all rows")
    for _ in range(300):
        if words in said(at.run()) or any(words in each.value for each in at.success):
            break
        time.sleep(0.1)
    else:
        raise AssertionError(said(at))
    found = [each for each in at.get("download_button") if each.proto.label == "All answers (CSV)"]
    run = next(run for key, run in comparing._RUNS.items() if key.startswith("all rows|"))
    return pandas.read_csv(run.result.path) if found else said(at)


def test_a_file_with_a_gap_an_extra_column_and_a_decimal_comma_is_answered(opened, flow, model):
    names = list(flow.column_names)
    row = [f"{value:.4f}".replace(".", ",") for value in flow.values[0]]
    odd = ["99,5", *row[1:]]
    file = table(
        ["sample", *names[::-1], "remark"],
        ["a", *row[::-1], "fine"],
        ["b", *[""] * 2, *row[::-1][2:], "with gaps"],
        ["c", *odd[::-1], "odd"],
    )
    at = opened()
    assert not at.exception
    at.file_uploader[0].upload("mine.csv", file).run()
    assert not at.exception and not at.error
    assert "3 rows" in said(at) and "remark" in said(at)
    assert not any("Placing" in each.proto.text for each in at.get("progress"))
    header, arrays = sent(at)
    assert [each["name"] for each in header["rows"]] == [
        "Row 1, a · fine",
        "Row 2, b · with gaps",
        "Row 3, c · odd",
    ]
    assert [each["gaps"] for each in header["rows"]] == [0, 2, 0]
    np.testing.assert_allclose(arrays["filled"][0], flow.values[0], atol=1e-3)
    assert arrays["std"][1, -2:].min() > 0
    at = compared(at, model)
    assert not at.exception
    header, _ = sent(at)
    assert header["known"] == flow.n_points
    plain, _, broken = header["rows"]
    assert plain["p"] > 0.05 and not plain["reasons"]
    assert broken["unlike"] and broken["reasons"][0]["column"] == 0
    assert "none was as odd" in broken["typical"]
    assert "probability" not in broken["typical"]


def test_rows_of_a_model_with_errors_have_their_own_errors():
    generator = np.random.default_rng(0)
    names = ("flux", "size", "colour")
    values = np.outer(generator.standard_normal(40), [1.0, -1.0, 0.5])
    errors = generator.uniform(0.01, 0.5, values.shape)
    values += errors * generator.standard_normal(values.shape)
    model = BayesianGPLVM(2, n_inducing=10, max_iter=20, random_state=0).fit(values, errors=errors)
    known = {ERRORS: errors}
    stars = Dataset.of_table(
        "stars", "Stars", pandas.DataFrame(values, columns=names), kinds=None, covariates=known
    )
    stars = replace(stars, columns=())
    key = Library(workspace() / "library").add(model, stars, "Stars")
    rows = np.array([[1.0, -0.2, np.nan], [1.0, -0.2, np.nan]])
    own = np.array([[0.01, 5.0, np.nan], [5.0, 0.01, np.nan]])
    file = table(
        ["flux", "size", "size_err", "colour", "flux_err", "seen"],
        *([r[0], r[1], e[1], "", e[0], "y"] for r, e in zip(rows, own, strict=True)),
    )
    at = run_page("rows", model=f"library:{key}")
    at.file_uploader[0].upload("mine.csv", file).run()
    assert not at.exception and not at.error
    assert "Known errors of values, as in training: flux_err, size_err." in said(at)
    assert "not used: seen" in said(at)
    filled, std = model.complete(rows, errors=own, return_std=True)
    _, arrays = sent(at)
    np.testing.assert_allclose(arrays["filled"][:, 2], filled[:, 2], rtol=1e-5)
    np.testing.assert_allclose(arrays["std"][:, 2], std[:, 2], rtol=1e-5)
    # Equal rows have different places, because each trusts another value.
    assert abs(arrays["filled"][0, 2] - arrays["filled"][1, 2]) > 0.2
    with pytest.raises(DataError, match="the errors “flux_err” must be at least 0; got -5"):
        read_rows(NamedBytes("mine.csv", file.replace(b";5.0;", b";-5.0;")), stars)


def test_cells_are_pasted_and_what_does_not_fit_is_mended_by_a_button(opened, flow):
    names = ["Ray 0 (mm)", *list(flow.column_names)[1:]]
    cells = [flow.values[n].astype(str).tolist() for n in range(4)]
    cells[1][3] = "broken"
    text = "\n".join("\t".join(row) for row in [names, *cells])
    at = opened()
    next(c for c in at.segmented_control if "rows_source" in c.key).set_value("Paste").run()
    press(at, "Use these cells")
    assert "Nothing was pasted" in at.error[0].value
    at.text_area[0].set_value(text).run()
    press(at, "Use these cells")
    assert not at.exception and not at.error
    assert "“broken”" in said(at)
    assert "is not in the table" in said(at)
    assert [each["gaps"] for each in sent(at)[0]["rows"]] == [1, 2, 1, 1]
    press(at, "Use “Ray 0 (mm)” for it")
    assert [each["gaps"] for each in sent(at)[0]["rows"]] == [0, 1, 0, 0]
    press(at, "Other rows")
    assert at.file_uploader


def test_rows_of_another_form_are_explained_and_the_models_own_are_taken(opened, flow):
    few = Dataset("few", "Few", flow.values[:20, :5], Drawing("bars", (5,)))
    other = BayesianGPLVM(2, n_inducing=5, max_iter=2, random_state=0).fit(few.values)
    Library(workspace() / "library").add(other, few, "Five columns")
    at = opened()
    next(c for c in at.segmented_control if "rows_source" in c.key).set_value("Library").run()
    menu = next(each for each in at.selectbox if "rows_model" in each.key)
    assert "the training rows of this model" in menu.options[0]
    menu.set_value("Five columns").run()
    assert not at.exception
    assert "values, but this model needs" in at.error[0].value
    menu = next(each for each in at.selectbox if "rows_model" in each.key)
    menu.set_value(menu.options[0]).run()
    assert not at.exception and not at.error
    assert f"{flow.n_points} rows" in said(at)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("few.csv", b"1,2,3\n4,5,6\n", "3 columns of numbers"),
        ("broken.npz", b"PK\x03\x04 cut", "npz"),
    ],
)
def test_a_file_that_cannot_be_used_is_explained_and_the_form_stays(opened, name, data, words):
    at = opened()
    at.file_uploader[0].upload(name, data).run()
    assert not at.exception
    assert words in at.error[0].value
    assert at.file_uploader


def test_the_files_have_the_columns_of_the_visitor_and_the_answers(flow, model):
    names, rows = flow.column_names, flow.values[:3].copy()
    rows[1, 4:8] = np.nan
    title = (names[1], "day", *names[2:], "row", names[0], "remark")
    facts = (("2024-05-01", "7", "=1+1"), ("", "8", "late, but fine"), ("3.5.2024", "9", "NA"))
    lines: list[object] = [title]
    for row, (day, number, remark) in zip(rows, facts, strict=True):
        cells = ["" if np.isnan(value) else value for value in row]
        lines.append([cells[1], day, *cells[2:], number, cells[0], remark])
    own = read_rows(NamedBytes("new.csv", csv_text(lines, as_text=False).encode()), flow)
    found = Answers.joined([*answers_of(model, flow, own.values)])
    columns = answer_table(flow, own, found, ("size",))
    header, *written = csv.reader(io.StringIO(as_csv(columns, as_text=False).decode()))
    start = header.index(names[1])
    assert header[start : start + len(title)] == list(title)
    assert header[0] == "row (2)"  # the file already has a column with the name "row"
    assert {"size", "size std", "x2", f"{names[4]} std", "nearest training rows"} <= set(header)
    at = [header.index(f"{names[4]}{end}") for end in (" std", *(f" {each}" for each in ENDS))]
    dense = gplvm_core.new_rows.prepare(model, flow)
    ranked = Answers.joined([*answers_of(dense, flow, own.values, ranked=True)])
    assert {"p", "p of the oddest column"} <= {
        title for title, _ in answer_table(flow, own, ranked)
    }
    std, low, high = (float(written[1][n]) for n in at)
    middle = float(written[1][start + title.index(names[4])])
    np.testing.assert_allclose([middle - low, high - middle], 1.959964 * std, rtol=1e-4)
    given = [[line[start + title.index(name)] for name in ("day", "row", "remark")]
             for line in written]  # fmt: skip
    assert given == [list(fact) for fact in facts]
    values = [[float(line[start + title.index(name)]) for name in names] for line in written]
    np.testing.assert_allclose(values, found.filled, rtol=1e-6)
    assert "'=1+1" in as_csv(columns).decode()
    import pyarrow.parquet

    parquet = pyarrow.parquet.read_table(io.BytesIO(as_parquet(columns)))
    assert parquet.column_names == header
    sheet = openpyxl.load_workbook(io.BytesIO(as_excel(columns))).worksheets[0]
    assert [cell.value for cell in sheet[1]] == header
    cells = [cell for row in sheet.iter_rows() for cell in row if "=1+1" in str(cell.value)]
    assert cells and all(cell.data_type == "s" for cell in cells)  # text, not a formula
    import anndata

    path = workspace() / "rows.h5ad"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_h5ad(flow, own, found, columns))
    cells_ = anndata.read_h5ad(path)
    np.testing.assert_allclose(cells_.X, found.filled)
    assert "remark" in cells_.obs


def test_training_rows_keep_the_name_of_their_column_of_names() -> None:
    text = "\n".join(["a,b,name", *(f"{n},{n * n},plant {n}" for n in range(30))]).encode()
    plants = read_table(text, id_columns=["name"])
    columns = {column.name: column.cells for column in beside_training(plants)}
    assert columns["name"][3] == "plant 3" == plants.row_names[3]
    model = ProbabilisticPCA(1).fit(plants.values)
    own = NewRows(plants.values, (), row_names=plants.row_names, columns=beside_training(plants))
    found = Answers.joined([*answers_of(model, plants, own.values)])
    titles = [title for title, _ in answer_table(plants, own, found)]
    assert "name" in titles and "id" not in titles
    assert beside_training(read_table(text.replace(b"a,b,name", b"a,b,c"), id_columns=["c"]))
    numbered = read_table(b",a,b\n1,2,3\n2,5,1\n3,4,4\n")  # the numbers have no name
    assert beside_training(numbered) == ()
    item = Item("library:x", "Small flow, again", model, plants)
    assert answers_file(item, "csv") == "small-flow-again-answers.csv"


def test_the_example_can_be_read_back(flow):
    rows = read_rows(NamedBytes("rows.csv", example(flow)), flow).values
    assert rows.shape == (5, 12)
    assert (np.isnan(rows).sum(axis=1) == 4).all()
    # One value of the last row is ten times the value in the data.
    same = np.isclose(rows[-1], flow.values, rtol=1e-4) | np.isnan(rows[-1])
    wrong = same.sum(axis=1).max()
    assert wrong == 11
    row = flow.values[same.sum(axis=1).argmax()]
    column = int(np.flatnonzero(~same[same.sum(axis=1).argmax()])[0])
    assert rows[-1, column] == pytest.approx(10.0 * row[column], rel=1e-4)


def test_a_new_row_opened_in_fill_in_keeps_its_values_and_rows_may_stay_on_the_map_of_a_copy(
    opened, flow, model
):
    at = opened()
    rows = [flow.column_names, *flow.values[:6].round(4)]
    at = at.file_uploader[0].upload("more.csv", table(*rows)).run()
    key = query(at, "model")
    at.session_state[CHOSEN] = (f"{key}|{model.bound_:.10g}", 4)
    at = go_to(at, "fill", model=key)
    assert not at.exception
    answer, _ = stores(at)["answer"]
    assert answer["item"].startswith("own 4 ")
    assert answer["summary"]["hidden"] == 0, answer.keys()
    at = press(go_to(at, "rows", model=key), "Add to the map")
    assert not at.exception
    assert query(at, "model") != key
    item = open_item(query(at, "model"))
    assert item.title == "My flow, with 6 more rows"
    assert item.dataset.n_points == len(item.model.latent_mean_) == flow.n_points + 6
    np.testing.assert_array_equal(item.model.latent_mean_[: flow.n_points], model.latent_mean_)
    np.testing.assert_array_equal(item.dataset.covariates["added later"][-7:], [0, *[1] * 6])
    assert len(open_item(key).model.latent_mean_) == flow.n_points  # the first model is unchanged


def test_a_training_may_begin_with_the_rows(opened, flow):
    at = opened()
    rows = [flow.column_names, *flow.values[:6].round(4)]
    at = at.file_uploader[0].upload("more.csv", table(*rows)).run()
    at = press(at, "Train with these rows")
    assert not at.exception
    job = finished(query(at, "job"))
    assert job.name == "My flow, with 6 more rows"
    assert training.here().dataset(job.id).n_points == flow.n_points + 6


@pytest.mark.parametrize("name", ["countries", "flow"])
@pytest.mark.parametrize("place", quickly(["gallery", "library"], ["library"]))
def test_the_python_code_answers_the_rows_that_the_page_answered(
    place, name, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gplvm_core.new_rows.without_density.MOST_COMPARED", 20)
    dataset = Library(READY, read_only=True).dataset(name)
    item = Item(f"gallery:{name}", name, ready_model(name), dataset)
    if place == "library":
        library = Library(workspace() / "library")
        key = library.add(item.model, dataset, f"My {name}")
        item = open_item(f"library:{key}")
        library.export_file(key, tmp_path / f"my-{name}.gplvm")
    rows = pandas.DataFrame(dataset.in_own_values()[:3], columns=list(dataset.column_names))
    rows.iloc[0, 2] = np.nan
    rows.to_csv("new_rows.csv", index=False)
    with warnings.catch_warnings(action="ignore"):
        exec(code(item), {})  # noqa: S102
    answers = pandas.read_csv("answers.csv")
    assert answers["p"].between(0.0, 1.0).all() and np.isfinite(answers[rows.columns[2]]).all()
