"""`python -m benchmarks` runs every benchmark; `python -m benchmarks.NAME` runs one."""

import subprocess
import sys

NAMES = (
    "speed",
    "scale",
    "many_rows",
    "cluster",
    "before_start",
    "intervals",
    "fractions",
    "apply",
    "interaction",
    "tour",
    "big_map",
    "first_visits",
    "visitors",
    "trust",
    "house",
)
# This benchmark compares with other packages.
WITH_PEERS = ("speed",)


def main() -> int:
    """Run the benchmarks one after the other, each in a separate process.

    Arguments such as `--peer-python PATH` are passed to the benchmark that compares with other
    packages.
    """
    failed = []
    for name in NAMES:
        print(f"\n== {name}", flush=True)
        options = sys.argv[1:] if name in WITH_PEERS else []
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *options]).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
