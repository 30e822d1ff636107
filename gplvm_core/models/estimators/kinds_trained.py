"""Training of a model of one table with columns of several kinds, and its fitted attributes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from sklearn.utils.validation import check_is_fitted

from gplvm_core.bounds import MixedOutputs
from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.data.kinds import missing_in_words, units_of_numbers
from gplvm_core.models.data.rows import refuse_unseen, take_names
from gplvm_core.models.data.scaling import Scaling, gaps_in_words
from gplvm_core.models.data.timeline import TIMES, over_times
from gplvm_core.models.estimators.files import FromFiles
from gplvm_core.models.estimators.trained import Ended
from gplvm_core.models.problems.kinds import (
    KindsGraph,
    KindsSettled,
    KindsStart,
    all_rows_in_words,
    any_kinds,
)
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA
from gplvm_core.prediction.sharpness import word_factors
from gplvm_core.statistics import Executor

# Number of dimensions that start with their full spread if all counts are sparse.
LEADING = 2


class TrainedKinds(FromFiles):
    """Prepare and fit a model of one table, whose columns may be of several kinds.

    Attributes
    ----------
    columns_ : TableColumns or None
        The columns with their kinds and words; None if all columns are numbers.
    """

    kinds: str | Sequence[Any] | Mapping[Any, Any] | None = None
    encoder: str | None = None
    time_kernel: Any = None
    path_over: Any = TIMES
    # The default is for models in files of older versions, which do not store the columns.
    columns_: TableColumns | None = None

    def extend(self, Y: Any) -> Self:
        if self.columns_ is not None:
            raise ValueError(
                "a model of columns of several kinds cannot be extended: fit it to all rows"
            )
        return super().extend(Y)

    def _mixed_columns(self) -> TableColumns:
        """The columns of the model; raises ValueError if all columns are numbers."""
        check_is_fitted(self)
        if self.columns_ is None:
            raise ValueError(
                'all columns of this model are numbers; fit with kinds="auto" or kinds={…} for '
                "columns of other kinds"
            )
        return self.columns_

    def _training_data(self, Y: Any, how: str) -> tuple[Array, Scaling]:
        """Outputs in internal units, and their scaling; only columns of numbers are scaled."""
        self.columns_ = None
        if self.kinds is None:
            return super()._training_data(Y, how)
        columns, outputs, kind_notes = TableColumns.learnt(Y, self.kinds)
        self._kind_notes = kind_notes
        if columns.only_numbers:
            return super()._training_data(Y, how)
        if self.encoder is not None:
            raise ValueError(
                "columns of several kinds cannot be combined with an encoder: leave encoder out, "
                "or give only columns of numbers"
            )
        if not over_times(self.path_over):
            raise ValueError("paths that follow the rows' own values need columns of numbers only")
        take_names(self, Y, reset=True)
        refuse_unseen(np.asarray(~np.isnan(outputs).all(axis=1)))
        self.columns_, scaling = columns, units_of_numbers(columns, outputs)
        return scaling.apply(outputs), scaling

    def _outputs(self, Y: Any, *, all_seen: bool = True) -> Array:
        check_is_fitted(self)
        if self.columns_ is None:
            return super()._outputs(Y)
        take_names(self, Y, reset=False)
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
        outputs = MixedOutputs(targets, self.columns_.links)
        # If all dimensions start with full spread, training on sparse counts switches every
        # dimension off.
        leading = LEADING if self.columns_.are_sparse(targets) else None
        return KindsStart(replace(begin, outputs=values, leading=leading), (outputs,))

    def _any_kinds(self, begin: KindsStart, run: Executor) -> KindsGraph:
        top = self._top(begin.begin.outputs[0], self.n_components)
        return any_kinds(top, begin, self.jitter, run, ("per_output",))

    def _settle_kinds(self, ended: Ended, targets: Array, scaling: Scaling, offset: float) -> Any:
        """Set the fitted attributes for a table of several kinds; return notes."""
        learnt = ended.learnt((targets,))
        (node,), (settled,) = learnt.nodes, learnt.layers
        assert isinstance(settled, KindsSettled)
        posterior, bound = settled.as_posterior(scaling), learnt.bound + offset
        self._set_fitted(node.belief, node.information, bound, settled.statistics, posterior)
        if self.time_kernel is None:
            known = scaling.center + scaling.scale * targets
            factors = word_factors(self._network, self._mixed_columns(), DATA, known)
            self.posterior_ = replace(posterior, scale=posterior.scale * factors)
        # The statistics contain weights of the entries, so later rows cannot be added.
        self.statistics_ = None  # type: ignore[assignment]
        notes = settled.of_columns(self._mixed_columns(), scaling)
        return notes if self.time_kernel is not None else notes + all_rows_in_words(len(targets))

    def _gaps(self, targets: Array) -> tuple[str, ...]:
        """Notes on missing values and on the kinds that were chosen for the columns."""
        kind_notes = getattr(self, "_kind_notes", ())
        if hasattr(self, "_kind_notes"):
            del self._kind_notes
        if self.columns_ is None:
            return gaps_in_words(targets) + kind_notes
        return missing_in_words(self.columns_, targets) + kind_notes
