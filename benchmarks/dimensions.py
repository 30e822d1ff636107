"""How many latent dimensions of each ready model carry 95 % of its information.

Run: `python -m benchmarks.dimensions`. A dimension's share is its information about the rows, the
mean KL of q(x) from the prior; dimensions are sorted by it. Of a deep model, the top layer counts.
"""

from pathlib import Path

import numpy as np

from benchmarks.common import table
from gplvm_core import load

MODELS = Path(__file__).parents[1] / "assets" / "models"
SHARE = 0.95


def main() -> None:
    """Print a row for every ready model with latent dimensions."""
    rows = []
    for path in sorted(MODELS.glob("*/model.gplvm")):
        model = load(path)
        information = getattr(model, "information_", None)
        if information is None or not np.sum(information):
            continue
        sorted_ = np.sort(information)[::-1]
        enough = 1 + int(np.searchsorted(np.cumsum(sorted_) / sorted_.sum(), SHARE))
        on = model.n_effective_
        rows.append(
            (path.parent.name, len(sorted_), on, enough, ", ".join(f"{e:.2g}" for e in sorted_))
        )
    print(table(("model", "dimensions", "on", "carry 95 %", "information, nats per row"), rows))


if __name__ == "__main__":
    main()
