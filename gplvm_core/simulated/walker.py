"""A body that walks on the spot, turns and waves, and its silhouettes from one side.

A pose that is reflected in depth, with left and right exchanged, has the same silhouette as the
pose itself. A body that faces the camera and a body that faces away therefore look alike. Only the
right hand waves, so a waving body looks different from front and back.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.poses import coordinate_names
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing, Skeleton
from gplvm_core.simulated.outline import FRAME, silhouettes

SIZE = 16
STEP = 0.1  # seconds between two frames
GRAIN = 0.1  # standard deviation of the noise of every pixel
SHAKE = 0.005  # standard deviation of the noise of every coordinate, in metres
FRAMES = 90  # frames of each film
FILMS = 12
GAIT = 4.0  # seconds for two slow steps
SPINE = (
    ("Hips", -1, 0.0),
    ("Spine", 0, 0.26),
    ("Chest", 1, 0.5),
    ("Neck", 2, 0.58),
    ("Head End", 3, 0.78),
)
LIMBS = ("Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot", "ToeBase")
PARENTS = (2, 5, 6, 0, 8, 9, 10)  # parents of the joints on the left side
SHOULDER, HIP = (0.19, 0.48), (0.1, -0.04)  # offsets to the side and up, in metres
UPPER_ARM, FOREARM, THIGH, SHIN, FOOT = 0.28, 0.26, 0.43, 0.42, 0.17

BODY = Skeleton(
    (
        *(name for name, _, _ in SPINE),
        *(side + limb for side in ("Left", "Right") for limb in LIMBS),
    ),
    (
        *(parent for _, parent, _ in SPINE),
        *PARENTS,
        *(parent + len(LIMBS) if parent > 2 else parent for parent in PARENTS),
    ),
)
"""19 joints; the body's left is x, up is y, and the front is z."""


def bodies(
    heading: Float[Array, " N"], phase: Float[Array, " N"], wave: Float[Array, " N"]
) -> Float[Array, "N 19 3"]:
    """Return joint positions in metres, the root at the origin.

    heading: the direction of the body in radians, 0 faces the camera; phase: the phase of the gait,
    in radians; wave: how high the right hand is, from 0 to 1.
    """
    joints = np.zeros((len(heading), len(BODY.parents), 3))
    for number, (_, _, height) in enumerate(SPINE):
        joints[:, number, 1] = height
    for side, sign in enumerate((1.0, -1.0)):
        own = joints[:, len(SPINE) + side * len(LIMBS) :][:, : len(LIMBS)]
        swing = sign * np.sin(phase)
        raised = wave if sign < 0.0 else np.zeros_like(wave)
        own[:, 0] = (sign * SHOULDER[0], SHOULDER[1], 0.0)
        shake = raised * 0.45 * np.sin(2.0 * phase)
        out = 0.15 + raised * 1.5
        own[:, 1] = own[:, 0] + UPPER_ARM * limb(sign, out, -0.45 * swing * (1.0 - raised))
        out, bend = out + raised * 1.2 + shake, (0.35 - 0.45 * swing) * (1.0 - raised)
        own[:, 2] = own[:, 1] + FOREARM * limb(sign, out, bend)
        own[:, 3] = (sign * HIP[0], HIP[1], 0.0)
        thigh = 0.5 * swing + 0.1
        own[:, 4] = own[:, 3] + THIGH * limb(sign, 0.02, thigh)
        knee = 0.25 + 0.45 * (1.0 + np.cos(phase if sign > 0.0 else phase + np.pi)) / 2.0
        own[:, 5] = own[:, 4] + SHIN * limb(sign, 0.02, thigh - knee)
        own[:, 6] = own[:, 5] + FOOT * limb(sign, 0.1, thigh - knee + 1.3)
    sine, cosine = np.sin(heading)[:, None], np.cos(heading)[:, None]
    x, z = joints[..., 0].copy(), joints[..., 2].copy()
    joints[..., 0], joints[..., 2] = cosine * x + sine * z, cosine * z - sine * x
    return joints


def limb(sign: float, out: Array | float, forward: Array) -> Float[Array, "N 3"]:
    """Return the direction of a limb, which hangs down if both angles (radians) are 0."""
    out = np.broadcast_to(out, np.shape(forward))
    down = -np.cos(out) * np.cos(forward)
    return np.stack([sign * np.sin(out), down, np.cos(out) * np.sin(forward)], axis=1)


def film(random: np.random.RandomState) -> tuple[Array, Array, Array]:
    """Draw heading, phase and wave of the frames of one film."""
    times = STEP * np.arange(FRAMES)
    turning = random.uniform(0.5, 0.9) * random.choice([-1.0, 1.0])
    pauses = 0.8 * np.sin(2.0 * np.pi * times / random.uniform(5.0, 8.0) + random.uniform(0, 6.3))
    heading: Array = random.uniform(0.0, 2.0 * np.pi) + turning * times + pauses
    phase = 2.0 * np.pi * (times / GAIT + random.uniform())
    wave = np.zeros(FRAMES)
    for centre in np.array([1.5, 4.5, 7.5]) + random.uniform(-0.6, 0.6, 3):
        wave = np.maximum(wave, np.exp(-0.5 * ((times - centre) / 0.6) ** 2))
    return heading, np.asarray(phase), np.asarray(wave)


def load_walker() -> Dataset:
    """Load 1,080 frames, poses and silhouettes, of a body that walks on the spot, turns and waves.

    Views "silhouette" (16 × 16 pixels, 1 inside the body, 0 outside) and "pose" (19 × 3 joint
    positions in metres, the root at the origin), in twelve films of nine seconds. The covariates
    are how much the body faces the camera (1) or away from it (−1), and how high its right hand
    is.
    """
    return _films("walker", "A walker and its silhouettes", range(FILMS))


def load_unseen_walk() -> Dataset:
    """Load one more film of the walker, which `load_walker` does not contain."""
    return _films("walker_unseen", "An unseen film of the walker", (FILMS,))


def _films(name: str, title: str, seeds: Sequence[int]) -> Dataset:
    # RandomState never changes its stream, and stored models refer to these data by name.
    films = [film(np.random.RandomState(seed)) for seed in seeds]
    heading, phase, wave = (np.concatenate(each) for each in zip(*films, strict=True))
    joints = bodies(heading, phase, wave)
    noise = np.vstack(
        [
            np.random.RandomState(seed + 1000).standard_normal((FRAMES, SIZE**2 + 57))
            for seed in seeds
        ]
    )
    pictures = silhouettes(joints, BODY, SIZE).reshape(len(joints), -1)
    pictures += GRAIN * noise[:, : SIZE**2]
    poses = joints.reshape(len(joints), -1) + SHAKE * noise[:, SIZE**2 :]
    pose = Dataset(
        name="pose",
        title="Pose",
        targets=poses,
        drawing=Drawing("skeleton", joints.shape[1:], skeleton=BODY),
        column_names=coordinate_names(BODY),
    )
    return Dataset.of_views(
        name,
        title,
        {"silhouette": (pictures, Drawing("image", (SIZE, SIZE), (0.0, 1.0))), "pose": pose},
        times=np.tile(STEP * np.arange(FRAMES), len(films)),
        sequences=np.repeat(np.arange(len(films)), FRAMES),
        source="Simulated by this project. MIT licence.",
        notes=(
            "The camera looks along −z, without perspective. A body that faces the camera and its "
            "mirror image that faces away have the same silhouette, unless a hand waves.",
            "Silhouettes are drawn from the poses: a capsule along every bone, "
            f"{SIZE} × {SIZE} pixels for {FRAME} × {FRAME} m. The camera's noise has a standard "
            f"deviation of {GRAIN}, that of the positions one of {1000 * SHAKE:.0f} mm.",
        ),
        covariates={"faces the camera": np.cos(heading), "right hand": wave},
    )
