"""The table of trust: attempts against the program, and failures.

    python -m benchmarks.trust [--parts web store uploads exports clock together sessions]

All parts are limited in number and time and use only this machine: its own servers on free
ports, temporary folders, processes that it starts and kills. Zero failures is the target in every
row. The benchmark takes about ten minutes on a quiet machine.
"""

import argparse
import sys
import time
from dataclasses import asdict

from benchmarks.common import table, write_row
from benchmarks.trust import clock, exports, servers, sessions, store, tabs, together, uploads, web

PARTS = {
    "web": web.rows,
    "store": store.rows,
    "uploads": uploads.rows,
    "exports": exports.rows,
    "clock": clock.rows,
    "together": lambda: [*together.rows(), *servers.rows(), *tabs.rows()],
    "sessions": sessions.rows,
}


def main() -> int:
    """Print and store the table; return the number of failures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=[*PARTS], default=[*PARTS])
    chosen = parser.parse_args().parts
    rows = []
    for part in chosen:
        begin = time.perf_counter()
        rows += PARTS[part]()
        print(f"{part}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    print(
        table(
            ("what was tried", "tries", "failures", "to be said"),
            [(row.kind, f"{row.tries:,}", str(row.failures), row.remark) for row in rows],
        )
    )
    write_row("trust", {"rows": [asdict(row) for row in rows]}, seed=0)
    return sum(row.failures for row in rows)


if __name__ == "__main__":
    sys.exit(main() > 0)
