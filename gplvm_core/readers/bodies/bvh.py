"""The BVH motion-capture format: a skeleton's hierarchy, then one line of channels per frame."""

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.drawing import Joint
from gplvm_core.readers.encodings import decoded
from gplvm_core.readers.errors import DataError, plural, shortened
from gplvm_core.readers.limits import MEGABYTE, MOST_COLUMNS, MOST_TEXT, MOST_VALUES, check_at_most
from gplvm_core.readers.sources import Source, read_source

CHANNELS = tuple(axis + kind for kind in ("position", "rotation") for axis in "XYZ")
CHANNEL_NAMES = {channel.lower(): channel for channel in CHANNELS}

COMMENT = re.compile(r"(?:^|\s)(?:#(?!\d)|//).*$")
END = re.compile(r"end(?: ?site\b)? ?(.+)?", re.IGNORECASE)
PARTS = re.compile(r"([{}])|\s(?=(?:OFFSET|CHANNELS)\s+[-+.\d])", re.IGNORECASE)
"""Where a line of the hierarchy is divided, because some programs write several parts in a line."""


@dataclass(frozen=True)
class Motion:
    """A parsed file: `channels` is F frames × the channels of all joints, in the file's units.

    Positions are in the file's unit of length, rotations in degrees. Parents come before children.
    """

    joints: tuple[Joint, ...]
    channels: Float[Array, "F C"]
    frame_time: float  # seconds
    notes: tuple[str, ...] = ()  # what was left out or guessed


def read_motion(source: Source, encoding: str | None = None) -> tuple[Motion, str]:
    """Read a BVH file, plain or gzipped; also return its name. Errors (DataError) name the line.

    encoding: of the text, as for `read_table`; None finds it.
    """
    text, notes, _, name = _text_of(source, encoding)
    lines = _Lines(text.splitlines(), name)
    motion = _parse_frames(lines, _parse_hierarchy(lines))
    return replace(motion, notes=(*notes, *motion.notes)), name


def doubtful_letters(source: Source) -> str:
    """Return words of a BVH file whose letters may be wrong, "" if there are none."""
    return _text_of(source, None)[2]


def _text_of(source: Source, encoding: str | None) -> tuple[str, list[str], str, str]:
    """Return the text, notes on its encoding, words whose letters may be wrong, and the name."""
    data, name = read_source(source, "a BVH file")
    if data[:2] == b"\x1f\x8b":
        data = _gunzip(data, name)
    return *decoded(data, name, encoding), name


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


class _Lines:
    """A cursor over the lines that are not blank; stores the line number for error messages.

    Lines are split one at a time, because a list of words needs much more memory than its text.
    """

    def __init__(self, lines: list[str], name: str) -> None:
        self._lines = lines
        self._parts: list[list[str]] = []  # the rest of the current line of the hierarchy
        self.number = 0
        self.comments = 0
        self.name = name

    def __iter__(self) -> Iterator[list[str]]:
        """Yield the words of each remaining line, without comments."""
        while self.number < len(self._lines):
            line = self._lines[self.number]
            self.number += 1
            if "#" in line or "//" in line:
                line, found = COMMENT.subn("", line)
                self.comments += found
            if words := line.split():
                yield words

    def part(self, expected: str) -> list[str]:
        """Return the words of the next part of the hierarchy: a brace, or what is between them."""
        while not self._parts:
            parts = PARTS.split(" ".join(self.next(expected)))
            self._parts = [words for part in parts if part and (words := part.split())]
        return self._parts.pop(0)

    def give_back(self, words: list[str]) -> None:
        self._parts.insert(0, words)

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
    if not _is(lines.part("HIERARCHY"), "HIERARCHY"):
        raise lines.error('"HIERARCHY", with which every BVH file begins')
    joints: list[Joint] = []
    open_joints: list[int] = []
    ends: set[str] = set()
    while True:
        words = lines.part('a joint, "}" or MOTION')
        kind = words[0].upper()
        if words == ["}"] and open_joints:
            open_joints.pop()
        elif _is(words, "MOTION") and not open_joints and joints:
            return tuple(joints)
        elif kind == "ROOT" and not joints and len(words) > 1:
            joints.append(_parse_joint(lines, " ".join(words[1:]), -1))
            open_joints.append(0)
        elif kind == "JOINT" and open_joints and len(words) > 1:
            joints.append(_parse_joint(lines, " ".join(words[1:]), open_joints[-1]))
            open_joints.append(len(joints) - 1)
        elif (ended := END.fullmatch(" ".join(words))) and open_joints:
            parent = open_joints[-1]
            own = ended[1] or ""
            name = f"{joints[parent].name} {own or 'end'}" if not own or own in ends else own
            ends.add(own)
            joints.append(_parse_end(lines, name, parent))
        else:
            raise lines.error(_what_may_follow(joints, open_joints))


def _is(words: list[str], keyword: str) -> bool:
    return len(words) == 1 and words[0].upper() == keyword


def _what_may_follow(joints: list[Joint], open_joints: list[int]) -> str:
    if open_joints:
        return f'a JOINT, an End Site or "}}" inside {joints[open_joints[-1]].name}'
    return "MOTION (files with one ROOT are read)" if joints else "a ROOT with a name"


def _parse_joint(lines: _Lines, name: str, parent: int) -> Joint:
    offset = _parse_offset(lines, name)
    return Joint(name, parent, offset, _parse_channels(lines, name))


def _parse_channels(lines: _Lines, name: str) -> tuple[str, ...]:
    words, start = lines.part(f"CHANNELS of {name}"), lines.number
    counted = words[0].upper() == "CHANNELS" and re.fullmatch("[0-9]", " ".join(words[1:2]))
    while counted and len(words) - 2 < int(words[1]):
        further = lines.part(f"CHANNELS of {name}")
        if further[0].lower() not in CHANNEL_NAMES:
            break
        words = [*words, *further]
    if not counted or len(words) - 2 != int(words[1]):
        lines.number = start
        raise lines.error(f"CHANNELS of {name}: their number, then as many names")
    channels = tuple(CHANNEL_NAMES.get(word.lower(), "") for word in words[2:])
    if not all(channels) or len(set(channels)) < len(channels):
        raise lines.error(f"CHANNELS of {name}, each at most once, out of {', '.join(CHANNELS)}")
    return channels


def _parse_end(lines: _Lines, name: str, parent: int) -> Joint:
    offset = _parse_offset(lines, name)
    words = lines.part(f'"}}" after {name}')
    channels: tuple[str, ...] = ()
    if words[0].upper() == "CHANNELS":
        lines.give_back(words)
        channels = _parse_channels(lines, name)
        words = lines.part(f'"}}" after {name}')
    if words != ["}"]:
        raise lines.error(f'"}}" after {name}')
    return Joint(name, parent, offset, channels)


def _parse_offset(lines: _Lines, name: str) -> tuple[float, float, float]:
    if lines.part(f'"{{" after {name}') != ["{"]:
        raise lines.error(f'"{{" after {name}')
    words = lines.part(f"OFFSET of {name}")
    numbers = _floats(words[1:])
    if words[0].upper() != "OFFSET" or numbers is None or len(numbers) != 3:
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
    line = " ".join(lines.next("Frames: and their number"))
    counted = re.fullmatch(r"frames ?:? ?(\d+)", line, re.IGNORECASE)
    if counted is None:
        raise lines.error("Frames: and their number")
    n_frames = int(counted[1][:12])  # a valid number of frames has at most 12 digits
    n_channels = sum(len(joint.channels) for joint in joints)
    advice = "Leave out frames."
    check_at_most(n_channels, MOST_COLUMNS, "channels", lines.name, "Leave out joints.")
    check_at_most(3 * len(joints), MOST_COLUMNS, "coordinates", lines.name, "Leave out joints.")
    numbers = n_frames * max(n_channels, 3 * len(joints))
    check_at_most(numbers, MOST_VALUES, "numbers", lines.name, advice)
    line = " ".join(lines.next("Frame Time: in seconds"))
    timed = re.fullmatch(r"frame ?time ?:? ?(\S+)", line, re.IGNORECASE)
    frame_time = _floats([timed[1]]) if timed else None
    if frame_time is None:
        raise lines.error("Frame Time: in seconds")
    if not frame_time[0] > 0:
        raise lines.error("a Frame Time above 0 seconds")
    rows, count, wrapped = [], 0, 0
    for block, is_wrapped in _rows(lines, n_channels):
        rows.append(block[: max(0, n_frames - count)])
        count += len(block)
        wrapped += is_wrapped
    if count != n_frames:
        problem = "the file is cut off" if count < n_frames else "its Frames: line is wrong"
        raise DataError(
            f"{lines.name} declares {plural(n_frames, 'frame')} but has {count}: {problem}. "
            "Copy or export it again, or correct the line."
        )
    channels = np.concatenate([*rows, np.empty((0, n_channels))])
    notes = [
        *([f"Comments were left out: {lines.comments}."] if lines.comments else []),
        *([f"Frames over several lines were joined: {wrapped:,}."] if wrapped else []),
    ]
    return Motion(joints, channels, float(frame_time[0]), tuple(notes))


def _rows(lines: _Lines, n_channels: int) -> Iterator[tuple[Array, bool]]:
    """Yield the numbers of a frame, or of all frames in a line, and whether a frame was on several
    lines.
    """
    parts: list[Array] = []
    first = length = 0
    for words in lines:
        numbers = _floats(words)
        if numbers is None:
            word = next(word for word in words if _floats([word]) is None)
            raise DataError(
                f"{lines.name}, line {lines.number}: {shortened(word)!r} is not a finite number."
            )
        first = first if parts else lines.number
        parts.append(numbers)
        length += len(numbers)
        if length == n_channels or (len(parts) == 1 and n_channels and not length % n_channels):
            yield np.concatenate(parts).reshape(-1, n_channels), len(parts) > 1
            parts, length = [], 0
        elif length > n_channels:
            break
    if parts:
        ended = length < n_channels or not lines.are_left()
        raise DataError(
            f"{lines.name}, line {first}: a frame has {plural(n_channels, 'number')}, got "
            f"{length if length < n_channels else len(parts[0])}"
            + ("; the file is cut off there. Copy or export it again." if ended else ".")
        )
