"""The model's answers for the tab Time.

`st.cache_data` caches the results, so that a repeated question costs nothing. `name` is the model's
key and version.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core import StateSpaceGPLVM
from gplvm_core.comparison import FilledSequence, fill_sequence
from gplvm_core.datasets import Dataset
from gplvm_core.figures.cells import choices, columns_of, error_units
from gplvm_core.models.data.timeline import CALENDAR
from gplvm_core.prediction.paths import StepCallback
from gplvm_core.readers.calendar_steps import Steps, dates_at
from gplvm_core.readers.errors import in_digits, plural
from gplvm_core.wire.sequence import Reel, SequencePanel, spread_share, usual_step
from pages.ui.explore.cards import chances_at
from pages.ui.explore.time.tables import (
    WORDS,
    error_of_tables,
    observed_too,
    panel,
    spread_of_tables,
)
from pages.ui.shared.words import capital

MODEL, DATA, SAMPLE = "The model", "The data", "An invented sequence"
SEEN, FILLED, TRUTH = "What the model sees", "Filled in", "The truth"
UNCERTAINTY = "Uncertainty"
EVERYTHING = "Everything"
OWN_GAPS = "Only missing values"
MOST_MISSING = 1000  # steps


def follows_time(model: Any) -> bool:
    """Return whether the paths are functions of a single time, not of several observed inputs."""
    return bool(np.asarray(model.times_).shape[1] == 1)


def times_of(model: Any) -> Array:
    """Return the training rows' times (N,)."""
    return np.asarray(model.times_, dtype=float)[:, 0]


def rows_of(model: Any, sequence: Any) -> Array:
    """Return the training rows of one sequence, in the order of their times."""
    rows = np.flatnonzero(np.asarray(model.sequences_) == sequence)
    return rows[np.argsort(times_of(model)[rows], kind="stable")]


def by_rule(model: Any, sequence: Any) -> int:
    """Return for how many steps a simple rule continues a sequence; 0: the model continues it."""
    chosen = getattr(model, "forecaster_", None)
    return 0 if chosen is None else int(chosen.reach(sequence))


def steps_of(model: Any, dataset: Dataset, sequence: Any) -> Steps:
    """Return the rows of a sequence in time, and the steps that it lacks."""
    times = times_of(model)[rows_of(model, sequence)]
    given = np.empty(0) if dataset.empty_times is None else dataset.empty_times
    if dataset.empty_sequences is not None:
        given = given[dataset.empty_sequences == sequence]
    return Steps(times, dataset.time_unit, usual_step(times), given)


def missing_times(model: Any, dataset: Dataset, sequence: Any) -> Array:
    """Return the times of the steps that a sequence lacks, at most MOST_MISSING; the shortest
    gaps come first.

    A state-space model knows its states only in short gaps; a path is known everywhere.
    """
    steps = steps_of(model, dataset, sequence)
    found = steps.to_fill(MOST_MISSING)
    if not isinstance(model, StateSpaceGPLVM):
        return found
    states = model.missing_states_
    known = np.empty(0) if states is None else np.asarray(states.of(sequence)[0])
    # Months differ in length, and states are evenly spaced.
    near = np.abs(found[:, None] - known) <= CALENDAR * steps.step
    return np.asarray(found[near.any(axis=1)])


def step_word(dataset: Dataset) -> str:
    """Return what a step of a sequence is called: a frame of pictures, or a row of a table."""
    return "frame" if dataset.drawing.kind in ("image", "skeleton") else "row"


def sequence_titles(model: Any, dataset: Dataset) -> dict[Any, str]:
    """Return a title for every sequence: its name, or its label if it has only one; its length."""
    titles: dict[Any, str] = {}
    for number, sequence in enumerate(np.unique(model.sequences_).tolist(), start=1):
        rows = rows_of(model, sequence)
        title = f"Sequence {number}"
        if dataset.sequence_names:
            title = dataset.sequence_names[sequence]
        elif dataset.label_names:
            words = {dataset.label_word(row) for row in rows.tolist()}
            if len(words) == 1:
                title = capital(words.pop() or title)
        titles[sequence] = f"{title}, {plural(len(rows), step_word(dataset))}"
    return titles


def parts_of(dataset: Dataset, lacks: bool = False) -> tuple[str, ...]:
    """Return the names of the parts of a row that can be hidden. lacks: whether steps lack."""
    own = (OWN_GAPS,) if lacks or dataset.missing is not None else ()
    return (*own, *named_parts(dataset), EVERYTHING)


def named_parts(dataset: Dataset) -> dict[str, Array]:
    """Return the columns (D,) of each part of a row; in tables with words, columns are parts."""
    if dataset.columns:
        names = [column.name for column in dataset.columns]
        return {name: np.arange(len(names)) == c for c, name in enumerate(names)}
    found = choices(dataset.drawing)
    return {name: columns_of(dataset.drawing, cells) for name, cells in found.items()}


def known_at(model: Any, dataset: Dataset, sequence: Any, times: Array) -> Array:
    """Return the data (T, D) of a sequence at these times, which include its own; NaN elsewhere."""
    rows = rows_of(model, sequence)
    found = np.full((len(times), dataset.n_outputs), np.nan)
    found[np.isin(times, times_of(model)[rows])] = dataset.values[rows]
    return found


@st.cache_data(max_entries=8, show_spinner=False)
def played(_model: Any, name: str, _dataset: Dataset, sequence: Any, ahead: int) -> Reel:
    """Return the model's reconstruction of a sequence, and a forecast of `ahead` steps.

    The steps that the data lack are part of it (`missing_times`), filled as *Fill a gap* does.
    """
    rows = rows_of(_model, sequence)
    times, missing = times_of(_model)[rows], missing_times(_model, _dataset, sequence)
    later = steps_of(_model, _dataset, sequence).after(ahead)
    whole = np.sort(np.concatenate([times, missing, later]))
    mean, std = _model.forecast(whole, sequence=sequence, return_std=True)
    latent_mean, latent_variance = _model.forecast_latent(whole, sequence=sequence)
    if by_rule(_model, sequence) and len(later):
        place, deviation = _model.transform(mean[-len(later) :], return_std=True)
        latent_mean[-len(later) :], latent_variance[-len(later) :] = place, deviation**2
    if _dataset.columns:
        mean = _dataset.coded(mean)
    data, note = known_at(_model, _dataset, sequence, whole), ""
    gaps = np.isnan(data) & (whole <= times[-1])[:, None]
    if gaps.any():
        found = gaps_filled(_model, name, _dataset, sequence)
        own, note = np.flatnonzero(whole <= times[-1]), found.reason
        mean[gaps], std[gaps] = found.values[gaps[own]], found.std[gaps[own]]
        filled_rows = gaps.any(axis=1)
        latent_mean[filled_rows] = found.path[filled_rows[own]]
        latent_variance[filled_rows] = found.path_std[filled_rows[own]] ** 2
    chances = chances_at(_model, _dataset, latent_mean, latent_variance)
    return Reel(
        title=sequence_titles(_model, _dataset)[sequence],
        times=whole,
        panels=(
            panel(_dataset, MODEL, mean, std, around(_dataset), chances),
            panel(_dataset, DATA, data),
            *heat(_dataset, mean, std),
        ),
        latent_mean=latent_mean,
        latent_variance=latent_variance,
        spread=spread_of(_dataset, std, chances),
        forecast=whole > times[-1],
        hidden=np.isin(whole, missing),
        hidden_words="no value in the data",
        dates=dates_at(whole, _dataset.time_unit),
        each=step_word(_dataset),
        note=note,
    )


@st.cache_data(max_entries=8, show_spinner=False)
def gaps_filled(_model: Any, name: str, _dataset: Dataset, sequence: Any) -> FilledSequence:
    """Fill the values and steps that a training sequence lacks."""
    gap = with_gap(_model, _dataset, sequence, OWN_GAPS, (0.0, 0.0))
    return completed(_model, _dataset, gap.panels[0].values, gap.times, adapt=False)


@st.cache_data(max_entries=8, show_spinner=False)
def drawn(_model: Any, name: str, _dataset: Dataset, sequence: Any, length: int, draw: int) -> Reel:
    """Draw a new sequence from the prior over paths: `length` rows, spaced as in `sequence`."""
    step = usual_step(times_of(_model)[rows_of(_model, sequence)])
    times = step * np.arange(length)
    rows, paths = _model.sample_sequence(times, random_state=draw, return_latent=True)
    return Reel(
        title=f"Draw {draw}",
        times=times,
        panels=(panel(_dataset, SAMPLE, _dataset.coded(rows[0]) if _dataset.columns else rows[0]),),
        latent_mean=paths[0],
        each=step_word(_dataset),
    )


def with_gap(
    model: Any, dataset: Dataset, sequence: Any, part: str, stretch: tuple[float, float]
) -> Reel:
    """Return a sequence in which a part is hidden for an interval of time, not yet filled in.

    The steps that the data lack are part of it (`missing_times`), with nothing seen. Only a part
    that is hidden for a test has a truth.
    """
    rows, missing = rows_of(model, sequence), missing_times(model, dataset, sequence)
    times = np.sort(np.concatenate([times_of(model)[rows], missing]))
    truth = known_at(model, dataset, sequence, times)
    seen = hidden_rows(dataset, truth, times, part, stretch)
    latent_mean, latent_variance = model.forecast_latent(times, sequence=sequence)
    return Reel(
        title=sequence_titles(model, dataset)[sequence],
        times=times,
        panels=(
            panel(dataset, SEEN, seen),
            *([] if part == OWN_GAPS else [panel(dataset, TRUTH, truth)]),
        ),
        latent_mean=latent_mean,
        latent_variance=latent_variance,
        hidden=np.isnan(seen).any(axis=1),
        hidden_words="no value in the data" if part == OWN_GAPS else "partly hidden",
        dates=dates_at(times, dataset.time_unit),
        each=step_word(dataset),
    )


def completed(
    model: Any,
    dataset: Dataset,
    seen: Array,
    times: Array,
    callback: StepCallback | None = None,
    adapt: bool | None = None,
) -> FilledSequence:
    """A sequence with its gaps filled, in the data set's numbers. This takes seconds."""
    asked = dataset.in_own_values(seen) if dataset.columns else seen
    found = fill_sequence(model, asked, times, adapt=adapt, callback=callback)
    return replace(found, values=dataset.coded(found.values)) if dataset.columns else found


def filled(
    model: Any,
    dataset: Dataset,
    gap: Reel,
    callback: StepCallback,
    adapt: bool | None = None,
) -> Reel:
    """Return the sequence with its gaps filled; the model treats it as a new sequence.

    gap: its first panel is what the model sees, the second, if any, the truth. adapt: as for
    `complete`. Takes seconds.
    """
    seen, *known = (each.values for each in gap.panels)
    truth = known[0] if known else np.full_like(seen, np.nan)
    found = completed(model, dataset, seen, gap.times, callback, adapt)
    whole, std, path, path_std = found.values, found.std, found.path, found.path_std
    missing = np.isnan(seen)
    if dataset.columns:
        chances = observed_too(seen, dataset, chances_at(model, dataset, path, path_std**2))
        words = error_of_tables(dataset, whole, truth, missing, chances)
    else:
        chances, words = {}, error_in_words(dataset, whole, std, truth, missing)
    return Reel(
        title=gap.title,
        times=gap.times,
        panels=(
            panel(dataset, FILLED, whole, std, words, chances),
            *([panel(dataset, TRUTH, truth)] if known else []),
            panel(dataset, SEEN, seen),
            *heat(dataset, whole, std),
        ),
        latent_mean=path,
        latent_variance=path_std**2,
        spread=spread_of(dataset, std, chances),
        hidden=gap.hidden,
        hidden_words=gap.hidden_words,
        dates=gap.dates,
        each=gap.each,
        note=found.reason,
        by_rule=found.by_rule,
    )


def hidden_rows(
    dataset: Dataset, values: Array, times: Array, part: str, stretch: tuple[float, float]
) -> Array:
    """Return rows (n, D) in which a part is missing (NaN) within a closed interval of time."""
    if part == OWN_GAPS:
        return values
    if part == EVERYTHING:
        columns = np.ones(dataset.n_outputs, dtype=bool)
    else:
        columns = named_parts(dataset)[part]
    # A slider rounds the ends of the interval to its steps.
    slack = 0.01 * usual_step(times)
    within = (times >= stretch[0] - slack) & (times <= stretch[1] + slack)
    return np.where(within[:, None] & columns, np.nan, values)


def error_in_words(dataset: Dataset, mean: Array, std: Array, truth: Array, hidden: Array) -> str:
    """Describe the error of the hidden part, and the error that the model expects."""
    hidden = hidden & ~np.isnan(truth)
    if not hidden.any():
        return ""
    unit, words = error_units(dataset.drawing, dataset.values)
    error = np.sqrt(np.mean(((mean - truth) / unit)[hidden] ** 2))
    expected = np.sqrt(np.mean((std / unit)[hidden] ** 2))
    return (
        f"Error of the hidden part: {in_digits(error, 3)}{words}; the model expects "
        f"{in_digits(expected, 3)}"
    )


def spread_of(dataset: Dataset, std: Array, chances: dict[int, Array]) -> Array:
    """Return the uncertainty of each frame, as a share of the data's spread."""
    if dataset.columns:
        return spread_of_tables(dataset, std, chances)
    return spread_share(std, dataset)


def around(dataset: Dataset) -> str:
    """Describe the uncertainty that is drawn around the outputs."""
    if dataset.columns:
        return WORDS if any(column.is_words for column in dataset.columns) else ""
    return {
        "skeleton": "Circles show one standard deviation of each joint",
        "bars": "Lines show two standard deviations",
        "curve": "The band shows two standard deviations",
        "image": "",
    }[dataset.drawing.kind]


def heat(dataset: Dataset, mean: Array, std: Array) -> tuple[SequencePanel, ...]:
    """Return standard deviations as an image; other kinds of data show them around the values."""
    return (
        (SequencePanel(UNCERTAINTY, mean, std, heat=True),)
        if dataset.drawing.kind == "image"
        else ()
    )
