"""A deep regression of many rows: whether placing the rows beyond the sample helps.

    python -m benchmarks.deep_rows [--rows N] [--inducing M] [--iterations K]

The function is a warped step in three inputs. The same sample is used for training twice. In one
run the other rows are ignored; in the other run they are placed after training. The score is the
mean log density of 1000 held-out rows in nats per row. CPU seconds include the fit and the score.
"""

import argparse
import time
import warnings

import numpy as np

from benchmarks.common import write_row
from gplvm_core import DeepGP


def warped(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and one output: waves that a step interrupts along a bent line."""
    generator = np.random.default_rng(seed)
    x = generator.uniform(-2.0, 2.0, (count, 3))
    bent = x[:, 0] + 0.5 * np.sin(2.0 * x[:, 1])
    y = np.tanh(20.0 * bent) + 0.5 * np.sin(3.0 * x[:, 1] * np.tanh(x[:, 2]))
    return x, y + 0.1 * generator.normal(size=count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--inducing", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=80)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    x, y = warped(given.rows, 0)
    further = warped(1000, 1)

    def fitted(x: np.ndarray, y: np.ndarray) -> DeepGP:
        model = DeepGP(
            (3,),
            n_inducing=given.inducing,
            max_iter=given.iterations,
            mean="zero",
            random_state=0,
        )
        begin = time.process_time()
        model.fit(x, y)
        held = model.score_samples(*further, n_samples=100).mean()
        root = np.sqrt(np.mean((model.predict(further[0]) - further[1]) ** 2))
        seconds = time.process_time() - begin
        trained = model.rows_.trained
        count = "all" if trained is None else f"{len(trained):,}"
        print(
            f"{len(x):,} rows, {count} trained: held {held:.4f} nats a row, error {root:.4f}, "
            f"{seconds:.0f} s of CPU",
            flush=True,
        )
        figures[f"{len(x)} rows"] = {
            "held_out": float(held),
            "rmse": float(root),
            "cpu_seconds": seconds,
        }
        return model

    figures: dict[str, dict[str, float]] = {}
    whole = fitted(x, y)
    fitted(x[whole.rows_.trained], y[whole.rows_.trained])
    write_row("deep_rows", figures, seed=0, settings=vars(given))


if __name__ == "__main__":
    main()
