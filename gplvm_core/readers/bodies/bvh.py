"""The BVH motion-capture format: a skeleton's hierarchy, then one line of channels per frame."""

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.drawing import Joint
from gplvm_core.readers.errors import DataError, shortened
from gplvm_core.readers.limits import MEGABYTE, MOST_COLUMNS, MOST_TEXT, MOST_VALUES, check_at_most
from gplvm_core.readers.sources import Source, read_source

CHANNELS = tuple(axis + kind for kind in ("position", "rotation") for axis in "XYZ")


@dataclass(frozen=True)
class Motion:
    """A parsed file: `channels` is F frames × the channels of all joints, in the file's units.

    Positions are in the file's unit of length, rotations in degrees. Parents come before children.
    """

    joints: tuple[Joint, ...]
    channels: Float[Array, "F C"]
    frame_time: float  # seconds


def read_motion(source: Source) -> tuple[Motion, str]:
    """Read a BVH file, plain or gzipped; also return its name. Errors (DataError) name the line."""
    data, name = read_source(source, "a BVH file")
    if data[:2] == b"\x1f\x8b":
        data = _gunzip(data, name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{name} is not a text file, so not a BVH file: {error}.") from error
    return parse_motion(text, name), name


def _gunzip(data: bytes, name: str) -> bytes:
    inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        text = inflate.decompress(data, MOST_TEXT)
    except (zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{name} is a damaged gzip file: {error}. Pack it again.") from error
    if inflate.unconsumed_tail:
        raise DataError(
            f"{name} unpacks to more than the limit of {MOST_TEXT // MEGABYTE} MB. "
            "Leave out frames."
        )
    if not inflate.eof:
        raise DataError(f"{name} is cut off in the middle of its gzip data. Copy it again.")
    return text


def parse_motion(text: str, name: str = "the BVH file") -> Motion:
    """Parse the text of a BVH file. Errors (DataError) name the line."""
    lines = _Lines(text.splitlines(), name)
    joints = _parse_hierarchy(lines)
    return _parse_frames(lines, joints)


class _Lines:
    """A cursor over the lines that are not blank; stores the line number for error messages.

    Lines are split one at a time, because a list of words needs much more memory than its text.
    """

    def __init__(self, lines: list[str], name: str) -> None:
        self._lines = lines
        self.number = 0
        self.name = name

    def __iter__(self) -> Iterator[list[str]]:
        """Yield the words of each remaining line."""
        while self.number < len(self._lines):
            self.number += 1
            if words := self._lines[self.number - 1].split():
                yield words

    def next(self, expected: str) -> list[str]:
        words = next(iter(self), None)
        if words is None:
            raise DataError(
                f"{self.name} ends after line {len(self._lines)}, where {expected} should follow: "
                "the file is cut off. Copy or export it again."
            )
        return words

    def are_left(self) -> bool:
        return any(line.strip() for line in self._lines[self.number :])

    def error(self, expected: str) -> DataError:
        got = shortened(" ".join(self._lines[self.number - 1].split()))
        return DataError(f"{self.name}, line {self.number}: expected {expected}, got {got!r}.")


def _parse_hierarchy(lines: _Lines) -> tuple[Joint, ...]:
    if lines.next("HIERARCHY") != ["HIERARCHY"]:
        raise lines.error('"HIERARCHY", with which every BVH file begins')
    joints: list[Joint] = []
    open_joints: list[int] = []
    while True:
        words = lines.next('a joint, "}" or MOTION')
        if words == ["}"] and open_joints:
            open_joints.pop()
        elif words == ["MOTION"] and not open_joints and joints:
            return tuple(joints)
        elif words[0] == "ROOT" and not joints and len(words) > 1:
            joints.append(_parse_joint(lines, " ".join(words[1:]), -1))
            open_joints.append(0)
        elif words[0] == "JOINT" and open_joints and len(words) > 1:
            joints.append(_parse_joint(lines, " ".join(words[1:]), open_joints[-1]))
            open_joints.append(len(joints) - 1)
        elif [word.upper() for word in words] == ["END", "SITE"] and open_joints:
            parent = open_joints[-1]
            joints.append(_parse_end(lines, f"{joints[parent].name} end", parent))
        else:
            raise lines.error(_what_may_follow(joints, open_joints))


def _what_may_follow(joints: list[Joint], open_joints: list[int]) -> str:
    if open_joints:
        return f'a JOINT, an End Site or "}}" inside {joints[open_joints[-1]].name}'
    return "MOTION (files with one ROOT are read)" if joints else "a ROOT with a name"


def _parse_joint(lines: _Lines, name: str, parent: int) -> Joint:
    offset = _parse_offset(lines, name)
    words = lines.next(f"CHANNELS of {name}")
    if words[0] != "CHANNELS" or words[1:2] != [str(len(words) - 2)]:
        raise lines.error(f"CHANNELS of {name}: their number, then as many names")
    channels = tuple(words[2:])
    if any(channel not in CHANNELS for channel in channels) or len(set(channels)) < len(channels):
        raise lines.error(f"CHANNELS of {name}, each at most once, out of {', '.join(CHANNELS)}")
    return Joint(name, parent, offset, channels)


def _parse_end(lines: _Lines, name: str, parent: int) -> Joint:
    offset = _parse_offset(lines, name)
    if lines.next(f'"}}" after {name}') != ["}"]:
        raise lines.error(f'"}}" after {name}')
    return Joint(name, parent, offset, ())


def _parse_offset(lines: _Lines, name: str) -> tuple[float, float, float]:
    if lines.next(f'"{{" after {name}') != ["{"]:
        raise lines.error(f'"{{" after {name}')
    words = lines.next(f"OFFSET of {name}")
    numbers = _floats(words[1:])
    if words[0] != "OFFSET" or numbers is None or len(numbers) != 3:
        raise lines.error(f"OFFSET of {name} with three numbers")
    return (float(numbers[0]), float(numbers[1]), float(numbers[2]))


def _floats(words: list[str]) -> Array | None:
    """Return the words as finite numbers; None if one of them is not a finite number."""
    try:
        numbers = np.array(words, dtype=np.float64)
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _parse_frames(lines: _Lines, joints: tuple[Joint, ...]) -> Motion:
    words = lines.next("Frames: and their number")
    if words[0] != "Frames:" or not re.fullmatch(r"\d+", " ".join(words[1:])):
        raise lines.error("Frames: and their number")
    n_frames = int(words[1][:12])  # a valid number of frames has at most 12 digits
    n_channels = sum(len(joint.channels) for joint in joints)
    advice = "Leave out frames."
    check_at_most(n_channels, MOST_COLUMNS, "channels", lines.name, "Leave out joints.")
    check_at_most(3 * len(joints), MOST_COLUMNS, "coordinates", lines.name, "Leave out joints.")
    numbers = n_frames * max(n_channels, 3 * len(joints))
    check_at_most(numbers, MOST_VALUES, "numbers", lines.name, advice)
    words = lines.next("Frame Time: in seconds")
    frame_time = _floats(words[2:])
    if words[:2] != ["Frame", "Time:"] or frame_time is None or len(frame_time) != 1:
        raise lines.error("Frame Time: in seconds")
    if not frame_time[0] > 0:
        raise lines.error("a Frame Time above 0 seconds")
    rows, count = [], 0
    for words in lines:
        if len(words) != n_channels:
            raise DataError(
                f"{lines.name}, line {lines.number}: a frame has {n_channels} numbers, got "
                f"{len(words)}"
                + (
                    "."
                    if lines.are_left()
                    else "; the file is cut off there. Copy or export it again."
                )
            )
        row = _floats(words)
        if row is None:
            word = next(word for word in words if _floats([word]) is None)
            raise DataError(
                f"{lines.name}, line {lines.number}: {shortened(word)!r} is not a finite number."
            )
        count += 1
        if count <= n_frames:
            rows.append(row)
    if count != n_frames:
        problem = "the file is cut off" if count < n_frames else "its Frames: line is wrong"
        raise DataError(
            f"{lines.name} declares {n_frames} frames but has {count}: {problem}. "
            "Copy or export it again, or correct the line."
        )
    channels = np.array(rows).reshape(n_frames, n_channels)
    return Motion(joints, channels, float(frame_time[0]))
