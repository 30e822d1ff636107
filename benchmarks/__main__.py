"""`python -m benchmarks` runs every benchmark; `python -m benchmarks.NAME` runs one."""

import subprocess
import sys

NAMES = (
    "speed",
    "scale",
    "kernels",
    "many_rows",
    "deep_rows",
    "cluster",
    "missing",
    "oil_flow",
    "training",
    "starts",
    "dimensions",
    "more_inducing",
    "foreseen",
    "noise",
    "noise_between",
    "kinds",
    "half_pixels",
    "digits_classifier",
    "semi_described",
    "semi_supervised",
    "autoregressive",
    "motion_capture",
    "video",
    "kalman",
    "natural",
    "encoder",
    "deep",
    "families",
    "deep_reproduced",
    "deep_guard",
    "deep_peers",
    "regression_starts",
    "uci",
    "views_toy",
    "views_heads",
    "views_silhouettes",
    "views_labels",
    "views_many",
    "views_joints",
    "views_speed",
    "interaction",
    "how_sure",
    "tour",
    "big_map",
    "layout_shift",
    "drag",
    "first_visits",
    "visitors",
    "trust",
    "house",
)
# These benchmarks compare with other packages.
WITH_PEERS = ("speed", "missing", "deep_peers", "views_speed")


def main() -> int:
    """Run the benchmarks one after the other, each in a separate process.

    Arguments such as `--peer-python PATH` are passed to the benchmarks that compare with other
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
