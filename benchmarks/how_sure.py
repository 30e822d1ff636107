"""The reliability of the labels for certainty on Explore (such as "Well known here"), measured on
rows of the gallery models.

The browser goes to each row's position on the map, infers the hidden dimensions only from the other
rows, and compares the predicted picture with the row. The page computes an uncertainty for every
value. One table has, for intervals of this uncertainty, the fraction of values that are wrong by
more than half of the data's spread. For each label, the other table has the fraction that the
picture explains of a row's squared distance from the mean row. The limits of the labels in
assets/canvas/geometry/doubt.js come from these tables.

    python -m benchmarks.how_sure
"""

import argparse
import shutil
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.common import table, versions, write_row
from benchmarks.interaction import BROWSER_FLAGS, app, has_gallery, map_is_shown
from gplvm_core.store import Library
from pages.ui.shared.catalogue import GALLERY_FOLDER

MODELS = ("people", "faces", "heads", "digits", "poses", "moves", "flow")
ROWS = 150
EDGES = (0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0, np.inf)
OFF = 0.5  # as a fraction of the data's spread
FEWEST = 200  # the smallest number of values in a cell of the table
WORDS = ("Well known here", "Fairly sure", "A guess")
LIMITS = (0.0, 0.22, 0.6, np.inf)  # the limits in assets/canvas/geometry/doubt.js
FEWEST_ROWS = 5
# JavaScript that returns the page's uncertainties and the errors of the values, for some rows, each
# left out.
LEFT_OUT = """({ step, values, usual }) => {
    const { model, map: { near }, inspector: { doubt } } = [...window.manifolio.views.values()][0];
    const where = new Map(Array.from(near.rows, (row, i) => [row, i]));
    const mean = new Float64Array(model.nOutputs);
    const found = [];
    const places = [];
    for (let n = 0; n < model.nPoints; n += step) {
        const i = where.get(n);
        const height = near.vs[i];
        near.vs[i] = 1e9;
        const place = near.follow(model.position(n));
        const share = doubt.share(place, near);
        near.vs[i] = height;
        const left = doubt.cells.slice();
        model.predict(place, mean);
        const own = values[n / step];
        let [error, without] = [0, 0];
        doubt.at.forEach((d, k) => {
            const unit = model.outputs.scales[d] * model.header.unit_spread;
            const off = Math.abs(own[d] - mean[d]) / unit;
            found.push([Math.sqrt(left[k]), off]);
            error += off ** 2;
            without += ((own[d] - usual[d]) / unit) ** 2;
        });
        // The last: what the page says where a pointer is at the row, which it then knows.
        places.push([share, error, without, doubt.share(near.follow(model.position(n)), near)]);
    }
    return { found, places };
}"""


def shares_off(doubts: np.ndarray, errors: np.ndarray) -> list[float]:
    """Return the fraction of wrong values by interval of uncertainty; NaN for intervals with few
    values.
    """
    parts = [(doubts >= low) & (doubts < high) for low, high in pairwise(EDGES)]
    return [float(np.mean(errors[k] > OFF)) if k.sum() >= FEWEST else np.nan for k in parts]


def by_word(places: np.ndarray) -> dict[str, float]:
    """Return, for each label, the fraction of a row that its picture explains, and the number of
    rows.
    """
    left_out, error, without, at_row = places.T
    found = {}
    for word, (low, high) in zip(WORDS, pairwise(LIMITS), strict=True):
        part = (left_out >= low) & (left_out < high)
        enough = part.sum() >= FEWEST_ROWS
        found[f"{word}, explained"] = (
            1.0 - error[part].sum() / without[part].sum() if enough else np.nan
        )
        found[f"{word}, of rows"] = float(np.mean((at_row >= low) & (at_row < high)))
    return found


def main() -> int:
    """Measure every gallery model, print the tables and write a row of results."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        chromium = None
    if chromium is None or not has_gallery():
        print("SKIPPED how_sure: needs playwright, a 'chromium' on the PATH and the ready models")
        return 0
    found: dict[str, list[float]] = {}
    words: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, headless=True, args=list(BROWSER_FLAGS)
        )
        with app(Path(folder), "idle") as url:
            for model in MODELS:
                page = browser.new_page()
                page.goto(f"{url}/explore?model=gallery:{model}")
                map_is_shown(page)
                data = Library(GALLERY_FOLDER, read_only=True).dataset(model).values
                step = -(-len(data) // ROWS)
                given = {"step": step, "values": data[::step].tolist()}
                measured = page.evaluate(LEFT_OUT, given | {"usual": data.mean(axis=0).tolist()})
                found[model] = shares_off(*np.array(measured["found"]).T)
                words[model] = by_word(np.array(measured["places"]))
                page.close()
        browser.close()
    every = np.array(list(found.values()))
    summary = {"mean": np.nanmean(every, axis=0), "least": np.nanmin(every, axis=0)}
    summary |= {"most": np.nanmax(every, axis=0)}
    names = [f"{low:g} - {high:g}" for low, high in pairwise(EDGES)]
    rows = [(name, *values) for name, values in (found | summary).items()]
    print(table(("doubt", *names), rows))
    columns = list(next(iter(words.values())))
    worded = [(name, *(row[column] for column in columns)) for name, row in words.items()]
    print(table(("word", *columns), worded))
    figures = {
        name: dict(zip(names, [None if np.isnan(v) else float(v) for v in values], strict=True))
        for name, values in (found | summary).items()
    }
    for name, row in words.items():
        figures[name] |= {column: None if np.isnan(v) else float(v) for column, v in row.items()}
    settings = {"rows": ROWS, "off": OFF, "limits": LIMITS[1:-1]}
    others = versions(("streamlit", "playwright"))
    write_row("how_sure", figures, seed=0, settings=settings, other_versions=others)
    return 0


if __name__ == "__main__":
    sys.exit(main())
