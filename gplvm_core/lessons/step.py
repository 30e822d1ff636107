"""Draw fits of one layer and of two layers to a curve; the fits are stored with the app."""

import numpy as np

from gplvm_core.lessons.bend import N_FRAMES, N_PATHS
from gplvm_core.lessons.picture import LessonPicture, Panel, band, dots, line, number, room
from gplvm_core.numerics import Array
from gplvm_core.wire.frame import unframe

MODELS = {"shallow": "One layer", "deep": "Two layers"}


def step(packed: bytes, place: float) -> LessonPicture:
    """Draw both fits in the bytes of `lessons.bend.pack_comparison`, with a marker at `place`."""
    header, arrays = unframe(packed)
    grid = arrays["grid"]
    at = int(np.argmin(np.abs(grid - place)))
    up = room(arrays["y"], arrays["truth"], arrays["shallow_mean"])
    widths = {m: float(arrays[f"{m}_high"][at] - arrays[f"{m}_low"][at]) for m in MODELS}
    pointer = np.array([grid[at], grid[at]])
    panels = [
        Panel(
            title,
            (-1.0, 1.0),
            up,
            (
                band(grid, arrays[f"{m}_low"], arrays[f"{m}_high"], title="95 % of new points"),
                line(grid, arrays["truth"], "green", "the truth", width=1.6, dashed=True),
                line(grid, _moving(arrays[f"{m}_paths"]), width=1.0, strength=0.6),
                line(grid, arrays[f"{m}_mean"], title="mean"),
                line(pointer, np.array(up), "warm", width=1.4, dashed=True),
                dots(arrays["x"], arrays["y"], radius=2.8),
            ),
            f"{title} on {len(arrays['x'])} points; at the marker the band is "
            f"{number(widths[m])} high.",
        )
        for m, title in MODELS.items()
    ]
    warp, spread = arrays["warp"], 2.0 * arrays["warp_std"]
    ends = room(warp - spread, warp + spread)
    panels.append(
        Panel(
            "How the hidden layer bends the axis",
            (-1.0, 1.0),
            ends,
            (
                band(grid, warp - spread, warp + spread),
                line(grid, warp, title="hidden value"),
                line(pointer, np.array(ends), "warm", width=1.4, dashed=True),
            ),
            "The hidden layer's output over the input.",
            axes=("x", "hidden"),
        )
    )
    slope = np.abs(np.gradient(warp, grid))
    gain = float(np.exp(header["deep"]["score"] - header["shallow"]["score"]))
    return LessonPicture(
        tuple(panels),
        (
            f"At {number(grid[at])} the band is {number(widths['shallow'])} high with one layer, "
            f"and {number(widths['deep'])} high with two layers. There, the hidden layer "
            f"multiplies distances by {number(float(slope[at]), 1)}; on average, it multiplies "
            f"them by {number(float(slope.mean()), 1)}.",
            f"On average over 200 unseen points, the density of a point is {number(gain, 1)} times "
            "as high with two layers as with one layer.",
        ),
    )


def _moving(paths: Array) -> Array:
    return np.asarray(paths, dtype=np.float64).reshape(N_FRAMES, N_PATHS, -1)
