"""Tests of C3D files as capture programs write them; the bytes are built by hand.

The fields are those that ezc3d 1.7 and Vicon write. For the same bytes, ezc3d reads the same frames
and markers, with two exceptions: it reads 65,535 frames with one more at the origin, and it cuts
longer recordings.
"""

import struct

import numpy as np
import pytest

from gplvm_core.readers import DataError, read_c3d
from tests.attacks.bombs import c3d, group, parameter


def body(frames: int, markers: int = 2, residual: float = 0.0, kind: str = "<f4") -> bytes:
    """Return the numbers of the points: marker j of frame i is at (10 i + j + 1, 2, 3)."""
    points = np.empty((frames, markers, 4), dtype=kind)
    points[..., 0] = 10 * np.arange(frames)[:, None] + np.arange(markers) + 1
    points[..., 1:] = 2, 3, residual
    data = points.tobytes()
    return data.ljust(-(-len(data) // 512) * 512, b"\0")


def words(name: bytes, values: list[str], number: int = 1) -> bytes:
    width = max(map(len, values))
    text = "".join(value.ljust(width) for value in values).encode()
    return parameter(number, name, text, -1, bytes((width, len(values))))


def field(name: bytes, *values: int, number: int = 3) -> bytes:
    """Return a parameter of 16-bit words; a single value has no dimension, as in most files."""
    data = struct.pack(f"<{len(values)}H", *values)
    return parameter(number, name, data, 2, bytes((len(values),)) if len(values) > 1 else b"")


def trial(first: int, last: int, n_words: int = 2) -> bytes:
    edges = ((b"ACTUAL_START_FIELD", first), (b"ACTUAL_END_FIELD", last))
    return b"".join(field(name, *(edge % 65_536, edge // 65_536)[:n_words]) for name, edge in edges)


def frames_of(data: bytes) -> int:
    """Return the number of frames; none of them has all markers at 0."""
    motion = read_c3d(data)
    assert not (motion.values == 0).all(axis=1).any()
    return motion.n_points


@pytest.mark.parametrize(
    ("fields", "frames"),
    [
        ({"first": 0, "more": field(b"FRAMES", 6, number=1)}, 6),
        ({"first": 0, "more": trial(0, 5)}, 6),
        ({"first": 0, "more": trial(1, 6)}, 6),
        ({"first": 1, "more": field(b"FRAMES", 6, number=1)}, 6),
        ({"first": 4_464, "more": trial(70_000, 70_005)}, 6),
        ({"first": 4_464, "more": trial(70_000, 70_005, n_words=1)}, 6),
        ({"first": 65_533, "more": trial(65_533, 65_538, n_words=1)}, 6),
        ({"first": 65_535, "more": trial(70_000, 70_005)}, 6),
    ],
)
def test_frames_are_counted_by_the_files_own_fields(fields, frames):
    assert frames_of(c3d(frames=frames, body=body(frames), **fields)) == frames


@pytest.mark.parametrize("frames", [65_534, 65_535, 65_536, 70_000])
def test_long_recordings_without_a_long_field_are_read_whole(frames):
    """Programs that count with 16 bits write 65,535 for every longer recording."""
    declared = min(frames, 65_535)
    data = c3d(
        markers=1,
        frames=declared,
        more=field(b"FRAMES", declared, number=1),
        body=body(frames, markers=1),
    )
    motion = read_c3d(data)
    assert motion.n_points == frames
    assert any("all were read" in note for note in motion.notes) == (frames > 65_535)


def test_long_recordings_have_a_field_of_two_words_or_a_float():
    data = body(70_000, markers=1)
    long = parameter(1, b"LONG_FRAMES", struct.pack("<f", 70_000), 4)
    for more in (trial(1, 70_000), long):
        head = c3d(markers=1, frames=65_535, more=more, body=data)
        assert read_c3d(head).n_points == 70_000


def test_a_recording_that_is_cut_off_is_refused_with_both_numbers():
    data = c3d(frames=40, body=body(40))
    with pytest.raises(DataError, match="declares 40 frames but has 32"):
        read_c3d(data[:-512])


def test_numbers_that_are_no_positions_are_left_out_with_a_note():
    names = ["P:LHIP", "P:LKNE", "P:LKneeAngles", "P:LKneeForce"]
    more = words(b"ANGLES", ["LKneeAngles"]) + words(b"FORCES", ["P:LKneeForce", "P:Other"])
    data = c3d(markers=4, frames=6, names=words(b"LABELS", names), more=more, body=body(6, 4))
    motion = read_c3d(data)
    assert set(motion.drawing.skeleton.joint_names) == set(names[:2])
    assert any("P:LKneeAngles (ANGLES), P:LKneeForce (FORCES)" in note for note in motion.notes)
    only = c3d(
        markers=1, frames=6, names=words(b"LABELS", ["A"]), more=words(b"POWERS", ["A"]),
        body=body(6, 1),
    )  # fmt: skip
    with pytest.raises(DataError, match=r"has no markers, only A \(POWERS\)"):
        read_c3d(only)


def test_more_than_255_markers_have_their_names():
    names = [f"M{number:03d}" for number in range(300)]
    lists = words(b"LABELS", names[:255]) + words(b"LABELS2", names[255:])
    motion = read_c3d(c3d(markers=300, frames=6, names=lists, body=body(6, 300)))
    assert sorted(motion.drawing.skeleton.joint_names) == names


@pytest.mark.parametrize(
    ("units", "metres"),
    [
        (words(b"UNITS", ["m"]) + words(b"UNITS2", ["mm"] * 45), 1.0),  # as ezc3d writes
        (words(b"UNITS", ["mm"] * 3), 0.001),
    ],
)
def test_a_unit_for_each_marker_is_one_unit(units, metres):
    numbers = np.arange(18.0).reshape(6, 3) / 7
    data = np.zeros((6, 3, 4), "<f4")
    data[..., 0] = numbers
    motion = read_c3d(c3d(markers=3, frames=6, more=units, body=data.tobytes()))
    widths = np.ptp(motion.values.reshape(6, 3, 3)[..., 0], axis=1)
    np.testing.assert_allclose(widths, metres * np.ptp(numbers, axis=1), rtol=1e-6)
    assert not any("unit" in note for note in motion.notes)


def test_a_file_of_rotations_without_markers_is_refused_in_words():
    rotations = group(4, b"ROTATION") + field(b"USED", 19, number=4)
    with pytest.raises(DataError, match="no frames with markers, only 19 rotations per frame"):
        read_c3d(c3d(markers=0, frames=6, more=rotations, body=bytes(512)))


def test_rotations_beside_markers_are_left_out_with_a_note():
    rotations = group(4, b"ROTATION") + field(b"USED", 1, number=4)
    # 65,535 frames could also be more; those after them are rotations.
    markers = body(65_535, 1)
    start = 3 + len(markers) // 512
    rotations += field(b"DATA_START", start, number=4)
    motion = read_c3d(c3d(markers=1, frames=65_535, more=rotations, body=markers + body(99, 1)))
    assert motion.n_points == 65_535
    assert any("Rotations" in note for note in motion.notes)


@pytest.mark.parametrize(("residual", "seen"), [(0, True), (768, True), (3, True), (-1, False)])
@pytest.mark.parametrize(("kind", "scale"), [("<f4", -1.0), ("<i2", 0.5)])
def test_the_residual_says_whether_a_marker_is_seen(residual, seen, kind, scale):
    data = np.frombuffer(body(6, kind=kind), dtype=kind).copy()
    data[3:24:8] = residual  # the first marker of the first frames
    motion = read_c3d(c3d(frames=6, scale=scale, body=data.tobytes()))
    assert np.isnan(motion.values[:3]).any() != seen
    assert not np.isnan(motion.values[3:]).any()
    apart = np.abs(np.diff(motion.values[3:].reshape(3, 2, 3)[..., 0], axis=1))
    np.testing.assert_allclose(apart, abs(scale), rtol=1e-6)


def test_markers_without_a_number_are_unseen():
    data = np.frombuffer(body(6), dtype="<f4").copy()
    data[0:3] = np.nan  # ezc3d writes unseen markers with a residual of 0
    motion = read_c3d(c3d(frames=6, body=data.tobytes()))
    assert np.isnan(motion.values).sum() == 3


def test_bytes_after_the_declared_frames_are_reported():
    motion = read_c3d(c3d(frames=6, body=body(200)))
    assert motion.n_points == 6
    assert any("further bytes after its 6 declared frames" in note for note in motion.notes)


@pytest.mark.parametrize("axis", ["+Y", "-Z", ""])
def test_the_axis_that_is_up_is_named_or_said_to_be_assumed(axis):
    more = words(b"Y_SCREEN", [axis]) if axis else b""
    notes = " ".join(read_c3d(c3d(frames=6, more=more, body=body(6))).notes)
    expected = f"{axis[-1:].lower()} axis is up" if axis else "does not say which axis is up"
    assert expected in notes
