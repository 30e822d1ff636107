"""Rows that the canvas can draw: a `Dataset`, some of its rows, a view, or a layer's outputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from jaxtyping import Float, Int
from numpy import ndarray as Array

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.missing import missing_entries

PER_ROW = ("labels", "row_names", "sequences", "times")  # facts of single rows; each may be None


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Rows with the facts that the canvas needs; unlike in a `Dataset`, whole rows may be
    missing.
    """

    values: Float[Array, "N D"]
    drawing: Drawing
    column_names: tuple[str, ...] | None = None
    columns: tuple[TableColumn, ...] = ()
    labels: Array | None = None
    label_names: tuple[str, ...] = ()
    row_names: Array | None = None
    sequences: Array | None = None
    times: Array | None = None
    covariates: Mapping[str, Array] = field(default_factory=dict)

    @classmethod
    def some(cls, rows: "DrawnData", chosen: Int[Array, " n"]) -> Self:
        """Return the chosen rows, in this order."""
        own: dict[str, Any] = {name: getattr(rows, name) for name in PER_ROW}
        return cls(
            rows.values[chosen],
            rows.drawing,
            rows.column_names,
            rows.columns,
            label_names=rows.label_names,
            covariates={name: facts[chosen] for name, facts in rows.covariates.items()},
            **{name: None if facts is None else facts[chosen] for name, facts in own.items()},
        )

    @classmethod
    def of_layer(cls, outputs: Float[Array, "N D"], **facts: Any) -> Self:
        """Return the outputs of a hidden layer, drawn as bars."""
        return cls(outputs, Drawing("bars", (outputs.shape[1],)), **facts)

    @property
    def missing(self) -> Array | None:
        return missing_entries(self.values)


DrawnData = Dataset | DrawnRows
