"""Two simulated views with one private signal each and one shared signal (Damianou 2015, §5.3.1).

    python -m benchmarks.views_toy [--seeds 5]

The first view has sin t, the second cos t, and both have cos² t. A signal's score is its
correlation with the best latent dimension in the correct part (shared or private). The kernels are
linear, like the maps; linear with a prior over time; and RBF. RBF kernels need no third signal,
because cos² t is a curved function of sin t as well as of cos t.
"""

import argparse
import sys
import time
from typing import Any

import numpy as np

from benchmarks.common import table, write_row
from gplvm_core import ManifoldRelevance
from gplvm_core.datasets import toy_views

VIEWS = ("first", "second")
BELONGS = {
    "sin": frozenset({"first"}),
    "cos": frozenset({"second"}),
    "cos_squared": frozenset(VIEWS),
}
MODELS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear", "n_inducing": 8},
    "linear, RBF over time": {"kernel": "linear", "n_inducing": 8, "time_kernel": "rbf"},
    "RBF": {"kernel": "rbf", "n_inducing": 30},
}


def figures(model: ManifoldRelevance, signals: dict[str, Any]) -> dict[str, Any]:
    """Return correlations with the signals in the correct part, and the size of each part."""
    parts = model.segmentation()
    found: dict[str, Any] = {
        "shared": len(parts.get(frozenset(VIEWS), ())),
        **{f"private_{name}": len(parts.get(frozenset({name}), ())) for name in VIEWS},
        "agreement_with_weights": model.agreement(),
        "bound": model.bound_,
    }
    for name, part in BELONGS.items():
        paths = model.latent_mean_[:, list(parts.get(part, ()))]
        correlations = [abs(np.corrcoef(path, signals[name])[0, 1]) for path in paths.T]
        found[f"correlation_{name}"] = max(correlations, default=0.0)
    return found


def run(settings: dict[str, Any], seed: int, n_components: int) -> dict[str, Any]:
    """Measure one model on one draw of the data."""
    data = toy_views(seed=seed)
    times = data.times if "time_kernel" in settings else None
    begin = time.perf_counter()
    model = ManifoldRelevance(n_components=n_components, random_state=seed, **settings)
    model.fit(data.view_values, times=times)
    seconds = time.perf_counter() - begin
    return {**figures(model, dict(data.covariates)), "seconds": seconds}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--components", type=int, default=8)
    options = parser.parse_args()
    found: dict[str, Any] = {}
    rows = []
    for name, settings in MODELS.items():
        runs = [run(settings, seed, options.components) for seed in range(options.seeds)]
        found[name] = runs
        for seed, one in enumerate(runs):
            rows.append((name, seed, *one.values()))
        keys = tuple(runs[0])
    print(table(("model", "seed", *keys), rows))
    write_row(
        "views_toy",
        found,
        seed=list(range(options.seeds)),
        settings={"n_components": options.components, "models": MODELS},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
