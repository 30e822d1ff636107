"""Read the marker positions of motion capture from a C3D file."""

import warnings

import numpy as np
from jaxtyping import Float
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.kinematics import chosen_frames
from gplvm_core.readers.bodies.poses import coordinate_names
from gplvm_core.readers.bodies.recording import read_recording
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing, Skeleton
from gplvm_core.readers.errors import DataError, in_digits, plural
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.sources import Source, named, read_source

MAGIC = b"\x50"  # the second byte
METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
LOOKED_AT = 200  # most frames used to find markers with constant distances
PAIRS_LOOKED_AT = 2_000_000  # largest product of marker pairs and frames that are used
NEVER_TOGETHER = 1e9  # metres; the cost of a pair that is never visible in the same frame
# Added to every cost, because SciPy ignores edges below 1e-8, such as edges between coinciding
# markers.
NO_EDGE = 1e-6


def read_c3d(source: Source, *, every: int = 1, first_frame: int = 0) -> Dataset:
    """Read marker positions from a C3D file: a row is J × 3, in metres, y up; NaN where unseen.

    In the plane of the floor, the mean marker position is moved to 0, so that a person's position
    is removed. Lines join the markers whose distances vary least (a minimum spanning tree). `every`
    = k selects every k-th frame, from `first_frame` on. Raises DataError for a file that is not C3D
    or has no markers, and without the package c3d.

    Markers have no angles. `write_bvh` makes a bone of each line, with its mean length; a table has
    the exact positions.

    Examples
    --------
    >>> import io
    >>> import c3d
    >>> import numpy as np
    >>> from gplvm_core import read_c3d
    >>> markers = np.array([[0.0, 0.0, 900.0, 0.0, 0.0], [0.0, 0.0, 400.0, 0.0, 0.0]])
    >>> writer = c3d.Writer(point_rate=50.0)
    >>> writer.add_frames([(markers, np.zeros((0, 0))), (markers + 10.0, np.zeros((0, 0)))])
    >>> writer.set_point_labels(["HIP", "KNEE"])
    >>> file = io.BytesIO()
    >>> writer.write(file)
    >>> motion = read_c3d(file.getvalue())
    >>> motion.values.shape, motion.times
    ((2, 6), array([0.  , 0.02]))
    """
    data, filename = read_source(source, "a C3D file")
    if data[1:2] != MAGIC:
        raise DataError(f"{filename} is not a C3D file. Export the motion as C3D or BVH.")
    require_packages("C3D files", ("c3d",))
    recording = read_recording(data, filename)
    labels, places, rate = recording.labels, recording.places, recording.rate
    chosen = chosen_frames(len(places), every, first_frame, filename)
    empty = np.isnan(places[chosen]).all(axis=(1, 2))
    chosen = chosen[~empty]
    places = places[chosen]
    hidden = np.isnan(places).all(axis=2).sum(axis=0) == len(chosen)
    seen = np.flatnonzero(~hidden)
    if len(chosen) < 2 or not len(seen):
        raise DataError(
            f"{filename} has {plural(len(chosen), 'frame')} with {plural(len(seen), 'marker')}. At "
            "least 2 frames and one marker are needed."
        )
    positions = METRES.get(recording.unit, 1.0) * places[:, seen]
    if recording.up == "Z":
        positions = np.stack([positions[..., 0], positions[..., 2], -positions[..., 1]], axis=-1)
    always = ~np.isnan(positions).any(axis=(0, 2))
    middle = np.nanmean(positions[:, always] if always.any() else positions, axis=1, keepdims=True)
    positions = positions - middle * np.array([1.0, 0.0, 1.0])
    order, parents = rigid_tree(positions)
    skeleton = Skeleton(tuple(labels[seen[joint]] for joint in order), parents)
    lost = [labels[marker] for marker in np.flatnonzero(hidden)]
    words = f"the file's unit, {recording.unit!r}" if recording.unit else "an unknown unit"
    notes = [
        "The mean marker position is moved to 0 on the floor, so a person's position in the room "
        "is left out.",
        "Lines join markers with nearly constant distances.",
        "Markers have no angles. An exported BVH file has a bone of constant length for each line; "
        "a table (CSV) has the exact positions.",
        f"{len(chosen)} of the file's frames are used, {in_digits(rate / every, 3)} per second.",
        *([f"Frames without any marker were left out: {empty.sum()}."] if empty.any() else []),
        *([f"Markers that are never seen were left out: {', '.join(lost)}."] if lost else []),
        *recording.notes,
        *([f"Lengths are in {words}."] if recording.unit not in METRES else []),
    ]
    return Dataset(
        **named(filename, "a C3D motion-capture file"),
        targets=positions[:, list(order)].reshape(len(chosen), -1),
        drawing=Drawing("skeleton", (len(order), 3), skeleton=skeleton),
        column_names=coordinate_names(skeleton),
        times=chosen / rate,
        sequences=np.zeros(len(chosen), dtype=np.int64),
        notes=tuple(notes),
    )


def rigid_tree(
    positions: Float[Array, "F J 3"],
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the markers ordered from the centre outwards, and the parent of each (-1: root).

    The tree is a minimum spanning tree that prefers pairs whose distance varies little, and close
    pairs.
    """
    count = positions.shape[1]
    looked_at = max(2, min(LOOKED_AT, PAIRS_LOOKED_AT // count**2))
    some = positions[:: max(1, len(positions) // looked_at)]
    apart = np.linalg.norm(some[:, :, None] - some[:, None], axis=3)
    together = np.isfinite(apart).any(axis=0)
    with warnings.catch_warnings(action="ignore"):  # NaN for pairs that are never seen together
        cost = np.nanstd(apart, axis=0) + 0.1 * np.nanmean(apart, axis=0)
    cost = np.where(together, cost, NEVER_TOGETHER) + NO_EDGE
    root = int(np.argmin(cost.sum(axis=1)))
    order, before = breadth_first_order(minimum_spanning_tree(cost), root, directed=False)
    place = {int(joint): number for number, joint in enumerate(order)}
    parents = tuple(-1 if joint == root else place[int(before[joint])] for joint in order)
    assert len(order) == count  # a tree reaches every marker
    return tuple(int(joint) for joint in order), parents
