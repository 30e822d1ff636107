"""Pack a fitted model into bytes for the canvas."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray as Array

from gplvm_core.figures.dimensions import dimensions_on, leading_pair
from gplvm_core.figures.palette import COLOURS
from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.data.fractions import table_columns
from gplvm_core.models.estimators.with_known import at_value
from gplvm_core.prediction import Posterior, predict
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.error_columns import ERRORS
from gplvm_core.readers.spread import row_order, stride
from gplvm_core.wire.basis import (
    kernel_parts,
    mean_variance,
    most_bases,
    output_variances,
    scaled_basis,
    sets_of_rows,
)
from gplvm_core.wire.crowd import sample_of
from gplvm_core.wire.first_pair import separating_pair
from gplvm_core.wire.frame import frame
from gplvm_core.wire.items import items_of, own_ranges, value_range
from gplvm_core.wire.levels import Levels
from gplvm_core.wire.rows import DrawnData, DrawnRows
from gplvm_core.wire.table import coded_rows, pack_links, table_drawing, without_units

ROWS_FOR_SHARES = 40
MOST_FACTORS = 24  # largest number of covariates for the map's colours
MOST_COLUMNS = 100  # largest table whose values are listed; wider ones are drawn as a chart
MOST_NAMES = 20_000  # up to this many rows, the page has all names; else only those of the sample


@dataclass(frozen=True, eq=False)
class Chart:
    """The content of a canvas: a posterior, its data and the positions of the training points.

    latent_mean, latent_variance: N × Q (variance None: the points are certain); relevance: (Q,);
    on: the dimensions that are on, most relevant first; layer: the layer's number in a deep model;
    row_numbers: if the model was trained on a sample, the rows' numbers in the data; deep: the deep
    model, if further layers follow below; names: the names of the dimensions, "" if unnamed;
    columns: the columns of a model of words and counts, None if all columns are numbers; levels:
    the values of known factors that were taken out, if the browser is to switch between them.
    """

    posterior: Posterior
    dataset: DrawnData
    latent_mean: Float[Array, "N Q"]
    latent_variance: Float[Array, "N Q"] | None
    relevance: Float[Array, " Q"]
    on: tuple[int, ...]
    layer: int | None = None
    row_numbers: Int[Array, " N"] | None = None
    deep: Any = None
    names: tuple[str, ...] = ()
    columns: TableColumns | None = None
    levels: Levels | None = None

    @classmethod
    def of(cls, model: Any, dataset: DrawnData, layer: int | None = None) -> Self:
        """Make a chart of a fitted estimator, or of one layer of a deep one (default: the last).

        The points of the last layer generate the data. For a model without a KL, the
        `n_effective_` most relevant dimensions count as on.
        """
        layers, known = getattr(model, "layers_", ()), getattr(model, "known_", None)
        if known is not None:  # the map at the most frequent value of the known factors
            usual = cls.of(at_value(model, known.levels[0]), dataset)
            return replace(usual, levels=Levels.of(model))
        if layers:
            last = len(layers) - 1
            at = last if layer is None else layer
            deep = model if at < last else None
            return replace(cls.of(as_seen(layers, at), dataset), layer=at, deep=deep)
        relevance = np.asarray(model.relevance_, dtype=float)
        order = np.argsort(-relevance, kind="stable")
        if hasattr(model, "information_"):
            on = order[dimensions_on(np.asarray(model.information_, dtype=float)[order])]
        else:
            on = order[: int(model.n_effective_)]
        variance = model.latent_variance_ if np.any(model.latent_variance_) else None
        mean = np.asarray(model.latent_mean_, dtype=float)
        numbers = getattr(getattr(model, "rows_", None), "kept", None)
        fractions, columns = getattr(model, "fractions_", None), table_columns(model)
        if columns is not None and isinstance(dataset, Dataset):  # it may be another model's
            dataset = dataset.with_kinds(columns.columns)
        return cls(
            model.posterior_ if fractions is None else fractions.of_columns(model.posterior_),
            dataset,
            mean,
            variance,
            relevance,
            tuple(int(q) for q in on),
            row_numbers=numbers if numbers is not None and len(numbers) == len(mean) else None,
            columns=columns,
        )

    @classmethod
    def of_top(cls, model: Any, dataset: DrawnData) -> Self:
        """Make a chart of the top layer, in which paths run and new rows get their positions."""
        layers = getattr(model, "layers_", ())
        return replace(cls.of(layers[0], dataset), layer=0) if layers else cls.of(model, dataset)

    @property
    def seen(self) -> Posterior:
        """The posterior for the canvas; the outputs of words and counts have no units."""
        return self._in_units(self.posterior)

    @property
    def switched(self) -> Posterior | None:
        """The posterior for the canvas whose last inputs are the known factors, if it has these."""
        if self.levels is None or not len(self.levels.points):
            return None
        return self._in_units(self.levels.posterior)

    def _in_units(self, posterior: Posterior) -> Posterior:
        return posterior if self.columns is None else without_units(posterior, self.columns)

    @property
    def n_latent(self) -> int:
        return self.latent_mean.shape[1]

    @property
    def axes(self) -> list[str]:
        """The names of the dimensions."""
        given = [*self.names, *[""] * self.n_latent][: self.n_latent]
        return [name or f"Dimension {q + 1}" for q, name in enumerate(given)]

    @cached_property
    def shares(self) -> list[float]:
        """Each dimension's share of the change that all dimensions cause (`shares_of_change`)."""
        return shares_of_change(self)

    @cached_property
    def pair(self) -> tuple[int, int]:
        """The two dimensions to show first: of those that are on, the two with the largest effects.

        If rows have labels, the pair also separates them as well as any pair of the four leading
        dimensions (`separating_pair`). A single latent dimension is drawn against the order of
        the rows.
        """
        if self.n_latent <= 2:
            return (0, 1)
        leading = sorted(range(self.n_latent), key=lambda q: (q not in self.on, -self.shares[q]))
        labels = self.dataset.labels
        if labels is None or len(self.on) < 3:
            return (leading[0], leading[1])
        return separating_pair(self.latent_mean, labels, leading[: len(self.on)])

    @property
    def whole(self) -> Int[Array, " n"] | None:
        """The rows in the page's sample; None: the page has all rows."""
        return sample_of(len(self.latent_mean), self.posterior.n_outputs)

    @property
    def sample(self) -> Self:
        """The chart of only the sample's rows."""
        chosen = self.whole
        if chosen is None:
            return self
        variance = self.latent_variance
        return replace(
            self,
            dataset=DrawnRows.some(self.dataset, chosen),
            latent_mean=self.latent_mean[chosen],
            latent_variance=None if variance is None else variance[chosen],
        )

    @property
    def middle(self) -> int:
        """The training point nearest to the median position, in distances weighted by relevance; of
        the rows that have the first value of the known factors, if there are any.
        """
        away = (self.latent_mean - np.median(self.latent_mean, axis=0)) ** 2 @ self.relevance
        if self.levels is not None and len(self.levels.of_rows) == len(away):
            others = self.levels.of_rows != self.levels.first
            away = away if others.all() else np.where(others, np.inf, away)
        return int(np.argmin(away))


def shown_pair(model: Any, dataset: Dataset) -> tuple[int, int]:
    """Return the two dimensions that the map in Explore opens with (a single one twice).

    For models of several views or layers, these are the most relevant dimensions of the first view
    or of the top layer.
    """
    if model.latent_mean_.shape[1] > 1 and not (
        model.capabilities.views or model.capabilities.layers
    ):
        return Chart.of(model, dataset).pair
    relevance = model.relevance_
    return leading_pair(relevance[model.views_[0]] if model.capabilities.views else relevance)


def as_seen(layers: Sequence[Any], at: int) -> Any:
    """Return a layer of a deep model, with the model's inputs appended if the layer uses them."""
    layer, top = layers[at], layers[0]
    if layer.posterior_.n_latent == layer.latent_mean_.shape[1]:
        return layer
    names = ("latent_mean_", "latent_variance_", "information_")
    both = {name: np.hstack([getattr(layer, name), getattr(top, name)]) for name in names}
    return replace(layer, **both)


def pack_model(chart: Chart, name: str) -> bytes:
    """Pack what the browser needs to generate outputs, shade the map and draw training points.

    name: key of the bytes in the browser. Raises KernelError for a kernel that the browser cannot
    evaluate.
    """
    posterior, dataset, whole = chart.seen, chart.dataset, chart.switched
    # At each value of the known factors, the page multiplies the columns of these by its fades.
    unfaded = posterior if whole is None else whole
    scale, gap = mean_variance(unfaded)
    transform, shrink, weights = scaled_basis(unfaded, gap)
    points, described = pack_points(chart)
    added = len(described["axes"]) - chart.n_latent
    inducing = np.pad(posterior.inducing, ((0, 0), (0, added)))
    arrays = {
        "inducing": inducing,
        "transform": transform,
        "shrink": shrink,
        "center": np.broadcast_to(posterior.center, (posterior.n_outputs,)).astype(float),
        "weights": (weights * posterior.scale).astype(np.float32),
        "scales": np.broadcast_to(posterior.scale, (posterior.n_outputs,)).astype(np.float32),
        **output_variances(unfaded, most_bases(chart.posterior)),
        **points,
    }
    if chart.levels and whole:
        arrays |= chart.levels.arrays(whole)
        if len(chart.levels.of_rows):
            chosen = slice(None) if chart.whole is None else chart.whole
            arrays["row_levels"] = chart.levels.of_rows[chosen].astype(np.int32)
    if posterior.slope is not None:  # in the data's units; zero for the added axis
        slope = np.pad(posterior.slope * posterior.scale, ((0, added), (0, 0)))
        arrays["slope"] = slope.astype(np.float32)
    arrays["items"], item_shape, item_range, missing_code = items_of(
        chart.sample.dataset, value_range(dataset)
    )
    if chart.columns is not None:
        arrays["items"] = coded_rows(chart.sample.dataset, chart.columns).astype(np.float32)
    header: dict[str, Any] = {
        "name": name,
        "layer": chart.layer,
        "kernel": kernel_parts(posterior.kernel, inducing.shape[1], chart.n_latent),
        "scale": scale,
        **_spreads(chart),
        "shares": chart.shares,
        "noise_variance": float(posterior.noise_variance),
        "drawing": drawing_header(dataset, chart.columns),
        "item_shape": item_shape,
        "item_range": item_range,
        "item_missing": missing_code,
        **described,
    }
    if chart.levels is not None:
        header["levels"] = chart.levels.header
    if chart.columns is not None:
        rows = coded_rows(dataset, chart.columns)
        own = chart.levels.posterior if chart.levels and whole else chart.posterior
        header["links"] = pack_links(own, chart.columns, rows)
    elif (
        dataset.column_names is not None
        and dataset.drawing.kind == "bars"
        and (posterior.n_outputs <= MOST_COLUMNS)
    ):
        # Minimum, median and maximum of every column.
        marks = [mark(dataset.values, axis=0) for mark in (np.nanmin, np.nanmedian, np.nanmax)]
        header["column_ranges"] = np.stack(marks, axis=1).tolist()
    if sets_of_rows(posterior) > most_bases(chart.posterior):
        header["sets_of_rows"] = sets_of_rows(posterior)  # the page has only the mean variance
    return frame(header, arrays)


def _spreads(chart: Chart) -> dict[str, float]:
    """Return the data's standard deviation in the data's units and in the functions' units."""
    if chart.columns is not None:
        return {"spread": 1.0, "unit_spread": 1.0}
    values = chart.dataset.values
    return {
        "spread": data_spread(values),
        "unit_spread": data_spread(values / chart.posterior.scale),
    }


def pack_points(chart: Chart) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return the training points as arrays and as entries of the header.

    For large data sets, only a sample is packed, with the numbers that the browser needs to read
    `pack_columns`.
    """
    everywhere, whole = plane_positions(chart), chart.whole
    latent = everywhere if whole is None else everywhere[whole]
    every, chart = chart, chart.sample
    dataset, relevance, variance = chart.dataset, chart.relevance, chart.latent_variance
    axes = chart.axes
    if chart.n_latent == 1:
        relevance = np.append(relevance, 0.0)
        variance = None if variance is None else np.pad(variance, ((0, 0), (0, 1)))
        axes.append("Order of rows")
    arrays = {"latent": latent.astype(np.float32)}
    if every.row_numbers is not None:
        order = slice(None) if whole is None else row_order(len(everywhere))
        arrays["row_numbers"] = every.row_numbers[order].astype(np.int32)
    if variance is not None:
        arrays["latent_variance"] = variance.astype(np.float32)
    if dataset.labels is not None:
        arrays["labels"] = dataset.labels.astype(np.int32)
    if dataset.sequences is not None:
        times = np.arange(len(latent)) if dataset.times is None else dataset.times
        arrays["sequences"] = dataset.sequences.astype(np.int32)
        arrays["order"] = np.lexsort((times, dataset.sequences)).astype(np.int32)
    known = facts_of(every.dataset)
    factors = dict(list(known.items())[:MOST_FACTORS])
    if whole is not None:
        factors = {name: facts[whole] for name, facts in factors.items()}
    if factors:
        arrays["factors"] = np.stack(list(factors.values())).astype(np.float32)
    named = every.dataset if len(everywhere) <= MOST_NAMES else dataset
    names = named.row_names
    if names is not None and whole is not None and named is every.dataset:
        names = names[row_order(len(everywhere))]
    return arrays, {
        **({} if names is None else {"row_names": names.tolist()}),
        "axes": axes,
        **({"units": units} if (units := axis_units(everywhere, known)) else {}),
        "n_latent": chart.n_latent,
        "relevance": relevance.tolist(),
        "on": list(chart.on),
        "dims": list(chart.pair),
        "start": chart.middle,
        "label_names": list(dataset.label_names),
        "factors": list(factors),
        **({"more_factors": len(known) - len(factors)} if len(known) > len(factors) else {}),
        "palette": list(COLOURS),
        **({} if whole is None else {"crowd": _crowd(every.dataset, everywhere)}),
    }


def plane_positions(chart: Chart) -> Float[Array, "N Q"]:
    """Return the latent means; add the rows' order as a second dimension if there is only one."""
    latent = chart.latent_mean
    if chart.n_latent > 1:
        return latent
    return np.hstack([latent, np.linspace(-1.0, 1.0, len(latent))[:, None]])


def _crowd(dataset: DrawnData, latent: Float[Array, "N Q"]) -> dict[str, Any]:
    """Return the header's entry about all rows, for a page that has only a sample."""
    known = [] if dataset.labels is None else np.unique(dataset.labels).tolist()
    labels = [label for label in known if label >= 0]
    ranges = np.stack([latent.min(axis=0), latent.max(axis=0)], axis=1).tolist()
    return {"count": len(latent), "stride": stride(len(latent)), "ranges": ranges, "labels": labels}


def facts_of(dataset: DrawnData) -> dict[str, Float[Array, " N"]]:
    """Return the rows' numerical covariates and times that vary, by name."""
    known = {name: own for name, own in dataset.covariates.items() if name != ERRORS}
    if dataset.times is not None:
        known["time"] = dataset.times
    found = {}
    for name, values in known.items():
        if not np.issubdtype(values.dtype, np.number):
            continue
        columns = values.reshape(len(values), -1).T
        for number, column in enumerate(columns, start=1):
            if np.nanmin(column) < np.nanmax(column):
                found[name if len(columns) == 1 else f"{name} {number}"] = column
    return found


def axis_units(
    latent: Float[Array, "N Q"], facts: dict[str, Float[Array, " N"]]
) -> list[list[float]]:
    """Return shift and scale from positions to two facts of the rows, or [] for other positions.

    A map has such units if both axes are facts, up to a shift and a scale: coordinates of a file.
    """
    if latent.shape[1] != 2 or not np.ptp(latent, axis=0).all():
        return []
    found = []
    for place in latent.T:
        centred = place - place.mean()
        for fact in facts.values():
            scale = centred @ fact / (centred @ centred)
            shift = fact.mean() - scale * place.mean()
            if scale > 0 and np.abs(shift + scale * place - fact).max() < 1e-6 * scale:
                found.append([float(shift), float(scale)])
                break
    return found if len(found) == 2 else []


def data_spread(values: Float[Array, "N D"]) -> float:
    """Return the data's standard deviation: the root mean square over the columns.

    This number is the upper end of the uncertainty colours on every page, so that the colours are
    comparable.
    """
    return float(np.sqrt(np.mean(np.nanvar(values, axis=0))))


def shares_of_change(chart: Chart) -> list[float]:
    """Return each dimension's share of the change that all dimensions cause in the outputs.

    A dimension is moved from mean − std to mean + std of the rows, while the other dimensions have
    the values of some rows. The change of the outputs is squared and averaged over these rows and
    all outputs, each output in units of its scale.
    """
    latent, posterior = chart.latent_mean, chart.seen
    scale = 1.0 if chart.columns is not None else posterior.scale
    rows = latent[:: max(1, len(latent) // ROWS_FOR_SHARES)]
    mean, std = latent.mean(axis=0), latent.std(axis=0)
    change = np.zeros(len(mean))
    for q in np.flatnonzero(std > 0.0):
        low, high = rows.copy(), rows.copy()
        low[:, q], high[:, q] = mean[q] - std[q], mean[q] + std[q]
        moved = predict(posterior, high)[0] - predict(posterior, low)[0]
        change[q] = np.mean((moved / scale) ** 2)
    total = change.sum()
    shares = change / total if total > 0.0 else change
    return [*shares.tolist(), *([0.0] if chart.n_latent == 1 else [])]


def drawing_header(dataset: DrawnData, columns: TableColumns | None = None) -> dict[str, Any]:
    """Return how a row is drawn, with the common range, size and floor of all rows.

    columns: the columns of a model of words and counts, for the order of their words.
    """
    drawing: Drawing = dataset.drawing
    described: dict[str, Any] = {
        "kind": drawing.kind,
        "shape": list(drawing.shape),
        "range": list(value_range(dataset)),
        "columns": None if dataset.column_names is None else list(dataset.column_names),
    }
    if dataset.columns:
        described |= table_drawing(dataset, columns)
    elif (ranges := own_ranges(dataset)) is not None:
        described["ranges"] = ranges
    if drawing.skeleton is not None:
        joints = dataset.values.reshape(-1, *drawing.shape)
        heights = joints[:, :, 1]
        heights = heights[~np.isnan(heights).all(axis=1)]
        floor = float(np.quantile(np.nanmin(heights, axis=1), 0.02))
        top = float(np.quantile(np.nanmax(heights, axis=1), 0.98))
        centre = np.nanmean(joints, axis=(0, 1))
        centre[1] = (floor + top) / 2.0
        # A missing coordinate counts as 0 in a joint's distance.
        distance = np.sqrt(np.nansum((joints - centre) ** 2, axis=2)).max(axis=1)
        described["skeleton"] = {
            "names": list(drawing.skeleton.joint_names),
            "parents": list(drawing.skeleton.parents),
        }
        if drawing.skeleton.rig is not None:
            described["skeleton"]["rig"] = asdict(drawing.skeleton.rig)
        described["extent"] = {
            "centre": centre.tolist(),
            "reach": float(np.quantile(distance, 0.98)),
            "floor": floor,
        }
    return described
