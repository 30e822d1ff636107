"""Read events of flow and mass cytometers from FCS files."""

import io
import re
import warnings
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError, in_digits, listed, parsing, plural
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.sources import Source, named, read_source
from gplvm_core.readers.tables.sheets import check_size
from gplvm_core.readers.tables.text import unique_names

MAGIC = re.compile(rb"FCS[23]\.\d")
SPILLOVER = ("spillover", "spill", "comp")  # names of the matrix, the first from FCS 3.1
LIGHT, MASS = 150.0, 5.0  # usual cofactors of fluorescence and of ion counts
ION = re.compile(r"\(?[A-Z][a-z]?\d{2,3}\)?Di")
SCATTER = ("fsc", "ssc")
NOT_OF_CELLS = re.compile(r"time|hdr-t|event.*|center|offset|width|residual", re.IGNORECASE)


def read_fcs(source: Source, *, compensate: bool = True, cofactor: float | None = None) -> Dataset:
    """Read an FCS file (2.0 to 3.1) of a cytometer: events are rows, channels are columns.

    Values are in linear units: the file's gains and logarithmic amplifiers are undone. compensate:
    undo the spill between detectors by the matrix in the file ($SPILLOVER). Fluorescence and ion
    counts then become asinh(x / cofactor), because they span several powers of ten. cofactor:
    None is 150 for fluorescence and 5 for ion counts; 0 leaves the values as they are. Scatter
    stays linear. Channels that do not describe the cell, such as the time, are left out, and so are
    heights (-H) and widths (-W) beside areas (-A). Raises DataError for a file that cannot be read,
    and without the package flowio.

    Examples
    --------
    >>> import io
    >>> import flowio
    >>> from gplvm_core import read_fcs
    >>> events = [10.0, 150.0, 20.0, 0.0]
    >>> file = flowio.create_fcs(io.BytesIO(), events, ["FSC-A", "FITC-A"], ["", "CD3"])
    >>> cells = read_fcs(file.getvalue())
    >>> cells.column_names, cells.values.round(3)
    (('FSC-A', 'CD3 (FITC-A)'), array([[10.   ,  0.881],
           [20.   ,  0.   ]]))
    """
    data, name = read_source(source, "an FCS file")
    if not MAGIC.match(data):
        raise DataError(f"{name} is not an FCS file. Export the events as FCS 3.0 or 3.1, or CSV.")
    if cofactor is not None and not 0 <= cofactor < np.inf:
        raise DataError("The cofactor must be 0 or a positive number, such as 150.")
    file, values = _parsed(data, name)
    labels = [str(label).strip() for label in file.pnn_labels]
    notes = [f"{plural(len(values), 'event')} × {plural(len(labels), 'channel')} in {name}."]
    if lost := int(np.count_nonzero(~np.isfinite(values))):
        values[~np.isfinite(values)] = np.nan
        notes.append(f"Read as missing, because they are not finite: {plural(lost, 'value')}.")
    matrix = _spillover(file.text, labels, name)
    if matrix is not None and compensate:
        values = np.asarray(np.linalg.solve(matrix.T, values.T).T, dtype=np.float64)
        notes.append("Compensated for the spill between detectors by the file's own matrix.")
    elif matrix is not None:
        notes.append("The file's matrix of the spill between detectors was not used.")
    light = [d for d, label in enumerate(labels) if not label.lower().startswith(SCATTER)]
    kept = _of_cells(labels)
    if not kept:
        raise DataError(f"{name} has no channel that describes cells, only {listed(labels, 8)}.")
    left_out = [label for d, label in enumerate(labels) if d not in kept]
    if left_out:
        notes.append(f"Not learnt (not of the cell, or beside an area): {listed(left_out, 8)}.")
    ions = any(ION.fullmatch(label) for label in labels)
    scale = (MASS if ions else LIGHT) if cofactor is None else cofactor
    scaled = [d for d in kept if d in light]
    if scale and scaled:
        values[:, scaled] = np.arcsinh(values[:, scaled] / scale)
        what = "ion counts" if ions else "fluorescence"
        notes.append(f"The {what} x is read as asinh(x / {in_digits(scale)}).")
    markers = [str(marker).strip() for marker in file.pns_labels]
    unique, name_notes = unique_names([_called(labels[d], markers[d]) for d in kept])
    return Dataset(
        **named(name, "an FCS file of a cytometer"),
        targets=values[:, kept],
        drawing=Drawing.of_vector(len(kept)),
        column_names=tuple(unique),
        notes=(*notes, *name_notes),
    )


def _parsed(data: bytes, name: str) -> tuple[Any, Float[Array, "N D"]]:
    """Return the file as an object of flowio, and its events in linear units."""
    require_packages("FCS files", ("flowio",))
    import flowio

    advice = "Export it again as FCS 3.0 or 3.1, or as CSV."
    with parsing(name, "cannot be read", advice), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it warns of is refused below
        facts = flowio.FlowData(io.BytesIO(data), only_text=True)
        check_size(facts.event_count * facts.channel_count, facts.channel_count, name)
        if facts.text.get("mode", "L").strip().upper() != "L":
            raise DataError(f"{name} holds histograms. Export its events in list mode.")
        widths = {facts.text.get(f"p{n + 1}b") for n in range(facts.channel_count)}
        if str(facts.data_type).lower() == "i" and not widths <= {"8", "16", "32"}:
            raise DataError(
                f"{name} has whole numbers of {listed(sorted(map(str, widths)))} bits; "
                f"8, 16 and 32 are read. {advice}"
            )
        file = flowio.FlowData(io.BytesIO(data))
        values = np.asarray(file.as_array(), dtype=float)
    if sorted(file.channels) != list(range(1, file.channel_count + 1)):
        raise DataError(
            f"{name} cannot be read: its $PAR names {plural(file.channel_count, 'channel')}, but "
            f"it describes the channels {listed(list(map(str, sorted(file.channels))), 8)}."
        )
    if len(values) != file.event_count:
        raise DataError(
            f"{name} is cut off: it names {file.event_count:,} events and has {len(values):,}."
        )
    if len(values) < 2:
        raise DataError(f"{name} has {plural(len(values), 'event')}. At least two are needed.")
    return file, values


def _spillover(text: dict[str, str], labels: list[str], name: str) -> Float[Array, "D D"] | None:
    """Return the matrix of the spill from channels (rows) to detectors; None if there is none."""
    words = next((text[key] for key in SPILLOVER if text.get(key, "").strip()), None)
    if words is None:
        return None
    with parsing(name, "has a matrix of the spill that cannot be read", "Export it without one."):
        parts = [part.strip() for part in words.split(",")]
        count = int(parts[0])
        channels, entries = parts[1 : count + 1], np.array(parts[count + 1 :], dtype=float)
        at = [labels.index(channel) for channel in channels]
        matrix = np.eye(len(labels))
        matrix[np.ix_(at, at)] = entries.reshape(count, count)
        if not np.isfinite(np.linalg.inv(matrix)).all():
            raise ValueError("it has entries that are not finite")
    return None if np.array_equal(matrix, np.eye(len(labels))) else matrix


def _of_cells(labels: list[str]) -> list[int]:
    """Return the channels to learn: those of the cell, once for each detector."""
    areas = {label[:-2] for label in labels if label.endswith("-A")}
    return [
        d
        for d, label in enumerate(labels)
        if not NOT_OF_CELLS.fullmatch(label)
        and not (label.endswith(("-H", "-W")) and label[:-2] in areas)
    ]


def _called(label: str, marker: str) -> str:
    return f"{marker} ({label})" if marker and marker != label else label
