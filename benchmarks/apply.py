"""Predictions for new rows: typicality, odd columns and filled gaps, compared with other methods.

    python -m benchmarks.apply [--seeds 0 1 2] [--only wine digits]
    python -m benchmarks.apply --cost
    python -m benchmarks.apply --many 100000

At most 400 rows are used for training, and at most 200 other rows are judged. In tables with
classes a second model is trained without one class; the rows of this class are the fault "class
never seen". Columns that are constant among the training rows are left out. The models have 10
latent dimensions and 50 inducing inputs, with one noise level for oil flow and one noise level per
output for all other tables.

Faults are planted in the clean rows:

- one value is multiplied by 10 or by 1000;
- one value gets the other sign (only if it then changes by at least two spreads);
- one value is moved by four spreads, or is taken from another row;
- two values are swapped, in units of their columns' spreads;
- half of the columns come from another row (chimera);
- every column comes from a different row (shuffled).

The first measure is the area under the ROC curve: how well a score separates clean rows from faulty
rows. The scores are `oddness`, an isolation forest and the local outlier factor. The second measure
is how often the planted column is named first. The third is the share of clean rows with small
p-values, for complete rows and for rows with 20 % of their cells hidden. For filling, 20 % of the
cells are hidden; the measures are the root mean square error in units of the columns' spreads, and
the share of values inside 95 % intervals.

--cost measures seconds and memory for rows of 50 columns. --many measures seconds and memory for a
CSV file with this number of rows, read and written in blocks, with the gallery's model of oil flow.
"""

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from jaxtyping import Float
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import IsolationForest
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from benchmarks.common import DataAbsent, benchmark_data, peak_mb, table, write_row
from gplvm_core import BayesianGPLVM, Dataset, Drawing, apply, load_dataset
from gplvm_core.comparison.mixture import Mixture
from gplvm_core.new_rows import Answers, answers_of, prepare
from gplvm_core.new_rows.streamed import BLOCK
from gplvm_core.numerics import Array
from gplvm_core.prediction.typicality import Scores
from gplvm_core.store import Library

GALLERY = Path(__file__).resolve().parents[1] / "assets" / "models"
NAMES = ("wine", "tumours", "diabetes", "digits", "oil flow", "features", "red wine")
N_TRAIN, N_TEST = 400, 200
LEAST_CHANGE = 2.0  # in units of the column's spread
HIDDEN = 0.2


def rows_and_classes(name: str) -> tuple[Array, Any]:
    if name == "diabetes":
        return load_diabetes(scaled=False).data, None
    if name == "red wine":
        return benchmark_data("uci_regression")["wine_X"], None
    if name == "features":
        return benchmark_data("cmu35_features")["Y"], None
    if name == "tumours":
        return load_breast_cancer(return_X_y=True)
    labels: Any
    if name == "oil flow":
        data = benchmark_data("oil_flow")
        values, labels = data["train_Y"], data["train_labels"]
    else:
        dataset = load_dataset(name)
        values, labels = np.asarray(dataset.values), dataset.labels
    return values, np.unique(labels, axis=0, return_inverse=True)[1].ravel()


def split_of(values: Array, seed: int) -> tuple[Array, Array]:
    """Return training rows, and other rows."""
    order = np.random.default_rng(seed).permutation(len(values))
    n_train = min(N_TRAIN, 2 * len(values) // 3)
    return values[order[:n_train]], values[order[n_train : n_train + N_TEST]]


def dataset_of(rows: Float[Array, "N D"]) -> Dataset:
    return Dataset("rows", "Rows", rows, Drawing("bars", (rows.shape[1],)))


def prepared(name: str, train: Float[Array, "N D"], seed: int) -> Any:
    noise: Any = "shared" if name == "oil flow" else "per_output"
    model = BayesianGPLVM(10, 50, noise=noise, random_state=seed, second_stage="off").fit(train)
    return prepare(model, dataset_of(train))


def faults(
    clean: Float[Array, "n D"], spread: Float[Array, " D"], generator: np.random.Generator
) -> Iterator[tuple[str, Array, Any]]:
    """Return name, faulty rows and planted columns of each fault (None: many columns)."""
    count, width = clean.shape
    every, others = np.arange(count), np.roll(np.arange(count), 1)
    moved = clean + 4.0 * spread * generator.choice([-1.0, 1.0], clean.shape)
    changed = {"× 10": 10 * clean, "× 1000": 1000 * clean, "sign": -clean, "4 sd": moved}
    changed["another row's value"] = clean[others]
    for name, values in changed.items():
        least = 0.0 if name == "another row's value" else LEAST_CHANGE
        possible = np.abs(values - clean) > least * spread
        some = possible.any(axis=1)
        if some.sum() < 10:
            continue
        at = np.argmax(possible * generator.random(clean.shape), axis=1)
        found = clean.copy()
        found[every, at] = values[every, at]
        yield name, found[some], at[some, None]
    pairs = np.argsort(generator.random(clean.shape), axis=1)[:, :2]
    units, found = clean / spread, clean.copy()
    for first, second in (pairs.T, pairs.T[::-1]):
        found[every, first] = (units[every, second]) * spread[first]
    yield "two swapped", found, pairs
    half = np.argsort(generator.random(clean.shape), axis=1) < width // 2
    yield "chimera", np.where(half, clean[others], clean), None
    rows = generator.integers(count, size=clean.shape)
    yield "shuffled row", clean[rows, np.arange(width)], None


class Judges:
    """Scores of rows by this package and two others; a higher score means an odder row."""

    def __init__(self, name: str, train: Float[Array, "N D"], seed: int) -> None:
        self.varies = np.ptp(train, axis=0) > 0.0
        train = train[:, self.varies]
        self.spread = train.std(axis=0)
        self.model = prepared(name, train, seed)
        self.peers = {
            "forest": IsolationForest(random_state=seed).fit(train / self.spread),
            "local outlier": LocalOutlierFactor(novelty=True).fit(train / self.spread),
        }

    def scores(self, rows: Float[Array, "n D"]) -> Scores:
        return Scores.of(self.model.density_.rows, rows, self.model.density_.typicality.only)

    def oddness(self, rows: Float[Array, "n D"]) -> dict[str, Array]:
        found = {"this": self.model.density_.typicality.oddness(self.scores(rows), rows)}
        for key, peer in self.peers.items():
            found[key] = -peer.score_samples(rows / self.spread)
        return found

    def areas(self, clean: Array, odd: Array) -> dict[str, float]:
        theirs = self.oddness(odd)
        return {key: auc(own, theirs[key]) for key, own in self.oddness(clean).items()}


def one_split(name: str, seed: int) -> tuple[dict[str, dict[str, float]], dict[str, Any]]:
    """Return the measures of every fault, and the other measures of the table."""
    values, classes = rows_and_classes(name)
    train, clean = split_of(values, seed)
    generator = np.random.default_rng(seed)
    started = time.process_time()
    judges = Judges(name, train, seed)
    seconds = time.process_time() - started
    train, clean = train[:, judges.varies], clean[:, judges.varies]
    model, spread, dataset = judges.model, judges.spread, dataset_of(train)
    by_fault = {}
    for fault, rows, columns in faults(clean, spread, generator):
        by_fault[fault] = judges.areas(clean, rows)
        if columns is not None:
            first = judges.scores(rows).most_surprising[:, None] == columns
            by_fault[fault]["column first"] = float(first.any(axis=1).mean())
    if classes is not None:
        unseen = classes == seed % (classes.max() + 1)
        known, others = split_of(values[~unseen], seed)
        without = Judges(name, known, seed)
        strange = values[unseen][:N_TEST, without.varies]
        by_fault["class never seen"] = without.areas(others[:, without.varies], strange)
    hidden = generator.random(clean.shape) < HIDDEN
    hidden[hidden.all(axis=1), 0] = False
    gapped = np.where(hidden, np.nan, clean)
    answers = Answers.joined(list(answers_of(model, dataset, clean, reasons=False)))
    with_gaps = Answers.joined(list(answers_of(model, dataset, gapped, reasons=False)))
    units = np.broadcast_to(spread, clean.shape)[hidden]
    mixture = Mixture(scaling="global" if name == "oil flow" else "columns", random_state=seed)
    center = train.mean(axis=0)
    imputers = {
        "IterativeImputer": IterativeImputer(random_state=seed, max_iter=20),
        "k-NN": KNNImputer(n_neighbors=5),
    }
    filled = {
        "this": with_gaps.filled,
        "map": model.complete(gapped, method="map"),
        "mixture": mixture.fit(train).complete(gapped),
    }
    for key, imputer in imputers.items():
        imputer.fit((train - center) / spread)
        filled[key] = imputer.transform((gapped - center) / spread) * spread + center
    errors = {
        key: float(np.sqrt(np.mean(((rows - clean)[hidden] / units) ** 2)))
        for key, rows in filled.items()
    }
    inside = np.abs(with_gaps.filled - clean)[hidden] <= 1.96 * with_gaps.std[hidden]
    return by_fault, {
        "rows": len(clean),
        "p ≤ .05": float((answers.p <= 0.05).mean()),
        "p ≤ .01": float((answers.p <= 0.01).mean()),
        "cell ≤ .05": float((answers.p_cell <= 0.05).mean()),
        "cell ≤ .01": float((answers.p_cell <= 0.01).mean()),
        "gaps, p ≤ .05": float((with_gaps.p <= 0.05).mean()),
        "gaps, p ≤ .01": float((with_gaps.p <= 0.01).mean()),
        "unlike": float(answers.unlike.mean()),
        "inside": float(inside.mean()),
        "CPU s": seconds,
        **{f"error, {key}": value for key, value in errors.items()},
    }


def auc(clean: Array, odd: Array) -> float:
    # A new value in a column with a single value has an infinite score.
    scores = np.nan_to_num(np.concatenate([clean, odd]), posinf=1e300)
    return float(roc_auc_score(np.repeat([0, 1], [len(clean), len(odd)]), scores))


def cost() -> None:
    """Measure 1000 and 100,000 rows of 50 columns, with a free q(X) and with an encoder."""
    generator = np.random.default_rng(0)
    points, count = generator.standard_normal((1500, 4)), 1000
    weights = generator.standard_normal((2, 4, 50))
    rows = np.sin(points @ weights[0]) + points @ weights[1]
    rows += 0.3 * generator.standard_normal(rows.shape)
    train, new = rows[:500], rows[500 : 500 + count]
    found = []
    for encoder in (None, "network"):
        model = BayesianGPLVM(
            8, 50, noise="per_output", max_iter=150, encoder=encoder, second_stage="off"
        )
        started = time.perf_counter()
        model.fit(train)
        fitted = time.perf_counter() - started
        model = prepare(model, dataset_of(train))
        ready = time.perf_counter() - started - fitted
        for share in (0.0, HIDDEN):
            asked = np.where(generator.random(new.shape) < share, np.nan, new)
            for many in (1, 100) if share and encoder is None else (1,):
                whole = np.tile(asked, (many, 1))
                before, started = peak_mb(), time.perf_counter()
                parts = answers_of(model, dataset_of(train), whole)
                next(parts)
                first = time.perf_counter() - started
                for _ in parts:
                    pass
                seconds = time.perf_counter() - started
                memory = peak_mb() - before
                found.append(
                    (encoder or "none", len(whole), share, first, seconds, memory, fitted, ready)
                )
                print(*found[-1], file=sys.stderr, flush=True)
    header = ("encoder", "rows", "gaps", "first 20, s", "all, s", "MB more", "fit, s", "prepare, s")
    for row in found:
        write_row("apply_cost", dict(zip(header, row, strict=True)), seed=0)
    print(table(header, found))


def many(count: int) -> None:
    """Measure seconds and memory for the positions and gaps of a file, without the density of the
    rows.
    """
    generator, flow = np.random.default_rng(0), load_dataset("flow")
    model = Library(GALLERY, read_only=True).model("flow")
    names = [f"column {d + 1}" for d in range(flow.n_outputs)]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "new.csv"
        for start in range(0, count, BLOCK):
            drawn = flow.values[generator.integers(0, flow.n_points, min(BLOCK, count - start))]
            drawn = drawn + 0.05 * generator.standard_normal(drawn.shape)
            part = pandas.DataFrame(drawn, columns=names)
            part.to_csv(source, mode="a", header=start == 0, index=False)
        began = time.perf_counter()
        apply(model, source, output=Path(folder) / "answers.csv", reasons=False)
    figures = {"rows": count, "seconds": time.perf_counter() - began, "peak_mb": peak_mb()}
    write_row("apply", {"many": figures}, seed=[0])
    print(table(tuple(figures), [tuple(figures.values())]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--only", nargs="+", default=list(NAMES))
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--many", type=int, metavar="ROWS")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.many:
        many(given.many)
        return
    if given.cost:
        cost()
        return
    by_fault, by_table = dict[str, list[dict[str, float]]](), list[tuple[Any, ...]]()
    header: tuple[str, ...] = ()
    for name in given.only:
        try:
            found = [one_split(name, seed) for seed in given.seeds]
        except DataAbsent as absent:
            print(absent, file=sys.stderr)
            continue
        for faulty, _ in found:
            for fault, figures in faulty.items():
                by_fault.setdefault(fault, []).append(figures)
        mean = {key: float(np.mean([own[key] for _, own in found])) for key in found[0][1]}
        header = ("data", *mean)
        by_table.append((name, *mean.values()))
        faulty = {
            fault: {key: float(np.mean([own[fault][key] for own, _ in found])) for key in figures}
            for fault, figures in found[0][0].items()
        }
        write_row("apply", {"data": name, **mean, "faults": faulty}, seed=given.seeds)
        print(table(header, by_table[-1:]), flush=True)
    keys = ("this", "forest", "local outlier", "column first")
    rows: list[tuple[Any, ...]] = []
    for fault, each in by_fault.items():
        own = [[figures.get(key, np.nan) for key in keys] for figures in each]
        rows.append((fault, *map(float, np.mean(own, axis=0))))
    rows.append(("mean", *(float(np.mean([row[at] for row in rows])) for at in (1, 2, 3)), np.nan))
    print(table(("fault", *keys), rows))
    print(table(header, by_table))


if __name__ == "__main__":
    main()
