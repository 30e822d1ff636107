"""An example sequence with gaps, made of training frames, for trying out the tab."""

from collections.abc import Iterable

import numpy as np

from gplvm_core.datasets import Dataset
from gplvm_core.readers.calendar_steps import time_column
from gplvm_core.readers.names import names_of
from gplvm_core.readers.tables.csv_text import csv_text
from pages.ui.explore.time.model import named_parts
from pages.ui.explore.time.tables import cell

FRAMES = 60


def example(dataset: Dataset) -> bytes:
    """Return a CSV with frames of the first sequence.

    The middle third of the frames lacks a part, and the frame in the middle is empty.
    """
    rows = np.arange(dataset.n_points)
    if dataset.sequences is not None:
        rows = np.flatnonzero(dataset.sequences == dataset.sequences[0])
    times = np.arange(len(rows), dtype=float) if dataset.times is None else dataset.times[rows]
    order = np.argsort(times, kind="stable")[:FRAMES]
    values, count = dataset.values[rows[order]].copy(), len(order)
    part = next(iter(named_parts(dataset).values()))
    values[count // 3 : 2 * count // 3, part] = np.nan
    values[count // 2] = np.nan
    table = dataset.in_own_values(values).to_numpy() if dataset.columns else values
    time, cells = time_column(times[order], dataset.time_unit)
    lines: list[Iterable[object]] = [(time, *names_of(dataset))]
    for when, row in zip(cells, table, strict=True):
        lines.append((cell(when), *(cell(value) for value in row)))
    return csv_text(lines).encode()
