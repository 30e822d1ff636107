"""Six rendered heads under 64 lights, with known identity and light for every image."""

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.pictures.picture import shrink
from gplvm_core.shipped.files import vendored
from gplvm_core.shipped.rendered import SOURCE

N_LIGHTS = 64
AMBIENT, DIFFUSE = 0.12, 0.88


def light_directions(n_lights: int = N_LIGHTS) -> Float[Array, "L 3"]:
    """Return unit vectors spread evenly over the half sphere in front of the face.

    x points right, y up, and z out of the face.

    The directions are a Fibonacci lattice: equal steps in z give equal areas, and the golden angle
    separates the points.
    """
    steps = np.arange(n_lights)
    z = (steps + 0.5) / n_lights
    angle = steps * np.pi * (3 - np.sqrt(5))
    radius = np.sqrt(1 - z**2)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])


def load_heads() -> Dataset:
    """Load 384 grey images, 48 × 48: every identity under every light.

    The surfaces are Lambertian: I = albedo · (0.12 + 0.88 · max(0, n·l)). `covariates["light"]`
    holds the light direction of each row. Raises DataError if the data file is missing.
    """
    with np.load(vendored("lit_heads.npz"), allow_pickle=False) as file:
        normals = file["normals"].astype(np.float64) / 127
        albedo = file["albedo"].astype(np.float64) / 200
        names = tuple(f"head {number}" for number in range(1, len(file["identity"]) + 1))
    lights = light_directions()
    shade = np.maximum(0.0, normals @ lights.T)  # identity × height × width × light
    intensity = albedo[..., None] * (AMBIENT + DIFFUSE * shade)
    overexposed = float((intensity > 1).mean())
    images = shrink(
        255 * np.minimum(np.moveaxis(intensity, -1, 1), 1).reshape(-1, *albedo.shape[1:]), 2
    )
    return Dataset(
        name="heads",
        title="Lit heads",
        targets=images.reshape(len(images), -1),
        drawing=Drawing("image", images.shape[1:], (0.0, 255.0)),
        labels=np.repeat(np.arange(len(names)), len(lights)),
        label_names=names,
        source=SOURCE,
        notes=(
            f"{len(names)} identities × {len(lights)} lights on a half sphere.",
            "Shrunk from 96 × 96 to 48 × 48 pixels, grey, 0 to 255.",
            f"{100 * overexposed:.2f} % of the pixels were brighter than white and are clipped.",
        ),
        covariates={"light": np.tile(lights, (len(names), 1))},
    )
