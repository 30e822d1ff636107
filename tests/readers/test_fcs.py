"""Tests of events of cytometers in FCS files, whose bytes are written here by the standard."""

import struct
from importlib import metadata

import numpy as np
import pytest

from gplvm_core.readers import DataError, NamedBytes, read_fcs, read_file

EVENTS = np.array([[100.0, 150.0, 30.0, 1.0], [200.0, -20.0, 4000.0, 2.0], [50.0, 0.0, 7.0, 3.0]])
NAMES = ("FSC-A", "FITC-A", "PE-A", "Time")
SPILL = {"$SPILLOVER": "2,FITC-A,PE-A,1,0.1,0.25,1"}


def file_of(
    events=EVENTS, names=NAMES, *, kind="F", order="<", bits=32, version="FCS3.1", **keys
) -> NamedBytes:
    """Write an FCS file; keys: further keywords, which replace the usual ones."""
    count, width = events.shape
    codes = {("F", 32): "f", ("D", 64): "d", ("I", 32): "I", ("I", 16): "H", ("I", 24): "3s"}
    letters = codes[kind, bits] * width
    whole = (int(x).to_bytes(3, "little") for x in events.ravel()) if bits == 24 else None
    cells = whole or (events.ravel() if kind != "I" else map(int, events.ravel()))
    body = struct.pack(order + letters * count, *cells)
    words = {
        "$BYTEORD": "1,2,3,4" if order == "<" else "4,3,2,1",
        "$DATATYPE": kind,
        "$MODE": "L",
        "$NEXTDATA": 0,
        "$PAR": width,
        "$TOT": count,
        "$BEGINDATA": 2000,
        "$ENDDATA": 1999 + len(body),
    }
    for n, name in enumerate(names, start=1):
        words |= {f"$P{n}B": bits, f"$P{n}E": "0,0", f"$P{n}N": name, f"$P{n}R": 262144}
    words |= keys
    text = "/" + "/".join(f"{name}/{value}" for name, value in words.items()) + "/"
    edges = (256, 255 + len(text), 2000, 1999 + len(body), 0, 0)
    head = f"{version:<10}" + "".join(f"{edge:>8}" for edge in edges)
    return NamedBytes("blood.fcs", (head.ljust(256) + text).ljust(2000).encode() + body)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"order": ">"},
        {"kind": "D", "bits": 64},
        {"version": "FCS3.0"},
        {"version": "FCS2.0"},
    ],
    ids=str,
)
def test_every_form_of_the_standard_gives_the_same_events(form):
    cells = read_file(file_of(**form), cofactor=0)
    np.testing.assert_allclose(cells.values, EVENTS[:, :3], rtol=1e-6)
    assert cells.column_names == ("FSC-A", "FITC-A", "PE-A")
    assert any(note.startswith("Not learnt") and note.endswith(" Time.") for note in cells.notes)


def test_light_is_read_on_the_arcsinh_scale_and_scatter_as_it_is():
    cells = read_fcs(file_of(**{"$P2S": "CD3"}))
    assert cells.column_names == ("FSC-A", "CD3 (FITC-A)", "PE-A")
    np.testing.assert_allclose(cells.values[:, 0], EVENTS[:, 0])
    expected = np.log(EVENTS[:, 1:3] / 150 + np.sqrt((EVENTS[:, 1:3] / 150) ** 2 + 1))
    np.testing.assert_allclose(cells.values[:, 1:], expected, rtol=1e-6, atol=1e-9)


def test_ion_counts_are_read_with_their_own_cofactor():
    cells = read_fcs(file_of(names=("Ir191Di", "(Nd142)Di", "Er166Di", "Event_length")))
    np.testing.assert_allclose(np.sinh(cells.values) * 5, EVENTS[:, :3], rtol=1e-6, atol=1e-6)


def test_spill_between_detectors_is_undone():
    cells = read_fcs(file_of(**SPILL), cofactor=0)
    fitc, pe = cells.values[:, 1], cells.values[:, 2]
    # A tenth of FITC's light was seen by the detector of PE, and a quarter of PE's by that of FITC.
    np.testing.assert_allclose(fitc + 0.25 * pe, EVENTS[:, 1], rtol=1e-5, atol=1e-3)
    np.testing.assert_allclose(0.1 * fitc + pe, EVENTS[:, 2], rtol=1e-5, atol=1e-3)
    raw = read_fcs(file_of(**SPILL), cofactor=0, compensate=False)
    np.testing.assert_allclose(raw.values, EVENTS[:, :3], rtol=1e-6)
    assert any("was not used" in note for note in raw.notes)


def test_gains_and_logarithmic_amplifiers_are_undone():
    events = np.array([[512.0, 100.0], [256.0, 50.0]])
    keys = {"$P1E": "4,1", "$P1R": 1024, "$P2G": 2, "$P2R": 1024}
    file = file_of(events, ("FL1-H", "FL2-H"), kind="I", bits=16, order=">", **keys)
    cells = read_fcs(file, cofactor=0)
    np.testing.assert_allclose(cells.values, [[100.0, 50.0], [10.0, 25.0]])


def test_values_that_are_not_finite_are_missing_and_counted():
    events = EVENTS.copy()
    events[0, 0], events[1, 2] = np.inf, np.nan
    cells = read_fcs(file_of(events), cofactor=0)
    np.testing.assert_array_equal(np.argwhere(np.isnan(cells.values)), [[0, 0], [1, 2]])
    assert any("not finite: 2 values" in note for note in cells.notes)


def test_heights_and_widths_beside_areas_are_left_out():
    cells = read_fcs(file_of(names=("FITC-A", "FITC-H", "FITC-W", "PE-H")))
    assert cells.column_names == ("FITC-A", "PE-H")


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (file_of(EVENTS[:1]), "has 1 event. At least two"),
        (file_of(np.abs(EVENTS), kind="I", bits=24), "whole numbers of 24 bits; 8, 16 and 32"),
        (file_of(**{"$TOT": 5}), "is cut off: it names 5 events and has 3"),
        (file_of(**{"$MODE": "U"}), "holds histograms"),
        (file_of(**{"$SPILLOVER": "2,FITC-A,PE-A,1,0"}), "spill that cannot be read"),
        (file_of(**{"$SPILLOVER": "2,FITC-A,APC,1,0,0,1"}), "spill that cannot be read.*APC"),
        (file_of(**{"$SPILLOVER": "2,FITC-A,PE-A,1,1,1,1"}), "spill that cannot be read"),
        (file_of(**{"$SPILLOVER": "2,FITC-A,PE-A,1,nan,0,1"}), "spill that cannot be read"),
        (file_of(names=("Time", "Event_length", "Width", "Offset")), "no channel that describes"),
        (NamedBytes("cut.fcs", file_of().data[:2010]), "cut.fcs cannot be read.*Export it again"),
        (NamedBytes("no.fcs", b"a,b\n1,2\n"), "no.fcs is not an FCS file"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_files_are_refused_in_words(file, words):
    with pytest.raises(DataError, match=words):
        read_fcs(file)


def test_a_bad_cofactor_and_an_absent_package_are_said(monkeypatch):
    with pytest.raises(DataError, match="0 or a positive number"):
        read_fcs(file_of(), cofactor=-1)

    def absent(package):
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "distribution", absent)
    with pytest.raises(DataError, match="pip install flowio"):
        read_fcs(file_of())
