"""Sixteen simulated views that partly share signals: does the model find which views share one?

    python -m benchmarks.views_many [--seeds 5]

There are eight independent Gaussian signals: one for each half of the views, one for each of four
groups of four views, and two that are private to one view each. A view is a smooth random map of
its signals to ten columns, with noise. Two views share a dimension if both use it. The table has
the precision and recall of the pairs that share. The groups are scored by the adjusted Rand index
of a hierarchical clustering of the views by the dimensions that they use (Jaccard). For the three
views of digits, the table has the views that use each dimension, and how well the dimensions of
each part separate the digits.
"""

import argparse
import sys
import time
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.common import RESULTS, table, write_row
from gplvm_core import ManifoldRelevance
from gplvm_core.datasets import load_dataset
from gplvm_core.models.problems.segmentation import LEAST_DROP
from gplvm_core.numerics import Array

N_VIEWS, N_GROUPS, N_HALVES, N_COLUMNS = 16, 4, 2, 10
GROUPS = np.repeat(np.arange(N_GROUPS), N_VIEWS // N_GROUPS)
HALVES = np.repeat(np.arange(N_HALVES), N_VIEWS // N_HALVES)
WITH_PRIVATE = (3, 12)
N_DIGITS = 500

Flags = NDArray[np.bool_]


def planted(n_points: int, seed: int) -> tuple[dict[str, Array], Flags]:
    """Return views by name, and a matrix: which signals (columns) each view (row) contains."""
    generator = np.random.default_rng(seed)
    n_signals = N_HALVES + N_GROUPS + len(WITH_PRIVATE)
    uses = np.zeros((N_VIEWS, n_signals), dtype=bool)
    uses[np.arange(N_VIEWS), HALVES] = True
    uses[np.arange(N_VIEWS), N_HALVES + GROUPS] = True
    for signal, view in enumerate(WITH_PRIVATE, N_HALVES + N_GROUPS):
        uses[view, signal] = True
    signals = generator.standard_normal((n_points, n_signals))
    views = {}
    for view, used in enumerate(uses):
        weights = generator.standard_normal((used.sum(), N_COLUMNS))
        clean = signals[:, used] @ weights
        clean = clean + np.sin(signals[:, used] @ generator.standard_normal(weights.shape))
        views[f"view {view + 1}"] = clean + 0.1 * generator.standard_normal(clean.shape)
    return views, uses


def profiles(model: ManifoldRelevance) -> Float[Array, "V Q"]:
    """Return the value of each latent dimension for each view, relative to the view's largest
    value.
    """
    drops = np.array([model.drops_[name] for name in model.views_]).clip(0.0)
    return np.asarray(drops / drops.max(axis=1, keepdims=True))


def clusters(
    rows: NDArray[Any], count: int, metric: Literal["cosine", "jaccard"] = "cosine"
) -> NDArray[np.int32]:
    """Compute a hierarchical clustering of rows (average linkage) into `count` clusters."""
    return np.asarray(fcluster(linkage(rows, "average", metric=metric), count, "maxclust"))


def sharing(model: ManifoldRelevance, uses: Flags) -> dict[str, Any]:
    """Return the scores of the pairs of views that share, the groups, and the dimensions in use."""
    used = np.array([model.drops_[name] > LEAST_DROP for name in model.views_])
    pairs = np.triu_indices(N_VIEWS, 1)
    found = (used.astype(int) @ used.T.astype(int))[pairs] > 0
    truth = (uses.astype(int) @ uses.T.astype(int))[pairs] > 0
    right = float(np.sum(found & truth))
    return {
        "pairs_precision": float(right / max(found.sum(), 1)),
        "pairs_recall": float(right / truth.sum()),
        "groups_adjusted_rand": adjusted_rand_score(GROUPS, clusters(used, N_GROUPS, "jaccard")),
        "halves_adjusted_rand": adjusted_rand_score(HALVES, clusters(used, N_HALVES, "jaccard")),
        "dimensions_in_use": int(used.any(axis=0).sum()),
        "users_of_each": sorted(used.sum(axis=0).tolist(), reverse=True),
        "agreement_with_weights": model.agreement(),
        "bound": model.bound_,
    }


def digits(seed: int) -> dict[str, Any]:
    """Measure the three views of digits: the parts, and nearest-neighbour accuracy within each."""
    data = load_dataset("digits_views")
    rows = np.random.default_rng(seed).permutation(data.n_points)[:N_DIGITS]
    views = {name: values[rows] for name, values in data.view_values.items()}
    assert data.labels is not None
    labels = data.labels[rows]
    begin = time.perf_counter()
    model = ManifoldRelevance(12, 50, random_state=seed).fit(views)
    found: dict[str, Any] = {"seconds": time.perf_counter() - begin, "bound": model.bound_}
    for users, dimensions in model.segmentation().items():
        name = " and ".join(sorted(users)) or "none"
        points = model.latent_mean_[:, list(dimensions)]
        accuracy = float(np.mean(cross_val_score(KNeighborsClassifier(1), points, labels, cv=5)))
        found[name] = {"dimensions": len(dimensions), "accuracy": accuracy}
    return found


def write_picture(model: ManifoldRelevance, uses: Flags) -> None:
    """Draw the simulated signals, and beside them each dimension's value for each view."""
    from PIL import Image

    rows = profiles(model)
    order = np.argsort(-rows.sum(axis=0), kind="stable")
    gap = np.full((N_VIEWS, 1), 0.5)
    shown = 1.0 - np.hstack([uses.astype(float), gap, np.sqrt(rows[:, order])])
    pixels = np.kron(255.0 * shown, np.ones((16, 16))).round().astype(np.uint8)
    Image.fromarray(pixels).save(RESULTS / "views_many.png", optimize=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--points", type=int, default=150)
    parser.add_argument("--components", type=int, default=12)
    parser.add_argument("--inducing", type=int, default=40)
    options = parser.parse_args()
    runs = []
    for seed in range(options.seeds):
        views, uses = planted(options.points, seed)
        begin = time.perf_counter()
        model = ManifoldRelevance(options.components, options.inducing, random_state=seed)
        model.fit(views)
        runs.append({**sharing(model, uses), "seconds": time.perf_counter() - begin})
        print(runs[-1], flush=True)
        if seed == 0:
            RESULTS.mkdir(exist_ok=True)
            write_picture(model, uses)
    keys = [key for key in runs[0] if key != "users_of_each"]
    print(table(("seed", *keys), [(n, *(run[k] for k in keys)) for n, run in enumerate(runs)]))
    of_digits = digits(0)
    print(of_digits)
    write_row(
        "views_many",
        {"planted": runs, "digits_views": of_digits},
        seed=list(range(options.seeds)),
        settings={key: getattr(options, key) for key in ("points", "components", "inducing")},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
