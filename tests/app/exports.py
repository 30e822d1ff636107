"""Every text file that the app writes, for data whose names look like formulas."""

import json
import warnings

import numpy as np

from gplvm_core import Dataset, Drawing, ManifoldRelevance, ProbabilisticPCA
from gplvm_core.comparison import Comparison
from gplvm_core.comparison.measures import AT_ONCE
from gplvm_core.comparison.table import Line, MeasureTable
from gplvm_core.datasets import View
from gplvm_core.new_rows import Answers, answers_of
from gplvm_core.offline.compare import MapOf, offline_comparison
from gplvm_core.offline.explorer import explorer
from gplvm_core.readers.new_rows import NewRows
from gplvm_core.wire.model import Chart
from gplvm_core.wire.sequence import Reel, SequencePanel
from pages.ui.explore.fill.files import RowItem, row_csv
from pages.ui.explore.fill.model import Completion
from pages.ui.explore.rows.files import answer_table, as_csv, example
from pages.ui.explore.time.export import sequence_csv
from pages.ui.explore.views.export import outputs_csv
from pages.ui.explore.views.model import parts_at
from pages.ui.explore.views.segments import segmentation_csv
from pages.ui.shared.catalogue import Item
from tests.canvas.test_files import run_node
from tests.spreadsheet import HOSTILE

N_ROWS, SPLIT = 20, 15


def tables() -> dict[str, str]:
    """Return the text of every CSV file that the app writes, by its name."""
    dataset, paired = data()
    names, values = HOSTILE, dataset.values
    model = two_views(paired)
    item = Item("library:x", HOSTILE[0], model, paired, model.views_)
    row = np.where(np.arange(len(names)) < 3, np.nan, values[0])
    reel = Reel(
        HOSTILE[0], np.arange(N_ROWS) - 5.0, (SequencePanel(HOSTILE[0], values, values**2),)
    )
    shown = RowItem("row 0", HOSTILE[0], values[0])
    script = f"""
        import {{ csvText }} from "KIT/numbers.js";
        const rows = {json.dumps(names)}.map((name, n) => [name, n - 3.5, name]);
        console.log(JSON.stringify(csvText([["column", "mean", "label"], ...rows])));"""
    return {
        "outputs of views": outputs_csv(item, (0.0, 0.0)).decode(),
        "dimensions": segmentation_csv(model, parts_at(model, 0.05)).decode(),
        "a sequence": sequence_csv(dataset, reel).decode(),
        "a completed row": row_csv(dataset, shown, row, Completion(values[0], values[0])).decode(),
        "answers about new rows": as_csv(
            answer_table(
                dataset,
                NewRows(values, (), row_names=np.array(HOSTILE[: len(values)])),
                Answers.joined([*answers_of(ProbabilisticPCA(2).fit(values), dataset, values)]),
            )
        ).decode(),
        "an example": example(dataset).decode(),
        "splits": found().to_csv(),
        "measures": measured().to_csv(),
        "from the canvas": run_node(script),
    }


def pages() -> dict[str, str]:
    """Return the text of every HTML file that the app writes, by its name."""
    dataset, _ = data()
    model = ProbabilisticPCA(2).fit(dataset.values)
    made = [MapOf(HOSTILE[0], "", Chart.of(model, dataset))]
    words, table = HOSTILE[1:4], measured().to_html()
    return {
        "a map": explorer(model, dataset).html,
        "a comparison": offline_comparison(
            made, HOSTILE[0], words=words, table=table, source=HOSTILE[5]
        ),
    }


def data() -> tuple[Dataset, Dataset]:
    """Return a table as a data set with one view, and with two views."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((N_ROWS, 2)) @ rng.standard_normal((2, len(HOSTILE)))
    values += 0.1 * rng.standard_normal(values.shape)
    table = Dataset(
        "made", HOSTILE[0], values, Drawing("bars", (len(HOSTILE),)), labels=np.arange(N_ROWS) % 2,
        label_names=HOSTILE[:2], column_names=HOSTILE, source=HOSTILE[1],
    )  # fmt: skip
    views = tuple(
        View(name, Drawing("bars", (len(columns),)), columns)
        for name, columns in ((HOSTILE[0], HOSTILE[:SPLIT]), (HOSTILE[4], HOSTILE[SPLIT:]))
    )
    paired = Dataset("made", HOSTILE[0], values, Drawing("bars", (len(HOSTILE),)), views=views)
    return table, paired


def two_views(paired: Dataset) -> ManifoldRelevance:
    with warnings.catch_warnings(action="ignore"):
        return ManifoldRelevance(2, n_inducing=5, max_iter=3, random_state=0).fit(
            paired.view_values
        )


def found() -> Comparison:
    values = np.linspace(-1.0, 1.0, 2 * len(HOSTILE)).reshape(2, -1)
    return Comparison(HOSTILE, {"seconds": values, "rmse": values}, HOSTILE[0], 0.5)


def measured() -> MeasureTable:
    lines = (Line(AT_ONCE[0], tuple(np.linspace(-1.0, 1.0, len(HOSTILE))), HOSTILE[0]),)
    return MeasureTable(HOSTILE, {"part": lines}, HOSTILE)
