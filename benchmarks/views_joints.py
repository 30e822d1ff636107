"""Every coordinate of a body as a view: whether the joints of a limb form a cluster.

    python -m benchmarks.views_joints [--every 2] [--components 10]

Each joint coordinate of the poses (without constant ones) is a view of one column with a kernel,
inducing inputs and noise. A joint's profile has one number for each latent dimension: the sum of
the dimension's values for the joint's coordinates. Joints are clustered by the angle between their
profiles (average linkage) into as many clusters as the body has limbs. Two measures compare the
clusters with the limbs: the adjusted Rand index, and the share of joints whose nearest profile
belongs to the same limb. Both are given with the probability of an equally good result if limbs are
shuffled among joints. The baseline clusters the plain correlations of the coordinates over time.
"""

import argparse
import sys
import time
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from benchmarks.common import RESULTS, table, write_row
from benchmarks.views_many import clusters
from gplvm_core import ManifoldRelevance
from gplvm_core.datasets import Dataset, Skeleton, load_dataset
from gplvm_core.numerics import Array

LIMBS = {
    "trunk": ("Spine", "Neck", "Head"),
    "left leg": ("LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe"),
    "right leg": ("RightUpLeg", "RightLeg", "RightFoot", "RightToe"),
    "left arm": ("LeftArm", "LeftForeArm", "LeftHand", "LFingers", "LThumb"),
    "right arm": ("RightArm", "RightForeArm", "RightHand", "RFingers", "RThumb"),
}
SHUFFLES = 5000
COLOURS = ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0))
SCALE, SIDE = 16, 420

Ints = NDArray[np.integer[Any]]


def limb_of(joint: str) -> int:
    """Return the number of the limb; −1 for the root, which does not move."""
    found = [n for n, names in enumerate(LIMBS.values()) if joint.startswith(names)]
    return found[0] if found else -1


def judged(rows: Float[Array, "J K"], limbs: Ints, seed: int) -> dict[str, Any]:
    """Return how well profiles identify limbs, and how often random limbs are as good."""
    groups = clusters(rows, len(LIMBS))
    apart = cdist(rows, rows, "cosine")
    np.fill_diagonal(apart, np.inf)
    nearest = apart.argmin(axis=1)
    rand = float(adjusted_rand_score(limbs, groups))
    same = float(np.mean(limbs[nearest] == limbs))
    generator = np.random.default_rng(seed)
    by_chance = []
    for _ in range(SHUFFLES):
        shuffled = generator.permutation(limbs)
        by_chance.append(
            (adjusted_rand_score(shuffled, groups), np.mean(shuffled[nearest] == shuffled))
        )
    chance = np.array(by_chance)
    return {
        "adjusted_rand": rand,
        "adjusted_rand_p": float((1 + np.sum(chance[:, 0] >= rand)) / (1 + SHUFFLES)),
        "nearest_same_limb": same,
        "nearest_same_limb_by_chance": float(chance[:, 1].mean()),
        "nearest_same_limb_p": float((1 + np.sum(chance[:, 1] >= same)) / (1 + SHUFFLES)),
        "clusters": groups.tolist(),
    }


def write_picture(
    rows: Float[Array, "J Q"], groups: Ints, moving: Ints, skeleton: Skeleton, pose: Array
) -> None:
    """Draw profiles as a heat map by joint, and a body with its joints coloured by cluster."""
    from PIL import Image, ImageDraw

    shown = np.kron(255.0 * (1.0 - np.sqrt(rows)), np.ones((SCALE, SCALE)))
    heat = np.repeat(shown.round().astype(np.uint8)[:, :, None], 3, axis=2)
    bars = np.repeat(np.array([COLOURS[g - 1] for g in groups], np.uint8), SCALE, axis=0)
    heat = np.hstack([np.repeat(bars[:, None], SCALE, axis=1), heat])
    picture = Image.new("RGB", (heat.shape[1] + SIDE, max(heat.shape[0], SIDE)), "white")
    picture.paste(Image.fromarray(heat), (0, 0))
    flat = pose[:, :2] - pose[:, :2].mean(axis=0)
    flat = flat / np.abs(flat).max() * 0.45 * SIDE * (1, -1)
    points = [(heat.shape[1] + SIDE / 2 + x, SIDE / 2 + y) for x, y in flat]
    draw = ImageDraw.Draw(picture)
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            draw.line([points[joint], points[parent]], fill=(150, 150, 150), width=3)
    for joint, group in zip(moving, groups, strict=True):
        x, y = points[joint]
        draw.ellipse([x - 6, y - 6, x + 6, y + 6], fill=COLOURS[group - 1])
    picture.save(RESULTS / "views_joints.png", optimize=True)


def columns_that_move(data: Dataset, every: int) -> tuple[dict[str, Array], Ints]:
    """Return the varying coordinates as views, thinned to every `every`-th row, and each view's
    joint.
    """
    values = data.values[::every]
    moving = np.flatnonzero(values.std(axis=0) > 1e-6)
    names = data.column_names
    assert names is not None
    return {names[d]: values[:, [d]] for d in moving}, moving // 3


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--every", type=int, default=2)
    parser.add_argument("--components", type=int, default=10)
    parser.add_argument("--inducing", type=int, default=30)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    data = load_dataset("poses")
    skeleton = data.drawing.skeleton
    assert skeleton is not None
    views, joint_of = columns_that_move(data, options.every)
    begin, cpu = time.perf_counter(), time.process_time()
    model = ManifoldRelevance(
        options.components,
        options.inducing,
        max_iter=options.iterations,
        random_state=options.seed,
    ).fit(views)
    spent = {
        "seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - cpu,
        "evaluations": model.result_.evaluations,
        "views": len(views),
        "rows": len(model.latent_mean_),
    }
    drops = np.array([model.drops_[name] for name in model.views_]).clip(0.0)
    whole = np.hstack(list(views.values()))
    correlations = np.abs(np.corrcoef(whole.T))
    # These are all joints but the root, whose coordinates do not change.
    moving = np.unique(joint_of)
    by_joint = np.array([drops[joint_of == joint].sum(axis=0) for joint in moving])
    by_joint = by_joint / by_joint.max(axis=1, keepdims=True)
    plain = np.array([correlations[joint_of == joint].mean(axis=0) for joint in moving])
    limbs = np.array([limb_of(skeleton.joint_names[joint]) for joint in moving])
    found: dict[str, dict[str, Any]] = {
        "profiles": judged(by_joint, limbs, options.seed),
        "correlations": judged(plain, limbs, options.seed),
    }
    keys = [key for key in found["profiles"] if key != "clusters"]
    rows = [(name, *(figures[key] for key in keys)) for name, figures in found.items()]
    print(table(("", *keys), rows))
    groups = np.array(found["profiles"]["clusters"])
    for group in np.unique(groups):
        print(group, *(skeleton.joint_names[joint] for joint in moving[groups == group]))
    print(spent, model.bound_)
    RESULTS.mkdir(exist_ok=True)
    body = data.values[0].reshape(-1, 3)
    write_picture(by_joint, groups, moving, skeleton, body)
    write_row(
        "views_joints",
        {**found, **spent, "bound": model.bound_, "agreement_with_weights": model.agreement()},
        seed=options.seed,
        settings={key: getattr(options, key) for key in ("components", "inducing", "iterations")},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
