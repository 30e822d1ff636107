"""A simulated gauge on an oil pipe: twelve photon counts, three kinds of flow."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.numerics import Array
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError

PIPE_RADIUS = 5.0  # cm
BEAM_WIDTH = 0.1  # pipe radii
RAYS_PER_BEAM = 9
PHOTONS = 1e5  # counts per beam and energy through an empty pipe

ENERGIES = ("30 keV", "360 keV")
PHASES = ("water", "oil", "gas")
ATTENUATION = np.array([[0.376, 0.230, 0.016], [0.111, 0.097, 0.007]])
"""Approximate coefficients in 1/cm by energy and phase: two lines of a barium source."""

VERTICAL, HORIZONTAL = (0.0, 0.35, 0.70), (-0.5, 0.0, 0.5)
"""Positions of the beams, in pipe radii from the axis: x of the vertical beams, y of the horizontal
beams.
"""


def _rays() -> tuple[NDArray[np.bool_], Array]:
    """Return whether each ray is vertical, and its offset: beam × ray.

    A beam consists of several rays.
    """
    offsets = np.array(VERTICAL + HORIZONTAL)
    within = np.linspace(-0.5, 0.5, RAYS_PER_BEAM) * BEAM_WIDTH
    vertical = np.arange(len(offsets)) < len(VERTICAL)
    return vertical[:, None] & np.ones(RAYS_PER_BEAM, bool), offsets[:, None] + within


def stratified(fractions: Float[Array, "N 3"]) -> Float[Array, "N B R 3"]:
    """Return path lengths of the rays if water, oil and gas form horizontal layers."""
    vertical, offset = _rays()
    half_chord = np.sqrt(1 - offset**2)
    # The area of the unit disc below height h is π/2 + h √(1−h²) + asin h; a table inverts this
    # function.
    height = np.sin(np.linspace(-np.pi / 2, np.pi / 2, 20_001))
    filled = 0.5 + (height * np.sqrt(1 - height**2) + np.arcsin(height)) / np.pi
    below = np.cumsum(fractions[:, :2], axis=1)
    # heights of the top of the water and of the oil
    levels = np.interp(below, filled, height)[:, :, None, None]
    in_height = np.clip(levels, -half_chord, half_chord) + half_chord
    up_to = np.where(vertical, in_height, 2 * half_chord * (offset < levels))
    water, water_and_oil = up_to[:, 0], up_to[:, 1]
    return np.stack([water, water_and_oil - water, 2 * half_chord - water_and_oil], axis=-1)


def annular(fractions: Float[Array, "N 3"]) -> Float[Array, "N B R 3"]:
    """Return path lengths of the rays if water is at the wall, then oil, and gas fills the core."""
    _, offset = _rays()

    def chord(area: Array) -> Array:
        return 2 * np.sqrt(np.maximum(0.0, area[:, None, None] - offset**2))

    whole, core = chord(np.ones(len(fractions))), chord(fractions[:, 2])
    within_water = chord(fractions[:, 1] + fractions[:, 2])
    return np.stack([whole - within_water, within_water - core, core], axis=-1)


def homogeneous(fractions: Float[Array, "N 3"]) -> Float[Array, "N B R 3"]:
    """Return path lengths of the rays if the phases are finely mixed."""
    _, offset = _rays()
    return (2 * np.sqrt(1 - offset**2))[None, :, :, None] * fractions[:, None, None, :]


GEOMETRIES: tuple[tuple[str, Callable[[Array], Array]], ...] = (
    ("stratified", stratified),
    ("annular", annular),
    ("homogeneous", homogeneous),
)


def expected_transmission(paths: Float[Array, "N B R 3"]) -> Float[Array, "N B E"]:
    """Return the fraction of photons that cross: Beer–Lambert law per ray, mean over a beam."""
    depth = PIPE_RADIUS * np.einsum("nbrp,ep->nbre", paths, ATTENUATION)
    return np.exp(-depth).mean(axis=2)


def load_flow(n_points: int = 600, seed: int = 0) -> Dataset:
    """Simulate a three-phase flow: 12 measurements, 3 classes, 2 degrees of freedom in each.

    The simulation is in the spirit of the oil-flow data of Bishop and James (Nucl. Instrum. Methods
    A 327, 1993). A pipe of circular cross-section carries water, oil and gas. Their fractions are
    drawn uniformly (`covariates["fractions"]`, N × 3). They flow in horizontal layers, in
    concentric rings, or mixed. Three vertical and three horizontal narrow beams of photons at two
    energies cross it. A phase attenuates a beam by exp(−μ·length); photon counts are Poisson. The
    12 columns are −log(counted/sent), approximately attenuation × path. If the phases form layers,
    the value of a horizontal beam jumps when the boundary of a layer crosses the beam, as in the
    original data.

    The classes alternate, so each class has a third of the `n_points`. Raises DataError for fewer
    than 6 points.
    """
    if n_points < 6:
        raise DataError(f"A simulated flow needs at least 6 points, got {n_points}.")
    # RandomState never changes its stream, and stored models refer to these data by name.
    random = np.random.RandomState(seed)
    labels = np.arange(n_points) % len(GEOMETRIES)
    fractions = random.dirichlet(np.ones(3), size=n_points)
    paths = np.empty((n_points, len(VERTICAL + HORIZONTAL), RAYS_PER_BEAM, len(PHASES)))
    for number, (_, geometry) in enumerate(GEOMETRIES):
        paths[labels == number] = geometry(fractions[labels == number])
    counts = random.poisson(PHOTONS * expected_transmission(paths))
    # the logarithm is finite, because thousands of photons arrive even through water
    measured = -np.log(counts / PHOTONS)
    beams = [f"x={x:+.2f}" for x in VERTICAL] + [f"y={y:+.2f}" for y in HORIZONTAL]
    return Dataset(
        name="flow",
        title="Three-phase flow (simulated)",
        targets=measured.reshape(n_points, -1),
        drawing=Drawing("bars", (measured[0].size,)),
        labels=labels,
        label_names=tuple(name for name, _ in GEOMETRIES),
        column_names=tuple(f"{beam}, {energy}" for beam in beams for energy in ENERGIES),
        source=(
            "Simulated here, in the spirit of the oil-flow data of C. M. Bishop and G. D. James, "
            "Nuclear Instruments and Methods in Physics Research A 327, 1993."
        ),
        notes=(
            f"{n_points} points simulated with seed {seed}; attenuations with photon noise.",
            "A horizontal beam's value jumps at the boundary of a layer, so stratified points form "
            "patches.",
        ),
        covariates={"fractions": fractions},
    )
