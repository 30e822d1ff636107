"""Draw sample paths of a kernel over time as a small SVG picture."""

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray as Array

from gplvm_core.figures.palette import FAINT, INK, LEFT_INK
from gplvm_core.kernels import Sum, White
from gplvm_core.readers.spread import spread_rows

# one colour for each sample path, readable on white and near-black
INKS = (INK, LEFT_INK, "#8C7BC9")
STEPS = 240
WIDE, HIGH, MARGIN = 480, 112, 4
MOST_MARKS = 200


def paths_svg(kernel: Sum, times: Float[Array, " N"]) -> bytes:
    """Draw sample paths of the kernel, without its white noise, and marks at the times."""
    start, end = float(times.min()), float(times.max())
    grid = np.linspace(start, end, STEPS)
    smooth = [part.K(grid[:, None]) for part in kernel.parts if not isinstance(part, White)]
    values, vectors = np.linalg.eigh(np.sum(smooth, axis=0))
    seeds = np.random.default_rng(4).standard_normal((STEPS, len(INKS)))
    # Set tiny negative eigenvalues, which come from rounding, to zero.
    paths = (vectors * np.sqrt(np.maximum(values, 0.0))) @ seeds
    reach = np.abs(paths).max()
    across = MARGIN + (WIDE - 2 * MARGIN) * (grid - start) / (end - start)
    floor = HIGH - 12
    down = 0.5 * floor - (0.5 * floor - MARGIN) * paths / reach
    lines = []
    for path, ink in zip(down.T, INKS, strict=True):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, path, strict=True))
        lines.append(
            f'<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="1.8" '
            'stroke-linejoin="round"/>'
        )
    shown = times[spread_rows(len(times), MOST_MARKS)]
    places = MARGIN + (WIDE - 2 * MARGIN) * (shown - start) / (end - start)
    marks = "".join(f"M{x:.1f} {floor + 3}V{HIGH - 2}" for x in places)
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}">'
        f'<path d="{marks}" stroke="{FAINT}" stroke-width="0.8"/>{"".join(lines)}</svg>'
    )
    return picture.encode()


def longest_sequence(
    times: Float[Array, " N"], sequences: Int[Array, " N"] | None
) -> Float[Array, " n"]:
    """Return the times of the longest-lasting sequence."""
    if sequences is None:
        return times
    each = [times[sequences == number] for number in np.unique(sequences)]
    return max(each, key=np.ptp)
