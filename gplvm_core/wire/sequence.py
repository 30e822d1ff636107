"""Pack sequences for the player: a latent path and the outputs along it."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from gplvm_core.models.data.timeline import checked_even_times
from gplvm_core.readers import DataError
from gplvm_core.readers.dataset import Dataset
from gplvm_core.wire.frame import frame
from gplvm_core.wire.items import MISSING_PIXEL, as_pictures, value_range
from gplvm_core.wire.model import Chart, drawing_header
from gplvm_core.wire.rows import DrawnData

WHITE = MISSING_PIXEL - 1  # of a panel's pictures
FRAMES_A_SECOND = 20.0  # normal speed if the times are probably not seconds
SECONDS_A_FRAME = (1 / 250, 0.5)  # time steps in this range are probably seconds


@dataclass(frozen=True, eq=False)
class SequencePanel:
    """One picture that changes over time: values (T, D), NaN where unknown.

    std: standard deviations, drawn around the values, or with `heat` instead of the values. card:
    for tables with words, the probability of every word (T, W), in the data set's order of columns
    and words; it is drawn instead of the values. like: data whose way of drawing replaces that of
    the data set, for example another view. nothing: the text shown where all values are unknown.
    """

    title: str
    values: Float[Array, "T D"]
    std: Float[Array, "T D"] | None = None
    words: str = ""
    heat: bool = False
    card: Float[Array, "T W"] | None = None
    like: DrawnData | None = None
    nothing: str = ""


@dataclass(frozen=True, eq=False)
class Reel:
    """A sequence to play: T increasing times, the pictures at these times, and the latent path.

    latent_mean, latent_variance: (T, Q), None if the path, or its uncertainty, is unknown; spread:
    (T,) standard deviation of the outputs, as a share of the data's standard deviation
    (`spread_share`); forecast, hidden: (T,) frames after the end of the data, and frames with
    hidden values; hidden_words: the words for such a frame. dates: of the frames, if the times have
    dates; each: what a frame is called; note: who filled the gaps, in words; by_rule: the frames
    that a simple rule filled.
    """

    title: str
    times: Float[Array, " T"]
    panels: tuple[SequencePanel, ...]
    latent_mean: Float[Array, "T Q"] | None = None
    latent_variance: Float[Array, "T Q"] | None = None
    spread: Float[Array, " T"] | None = None
    forecast: Bool[Array, " _T"] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    hidden: Bool[Array, " T"] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    hidden_words: str = "partly hidden"
    dates: tuple[str, ...] = ()
    each: str = "frame"
    note: str = ""
    by_rule: Bool[Array, " _T"] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    @property
    def rate(self) -> float:
        """Units of time per second at normal speed: 1 if the times look like seconds."""
        step = usual_step(self.times)
        low, high = SECONDS_A_FRAME
        return 1.0 if low <= step <= high else FRAMES_A_SECOND * step


def usual_step(times: Float[Array, " T"]) -> float:
    """Return the step of equally spaced times, or the median difference; 1 for a single time."""
    with suppress(DataError):
        return checked_even_times(times[:, None], np.zeros(len(times)), least=1)
    return float(np.median(np.diff(times)))


def spread_share(std: Float[Array, "T D"], dataset: Dataset) -> Float[Array, " T"]:
    """Return the outputs' standard deviation as a share of the data's standard deviation, (T,).

    1 means that the outputs are as uncertain as a random row. Pixels and coordinates share a unit,
    so their variances are added; other columns are divided by their own standard deviation first.
    """
    own = np.nanvar(dataset.values, axis=0)
    if dataset.drawing.kind in ("image", "skeleton"):
        return np.asarray(np.sqrt(np.sum(std**2, axis=1) / max(float(own.sum()), 1e-300)))
    varies = own > 0.0
    return np.asarray(np.sqrt(np.mean(std[:, varies] ** 2 / own[varies], axis=1)))


def pack_stage(chart: Chart, name: str) -> bytes:
    """Pack what all sequences share: the training points and how outputs are drawn.

    name: key of the bytes in the browser.
    """
    header = {
        "name": name,
        "axes": chart.axes,
        "on": list(chart.on),
        # A single latent dimension is drawn against time, which has the number −1.
        "dims": list(chart.pair) if chart.n_latent > 1 else [-1, 0],
        "drawing": drawing_header(chart.dataset),
    }
    return frame(header, {"latent": chart.latent_mean.astype(np.float32)})


@dataclass(frozen=True)
class Cue:
    """The time to jump to when a sequence arrives (None: no jump), and whether to play then."""

    start: float | None = None
    play: bool = False


def pack_reel(reel: Reel, dataset: Dataset, name: str, id: str, cue: Cue) -> bytes:
    """Pack one sequence with all its pictures, so that playing needs no further data.

    id: an identifier that differs for different sequences.
    """
    n_frames = len(reel.times)
    arrays: dict[str, Array] = {"times": np.asarray(reel.times, dtype=float)}
    for part in ("latent_mean", "latent_variance", "spread"):
        values = getattr(reel, part)
        if values is not None:
            arrays[part] = values.astype(np.float32)
    for part in ("forecast", "hidden"):
        flags = getattr(reel, part)
        arrays[part] = (flags if len(flags) else np.zeros(n_frames, bool)).astype(np.uint8)
    panels: list[dict[str, Any]] = []
    for number, panel in enumerate(reel.panels):
        shown = dataset if panel.like is None else panel.like
        drawing, shape = shown.drawing, list(shown.drawing.shape)
        described: dict[str, Any] = {"title": panel.title, "words": panel.words, "spread": False}
        described["nothing"] = panel.nothing
        if panel.heat and panel.std is not None:
            most = max(float(np.nanmax(panel.std)), 1e-300)
            arrays[f"values{number}"], shape = as_pictures(drawing, panel.std, (0.0, most), WHITE)
            described["heat"] = [0.0, most]
        elif drawing.kind == "image":
            ends = value_range(shown)
            arrays[f"values{number}"], shape = as_pictures(drawing, panel.values, ends, WHITE)
        elif panel.card is not None:
            arrays[f"values{number}"] = panel.card.astype(np.float32)
        else:
            arrays[f"values{number}"] = panel.values.astype(np.float32)
            if panel.std is not None:
                arrays[f"std{number}"] = panel.std.astype(np.float32)
                described["spread"] = True
        described["shape"] = shape
        if panel.like is not None:
            described["drawing"] = drawing_header(shown)
        panels.append(described)
    header = {
        "name": name,
        "id": id,
        "title": reel.title,
        "panels": panels,
        "rate": reel.rate,
        "hidden": reel.hidden_words,
        "dates": list(reel.dates),
        "each": reel.each,
        "start": cue.start,
        "play": cue.play,
        "white": WHITE,
    }
    return frame(header, arrays)
