"""Training on rows of files, and rows that are added after training."""

import hashlib
from collections import Counter
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from gplvm_core.beliefs import Belief
from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.data.rows import TrainingRows, take_names
from gplvm_core.models.estimators.attributes import set_fitted
from gplvm_core.models.estimators.second_stage import refuse_known_errors
from gplvm_core.models.estimators.trained import Callback, fit_table, mark_stopped
from gplvm_core.models.estimators.with_known import apart_from_known
from gplvm_core.models.problems import many_rows
from gplvm_core.models.training.run import Run
from gplvm_core.models.training.watched import Watched
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction import DATA, Network
from gplvm_core.prediction.added import Added, Passed, Sums, streamed_sums
from gplvm_core.prediction.place import place_rows
from gplvm_core.readers import DataError, RowFiles
from gplvm_core.readers.cells import cells_of
from gplvm_core.readers.errors import plural
from gplvm_core.readers.frames import library_of, one_table
from gplvm_core.readers.kinds import coded_table, columns_of, in_own_values, kinds_of
from gplvm_core.readers.rows.coded import unknown_in_words
from gplvm_core.readers.rows.files import without_value
from gplvm_core.statistics import Executor, Statistics, executor_for

M = TypeVar("M")


def fit_rows(
    model: Any,
    Y: ArrayLike | RowFiles,
    times: ArrayLike | None,
    sequences: ArrayLike | None,
    callback: Callback | None,
    resume: Run | None,
    executor: Executor | None,
    errors: ArrayLike | None,
) -> None:
    """Train the model on a table in memory, or on rows of files."""
    if not isinstance(Y, RowFiles):
        if executor is not None:
            raise ValueError(
                "an executor works only on rows of files: save the table with numpy.save to a "
                "folder that all workers can read, and fit RowFiles.of(path)"
            )
        if _streams_words(model, Y, errors):
            _fit_worded(model, Y, times, sequences, callback, resume)
        else:
            fit_table(model, Y, times, sequences, callback, resume, errors=errors)
        return
    if errors is not None:
        raise ValueError(
            "known errors need a table in memory: fit numpy.asarray(files), or leave out errors"
        )
    most = many_rows.MANY
    alone = model.encoder is None and model.time_kernel is None
    streams, watched = alone and len(Y) > most, Watched(callback)
    columns = Y.columns
    if bool(columns) != (getattr(model, "kinds", None) is not None) and (columns or streams):
        raise DataError(
            "columns of words, counts or robust numbers in files are named when the files are "
            "opened: files = RowFiles.of(path, kinds=…), then kinds=files.kinds for the model. "
            "Fractions are not read from files yet: pass a table in memory"
        )
    if columns and streams:
        most = many_rows.SAMPLES[-1]  # all rows of such a table train, so there are fewer of them

    def read() -> None:
        with suppress(StopIteration):  # training obeys it, and needs these rows
            watched.between()

    chosen = np.sort(np.random.default_rng(0).permutation(len(Y))[: most if streams else len(Y)])
    drawn, empty, notes = Y.taken(chosen, read)
    if len(empty) == len(Y):
        raise DataError("no row of the files has a value")
    kept = chosen
    if model.time_kernel is None:  # over time, a row without values may be a gap
        there = np.isin(chosen, empty, invert=True)
        kept, drawn = chosen[there], drawn[there]
    further = len(Y) - len(np.union1d(kept, empty)) if streams else 0
    seen = watched if callback and streams else callback
    table = in_own_values(columns, drawn) if columns else drawn
    fit_table(model, table, times, sequences, seen, resume, further)
    if streams:
        before = None if resume is None else resume.streamed
        _stream(model, Y, np.union1d(kept, empty), kept, drawn, watched, executor, before)
    elif executor is not None:
        why = "they are few" if alone else "the model has an encoder or a time_kernel"
        model.notes_ += (
            f"the executor was not used: all rows were loaded into memory, because {why}",
        )
    if not streams and len(kept) < len(Y):
        model.rows_ = TrainingRows.sampled(len(Y), kept, model.rows_.trained)
    model.notes_ += notes
    if model.time_kernel is None and len(empty):
        model.notes_ += (f"left out, because {without_value(empty)}",)


def _streams_words(model: Any, Y: Any, errors: ArrayLike | None) -> bool:
    """Whether a table in memory may train as one in files does."""
    alone = model.encoder is None and model.time_kernel is None and model.known_ is None
    worded = alone and errors is None and model.kinds is not None
    return worded and many_rows.are_many(len(one_table(Y)))


def _fit_worded(
    model: Any,
    Y: Any,
    times: ArrayLike | None,
    sequences: ArrayLike | None,
    callback: Callback | None,
    resume: Run | None,
) -> None:
    """Train on a large table in memory: on a sample, as on files, if it has words or counts."""
    columns, notes = columns_of(cells_of(Y), model.kinds, fractions=True)
    if TableColumns(columns).only_numbers:
        fit_table(model, Y, times, sequences, callback, resume)
        return
    values, given = coded_table(columns, Y), model.kinds
    rows = RowFiles.in_memory(columns, values)
    model.kinds = kinds_of(columns)  # of all rows, not of the sample
    try:
        fit_rows(model, rows, times, sequences, callback, resume, None, None)
    finally:
        model.kinds = given
    take_names(model, Y, reset=True)
    model.columns_ = replace(model.columns_, frame=library_of(Y))
    unseen = Counter(
        {
            (column.name, word): count
            for column, learnt, own in zip(columns, model.columns_.columns, values.T, strict=True)
            for number, word in enumerate(column.words)
            if word not in learnt.words and (count := int(np.count_nonzero(own == number)))
        }
    )
    model.notes_ += notes + unknown_in_words(unseen)


def extend(self: M, Y: ArrayLike) -> M:
    """Add rows to a trained model without training again.

    The model infers the latent point of each row, as `transform` does but from one start. It
    then updates the mapping q(u) from all rows. Kernel, noise and inducing inputs do not
    change. `bound_`, `information_`, `latent_mean_` and `latent_variance_` describe all rows;
    the new rows are last. After training from files, the numbers of the new rows in
    `rows_.kept` follow the number of the files' last row.

    Parameters
    ----------
    Y : array_like of shape (n, D)
        Rows; NaN marks missing values.

    Returns
    -------
    self
        The extended estimator.

    Raises
    ------
    ValueError
        If the columns differ from those of the training rows, or if the model has a
        time_kernel, because its rows depend on each other.
    """
    model: Any = self
    if model.columns_ is not None:
        raise ValueError(
            "a model of columns of several kinds cannot be extended: fit it to all rows"
        )
    if not apart_from_known(model):
        raise ValueError("a map without known factors cannot be extended: fit it to all rows")
    if model.time_kernel is not None:
        raise ValueError(
            f"{type(self).__name__} couples its rows by their times, so rows cannot be added: "
            "fit it to all rows, or call forecast for new times"
        )
    refuse_known_errors(model, "the places of further rows")
    outputs, posterior = model._rows(Y)[DATA], model.posterior_
    with executor_for(model.n_jobs) as executor:
        network = Network.star({DATA: posterior}, model._belief)
        belief = place_rows(network, {DATA: outputs}, executor=executor)[0][0]
        new = Sums.of(posterior, outputs, belief, executor)
    _add(model, model.statistics_, new, belief)
    added = plural(len(outputs), "row")
    model.notes_ += (f"added without training again: {added}",)
    if model.density_ is not None:
        model.density_ = None
        model.notes_ += (
            f"the density of the rows was deleted, because it does not describe the added "
            f"{added}: call fit_density(Y, folds=5) with all rows",
        )
    return self


def _stream(
    model: Any,
    files: RowFiles,
    but: Int[IntArray, " K"],
    kept: Int[IntArray, " n"],
    drawn: Float[Array, "n _C"],
    watched: Watched,
    given: Executor | None,
    before: tuple[str, Passed] | None,
) -> None:
    """Add the summed statistics of all rows of the files except `but`: those kept or empty.

    drawn: the rows that are kept. before: how far a resumed run had come, and with which map and
    files.
    """
    state = (float(model.bound_), *(each.state for each in files.files))
    mark = hashlib.sha256(repr(state).encode()).hexdigest()
    passed = before[1] if before is not None and before[0] == mark else Passed()
    table: TableColumns | None = getattr(model, "columns_", None)
    trained, ahead = model.rows_.trained, len(files) - len(but)
    placed = 0 if trained is None else len(kept) - len(trained)

    def goes_on() -> bool:
        done = 0 if passed.sums is None else passed.sums.count
        said = f"rows streamed: {done:,} of {ahead:,}"
        return watched.rows(said, placed + done, (mark, passed))

    with nullcontext(given) if given else executor_for(model.n_jobs) as executor:
        if goes_on():
            if before is not None and before[0] != mark:
                model.notes_ += (
                    "the map or the files have changed, so all rows were streamed again",
                )
            known = (files, model.posterior_, model._belief, but, executor)
            for each in streamed_sums(
                *known, table=table, elsewhere=given is not None, first=passed.until
            ):
                passed = passed.then(each)
                if not goes_on():
                    break
    new = passed.sums
    model.rows_ = TrainingRows.sampled(len(files), kept, trained)
    if new is not None:
        statistics = model.statistics_
        if table is not None:
            own = table.recoded(files.columns, drawn)
            statistics = Sums.of(model.posterior_, own, model._belief).statistics
        _add(model, statistics, new, None)
        # Those of words, counts and robust numbers contain weights that change with q(u).
        model.statistics_ = None if table is not None else model.statistics_
    passed = model.rows_.count - len(kept)
    note = (
        f"{passed:,} of {len(files):,} rows were streamed once; only their summed statistics "
        "are stored"
    )
    if passed != ahead:
        note += f"; not read, because training was stopped: {ahead - passed:,}"
        mark_stopped(model)
    model.notes_ += (note,)


def _add(model: Any, known: Statistics, new: Sums, kept: Belief | None) -> None:
    """Add the summed statistics of rows to the known ones; kept: the rows' q(X), if the model
    stores it.
    """
    added = Added.of(model.posterior_, known, new)
    before = model.rows_.count
    information = (before * model.information_ + new.divergence) / (before + new.count)
    rows = model.rows_
    model.rows_ = rows.more(new.count) if kept is None else rows.with_beliefs(new.count)
    belief = model._belief if kept is None else model._belief.followed_by(kept)
    bound = model.bound_ + added.gained
    set_fitted(model, belief, information, bound, added.statistics, added.posterior)
