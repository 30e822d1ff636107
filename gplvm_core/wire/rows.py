"""The protocol of data that the canvas can draw."""

from collections.abc import Mapping
from typing import Protocol

from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.kinds import TableColumn


class DrawnData(Protocol):
    """The attributes of data that the canvas needs: a `Dataset`, or one view of it."""

    @property
    def values(self) -> Float[Array, "N D"]: ...
    @property
    def missing(self) -> Array | None: ...
    @property
    def drawing(self) -> Drawing: ...
    @property
    def column_names(self) -> tuple[str, ...] | None: ...
    @property
    def labels(self) -> Array | None: ...
    @property
    def label_names(self) -> tuple[str, ...]: ...
    @property
    def row_names(self) -> Array | None: ...
    @property
    def sequences(self) -> Array | None: ...
    @property
    def times(self) -> Array | None: ...
    @property
    def covariates(self) -> Mapping[str, Array]: ...
    @property
    def columns(self) -> tuple[TableColumn, ...]: ...
