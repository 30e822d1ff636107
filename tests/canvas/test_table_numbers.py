"""The reference numbers for node's tests of a table of words and counts in the page.

Run this module as a program to write the numbers again.
"""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import eigh

from gplvm_core.bounds import OutputGaps
from gplvm_core.datasets import Dataset
from gplvm_core.kernels import RBF
from gplvm_core.likelihoods import Count, Links, Robust, TableColumns
from gplvm_core.prediction import Posterior, predict
from gplvm_core.prediction.columns import Expected
from gplvm_core.wire.model import Chart, pack_model

FILE = Path(__file__).with_name("table_numbers.json")
N, M, Q = 40, 8, 2
SPECIES, SIZES = ["Adelie", "Gentoo", "Chinstrap"], ["small", "medium", "large"]


def chart_of_table() -> Chart:
    """Return a posterior over two columns of words, a count and a number, with plausible rows."""
    rng = np.random.default_rng(0)
    latent = rng.standard_normal((N, Q))
    rows = [
        [
            SPECIES[int(n % 7 > 2) + int(n % 7 > 5)] if n % 9 else None,
            float(4000 + 500 * np.round(np.sin(n), 3)),
            int(n % 5),
            bool(n % 3),
            SIZES[n % 3],
            float(10.0 + np.round(np.cos(n), 3)),
        ]
        for n in range(N)
    ]
    kinds = ["category", "number", "count", "yes/no", SIZES, "robust"]
    dataset = Dataset.of_table("made", "Made", rows, kinds)
    columns = TableColumns(dataset.columns)
    count = columns.n_outputs
    inducing, jitter, kernel = latent[:M], 1e-3, RBF(1.7, np.array([0.7, 1.1]))
    gram = kernel.K(inducing) + jitter * np.eye(M)
    cross = kernel.K(inducing, latent)
    spectrum, basis = eigh(cross @ cross.T, gram)
    ratio = np.geomspace(0.5, 20.0, count)
    told = ratio[:, None] * spectrum
    each = OutputGaps(ratio, basis[None], ratio[:, None] * told / (1.0 + told))
    inverse = np.linalg.inv(gram + cross @ cross.T / 0.01)
    targets = 2.0 * np.sin(latent @ rng.standard_normal((Q, count)))
    numbers = columns.links.measured
    own = {Count(): Count(3.5), Robust(): Robust(600.0)}
    posterior = Posterior(
        kernel,
        inducing,
        inverse @ (cross @ targets) / 0.01,
        (np.linalg.inv(gram) - inverse)[None],
        1.0,
        jitter,
        np.where(numbers, 4000.0, rng.normal(0.0, 0.5, count)),
        np.where(numbers, 120.0, 1.0),
        each=each,
        links=Links(tuple(own.get(each, each) for each in columns.links.columns)),
    )
    return Chart(posterior, dataset, latent, None, np.array([2.0, 1.0]), (0, 1), columns=columns)


def numbers_of_table() -> dict[str, Any]:
    """Return points, and the core's predictions for every column at these points."""
    chart = chart_of_table()
    assert chart.columns is not None
    points = np.random.default_rng(1).normal(0.0, 1.5, (8, Q))
    mean, variance = predict(chart.posterior, points)
    expected = Expected(
        chart.columns, chart.posterior, np.ones((8, 1)), mean[:, None], variance[:, None]
    )
    columns = []
    for at, column in enumerate(chart.columns.columns):
        if column.is_words:
            columns.append({"chances": expected.classes(at).tolist()})
            continue
        ends = expected.quantiles(at, np.array([0.025, 0.975]))
        columns.append({"mean": expected.moments(at)[0].tolist(), "ends": ends.T.tolist()})
    return {
        "points": points.tolist(),
        "columns": columns,
        "items": [str(value) for value in chart.dataset.in_own_values().iloc[5].tolist()],
    }


def test_the_stored_numbers_of_a_table_are_what_the_core_expects():
    stored, found = json.loads(FILE.read_text(encoding="utf-8")), numbers_of_table()
    np.testing.assert_allclose(stored["points"], found["points"])
    assert stored["items"] == found["items"]
    for old, new in zip(stored["columns"], found["columns"], strict=True):
        for key, value in new.items():
            np.testing.assert_allclose(old[key], value, rtol=1e-6, atol=1e-9)


def test_functions_without_units_compare_and_the_links_restore_them():
    chart = chart_of_table()
    assert chart.columns is not None and isinstance(chart.posterior.links, Links)
    points = np.random.default_rng(2).normal(0.0, 1.0, (5, Q))
    seen, whole = predict(chart.seen, points), predict(chart.posterior, points)
    unit = chart.posterior.scale / chart.seen.scale
    np.testing.assert_allclose(chart.posterior.center + unit * seen[0], whole[0])
    np.testing.assert_allclose(unit**2 * seen[1], whole[1])
    # Far from the data, the variance of a column is the share of the signal in the sum of signal
    # and noise.
    far = predict(chart.seen, np.full((1, Q), 50.0))[1][0]
    signal = chart.posterior.kernel.variance * np.geomspace(0.5, 20.0, len(far))
    links = chart.posterior.links
    # In units of the scale 120, the robust noise has the scale 5 and the variance 50.
    noise = np.where(links.numbers, 1.0, np.where(links.measured, 50.0, np.pi**2 / 3.0))
    widths = np.array(
        [at.stop - at.start for at in chart.columns.places for _ in range(at.stop - at.start)]
    )
    np.testing.assert_allclose(far, signal / (signal + noise) / widths * len(far) / 6)


if __name__ == "__main__":
    packed = base64.b64encode(pack_model(chart_of_table(), "table")).decode()
    written = {**numbers_of_table(), "bytes": packed}
    FILE.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def test_several_explanations_are_a_mixture():
    chart = chart_of_table()
    assert chart.columns is not None
    points = np.random.default_rng(3).normal(0.0, 1.5, (2, 8, Q))
    mean, variance = (
        np.stack(each, axis=1)
        for each in zip(*(predict(chart.posterior, own) for own in points), strict=True)
    )
    expected = Expected(chart.columns, chart.posterior, np.full((8, 2), 0.5), mean, variance)
    for at, column in enumerate(chart.columns.columns):
        if column.is_words:
            continue
        each = [expected.explanation(k).moments(at) for k in range(2)]
        whole, spread = expected.moments(at)
        square = sum(0.5 * (own_mean**2 + own_variance) for own_mean, own_variance in each)
        np.testing.assert_allclose(whole, 0.5 * (each[0][0] + each[1][0]))
        np.testing.assert_allclose(spread, square - whole**2)
