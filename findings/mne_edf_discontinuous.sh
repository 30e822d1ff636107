#!/usr/bin/env bash
# Question: An EDF+D file has four records of 1 s that begin at 0, 1, 60 and 61 s. Do readers keep the gap?
# Guessed: Yes: as missing values or an annotation, or the file is refused
# Seen: MNE and edfio return 4 s without a gap or a warning about it; an event at 60.5 s is outside MNE's data and omitted. pyEDFlib refuses the file
# Versions: mne 1.13.2, edfio 0.4.18, pyedflib 0.1.42, scipy 1.17.1, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check mne==1.13.2 edfio==0.4.18 pyedflib==0.1.42 scipy==1.17.1 numpy==2.4.6
venv/bin/python - <<'PY'
import edfio
import mne
import numpy as np
import pyedflib

RATE, PLACES, BEGINS = 100, 16, (0, 1, 60, 61)
line = [("0", 8), ("X X X X", 80), ("Startdate 01-JAN-2024 X X X", 80), ("01.01.24", 8)]
line += [("00.00.00", 8), (768, 8), ("EDF+D", 44), (4, 8), (1, 8), (2, 4)]
signals = [(("EEG", "EDF Annotations"), 16), (("", ""), 80), (("uV", ""), 8), ((-1000, -1), 8)]
signals += [((1000, 1), 8), ((-32768, -32768), 8), ((32767, 32767), 8), (("", ""), 80)]
signals += [((RATE, PLACES), 8), (("", ""), 32)]
line += [(field, width) for fields, width in signals for field in fields]
records = b""
for number, begin in enumerate(BEGINS, 1):
    notes = f"+{begin}\x14\x14" + ("\0+60.5\x14event\x14" if begin == 60 else "")
    records += np.full(RATE, 1000 * number, "<i2").tobytes()
    records += notes.encode().ljust(2 * PLACES, b"\0")
with open("gap.edf", "wb") as file:
    file.write(b"".join(str(field).ljust(width).encode() for field, width in line) + records)
raw = mne.io.read_raw_edf("gap.edf", preload=True, verbose="error")
edf = edfio.read_edf("gap.edf")
print("MNE", raw.n_times / RATE, "s", list(raw.annotations))
print("edfio", edf.duration, "s", edf.annotations)
assert raw.n_times == 4 * RATE and not np.isnan(raw.get_data()).any() and not len(raw.annotations)
assert edf.duration == 4.0 and edf.annotations[0].onset == 60.5
try:
    raise SystemExit(pyedflib.EdfReader("gap.edf").file_duration)
except OSError as error:
    print("pyEDFlib:", error)
    assert "discontinuous" in str(error)
PY
