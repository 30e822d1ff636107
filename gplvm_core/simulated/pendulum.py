"""Pictures of a swinging pendulum: they show the angle, and no single picture shows the speed."""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing

SIDE, NOISE = 20, 0.02
N_FRAMES, STEP = 80, 0.15  # frames of a recording, and seconds between them
BEGINS = np.linspace(0.5, 1.6, 5)  # angles in radians at which the recordings begin, at rest
STIFFNESS, SUB_STEPS = 4.0, 20  # gravity ÷ length, in 1/s²; steps of the integration in a frame
PIVOT, LENGTH, BOB, ROD = (0.5, 0.3), 0.42, 0.075, 0.02  # in widths of the picture


def swing(angle: float, count: int) -> tuple[Float[Array, " T"], Float[Array, " T"]]:
    """Return the angles and speeds of a pendulum without friction, released at rest."""
    found, speed, step = np.empty((2, count)), 0.0, STEP / SUB_STEPS
    for frame in range(count):
        found[:, frame] = angle, speed
        for _ in range(SUB_STEPS):
            speed -= step * STIFFNESS * np.sin(angle)
            angle += step * speed
    return found[0], found[1]


def pictures(angles: Float[Array, " T"]) -> Float[Array, "T D"]:
    """Draw a pendulum at these angles in radians, ink from 0 to 1."""
    down, across = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1)
    x, y = across.ravel() - PIVOT[0], down.ravel() - PIVOT[1]
    ends = LENGTH * np.column_stack([np.sin(angles), np.cos(angles)])

    def ink(share: Float[Array, "T D"] | float, width: float) -> Float[Array, "T D"]:
        """Ink around the point at this share of the rod."""
        apart = (x - share * ends[:, :1]) ** 2 + (y - share * ends[:, 1:]) ** 2
        return np.asarray(np.exp(-apart / (2.0 * width**2)))

    nearest = np.clip((ends @ np.array([x, y])) / LENGTH**2, 0.0, 1.0)
    return np.maximum(ink(1.0, BOB), 0.5 * ink(nearest, ROD))


def load_pendulum() -> Dataset:
    """Load five recordings of a simulated pendulum, 80 frames of 20 × 20 pixels each, with noise.

    The recordings begin at different angles, at rest. `covariates` hold the "angle" in radians and
    the "speed" in radians per second.
    """
    swings = [swing(float(begin), N_FRAMES) for begin in BEGINS]
    angles, speeds = (np.concatenate(each) for each in zip(*swings, strict=True))
    clean = np.round(pictures(angles), 4)
    # RandomState never changes its stream, and stored models refer to these data by name.
    noise = np.random.RandomState(0).standard_normal(clean.shape)
    return Dataset(
        name="pendulum",
        title="A pendulum",
        targets=clean + NOISE * noise,
        drawing=Drawing("image", (SIDE, SIDE), (0.0, 1.0)),
        times=np.tile(np.arange(N_FRAMES) * STEP, len(BEGINS)),
        sequences=np.repeat(np.arange(len(BEGINS)), N_FRAMES),
        source="Simulated by this project.",
        notes=(
            f"Five recordings of a pendulum without friction, {N_FRAMES} frames each, with noise "
            f"of standard deviation {NOISE} on every pixel. They begin at rest, at "
            f"{BEGINS[0]:.1f} to {BEGINS[-1]:.1f} radians.",
            "The next picture depends on the speed, which no single picture shows.",
        ),
        covariates={"angle": angles, "speed": speeds},
    )
