"""Training of a model of one table with columns of several kinds."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gplvm_core.bounds import MixedOutputs
from gplvm_core.likelihoods import Links, Number, TableColumns, WithErrors
from gplvm_core.models.data.errors import checked_errors, units_with_errors
from gplvm_core.models.data.fractions import Fractions, proposed
from gplvm_core.models.data.kinds import units_of_numbers
from gplvm_core.models.data.rows import checked_rows, refuse_unseen, take_names
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.timeline import over_times
from gplvm_core.models.estimators.attributes import set_fitted
from gplvm_core.models.estimators.with_known import with_linear_part, without_linear_part
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


def training_table(
    model: Any, Y: ArrayLike, how: str, errors: ArrayLike | None = None
) -> tuple[Array, Scaling, Array | None, tuple[str, ...]]:
    """Outputs in internal units, their scaling, their known errors, and notes on the kinds of the
    columns.

    errors: the errors of cells as the user gave them. Only columns of numbers are scaled. Sets
    `columns_` and `fractions_` of a model with the setting `kinds`.
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
            numbers = columns.links.measured
            outputs, model._linear_part = without_linear_part(model, outputs, numbers)
            model.columns_, scaling = columns, units_of_numbers(columns, outputs)
            known = checked_errors(errors, outputs, columns.names, columns)
            return *_in_units(outputs, scaling, known), notes
    outputs = checked_rows(model, Y, reset=True)
    own = hasattr(model, "kinds") and model.kinds is None
    if own and errors is None and model.known_ is None and over_times(model.path_over):
        notes = proposed(outputs)
    if parts:
        if errors is not None or model.known_ is not None:
            raise ValueError(
                "fractions cannot be combined with known errors of cells or known factors: leave "
                "one of them out"
            )
        if not (over_times(model.path_over) or isinstance(model.path_over, str)):
            raise ValueError(
                "paths cannot follow columns of a table with fractions by their numbers: use "
                'path_over="outputs" or "times"'
            )
        model.fractions_, about = Fractions.learnt(columns.names, parts, outputs)
        outputs, notes = model.fractions_.encoded(outputs), notes + about
        refuse_unseen(np.asarray(~np.isnan(outputs).all(axis=1)), fractions=True)
    if hasattr(model, "known_"):
        outputs, model._linear_part = without_linear_part(model, outputs)
    names = list(getattr(model, "feature_names_in_", ()))
    known = checked_errors(errors, outputs, names)
    if known is not None:
        _check_settings(model)
    scaling = Scaling.of(outputs, how if known is None else "columns")
    return *_in_units(outputs, scaling, known), notes


def _in_units(
    outputs: Array, scaling: Scaling, errors: Array | None
) -> tuple[Array, Scaling, Array | None]:
    """Outputs and their known errors in internal units, between them their scaling."""
    if errors is None:
        return scaling.apply(outputs), scaling, None
    scaling = units_with_errors(scaling, outputs, errors)
    return scaling.apply(outputs), scaling, errors / scaling.scale


def _check_settings(model: Any) -> None:
    """Raise ValueError for settings that need columns of numbers without known errors."""
    if model.encoder is not None:
        raise ValueError(
            "columns of several kinds cannot be combined with an encoder, nor can known errors of "
            "cells: leave encoder out, or give only columns of numbers without errors"
        )
    if not over_times(model.path_over):
        raise ValueError(
            "paths that follow the rows' own values need columns of numbers only, without known "
            "errors"
        )


def kinds_start(columns: TableColumns, begin: Start, targets: Array) -> Start:
    """The start of training for a table of several kinds."""
    # If all dimensions start with full spread, training on sparse counts switches every dimension
    # off.
    leading = LEADING if columns.are_sparse(targets) else None
    mixed = (MixedOutputs(targets, columns.links),)
    return replace(begin, outputs=(columns.starting(targets),), leading=leading, mixed=mixed)


def start_with_errors(
    begin: Start, columns: TableColumns | None, targets: Array, errors: Array
) -> Start:
    """The start of training for a table whose cells have known errors (in internal units)."""
    links = columns.links if columns is not None else Links((Number(),) * targets.shape[1])
    each = (
        WithErrors() if known.any() else link
        for known, link in zip(errors.T, links.columns, strict=True)
    )
    # The spread of a column without errors is 1: the best guess of each value shrinks to the mean.
    calm = targets / (1.0 + errors**2)
    outputs = calm if columns is None else columns.starting(calm)
    mixed = (MixedOutputs(targets, Links(tuple(each)), errors),)
    return replace(begin, outputs=(outputs,), mixed=mixed)


def settle_kinds(
    model: Any, learnt: Learnt, targets: Array, scaling: Scaling, offset: float
) -> tuple[str, ...]:
    """Set the fitted attributes of a table of several kinds or with known errors; return notes."""
    (node, *_), (settled,) = learnt.nodes, learnt.layers
    assert isinstance(settled, KindsSettled)
    posterior = with_linear_part(settled.as_posterior(scaling), model._linear_part)
    bound = learnt.bound + offset
    set_fitted(model, node.belief, node.information, bound, settled.statistics, posterior)
    # The statistics contain weights of the entries, so later rows cannot be added.
    model.statistics_ = None
    assert settled.outputs is not None
    errors = settled.outputs.errors
    model.known_errors_ = errors is not None
    if model.columns_ is None:
        notes = settled.silent_in_words()
    else:
        notes = settled.of_columns(model.columns_, scaling)
        if model.time_kernel is None and model.known_ is None:
            known, network = scaling.center + scaling.scale * targets, model._network
            if errors is not None:
                network = network.with_errors({DATA: scaling.scale * errors})
            factors = word_factors(network, model.columns_, DATA, known)
            model.posterior_ = replace(posterior, scale=posterior.scale * factors)
    return notes if model.time_kernel is not None else notes + all_rows_in_words(len(targets))
