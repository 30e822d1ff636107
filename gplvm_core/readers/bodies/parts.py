"""Divide a body into trunk, arms and legs, as views with positions relative to the body."""

import re
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.bodies.poses import coordinate_names
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing, Skeleton
from gplvm_core.readers.errors import DataError

PARTS = {
    "arms": re.compile(
        r"arm|hand|shoulder|elbow|wrist|clav|collar|humer|radius|finger|thumb", re.I
    ),
    "legs": re.compile(r"leg|foot|toe|hipjoint|knee|ankle|femur|tibia|thigh|shin", re.I),
}
TRUNK = "trunk"


def body_parts(skeleton: Skeleton) -> dict[str, list[int]]:
    """Return the joints of trunk, arms and legs, found by the joints' names and parents.

    A joint below an arm or a leg belongs to it. The result is empty unless all three parts have
    joints, and one joint carries both arms and one both legs. The first joint of the arms and of
    the legs is the trunk's joint that carries them.
    """
    part: list[str] = []
    for name, parent in zip(skeleton.joint_names, skeleton.parents, strict=True):
        above = part[parent] if parent >= 0 else TRUNK
        own = next((each for each, words in PARTS.items() if words.search(name)), TRUNK)
        part.append(own if above == TRUNK and parent >= 0 else above)
    joints = {each: [j for j, own in enumerate(part) if own == each] for each in (TRUNK, *PARTS)}
    if not all(joints.values()):
        return {}
    for each in PARTS:
        carriers = {skeleton.parents[j] for j in joints[each]} - set(joints[each])
        common = _common(skeleton, carriers)
        if common is None:
            return {}
        joints[each].insert(0, common)
    return joints


def _common(skeleton: Skeleton, joints: set[int]) -> int | None:
    """Return the lowest joint that is above all the given joints, or one of them; None if they
    have different roots.
    """
    ways = []
    for joint in joints:
        way = [joint]
        while skeleton.parents[way[-1]] >= 0:
            way.append(skeleton.parents[way[-1]])
        ways.append(way)
    return next((joint for joint in ways[0] if all(joint in way for way in ways)), None)


def in_body_parts(dataset: Dataset) -> Dataset:
    """Make trunk, arms and legs of a body the views of a data set.

    The positions of arms and legs are relative to the joint that carries them, which is their
    view's first joint and has the name of the trunk's joint. Raises DataError if the data are no
    body with these parts.
    """
    skeleton = dataset.drawing.skeleton
    parts = {} if skeleton is None else body_parts(skeleton)
    if skeleton is None or not parts:
        raise DataError(
            f"{dataset.title}: no trunk, arms and legs were found by the names of joints. Choose "
            "other views."
        )
    values = dataset.values.reshape(dataset.n_points, -1, 3)
    views: dict[str, Dataset] = {}
    for name, joints in parts.items():
        own = Skeleton(
            tuple(skeleton.joint_names[j] for j in joints),
            tuple(_parent(skeleton, joint, joints) for joint in joints),
        )
        rows = values[:, joints]
        if name != TRUNK:
            rows = rows - rows[:, :1]
        views[name] = Dataset(
            name=name,
            title=name.capitalize(),
            targets=rows.reshape(len(rows), -1),
            drawing=Drawing("skeleton", (len(joints), 3), skeleton=own),
            column_names=coordinate_names(own),
        )
    others = ("labels", "label_names", "times", "time_unit", "sequences", "row_names")
    return Dataset.of_views(
        dataset.name,
        dataset.title,
        views,
        **{name: getattr(dataset, name) for name in others},
        covariates=dataset.covariates,
        source=dataset.source,
        notes=(
            *dataset.notes,
            "Positions of arms and legs are relative to the joint of the trunk that carries them.",
        ),
    )


def _parent(skeleton: Skeleton, joint: int, joints: list[int]) -> int:
    """Return the place in `joints` of the nearest joint above that is among them, or −1."""
    above = skeleton.parents[joint]
    while above >= 0 and (above not in joints or above == joint):
        above = skeleton.parents[above]
    return joints.index(above) if above >= 0 and joints[0] != joint else -1


@dataclass(frozen=True)
class Whole:
    """A body that is put together from views with a part each.

    skeleton: all joints, view after view, without the joints that repeat a joint of another view;
    joints: for every view, the place of its joints in the skeleton; carried: whether the positions
    of a view are relative to its first joint, which another view has, too.
    """

    skeleton: Skeleton
    joints: tuple[tuple[int, ...], ...]
    carried: tuple[bool, ...]

    def rows(self, views: list[Float[Array, "N D"]]) -> Float[Array, "N J 3"]:
        """Return the positions of all joints, given the rows of every view."""
        whole = np.empty((len(views[0]), len(self.skeleton.parents), 3))
        for rows, joints, carried in zip(views, self.joints, self.carried, strict=True):
            own = rows.reshape(len(rows), -1, 3)
            base = whole[:, joints[:1]].copy() if carried else 0.0
            whole[:, joints[carried:]] = own[:, carried:] + base
        return whole

    def dataset(self, parts: Dataset) -> Dataset:
        """Return the whole bodies of a data set of parts, as one view."""
        joints = self.rows(list(parts.view_values.values()))
        return Dataset(
            name=parts.name,
            title=parts.title,
            targets=joints.reshape(len(joints), -1),
            drawing=Drawing("skeleton", joints.shape[1:], skeleton=self.skeleton),
        )


def whole_body(dataset: Dataset) -> Whole | None:
    """Return how the views make one body; None if they do not.

    Every view is a skeleton. The first joint of every view but the first has the name of a joint of
    an earlier view, as after `in_body_parts`.
    """
    names: list[str] = []
    parents: list[int] = []
    joints: list[tuple[int, ...]] = []
    carried: list[bool] = []
    for view in dataset.views:
        own = view.drawing.skeleton
        if own is None or (names and own.joint_names[0] not in names):
            return None
        carried.append(bool(names))
        place = [names.index(own.joint_names[0])] if names else []
        for name, parent in list(zip(own.joint_names, own.parents, strict=True))[len(place) :]:
            parents.append(place[parent] if parent >= 0 else -1)
            place.append(len(names))
            names.append(name)
        joints.append(tuple(place))
    if len(joints) < 2 or len(set(names)) < len(names):
        return None
    return Whole(Skeleton(tuple(names), tuple(parents)), tuple(joints), tuple(carried))
