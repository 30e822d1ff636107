"""Training of a model of one table with columns of several kinds."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gplvm_core.bounds import MixedOutputs
from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.data.fractions import Fractions, proposed
from gplvm_core.models.data.kinds import units_of_numbers
from gplvm_core.models.data.rows import checked_rows, refuse_unseen, take_names
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.timeline import over_times
from gplvm_core.models.estimators.attributes import set_fitted
from gplvm_core.models.problems.graph import Learnt
from gplvm_core.models.problems.kinds import (
    KindsSettled,
    all_rows_in_words,
)
from gplvm_core.models.problems.starts import Start
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA
from gplvm_core.prediction.sharpness import word_factors

# Number of dimensions that start with their full spread if all counts are sparse.
LEADING = 2


def training_table(model: Any, Y: ArrayLike, how: str) -> tuple[Array, Scaling, tuple[str, ...]]:
    """Outputs in internal units, their scaling, and notes on the kinds of the columns.

    Only columns of numbers are scaled. Sets `columns_` and `fractions_` of a model with the setting
    `kinds`.
    """
    notes: tuple[str, ...] = ()
    parts: tuple[int, ...] = ()
    if hasattr(model, "kinds"):
        model.columns_ = model.fractions_ = None
    if getattr(model, "kinds", None) is not None:
        columns, outputs, notes = TableColumns.learnt(Y, model.kinds)
        parts = columns.fractions
        if not columns.only_numbers:
            _check_settings(model)
            take_names(model, Y, reset=True)
            refuse_unseen(np.asarray(~np.isnan(outputs).all(axis=1)))
            model.columns_, scaling = columns, units_of_numbers(columns, outputs)
            return scaling.apply(outputs), scaling, notes
    outputs = checked_rows(model, Y, reset=True)
    if hasattr(model, "kinds") and model.kinds is None:
        notes = proposed(outputs)
    if parts:
        model.fractions_, about = Fractions.learnt(columns.names, parts, outputs)
        outputs, notes = model.fractions_.encoded(outputs), notes + about
        refuse_unseen(np.asarray(~np.isnan(outputs).all(axis=1)))
    scaling = Scaling.of(outputs, how)
    return scaling.apply(outputs), scaling, notes


def _check_settings(model: Any) -> None:
    """Raise ValueError for settings that need columns of numbers only."""
    if model.encoder is not None:
        raise ValueError(
            "columns of several kinds cannot be combined with an encoder: leave encoder out, "
            "or give only columns of numbers"
        )
    if not over_times(model.path_over):
        raise ValueError("paths that follow the rows' own values need columns of numbers only")


def kinds_start(columns: TableColumns, begin: Start, targets: Array) -> Start:
    """The start of training for a table of several kinds."""
    # If all dimensions start with full spread, training on sparse counts switches every dimension
    # off.
    leading = LEADING if columns.are_sparse(targets) else None
    mixed = (MixedOutputs(targets, columns.links),)
    return replace(begin, outputs=(columns.starting(targets),), leading=leading, mixed=mixed)


def settle_kinds(
    model: Any, learnt: Learnt, targets: Array, scaling: Scaling, offset: float
) -> tuple[str, ...]:
    """Set the fitted attributes for a table of several kinds; return notes."""
    (node,), (settled,) = learnt.nodes, learnt.layers
    assert isinstance(settled, KindsSettled)
    posterior, bound = settled.as_posterior(scaling), learnt.bound + offset
    set_fitted(model, node.belief, node.information, bound, settled.statistics, posterior)
    if model.time_kernel is None:
        known = scaling.center + scaling.scale * targets
        factors = word_factors(model._network, model.columns_, DATA, known)
        model.posterior_ = replace(posterior, scale=posterior.scale * factors)
    # The statistics contain weights of the entries, so later rows cannot be added.
    model.statistics_ = None
    notes: tuple[str, ...] = settled.of_columns(model.columns_, scaling)
    return notes if model.time_kernel is not None else notes + all_rows_in_words(len(targets))
