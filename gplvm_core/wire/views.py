"""Pack a model of several views for a canvas that draws several outputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from gplvm_core.figures.dimensions import joint_relevance
from gplvm_core.readers.dataset import Dataset
from gplvm_core.wire.deep import pack_layers
from gplvm_core.wire.frame import frame
from gplvm_core.wire.model import Chart, drawing_header, pack_model, pack_points
from gplvm_core.wire.rows import PER_ROW, DrawnRows

WHOLE = "Whole row"


@dataclass(frozen=True, eq=False)
class ViewRows(DrawnRows):
    """One view of a data set, or all of its columns. whole: the data set."""

    whole: Dataset = field(kw_only=True)

    @classmethod
    def of(cls, dataset: Dataset, name: str | None = None) -> Self:
        """Return the rows of a view, or of all views together (None)."""
        view = dataset if name is None else next(v for v in dataset.views if v.name == name)
        return cls(
            dataset.values if name is None else dataset.view_values[name],
            view.drawing,
            view.column_names,
            view.columns,
            label_names=dataset.label_names,
            covariates=dataset.covariates,
            whole=dataset,
            **{name: getattr(dataset, name) for name in PER_ROW},
        )


def is_label_view(rows: ViewRows) -> bool:
    """Return whether a view contains class labels as numbers: ±1 in named columns, as bars.

    Models of older versions have such views. A newer view of labels is a category.
    """
    known = rows.values[~np.isnan(rows.values)]
    return (
        rows.drawing.kind == "bars"
        and rows.column_names is not None
        and rows.values.shape[1] > 1
        and bool(np.isin(known, (-1.0, 1.0)).all())
    )


def pack_views(
    charts: Mapping[str, Chart], outputs: Sequence[str], plane: tuple[int, int], name: str
) -> bytes:
    """Pack what the browser needs to generate the chosen outputs side by side.

    charts: by view, all with the same latent points; outputs: the views to draw, or `WHOLE` for all
    views together in the data set's drawing; plane: the two dimensions shown first; name: key of
    the bytes in the browser. Raises KernelError for a kernel that the browser cannot evaluate.
    """
    names = list(charts) if WHOLE in outputs else [view for view in charts if view in outputs]
    layers = {view: _packed(charts[view], view) for view in names}
    arrays, described = pack_points(joint_chart(charts))
    for number, packed in enumerate(layers.values()):
        arrays[f"layer{number}"] = np.frombuffer(packed, np.uint8)
    header: dict[str, Any] = {
        **described,
        "name": name,
        "dims": list(plane),
        "layers": names,
        "outputs": [_output(title, names, charts) for title in outputs],
    }
    return frame(header, arrays)


def _packed(chart: Chart, view: str) -> bytes:
    """Pack a view, with its hidden layers if it has any."""
    if chart.deep is None or chart.layer is None:
        return pack_model(chart, view)
    return pack_layers(chart.deep, chart.dataset, chart.layer, view)


def joint_chart(charts: Mapping[str, Chart]) -> Chart:
    """Return the chart of the shared points, with each dimension's largest relevance."""
    relevance = joint_relevance({view: chart.relevance for view, chart in charts.items()})
    return replace(next(iter(charts.values())), relevance=relevance)


def _output(title: str, names: list[str], charts: Mapping[str, Chart]) -> dict[str, Any]:
    if title != WHOLE:
        rows = charts[title].dataset
        labels = isinstance(rows, ViewRows) and is_label_view(rows)
        return {"title": title, "layers": [names.index(title)], "labels": labels}
    rows = charts[names[0]].dataset
    assert isinstance(rows, ViewRows)
    drawing = drawing_header(rows.whole)
    return {"title": WHOLE, "layers": list(range(len(names))), "labels": False, "drawing": drawing}
