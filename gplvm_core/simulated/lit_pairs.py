"""Pairs of heads under one light: two views that share only the light."""

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.simulated.lit_heads import N_LIGHTS, load_heads

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
