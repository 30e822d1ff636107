"""Explore with very many rows in a real browser: the first picture, frames, hovering, the lasso.

    python -m benchmarks.big_map [--rows 100000 1000000] [--keep FOLDER]

The model of ten simulated groups (D = 12, Q = 5) was trained on 1000 rows, and all other rows were
added. The app shows it from a temporary library, in Debian's Chromium without a GPU. Times in
milliseconds are those of the page's script; a frame is everything that a pan or a zoom draws at
once. The fastest tenth is also reported, because on a busy machine it is closest to the time that
the page itself needs.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import table, versions, write_row
from benchmarks.interaction import app, chromium, first_picture, map_is_shown
from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.store import Library

N_TRAINED, N_OUTPUTS, N_LATENT, N_GROUPS = 1000, 12, 5, 10
REPEATS = 40
TARGETS = {"pan": 16.7, "zoom": 16.7, "hover": 16.7}
CROWD = "() => [...window.manifolio.views.values()][0]?.map.crowd?.found !== null"
# JavaScript that measures the time of each action, including drawing and pixels.
DEEDS = """async (count) => {
    const explorer = [...window.manifolio.views.values()][0];
    const { map, parts } = explorer;
    const pixel = (canvas) => canvas.getContext("2d").getImageData(0, 0, 1, 1);
    const timed = async (deed, canvas) => {
        const times = [];
        for (let k = 0; k < count; k++) {
            await new Promise((resolve) => requestAnimationFrame(resolve));
            const begin = performance.now();
            deed(k);
            pixel(canvas);
            times.push(performance.now() - begin);
        }
        return times;
    };
    const [w, h] = [map.width, map.height];
    const hover = (k) => {
        const [x, y] = [w * (0.2 + 0.6 * ((k * 0.618) % 1)), h * (0.2 + 0.6 * ((k * 0.414) % 1))];
        explorer.state.hovered = map.hit(x, y);
        explorer.state.hover = map.toLatent(x, y);
        explorer.drawOutputs();
        map.drawUpper();
    };
    const line = Array.from({ length: 200 }, (_, i) => {
        const angle = (2 * Math.PI * i) / 200;
        return [w * (0.5 + 0.35 * Math.cos(angle)), h * (0.5 + 0.35 * Math.sin(angle))];
    });
    const found = {};
    found.pan = await timed((k) => map.pan(k % 2 ? 9 : -9, 0), parts.lower);
    found.zoom = await timed((k) => map.zoom(w / 2, h / 2, k % 2 ? 0.9 : 1 / 0.9), parts.lower);
    await new Promise((resolve) => setTimeout(resolve, 500));
    found.at_rest = await timed(() => map.drawLower(), parts.lower);
    found.hover = await timed(hover, parts.upper);
    let selected = 0;
    found.lasso = await timed(() => (selected = map.enclosed(line).length), parts.upper);
    for (let k = 0; k < 60 && !map.crowd.dots; k++) map.zoom(w / 2, h / 2, 1.25);
    const dots = map.crowd.dots?.length ?? 0;
    found.pan_dots = await timed((k) => map.pan(k % 2 ? 3 : -3, 0), parts.lower);
    found.hover_dots = await timed(hover, parts.upper);
    return { found, selected, dots };
}"""


def groups(n_rows: int) -> Dataset:
    """Return ten bent ribbons in twelve columns, with their numbers as labels."""
    rng = np.random.default_rng(0)
    labels = rng.integers(N_GROUPS, size=n_rows)
    along, across = rng.uniform(-1, 1, n_rows), 0.15 * rng.standard_normal(n_rows)
    angle = 2 * np.pi * labels / N_GROUPS
    plane = np.stack(
        [np.cos(angle) * (1.2 + along) + across, np.sin(angle) * (1.2 + along) + along**2], axis=1
    )
    mixing = rng.standard_normal((2, N_OUTPUTS))
    values = plane @ mixing + np.sin(plane @ rng.standard_normal((2, N_OUTPUTS)))
    values += 0.1 * rng.standard_normal(values.shape)
    return Dataset(
        name="groups",
        title=f"{n_rows:,} rows in ten groups",
        targets=values,
        drawing=Drawing("bars", (N_OUTPUTS,)),
        labels=labels,
        label_names=tuple(f"group {number}" for number in range(1, N_GROUPS + 1)),
        source="simulated by a benchmark",
    )


def grown(dataset: Dataset) -> BayesianGPLVM:
    """Train a model on the first rows, and add all others."""
    model = BayesianGPLVM(N_LATENT, n_inducing=50, max_iter=60, random_state=0, second_stage="off")
    values = dataset.values
    return model.fit(values[:N_TRAINED]).extend(values[N_TRAINED:])


def visit(browser: Any, url: str, model: str) -> dict[str, float]:
    """Measure one model, for its first visitor and a second visitor."""
    figures: dict[str, float] = {}
    for visitor in ("first", "second"):
        context = browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True)
        page = context.new_page()
        page.set_default_timeout(180_000)
        sent: list[int] = []
        page.on("response", lambda answer, sent=sent: sent.append(_size(answer)))
        begin = time.perf_counter()
        address = f"{url}/explore?model=library:{model}"
        figures[f"map_s_{visitor}"] = first_picture(page, address, map_is_shown)
        page.wait_for_function(CROWD)
        figures[f"all_rows_s_{visitor}"] = time.perf_counter() - begin
        if visitor == "second":
            figures["parcels_mb"] = sum(sent) / 1e6
            page.wait_for_timeout(3000)
            told = page.evaluate(DEEDS, REPEATS)
            for deed, times in told["found"].items():
                figures[f"{deed}_ms_p10"] = float(np.quantile(times, 0.1))
                figures[f"{deed}_ms_median"] = float(np.median(times))
                figures[f"{deed}_ms_p95"] = float(np.quantile(times, 0.95))
            figures |= {"lasso_rows": told["selected"], "dots": told["dots"]}
        context.close()
    return figures


def _size(answer: Any) -> int:
    return int(answer.headers.get("content-length", 0)) if "/parcels/" in answer.url else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--keep", type=Path, help="folder in which models are stored, or reused")
    given = parser.parse_args()

    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        home = given.keep or Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        library = Library(home / "library")
        known = {entry.title: entry.id for entry in library.entries()}
        models = {}
        for count in given.rows:
            dataset = groups(count)
            if dataset.title not in known:
                known[dataset.title] = library.add(grown(dataset), dataset, dataset.title)
            models[count] = known[dataset.title]
        with app(home, "idle") as url:
            for count, model in models.items():
                figures[f"{count:,} rows"] = visit(browser, url, model)
    names = list(figures)
    keys = figures[names[0]]
    print(table(("", *names), [(key, *(figures[name][key] for name in names)) for key in keys]))
    for name, each in figures.items():
        slow = [deed for deed, most in TARGETS.items() if each[f"{deed}_ms_median"] > most]
        print(f"{name}: {'slower than a frame: ' + ', '.join(slow) if slow else 'within a frame'}")
    write_row(
        "big_map",
        figures,
        seed=0,
        settings={"n_components": N_LATENT, "n_outputs": N_OUTPUTS, "repeats": REPEATS},
        other_versions=versions(("streamlit", "playwright")),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
