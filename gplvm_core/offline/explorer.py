"""The explorer of a fitted model as one HTML file, without a server, network or Python."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from gplvm_core.models.data.fractions import table_columns
from gplvm_core.offline.page import content, page
from gplvm_core.offline.scripts import MAP_STYLES, asset
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.packages import not_installed
from gplvm_core.wire.model import Chart, pack_model
from gplvm_core.wire.precision import Precision, rounded

if TYPE_CHECKING:
    from gplvm_core.offline.widget import MapWidget

OPENING = """from gplvm_core import load

model = load("model.gplvm")  # the file that model.save("model.gplvm") writes"""
HEIGHT = 860  # height in a notebook's cell, in CSS pixels
NEEDED = ("latent_mean_", "latent_variance_", "posterior_", "relevance_", "n_effective_")


def explorer(
    model: Any, dataset: Dataset, *, title: str | None = None
) -> "OfflineExplorer | MapWidget":
    """Create an interactive map of a fitted model, for a notebook's cell or a file.

    With anywidget, Python reads and writes the map's `point` (Q coordinates), `kept`, `rows`,
    `dimensions` and `names`, and `selection` is a data frame of the selected rows; a wrong value
    raises ValueError (docs/notebook.md). `save(path)` writes the file.

    model: a model with a latent map; for a deep model, the last layer is shown. dataset: the
    training rows of the model. title: by default, the data set's title. Raises NotFittedError,
    TypeError or ValueError if the model or the data cannot be shown, KernelError for a kernel that
    a browser cannot evaluate.

    Examples
    --------
    >>> import gplvm_core
    >>> wine = gplvm_core.load_dataset("wine")
    >>> model = gplvm_core.BayesianPCA(2, max_iter=5, random_state=0).fit(wine.values)
    >>> page = gplvm_core.explorer(model, wine)
    >>> "</html>" in page.html
    True
    """
    name = type(model).__name__
    if not hasattr(model, "fit"):
        raise TypeError(f"explorer shows a fitted model, such as a BayesianGPLVM; got a {name}.")
    check_is_fitted(model)
    if model.capabilities.views:
        raise ValueError(
            "explorer shows one view of a model of several views: pass model.of_view(name) and "
            "dataset.view(name)."
        )
    if not all(hasattr(model, needed) for needed in NEEDED):
        raise TypeError(f"explorer shows models with a latent map of their rows; {name} has none.")
    if not isinstance(dataset, Dataset):
        raise TypeError(
            f"explorer takes the Dataset that the model was fitted to, which contains how to draw "
            f"a row; got a {type(dataset).__name__}. Dataset('name', 'Title', Y, Drawing('bars', "
            "(D,))) makes one from an array with D columns."
        )
    columns = table_columns(model)
    width = model.posterior_.n_outputs if columns is None else len(columns.columns)
    fitted = (len(model.latent_mean_), width)
    if columns is not None:
        dataset = dataset.with_kinds(columns.columns)
    numbers = columns is None or all(column.is_number for column in columns.columns)
    if not numbers and not dataset.columns:
        raise ValueError(
            "The model has columns of words or counts, which an array of numbers does not name. "
            "Pass Dataset.of_table(name, title, table, kinds), made from the same table."
        )
    if fitted != (dataset.n_points, dataset.n_outputs):
        raise ValueError(
            f"The model was fitted to {fitted[0]} rows × {fitted[1]} columns, the data set has "
            f"{dataset.n_points} × {dataset.n_outputs}. Pass the rows that it was fitted to."
        )
    title = dataset.title if title is None else title
    file = OfflineExplorer(Chart.of(model, dataset), title, dataset.source)
    if not_installed(("anywidget",)):
        return file
    from gplvm_core.offline.widget import MapWidget

    return MapWidget(file, dataset)


@dataclass(frozen=True, eq=False)
class OfflineExplorer:
    """A model's map as one HTML file, also shown in a notebook's cell. See `explorer`.

    source: origin of the data, shown below the map; opening: Python code that opens the model, for
    the code examples in the file; link: the map's state when the file is opened, by the names of
    the parameters in the app's links, such as "at" and "dims".
    """

    chart: Chart
    title: str
    source: str = ""
    opening: str = OPENING
    link: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _ = self._content  # so that errors are raised here rather than when the page is shown

    @property
    def precision(self) -> Precision:
        """The number of bits of the numbers in the file, and the resulting error."""
        return self._content[1]

    @property
    def packed(self) -> bytes:
        """The model and its points, before base64 encoding."""
        return self._content[0]

    @cached_property
    def html(self) -> str:
        """The whole page."""
        return page(
            "offline/offline.js",
            self.title,
            MAP_STYLES,
            asset("map/map.html"),
            content(
                "model",
                self.packed,
                {"opening": self.opening, "link": json.dumps(dict(self.link))},
            ),
            (self.source, self.precision.in_words()),
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to one file, which any browser opens."""
        Path(path).write_bytes(self.html.encode())

    def frame(self, name: str = "") -> str:
        """Return a sandboxed frame for a notebook's cell; name: by which Python finds the page."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'title="{escape(self.title)}" name="{name}" '
            f'style="width: 100%; height: {HEIGHT}px; border: 0"></iframe>'
        )

    def _repr_html_(self) -> str:
        return self.frame()

    @cached_property
    def _content(self) -> tuple[bytes, Precision]:
        own = hashlib.sha256(self.chart.posterior.weights.tobytes()).hexdigest()[:16]
        return rounded(self.chart, pack_model(self.chart, f"{self.title}|{own}"))
