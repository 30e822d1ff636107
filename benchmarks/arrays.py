"""The cost of an evaluation of the bound and all gradients, computed in other array libraries.

    python -m benchmarks.arrays [--quick]

The table has the elapsed seconds of every available library and device (PyTorch on the processor
and on a GPU, CuPy), compared with NumPy. NumPy, and PyTorch on the processor, use one thread. The
libraries alternate, and the fastest round is used. The results of all libraries must be equal.
"""

import argparse
import importlib
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.common import table, versions, write_row
from gplvm_core.arrays import Place
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, LayerValue, evaluate_layer
from gplvm_core.kernels import RBF
from gplvm_core.statistics import Targets

# N, D, Q, M of each problem
SIZES = ((1000, 12, 10, 50), (5000, 50, 10, 100), (100_000, 20, 10, 100), (100_000, 20, 10, 300))
ROUNDS = 3


def places() -> Iterator[tuple[str, Place | None]]:
    """Return NumPy, and every other library with each of its devices."""
    yield "numpy", None
    for name in ("torch", "cupy"):
        try:
            library: Any = importlib.import_module(name)
        except ImportError:
            continue
        devices: list[Any] = [None]
        if name == "torch":
            library.set_num_threads(1)
            devices = ["cpu", *(["cuda"] if library.cuda.is_available() else [])]
        for device in devices:
            given = {} if device is None else {"device": device}
            yield f"{name} {device or 'gpu'}", Place.of(library.zeros(1, **given))


def problem(n_points: int, n_outputs: int, n_latent: int, n_inducing: int) -> tuple[Any, ...]:
    generator = np.random.default_rng(0)
    mean = generator.standard_normal((n_points, n_latent))
    variance = generator.uniform(0.1, 0.6, mean.shape)
    values = generator.standard_normal((n_points, n_outputs))
    inducing = generator.standard_normal((n_inducing, n_latent))
    layer = Layer(RBF(0.9, np.linspace(1.5, 3.0, n_latent)), inducing, 0.1)
    return layer, Belief(mean, variance), Targets.whole(values)


def apart(found: LayerValue, expected: LayerValue) -> float:
    """Return the largest difference of bound and gradients, relative to their largest numbers."""
    parts = [(found.value, expected.value)]
    for name in ("mean", "variance", "inducing"):
        parts.append((getattr(found.gradients, name), getattr(expected.gradients, name)))
    return max(float(np.max(np.abs(a - b)) / np.max(np.abs(b))) for a, b in parts)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="the two small sizes")
    options = parser.parse_args()
    rows, figures = [], []
    there = dict(places())
    for size in SIZES[:2] if options.quick else SIZES:
        layer, belief, targets = problem(*size)
        at = {name: targets.at(place) for name, place in there.items()}
        seconds: dict[str, list[float]] = {name: [] for name in there}
        values: dict[str, LayerValue] = {}
        for _ in range(1 + ROUNDS):
            for name, seen in at.items():
                begin = time.perf_counter()
                values[name] = evaluate_layer(layer, belief, seen, jitter=1e-6)
                seconds[name].append(time.perf_counter() - begin)
        # The first evaluation of a library also compiles code and allocates memory.
        best = {name: min(own[1:]) for name, own in seconds.items()}
        for name, own in best.items():
            far = apart(values[name], values["numpy"])
            figures.append({"size": size, "place": name, "seconds": own, "apart": far})
            rows.append((*size, name, own, f"{best['numpy'] / own:.2f}×", f"{far:.0e}"))
    print(table(("N", "D", "Q", "M", "where", "wall s", "NumPy ÷ it", "apart"), rows))
    write_row(
        "arrays",
        {"evaluations": figures},
        seed=0,
        settings={"rounds": ROUNDS, "quick": options.quick},
        other_versions=versions(("torch", "cupy", "array-api-compat")),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
