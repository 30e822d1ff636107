#!/usr/bin/env bash
# Question: An EDF file has channels in uV, mV and nV. Does MNE give all of them in volts?
# Guessed: Yes: the prefixes are those of the format
# Seen: uV and mV are scaled; 100 nV become 100 V, without a warning (kV is not scaled, either)
# Versions: mne 1.13.2, edfio 0.4.18, scipy 1.17.1, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check mne==1.13.2 edfio==0.4.18 scipy==1.17.1 numpy==2.4.6
venv/bin/python - <<'PY'
import warnings

import edfio
import mne
import numpy as np

warnings.simplefilter("error")
in_volts = {"uV": 1e-6, "mV": 1e-3, "nV": 1e-9, "kV": 1e3}
wave = 100 * np.sin(np.arange(1000) / 50)
channels = [edfio.EdfSignal(wave, 100, label=unit, physical_dimension=unit) for unit in in_volts]
edfio.Edf(channels).write("rest.edf")
assert [s.physical_dimension for s in edfio.read_edf("rest.edf").signals] == list(in_volts)
raw = mne.io.read_raw_edf("rest.edf", preload=True, verbose="warning")
assert set(raw.get_channel_types()) == {"eeg"}
seen = dict(zip(raw.ch_names, np.abs(raw.get_data()).max(axis=1).tolist(), strict=True))
print(seen)
for unit in ("uV", "mV"):
    assert np.isclose(seen[unit], 100 * in_volts[unit], rtol=1e-3)
for unit in ("nV", "kV"):
    assert np.isclose(seen[unit], 100, rtol=1e-3)
PY
