"""Tests that the walker's front and back have the same silhouette, unless the right hand waves."""

import numpy as np

from gplvm_core import load_dataset
from gplvm_core.simulated.outline import silhouettes
from gplvm_core.simulated.walker import BODY, FRAMES, bodies

HEADING = np.linspace(0.0, 6.0, 25)
PHASE = np.linspace(1.0, 9.0, 25)


def seen(heading: np.ndarray, phase: np.ndarray, wave: float) -> np.ndarray:
    return silhouettes(bodies(heading, phase, np.full(len(heading), wave)), BODY, 32)


def test_a_body_that_faces_away_has_the_same_silhouette_unless_it_waves() -> None:
    # Facing away means: mirrored about the axis from left to right, and half a step later.
    away = np.pi - HEADING, PHASE + np.pi
    np.testing.assert_allclose(seen(*away, 0.0), seen(HEADING, PHASE, 0.0), atol=1e-9)
    assert np.abs(seen(*away, 1.0) - seen(HEADING, PHASE, 1.0)).mean() > 0.02


def test_bones_keep_their_lengths() -> None:
    joints = bodies(HEADING, PHASE, np.linspace(0.0, 1.0, 25))
    parents = np.array(BODY.parents)
    bones = np.linalg.norm(joints - joints[:, parents], axis=2)[:, parents >= 0]
    np.testing.assert_allclose(bones - bones[0], 0.0, atol=1e-9)


def test_the_unseen_film_is_of_the_same_body_and_not_among_the_others() -> None:
    walker, unseen = load_dataset("walker"), load_dataset("walker_unseen")
    assert unseen.n_points == FRAMES and walker.n_points == 12 * FRAMES
    assert [view.name for view in unseen.views] == [view.name for view in walker.views]
    apart = np.abs(walker.view_values["pose"][:, None] - unseen.view_values["pose"]).max(axis=2)
    assert apart.min() > 0.01
    assert set(walker.covariates) == {"faces the camera", "right hand"}
