"""Tests of BVH files as different programs write them: the same movement is read from each."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gplvm_core.readers import DataError, read_bvh, read_motion
from gplvm_core.readers.bodies.bvh import doubtful_letters
from gplvm_core.readers.bodies.kinematics import joint_frames
from gplvm_core.readers.bodies.upright import vertical
from gplvm_core.shipped.files import vendored
from tests.readers.small_bvh import ANGLES, bvh

PLAIN = bvh()
END = "      End Site\n      {\n        OFFSET 0 0 1.5\n      }"
assert END in PLAIN


def wrapped(text: str) -> str:
    """Return the text with each of the second and third frames on three lines."""
    head, frames = text.split("Frame Time: 0.1\n")
    rows = frames.splitlines()
    for number in (1, 2):
        words = rows[number].split()
        rows[number] = "\n".join((" ".join(words[:5]), " ".join(words[5:6]), " ".join(words[6:])))
    return head + "Frame Time: 0.1\n" + "\n".join(rows) + "\n"


DIALECTS = {
    "no blank after Frames:": PLAIN.replace("Frames: 6", "Frames:6"),
    "a blank before the colon": PLAIN.replace("Frames: 6", "Frames : 6"),
    "no blank after Frame Time:": PLAIN.replace("Frame Time: 0.1", "Frame Time:0.1"),
    "channels in lower case": PLAIN.replace("rotation", "ROTATION").replace("Xp", "xP"),
    "keywords in lower case": re.sub(
        r"HIERARCHY|ROOT|OFFSET|CHANNELS|JOINT|End Site|MOTION|Frames|Frame Time",
        lambda found: found[0].lower(),
        PLAIN,
    ),
    "braces on the same line": re.sub(r"\n\s*\{", " {", PLAIN),
    "braces next to names": re.sub(r"\n\s*\{\n\s*", "{", PLAIN),
    "a joint on one line": re.sub(r"\n\s*(?=[{}OC])", " ", PLAIN.split("MOTION")[0])
    + "\nMOTION" + PLAIN.split("MOTION")[1],
    "channels on two lines": PLAIN.replace("Zposition Zrot", "Zposition\n Zrot"),
    "an end with channels": PLAIN.replace("OFFSET 0 0 1.5", "OFFSET 0 0 1.5\n        CHANNELS 0"),
    "frames on several lines": wrapped(PLAIN),
    "comments": "# made by hand\n" + PLAIN.replace("MOTION", "// the motion\nMOTION # now"),
    "blank lines and Windows' line ends": PLAIN.replace("\n", "\r\n\r\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_gives_the_same_movement(name):
    whole, found = read_bvh(PLAIN.encode()), read_bvh(DIALECTS[name].encode())
    np.testing.assert_array_equal(found.targets, whole.targets)
    assert found.column_names == whole.column_names
    said = set(found.notes) - set(whole.notes)
    expected = {"comments": "Comments.*: 3", "frames on several lines": "several lines.*: 2"}
    if name in expected:
        assert len(said) == 1 and re.search(expected[name], said.pop())
    else:
        assert not said


@pytest.mark.parametrize("channels", ["", "\n        CHANNELS 0"])
def test_ends_keep_their_names(channels):
    text = PLAIN.replace(END, END.replace("Site", "Site Toe").replace("1.5", "1.5" + channels))
    assert [joint.name for joint in read_motion(text.encode())[0].joints][-1] == "Toe"


def test_ends_with_one_name_are_told_apart():
    twice = PLAIN.replace(
        END, END.replace("Site", "Site Tip") + "\n" + END.replace("Site", "Site Tip")
    )
    names = [joint.name for joint in read_motion(twice.encode())[0].joints]
    assert names[-2:] == ["Tip", "Foot Tip"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_other_encodings_are_read_with_a_note(encoding):
    data = read_bvh(PLAIN.replace("Foot", "Fuß").encode(encoding))
    assert "Fuß x" in data.column_names
    assert any("not UTF-8" in note for note in data.notes) == (encoding != "utf-8-sig")


def test_an_encoding_is_read_as_given():
    data = PLAIN.replace("Foot", "Stopa ž").encode("cp1250")
    assert "Stopa ž x" in read_bvh(data, encoding="cp1250").column_names
    assert doubtful_letters(data) == "ž" and not doubtful_letters(PLAIN.encode())
    with pytest.raises(DataError, match="is no encoding"):
        read_bvh(data, encoding="cp0")


def test_a_frame_with_a_missing_number_is_named_by_its_own_line():
    rows = PLAIN.splitlines()
    rows[25] = rows[25].rsplit(maxsplit=1)[0]
    with pytest.raises(DataError, match=r"line 26: a frame has 12 numbers, got 11\.$"):
        read_bvh("\n".join(rows).encode())


def body(turned: Rotation, channels: str, angles: np.ndarray) -> bytes:
    """Return a body with arms held out, whose offsets are turned from y up; root rotations."""
    bones = {"Head": (0, 7, 0), "LeftHand": (8, 4, 0), "RightHand": (-8, 4, 0),
             "LeftFoot": (1, -9, 0.5), "RightFoot": (-1, -9, 0.5)}  # fmt: skip
    joints = "".join(
        f"JOINT {name}\n{{\nOFFSET {' '.join(map(repr, turned.apply(bone).round(9).tolist()))}\n"
        "CHANNELS 0\n}\n"
        for name, bone in bones.items()
    )
    rows = "\n".join(" ".join(repr(float(angle)) for angle in row) for row in angles)
    return (
        f"HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\nCHANNELS 3 {channels}\n{joints}}}\nMOTION\n"
        f"Frames: {len(angles)}\nFrame Time: 0.1\n{rows}\n"
    ).encode()


UPRIGHT = {
    "y": (Rotation.identity(), "Yrotation Xrotation Zrotation"),
    "z": (Rotation.from_euler("x", 90, degrees=True), "Zrotation Xrotation Yrotation"),
    "x": (Rotation.from_euler("z", -90, degrees=True), "Xrotation Yrotation Zrotation"),
}
HEADINGS = np.array([[0.0, 0, 0], [45, 0, 0], [90, 0, 0], [135, 0, 0]])


@pytest.mark.parametrize("up", UPRIGHT)
def test_poses_in_four_directions_are_equal_whichever_axis_is_up(up):
    turned, channels = UPRIGHT[up]
    data = read_bvh(body(turned, channels, HEADINGS))
    np.testing.assert_allclose(data.targets, np.tile(data.targets[0], (4, 1)), atol=1e-9)
    joints = dict(
        zip(data.drawing.skeleton.joint_names, data.targets[0].reshape(-1, 3), strict=True)
    )
    assert joints["Head"][1] == pytest.approx(7) and joints["LeftFoot"][1] == pytest.approx(-9)
    note = next(note for note in data.notes if "axis is up" in note)
    assert f"{up} axis is up (measured" in note and ("turned" in note) == (up != "y")


@pytest.mark.parametrize("up", ["x", "z"])
def test_a_turned_motion_keeps_the_shape_of_every_pose(up):
    """The distances between joints, with random angles, do not depend on the choice of the axis."""
    file = bvh(ANGLES).encode()
    as_y, other = (read_bvh(file, up=axis).targets.reshape(6, 3, 3) for axis in ("y", up))
    for pair in ((0, 1), (1, 2), (0, 2)):
        lengths = [np.linalg.norm(each[:, pair[0]] - each[:, pair[1]], axis=1)
                   for each in (as_y, other)]  # fmt: skip
        np.testing.assert_allclose(lengths[0], lengths[1], rtol=1e-12)
    # The heading is a rotation about the axis that is up: heights are those of the file.
    places, _ = joint_frames(read_motion(file)[0])
    heights = (places - places[:, :1])[:, [2, 3], "xyz".index(up)]
    np.testing.assert_allclose(other[:, 1:, 1], heights, atol=1e-9)


def test_an_axis_that_poses_do_not_show_is_said_to_be_assumed():
    assert vertical(read_motion(PLAIN.encode())[0]) is None
    assert any("y was assumed" in note for note in read_bvh(PLAIN.encode()).notes)
    with pytest.raises(DataError, match="'w'"):
        read_bvh(PLAIN.encode(), up="w")


@pytest.mark.parametrize("take", ["cmu_01_01.bvh.gz", "cmu_01_03.bvh.gz"])
def test_recorded_movements_have_y_up(take):
    assert vertical(read_motion(vendored(take))[0]) == "Y"
