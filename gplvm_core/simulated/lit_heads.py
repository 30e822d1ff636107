"""Six rendered heads under 64 lights, with known identity and light for every image.

Also here: pairs of heads under one light, two views that share only the light.
"""

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


N_IN_VIEW = 3
"""Identities in each view: heads 1 to 3 on the left, the others on the right."""


def load_lit_pairs() -> Dataset:
    """Load 192 pairs of grey images, 48 × 48, as views "left" and "right", ordered by light.

    Both images of a row have the same light. For every light, the heads of the two views are paired
    at random, so that their identities are independent. Every image of `load_heads` occurs once.
    `covariates` hold "light" (N × 3, a unit vector), "identity_left" and "identity_right" (numbers
    from 0 to 2 in each view); the labels are the pairs of heads. Raises DataError if the data file
    is missing. Source: after Damianou (2015), §5.3.2.
    """
    heads = load_heads()
    # RandomState never changes its stream, and stored models refer to these data by name.
    random = np.random.RandomState(0)
    light = np.repeat(np.arange(N_LIGHTS), N_IN_VIEW)
    left = np.tile(np.arange(N_IN_VIEW), N_LIGHTS)
    right = np.concatenate([random.permutation(N_IN_VIEW) for _ in range(N_LIGHTS)])
    names = heads.label_names
    return Dataset.of_views(
        "lit_pairs",
        "Pairs of lit heads",
        {
            "left": (heads.targets[left * N_LIGHTS + light], heads.drawing),
            "right": (heads.targets[(N_IN_VIEW + right) * N_LIGHTS + light], heads.drawing),
        },
        labels=left * N_IN_VIEW + right,
        label_names=tuple(
            f"{one} and {other}" for one in names[:N_IN_VIEW] for other in names[N_IN_VIEW:]
        ),
        source=heads.source,
        notes=(
            f"{N_IN_VIEW} heads in each view, {N_LIGHTS} lights on a half sphere. Both images of a "
            "row have the same light; for every light the heads are paired at random.",
            *heads.notes[1:],
        ),
        covariates={
            "light": heads.covariates["light"][light],
            "identity_left": left,
            "identity_right": right,
        },
    )
