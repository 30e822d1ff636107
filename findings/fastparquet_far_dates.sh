#!/usr/bin/env bash
# Question: What does fastparquet do with a date that nanoseconds of 64 bits cannot hold?
# Guessed: An error, or another unit, as it takes for date and time in microseconds
# Seen: Another date without a word: 9999-12-31 becomes 1816-03-29, 1543-05-24 becomes 2127-12-11
# Versions: fastparquet 2026.9.0, pyarrow 26.0.1, pandas 2.3.3, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check fastparquet==2026.9.0 pyarrow==26.0.1 pandas==2.3.3 numpy==2.4.6
venv/bin/python - <<'PY'
import warnings
from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
from fastparquet import ParquetFile

warnings.simplefilter("error")
warnings.simplefilter("ignore", ResourceWarning)
days = [date(1543, 5, 24), date(2026, 11, 30), date(9999, 12, 31)]
moments = pa.array(days).cast(pa.timestamp("us"))
pq.write_table(pa.table({"day": days, "moment": moments}), "days.parquet")
assert pq.read_table("days.parquet")["day"].to_pylist() == days
read = ParquetFile("days.parquet").to_pandas()
as_days, as_moments = ([str(cell)[:10] for cell in read[name]] for name in ("day", "moment"))
print(as_days, as_moments)
assert as_days == ["2127-12-11", "2026-11-30", "1816-03-29"]
assert as_moments == [str(day) for day in days]
PY
