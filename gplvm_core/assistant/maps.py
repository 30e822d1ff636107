"""The tools that list and describe models, predict at points of a map, and draw the map."""

import base64
from collections import Counter
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from jaxtyping import Float
from mcp_types import CallToolResult, ImageContent, TextContent
from pydantic import Field

from gplvm_core.assistant.rows import MOST_ROWS, Asked
from gplvm_core.assistant.schema import (
    Cell,
    Column,
    Columns,
    Described,
    Dimension,
    Drawn,
    Factors,
    Listed,
    ModelKey,
    Models,
    Point,
    Predicted,
    Probability,
    Records,
    number,
    numbers,
)
from gplvm_core.assistant.shelf import Opened, Shelf
from gplvm_core.assistant.values import at_points
from gplvm_core.numerics import Array
from gplvm_core.readers.errors import plural
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.store import StoreError, model_card
from gplvm_core.wire.model import shown_pair
from gplvm_core.wire.precision import spread

MOST_COLUMNS = 300  # that a description lists
GRID = (44, 36)  # places of the shading, across and up
MARGIN = 0.08  # around the points, as a share of their range
AT_ONCE = 200  # points
NOT_CALIBRATED = "Intervals at points of the map are those of the model, not calibrated."


@dataclass(frozen=True)
class MapTools:
    """The tools that ask about models and their maps."""

    shelf: Shelf

    def list_models(self) -> Models:
        """List all models: the ready ones (gallery:…) and those of the user (library:…)."""
        found, notes = list[Listed](), list[str]()
        for place, library in self.shelf.libraries().items():
            try:
                entries = library.entries()
            except StoreError as error:
                notes.append(str(error))
                continue
            found += [
                Listed(
                    model=f"{place}:{each.id}",
                    title=each.title,
                    kind=each.model_class,
                    rows=each.n_points,
                    columns=each.n_outputs,
                    dimensions=each.n_latent,
                    tags=list(each.tags),
                    problem=each.broken,
                )
                for each in entries
            ]
        return Models(models=found, notes=notes)

    def describe_model(self, model: ModelKey) -> Described:
        """Describe a model: its columns with their kinds, words and ranges, its dimensions, the
        labels of its training rows, and the model card.
        """
        opened = self.shelf.open(model)
        data, known = opened.dataset, getattr(opened.model, "_of_all_values", opened.model)
        taken_out = getattr(known, "known_", None)
        labels = Counter(filter(None, map(data.label_word, range(data.n_points))))
        counts = {"column": data.n_outputs, "label": len(labels)}
        more = {name: count - MOST_COLUMNS for name, count in counts.items()}
        values = data.targets[:, :MOST_COLUMNS].astype(float)
        factors: dict[str, list[Cell]] = {}
        if taken_out is not None:
            levels = map(taken_out.values, taken_out.choices)
            both = zip(taken_out.names, zip(*levels, strict=True), strict=True)
            factors = {name: list(dict.fromkeys(own)) for name, own in both}
        return Described(
            title=opened.entry.title,
            rows=data.n_points,
            columns=list(map(_column, opened.names, data.all_columns, values.T)),
            dimensions=[
                Dimension(number=q + 1, name=name, relevance=relevance)
                for q, (name, relevance) in enumerate(
                    zip(_names(opened), numbers(opened.model.latent_scale_**2), strict=True)
                )
            ],
            labels=dict(labels.most_common(MOST_COLUMNS)),
            known_factors=factors,
            card=model_card(known, data, opened.entry.title),
            notes=[f"{plural(n, f'more {name}')} not listed." for name, n in more.items() if n > 0],
        )

    def predict_at(
        self,
        model: ModelKey,
        points: Annotated[
            list[list[float]], Field(description="Points with one coordinate per dimension.")
        ],
        probability: Probability = 0.95,
        columns: Columns = None,
        known_factors: Factors = None,
    ) -> Predicted:
        """Predict the row that a model generates at points of its map, each value with an interval
        that contains a new value there with the given probability (noise included).
        """
        opened = self.shelf.open(model, known_factors)
        width, chosen = opened.model.latent_mean_.shape[1], opened.numbers_of(columns)
        if not 1 <= len(points) <= MOST_ROWS:
            raise ValueError(
                f"{len(points):,} points were given; one call takes 1 to {MOST_ROWS}. Send them in "
                "several calls."
            )
        if any(len(point) != width for point in points) or not np.isfinite(points).all():
            raise ValueError(f"A point of this map has {plural(width, 'finite coordinate')}.")
        found = at_points(opened, np.array(points, dtype=float), probability, chosen)
        both = zip(points, found, strict=True)
        return Predicted(
            notes=[*opened.at, NOT_CALIBRATED],
            probability=probability,
            points=[Point(coordinates=point, values=values) for point, values in both],
        )

    def draw_map(
        self,
        model: ModelKey,
        rows: Records | None = None,
        dimensions: Annotated[
            list[int] | None, Field(description="Two numbers from 1: across and up.")
        ] = None,
        known_factors: Factors = None,
    ) -> Annotated[CallToolResult, Drawn]:
        """Draw a model's map as a PNG picture of 900 × 700 pixels: the training rows, coloured by
        label, on a background that is darker where predictions are less certain; with rows, also
        the places of new rows.
        """
        from gplvm_core.assistant.picture import MapPicture

        opened = self.shelf.open(model, known_factors)
        asked = None if rows is None else Asked.of(opened, rows)
        pair = _pair(opened, dimensions)
        places = None if asked is None else asked.answers(opened.model, reasons=False)
        some = opened.model.latent_mean_[:, pair]
        whole = some if places is None else np.vstack([some, places.places[:, pair]])
        low, high = whole.min(axis=0), whole.max(axis=0)
        margin = MARGIN * np.where(high > low, high - low, 1.0)
        low, high = low - margin, high + margin
        data, (across, up) = opened.dataset, _axes(opened, pair)
        labels = data.classes
        picture = MapPicture(
            title=opened.entry.title,
            across=across,
            up=up,
            points=some,
            labels=data.labels,
            label_names={n: data.label_names[n] if data.label_names else str(n) for n in labels},
            shade=_shade(opened, pair, low, high),
            ends=(low[0], high[0], low[1], high[1]),
        )
        if asked is not None and places is not None:
            new, std = places.places[:, pair], places.place_std[:, pair]
            picture = replace(picture, new=new, std=std, numbers=tuple(asked.numbers))
        hidden = "The shading holds the other dimensions at their median."
        notes = [*(opened.at if asked is None else asked.notes), hidden]
        drawn = Drawn(
            title=opened.entry.title,
            across=across,
            up=up,
            notes=notes,
            left_out=[] if asked is None else asked.left_out,
        )
        image = base64.b64encode(picture.png()).decode()
        text = TextContent(type="text", text=drawn.model_dump_json(indent=2))
        return CallToolResult(
            content=[ImageContent(type="image", data=image, mime_type="image/png"), text],
            structured_content=drawn.model_dump(mode="json"),
        )


def _column(name: str, column: TableColumn, values: Float[Array, " N"]) -> Column:
    known = values[~np.isnan(values)]
    numeric = not column.is_words and len(known) > 0
    return Column(
        name=name,
        kind=column.kind,
        words=[str(word) for word in column.words],
        low=number(known.min()) if numeric else None,
        high=number(known.max()) if numeric else None,
        missing=int(np.isnan(values).sum()),
    )


def _names(opened: Opened) -> list[str]:
    """Return the user's names of the dimensions, "" where there is none."""
    own = dict(opened.entry.dimension_names).get("", ())
    return [own[q] if q < len(own) else "" for q in range(opened.model.latent_mean_.shape[1])]


def _pair(opened: Opened, dimensions: list[int] | None) -> list[int]:
    scale = opened.model.latent_scale_
    known = range(1, len(scale) + 1)
    if dimensions is not None:
        if len(dimensions) != 2 or not all(each in known for each in dimensions):
            raise ValueError(f"dimensions are two numbers from 1 to {len(scale)}.")
        return [each - 1 for each in dimensions]
    return list(shown_pair(opened.model, opened.dataset))


def _axes(opened: Opened, pair: list[int]) -> tuple[str, ...]:
    names, scale = _names(opened), opened.model.latent_scale_
    return tuple(
        f"{names[q] or f'dimension {q + 1}'}  "
        + (
            f"(relevance 1/ℓ² = {scale[q] ** 2:.3g}; lengthscale ℓ = {1 / scale[q]:.3g})"
            if scale[q] > 0
            else "(switched off)"
        )
        for q in pair
    )


def _shade(opened: Opened, pair: list[int], low: Any, high: Any) -> Float[Array, "R C"] | None:
    """Return the standard deviation of outputs on a grid, relative to the data's spread."""
    across, up = (np.linspace(low[k], high[k], GRID[k]) for k in range(2))
    points = np.tile(np.median(opened.model.latent_mean_, axis=0), (GRID[0] * GRID[1], 1))
    x, y = np.meshgrid(across, up)
    points[:, pair[0]], points[:, pair[1]] = x.ravel(), y.ravel()
    own = spread(opened.dataset)
    used = [d for d, each in enumerate(opened.dataset.all_columns) if not each.is_words]
    if not used:
        return None
    shares = []
    for first in range(0, len(points), AT_ONCE):
        std = opened.model.inverse_transform(points[first : first + AT_ONCE], return_std=True)[1]
        whole = np.hstack([np.asarray(each, dtype=float) for each in std.values()]) if isinstance(
            std, dict
        ) else np.asarray(std, dtype=float)  # fmt: skip
        shares.append(np.sqrt(np.mean((whole[:, used] / own[used]) ** 2, axis=1)))
    return np.concatenate(shares).reshape(GRID[1], GRID[0])
