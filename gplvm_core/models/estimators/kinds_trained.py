"""Training of a model of one table with columns of several kinds, and its fitted attributes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from sklearn.utils.validation import check_is_fitted, validate_data

from gplvm_core.bounds import MixedOutputs
from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.data.rows import refuse_unseen
from gplvm_core.models.data.scaling import Scaling, gaps_in_words
from gplvm_core.models.estimators.files import FromFiles
from gplvm_core.models.estimators.trained import Ended
from gplvm_core.models.problems.edges import NO_SIGNAL
from gplvm_core.models.problems.kinds import KindsEdge, KindsGraph, KindsStart, any_kinds
from gplvm_core.numerics import Array
from gplvm_core.readers.errors import listed
from gplvm_core.statistics import Executor

# Warn of a number with more signal than this, in units of its noise, if one value makes up more
# than this share of its rows.
ALMOST_EXACT, REPEATED = 100.0, 0.15


class TrainedKinds(FromFiles):
    """Prepare and fit a model of one table, whose columns may be of several kinds.

    Attributes
    ----------
    columns_ : TableColumns or None
        The columns with their kinds and words; None if all columns are numbers.
    """

    kinds: str | Sequence[Any] | Mapping[Any, Any] | None = None
    batch_size: int | None = None
    # The default is for files of older versions, which do not store the columns.
    columns_: TableColumns | None = None

    def extend(self, Y: Any) -> Self:
        if self.columns_ is not None:
            raise ValueError(
                "a model of columns of several kinds cannot be extended: fit it to all rows"
            )
        return super().extend(Y)

    @property
    def _columns(self) -> TableColumns:
        """The columns. Raises ValueError if all are numbers."""
        check_is_fitted(self)
        if self.columns_ is None:
            raise ValueError(
                'all columns of this model are numbers; fit with kinds="auto" or kinds={…} for '
                "columns of other kinds"
            )
        return self.columns_

    def _training_data(self, Y: Any, how: str) -> tuple[Array, Scaling]:
        """Outputs in internal units: each number is scaled, the other columns are not."""
        self.columns_ = None
        if self.kinds is None:
            return super()._training_data(Y, how)
        columns, outputs, told = TableColumns.learnt(Y, self.kinds)
        self._kinds_told = told
        if not columns.links().discrete.any():
            return super()._training_data(Y, how)
        for name in ("encoder", "batch_size"):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"columns of several kinds cannot be combined with {name}: leave it out, or "
                    "give only numbers"
                )
        validate_data(self, Y, reset=True, skip_check_array=True)
        refuse_unseen(np.asarray(~np.isnan(outputs).all(axis=1)))
        self.columns_, numbers = columns, columns.links().numbers
        center, scale = np.zeros(len(numbers)), np.ones(len(numbers))
        notes: tuple[str, ...] = ()
        if numbers.any():
            own = Scaling.of(outputs[:, numbers], "columns", empty_rows=True)
            center[numbers], scale[numbers], notes = own.center, own.scale, own.notes
        scaling = Scaling(center, scale, notes)
        return scaling.apply(outputs), scaling

    def _outputs(self, Y: Any, *, all_seen: bool = True) -> Array:
        check_is_fitted(self)
        if self.columns_ is None:
            return super()._outputs(Y)
        validate_data(self, Y, reset=False, skip_check_array=True)
        outputs = self.columns_.encoded(Y)
        if all_seen:
            refuse_unseen(np.asarray(~np.isnan(outputs).all(axis=1)))
        return outputs

    def _rows_in_time(self, Y: Any) -> Array:
        if self.columns_ is None:
            return super()._rows_in_time(Y)
        return self._outputs(Y, all_seen=False)

    def _begin(self, targets: Float[Array, "N D"]) -> Any:
        begin = super()._begin(targets)
        if self.columns_ is None:
            return begin
        values = (self.columns_.starting(targets),)
        outputs = MixedOutputs(targets, self.columns_.links())
        return KindsStart(replace(begin, outputs=values), outputs)

    def _any_kinds(self, begin: KindsStart, run: Executor) -> KindsGraph:
        top = self._top(begin.begin.outputs[0], self.n_components)
        return any_kinds(top, begin, self.jitter, run)

    def _settle_kinds(self, ended: Ended, targets: Array, scaling: Scaling, offset: float) -> Any:
        """Set the fitted attributes for a table of several kinds; return notes."""
        learnt = ended.learnt((targets,))
        (node,), (settled,) = learnt.nodes, learnt.layers
        layer, (edge,) = settled.layer, ended.problem.edges
        assert isinstance(edge, KindsEdge)
        assert layer.local is not None and layer.bias is not None
        units = replace(scaling, center=scaling.center + layer.bias)
        links = edge.given.linked(layer.local.size)
        posterior = replace(settled.as_posterior(units), links=links)
        bound = learnt.bound + offset
        self._set_fitted(node.belief, node.information, bound, settled.statistics, posterior)
        # The sums contain the entries' weights, so later rows cannot be added to them.
        self.statistics_ = None  # type: ignore[assignment]
        without = [
            column.name
            for column, place in zip(self._columns.columns, self._columns.places, strict=True)
            if (np.asarray(layer.ratio)[place] <= NO_SIGNAL).all()
        ]
        notes = self._repeated(targets, np.asarray(layer.ratio), scaling)
        if without:
            notes += (f"the map explains nothing of the columns {listed(without)}: only noise",)
        return notes

    def _repeated(self, targets: Array, ratio: Array, scaling: Scaling) -> tuple[str, ...]:
        """Notes on numbers with many equal values that are learnt almost without noise.

        The density of a repeated value has no upper limit, so such columns dominate the bound.
        """
        notes = list[str]()
        for column, place in zip(self._columns.columns, self._columns.places, strict=True):
            at = place.start
            if column.kind != "number" or ratio[at] < ALMOST_EXACT:
                continue
            values, counts = np.unique(targets[~np.isnan(targets[:, at]), at], return_counts=True)
            share = counts.max() / counts.sum()
            if share > REPEATED:
                value = scaling.center[at] + scaling.scale[at] * values[np.argmax(counts)]
                notes.append(
                    f"the number {column.name!r} is {value:.4g} in {share:.0%} of its rows and is "
                    "learnt almost without noise, so it may dominate the map; with few values "
                    "it is better a grade or a count"
                )
        return tuple(notes)

    def _gaps(self, targets: Array) -> tuple[str, ...]:
        """Notes on missing values and on the kinds that were chosen for the columns."""
        told = getattr(self, "_kinds_told", ())
        if hasattr(self, "_kinds_told"):
            del self._kinds_told
        if self.columns_ is None:
            return gaps_in_words(targets) + told
        first = [place.start for place in self.columns_.places]
        missing = np.isnan(targets[:, first])
        if not missing.any():
            return told
        return (f"{missing.mean():.1%} of the values are missing: left out, not filled in", *told)
