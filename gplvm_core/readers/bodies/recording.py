"""Read the contents of a C3D file: the markers' names and positions, by the file's own fields.

The package c3d parses the header and the parameters. The frames are decoded here, because c3d 0.6
counts them wrongly in recordings that begin at frame 0 or have exactly 65,535 frames.
"""

import io
import itertools
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from gplvm_core.numerics import AnyNDArray, Array
from gplvm_core.readers.errors import DataError, listed, parsing, plural
from gplvm_core.readers.limits import MOST_MARKERS, MOST_VALUES, check_at_most

EXPORT = "Export the marker trajectories."
BLOCK = 512  # bytes; every section of the file fills whole blocks
MOST_COUNTED = 65_535  # frames that a field of 16 bits can count
MOST_FRAMES = 1_000_000  # each frame also has a time and the number of its sequence
FARTHEST = 1e6  # in the file's unit
NO_POSITIONS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS")
"""Parameters of POINT that list the names of points whose numbers are no positions."""


@dataclass(frozen=True)
class Recording:
    """Marker names, positions in the file's unit (NaN where unseen), and what was left out."""

    labels: list[str]
    places: Float[Array, "F J 3"]
    rate: float  # frames per second
    unit: str
    up: str  # "Y" or "Z"
    notes: tuple[str, ...]


def read_recording(data: bytes, name: str) -> Recording:
    """Read the bytes of a C3D file. Raises DataError for damaged files, or without markers."""
    import c3d

    with (
        parsing(name, "is not a C3D file, or it is cut off"),
        warnings.catch_warnings(action="ignore"),  # c3d warns about files without forces
    ):
        reader = c3d.Reader(io.BytesIO(data))
        # Use Python integers, because the file's 16-bit integers would overflow.
        count, rate = int(reader.point_used), float(reader.point_rate)
        check_at_most(count, MOST_MARKERS, "markers", name, "Export fewer.")
        if count < 1 or not rate > 0:
            raise DataError(f"{name} has no frames with markers{_what_it_has(reader)}. {EXPORT}")
        points, notes = _points(data, reader, count, name)
        places = _places(points, reader)
        labels = _unique(_words(reader, "POINT:LABELS", name), count)
        derived = {
            label: group
            for group in NO_POSITIONS
            for label in _words(reader, f"POINT:{group}", name)
        }
        # Some files repeat the unit for every marker; ezc3d fills UNITS2 with mm whatever the unit.
        unit = ", ".join(dict.fromkeys(filter(None, _list(reader, "POINT:UNITS", name))))
        screen = "".join(_list(reader, "POINT:Y_SCREEN", name))
    # Some programs write the subject's name before a colon in one of the two lists.
    groups = [derived.get(label, derived.get(label.split(":")[-1])) for label in labels]
    if any(groups):
        left = [f"{label} ({group})" for label, group in zip(labels, groups, strict=True) if group]
        notes.append(f"Points that are no positions were left out: {listed(left)}.")
        kept = [number for number, group in enumerate(groups) if not group]
        if not kept:
            raise DataError(f"{name} has no markers, only {listed(left)}. {EXPORT}")
        labels, places = [labels[number] for number in kept], places[:, kept]
    if (np.abs(places) > FARTHEST).any():
        raise DataError(
            f"{name} has markers beyond ±{FARTHEST:g} {unit}. It is damaged: "
            "export the motion again."
        )
    up = screen[-1:].upper() if screen[-1:].upper() in ("Y", "Z") else ""
    notes.append(
        f"The file's {up.lower()} axis is up (POINT:Y_SCREEN)."
        if up
        else "The file does not say which axis is up (POINT:Y_SCREEN): z was assumed."
    )
    return Recording(labels, places, rate, unit, up or "Z", tuple(notes))


def _what_it_has(reader: Any) -> str:
    rotations = _whole(reader, "ROTATION:USED")
    return f", only {plural(rotations, 'rotation')} per frame" if rotations else ""


def _points(
    data: bytes, reader: Any, count: int, name: str
) -> tuple[Shaped[AnyNDArray, "F J 4"], list[str]]:
    """Return the numbers of the points of all frames as they are in the file, and notes."""
    word = reader._dtypes.float32 if reader.point_scale < 0 else reader._dtypes.int16
    word = np.dtype(word).newbyteorder(">" if reader._dtypes.is_mips else "<")
    analog = int(reader.header.analog_count)  # numbers of other devices after each frame's points
    record = np.dtype([("points", word, (count, 4)), ("analog", word, (analog,))])
    begin = BLOCK * (reader.header.data_block - 1)
    end = len(data)
    rotations = bool(_whole(reader, "ROTATION:USED"))
    if rotations and (start := BLOCK * ((_whole(reader, "ROTATION:DATA_START") or 0) - 1)) > begin:
        end = min(end, start)
    room = end - begin
    present = max(0, room // record.itemsize)
    declared = [frames for frames in _declared(reader) if frames > 0]
    if not declared:
        raise DataError(f"{name} has no frames with markers. {EXPORT}")
    fitting = [frames for frames in declared if frames <= present]
    if not fitting:
        raise DataError(
            f"{name} is cut off: it declares {plural(declared[0], 'frame')} but has {present:,}. "
            "Export the motion again."
        )
    # The best field leaves no room but the padding of the last block.
    filling = [frames for frames in fitting if room - frames * record.itemsize < BLOCK]
    frames = (filling or fitting)[0]
    most = present if frames == MOST_COUNTED else frames
    advice = "Export fewer frames."
    check_at_most(most, MOST_FRAMES, "frames", name, advice)
    check_at_most(5 * count * most, MOST_VALUES, "numbers", name, advice)
    notes = []
    if frames == MOST_COUNTED:
        # Longer recordings of some programs declare this number, the largest that they can count.
        rest = np.frombuffer(data, np.uint8, (present - frames) * record.itemsize,
                             begin + frames * record.itemsize)  # fmt: skip
        beyond = np.flatnonzero(rest.reshape(-1, record.itemsize).any(axis=1))
        if len(beyond):
            frames += int(beyond[-1]) + 1
            notes.append(
                f"The file declares {MOST_COUNTED:,} frames, the most that its field can count, "
                f"but has {frames:,}; all were read."
            )
    elif not filling:
        notes.append(
            f"The file has further bytes after its {frames:,} declared frames; they were left out."
        )
    if len(set(declared)) > 1 and not notes:
        others = ", ".join(f"{other:,}" for other in dict.fromkeys(declared) if other != frames)
        notes.append(f"The file's fields disagree: {frames:,} frames were read, not {others}.")
    if analog:
        notes.append("Numbers of other devices (ANALOG), such as force plates, were left out.")
    if rotations:
        notes.append("Rotations (ROTATION) were left out.")
    return np.frombuffer(data, record, frames, begin)["points"], notes


def _declared(reader: Any) -> list[int]:
    """Return the number of frames by each of the file's fields, the most exact field first.

    Fields of one 16-bit word count on from 0 after 65,535.
    """
    header = reader.header
    fields = [_whole(reader, f"TRIAL:ACTUAL_{edge}_FIELD") for edge in ("START", "END")]
    first = header.first_frame if fields[0] is None else fields[0]
    trial = [] if fields[1] is None else [fields[1] - first + 1]
    spans = [*trial, header.last_frame - header.first_frame + 1]
    spans = [span if span > 0 else span + MOST_COUNTED + 1 for span in map(int, spans)]
    counts = [_whole(reader, f"POINT:{field}") for field in ("LONG_FRAMES", "FRAMES")]
    return [*spans[: len(trial)], *[each for each in counts if each is not None], spans[-1]]


def _whole(reader: Any, name: str) -> int | None:
    """Return a parameter as a whole number: a float, or one or two words of 16 bits, low first."""
    parameter = reader.get(name)
    if parameter is None or len(parameter.bytes) < 2:
        return None
    if parameter.bytes_per_element == 4:
        return int(parameter.float_value)
    words = parameter.uint16_array.ravel() if parameter.dimensions else [parameter.uint16_value]
    return sum(int(word) << (16 * place) for place, word in enumerate(words[:2]))


def _places(points: Shaped[AnyNDArray, "F J 4"], reader: Any) -> Float[Array, "F J 3"]:
    """Return positions; NaN where the fourth number, or a missing number, says "unseen"."""
    if reader.point_scale < 0 and reader._dtypes.is_dec:
        from c3d.c3d import DEC_to_IEEE_BYTES

        points = DEC_to_IEEE_BYTES(points.tobytes()).reshape(points.shape)
    numbers = points.astype(np.float64)
    if reader.point_scale > 0:
        numbers[..., :3] *= float(reader.point_scale)
    # The fourth number has the residual and the cameras in its bits; -1 and less mean "unseen".
    seen = np.isfinite(numbers).all(axis=2) & (numbers[..., 3] > -1.0)
    return np.where(seen[..., None], numbers[..., :3], np.nan)


def _unique(labels: list[str], count: int) -> list[str]:
    """Return a different name for each of the markers; `count` names."""
    labels = [label or f"marker {number + 1}" for number, label in enumerate(labels[:count])]
    labels += [f"marker {number + 1}" for number in range(len(labels), count)]
    return [
        label if labels.count(label) == 1 else f"{label} ({number + 1})"
        for number, label in enumerate(labels)
    ]


def _words(reader: Any, name: str, file: str) -> list[str]:
    """Return the words of a parameter and of its continuations, such as LABELS2.

    A parameter has room for 255 words. Raises DataError if they are not a list.
    """
    names = (f"{name}{number}" if number > 1 else name for number in itertools.count(1))
    there = itertools.takewhile(lambda each: reader.get(each) is not None, names)
    return [word for each in there for word in _list(reader, each, file)]


def _list(reader: Any, name: str, file: str) -> list[str]:
    """Return the words of one parameter, none if it is missing."""
    parameter = reader.get(name)
    if parameter is None:
        return []
    if len(parameter.dimensions) > 2:
        raise DataError(f"{file}: {name} is not a list of words. Export the motion again.")
    return [str(word).strip(" \0\t") for word in parameter.string_array]
