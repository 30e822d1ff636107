"""The export of a sequence as a moving picture (GIF), a motion (BVH) or a table (CSV)."""

import io
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
import streamlit as st
from numpy import ndarray as Array
from PIL import Image

from gplvm_core.datasets import Dataset
from gplvm_core.figures.thumbnails import common_frame, row_picture, table_card
from gplvm_core.readers.bodies.bvh_writer import write_bvh
from gplvm_core.readers.calendar_steps import in_brackets
from gplvm_core.readers.errors import plural
from gplvm_core.readers.names import names_of
from gplvm_core.readers.tables.csv_text import csv_text
from gplvm_core.wire.sequence import Reel, usual_step
from pages.ui.explore.time.model import DATA, SEEN
from pages.ui.explore.time.own import OwnSequence
from pages.ui.explore.time.tables import cell, deviates
from pages.ui.shared.as_text import ask_as_text
from pages.ui.shared.catalogue import Item
from pages.ui.shared.dimension_names import space_of, visitor_names
from pages.ui.shared.download import download
from pages.ui.shared.intervals import ENDS, ends_of
from pages.ui.shared.words import file_stem

GIF_SIZE = 480
MOST_FRAMES = 1000
SHORTEST = 20  # ms per picture; many viewers slow down faster pictures
GROUND = "#FFFFFF"


def export(item: Item, reel: Reel, id: str, own: OwnSequence | None = None) -> None:
    """Show buttons that export the first panel; own: the visitor's sequence, if it is shown."""
    # The reel's title counts the rows of the data; a forecast adds more.
    which = f"{reel.title.rpartition(', ')[0] or reel.title}, {plural(len(reel.times), reel.each)}"
    stem = file_stem(f"{item.title} {which}")
    made = f"dynamics_gif|{item.key}|{id}"
    dimensions = visitor_names(item, space_of(item, 0))
    words = (
        [] if own is None else [word for each in own.beside for word in (each.name, *each.cells)]
    )
    marked = ask_as_text((*names_of(item.dataset), *dimensions, *words), "dynamics")
    with st.container(horizontal=True, vertical_alignment="center"):
        if made in st.session_state:
            gif = st.session_state[made]
            key = "dynamics_gif_ready"
            download("Download the GIF", gif, f"{stem}.gif", type="primary", key=key)
        elif st.button("Make a GIF", icon=":material/gif_box:", key="dynamics_gif"):
            for old in [key for key in st.session_state if str(key).startswith("dynamics_gif|")]:
                del st.session_state[old]
            bar = st.progress(0.0, "Drawing the pictures …")
            st.session_state[made] = sequence_gif(
                item.dataset, reel, lambda share: bar.progress(share, "Drawing the pictures …")
            )
            st.rerun(scope="fragment")
        whole = not np.isnan(reel.panels[0].values).any()
        if item.dataset.drawing.skeleton is not None and whole:
            download(
                "Motion (BVH)",
                lambda: sequence_bvh(item.dataset, reel),
                f"{stem}.bvh",
                icon="directions_run",
                key="dynamics_bvh",
                help="A motion for animation programs, in which every bone has its mean length.",
            )
        text = partial(sequence_csv, item.dataset, reel, marked, dimensions, own)
        download("Table (CSV)", text, f"{stem}.csv", icon="table", key="dynamics_csv")


def chosen_frames(count: int) -> Array:
    """Return all frames of a sequence, or evenly spread frames up to the limit of a GIF."""
    if count <= MOST_FRAMES:
        return np.arange(count)
    return np.linspace(0, count - 1, MOST_FRAMES).round().astype(int)


def sequence_gif(dataset: Dataset, reel: Reel, progress: object = None) -> bytes:
    """Draw the first panel as a GIF at normal speed; progress(share) is called regularly."""
    values = reel.panels[0].values
    frame = common_frame(dataset.drawing, dataset.values)
    rows = chosen_frames(len(values))
    pictures = []
    for number, row in enumerate(rows):
        if dataset.columns:
            picture = table_card(dataset.columns, dataset.values, values[row], GIF_SIZE)
        else:
            picture = row_picture(dataset.drawing, values[row], frame, GIF_SIZE)
        ground = Image.new("RGBA", picture.size, GROUND)
        pictures.append(
            Image.alpha_composite(ground, picture).convert("P", palette=Image.Palette.ADAPTIVE)
        )
        if callable(progress) and number % 10 == 0:
            progress(number / len(rows))
    steps = np.diff(
        reel.times[rows], append=2 * reel.times[rows[-1]] - reel.times[rows[max(len(rows) - 2, 0)]]
    )
    durations = np.maximum(np.rint(1000 * steps / reel.rate), SHORTEST).astype(int)
    buffer = io.BytesIO()
    pictures[0].save(
        buffer,
        format="GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=durations.tolist(),
        loop=0,
    )
    return buffer.getvalue()


def sequence_bvh(dataset: Dataset, reel: Reel) -> bytes:
    """Return the first panel as a BVH file at normal speed."""
    assert dataset.drawing.skeleton is not None  # the button exists only for skeletons
    values = reel.panels[0].values
    positions = values.reshape(len(values), *dataset.drawing.shape)
    seconds = usual_step(reel.times) / reel.rate
    return write_bvh(dataset.drawing.skeleton, positions, seconds).encode()


def sequence_csv(
    dataset: Dataset,
    reel: Reel,
    as_text: bool = True,
    dimensions: Sequence[str] = (),
    own: OwnSequence | None = None,
) -> bytes:
    """Write a line per row: kind, time, place, values, deviations and ends of 95 % intervals.

    The kind is "observed", "filled" (or "partly filled"), "forecast" or "drawn". Observed values
    are those of the data, with the deviation 0. dimensions: the visitor's names of the map's
    dimensions, "" for x1, x2, …. own: the visitor's sequence; its further columns follow the time.
    If a column of it has gaps, another column follows, with 1 where a value was filled.
    """
    names, panel = names_of(dataset), reel.panels[0]
    count = len(reel.times)
    known = next((each.values for each in reel.panels if each.title in (DATA, SEEN)), None)
    given = np.full(panel.values.shape, np.nan) if known is None else known
    seen, measured = ~np.isnan(given), [d for d in range(len(names)) if deviates(dataset, d)]
    whole = np.where(seen, given, panel.values)
    table = dataset.in_own_values(whole).to_numpy() if dataset.columns else whole
    spread, bounds = np.zeros((2, count, 0))
    if panel.std is not None:
        spread = np.where(seen, 0.0, panel.std)[:, measured]
        bounds = ends_of(dataset, whole, spread, measured)
    unit = in_brackets(dataset.time_unit if own is None else own.unit)
    time = "time" if reel.dates else f"time{unit}"
    times = reel.dates or [f"{each:.10g}" for each in reel.times]
    titles, places = _places(reel, dimensions)
    flags = ~seen if own is not None else seen[:, :0]
    gappy = np.flatnonzero(flags.any(axis=0))
    beside = () if own is None else own.beside
    more = [names[d] for d in measured] if spread.size else []
    back = (*titles, *names, *(f"{name} std" for name in more))
    back += tuple(f"{name} {end}" for name in more for end in ENDS)
    back += tuple(f"{names[d]} filled" for d in gappy)
    taken = {time, "kind", *back}
    front = (f"{each.name} (file)" if each.name in taken else each.name for each in beside)
    lines: list[Iterable[object]] = [("kind", time, *front, *back)]
    for t, kind in enumerate(_kinds(reel, None if known is None else seen)):
        cells = [cell(value) for value in (*places[t], *table[t], *spread[t], *bounds[t])]
        of_file = (each.cells[t] for each in beside)
        filled = (int(each) for each in flags[t, gappy])
        lines.append((kind, times[t], *of_file, *cells, *filled))
    return csv_text(lines, as_text=as_text).encode()


def _kinds(reel: Reel, seen: Array | None) -> list[str]:
    """Return the kind of every row; seen: which values are observed, None for drawn rows."""
    if seen is None:
        found = np.full(len(reel.times), "drawn", dtype=object)
    else:
        found = np.where(seen.any(axis=1), "partly filled", "filled").astype(object)
        found[seen.all(axis=1)] = "observed"
    if len(reel.forecast):
        found[reel.forecast] = "forecast"
    return [str(each) for each in found]


def _places(reel: Reel, dimensions: Sequence[str]) -> tuple[tuple[str, ...], Array]:
    """Return titles and values (T, 2Q) of the latent path's columns; none for unknown paths."""
    if reel.latent_mean is None:
        return (), np.zeros((len(reel.times), 0))
    count = reel.latent_mean.shape[1]
    called = [(dimensions[q : q + 1] or ("",))[0] or f"x{q + 1}" for q in range(count)]
    if reel.latent_variance is None:
        return tuple(called), reel.latent_mean
    both = np.hstack([reel.latent_mean, np.sqrt(reel.latent_variance)])
    return (*called, *(f"{name} std" for name in called)), both
