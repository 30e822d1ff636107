"""Several models of the same rows as one HTML file with linked maps: no server, no network."""

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core.offline.page import content, page
from gplvm_core.offline.scripts import asset
from gplvm_core.readers.tables.csv_text import html_text
from gplvm_core.wire.model import Chart, pack_model
from gplvm_core.wire.placed import pack_placed
from gplvm_core.wire.precision import rounded


@dataclass(frozen=True, eq=False)
class MapOf:
    """One of the maps: a model's chart; or positions, of what cannot generate.

    note: said in place of what it would draw.
    """

    title: str
    facts: str
    chart: Chart
    positions: Float[Array, "N 2"] | None = None
    note: str = ""


def offline_comparison(
    maps: Sequence[MapOf],
    title: str,
    *,
    words: Sequence[str] = (),
    table: str = "",
    source: str = "",
) -> str:
    """The text of the file.

    words: said below the maps; table: HTML that is put as it is; source: of the data. Raises
    KernelError for a kernel that a browser cannot evaluate.
    """
    contents, notes = [], [source]
    for number, each in enumerate(maps):
        name = f"model{number}"
        if each.positions is None:
            packed, precision = rounded(each.chart, pack_model(each.chart, name))
            notes.append(f"{each.title}: {precision.in_words()}")
        else:
            packed = pack_placed(each.chart, each.positions, each.title, name)
        told = {"title": each.title, "facts": each.facts, "note": each.note}
        draws = {"draws": "1"} if each.positions is None else {}
        contents.append(content(name, packed, told | draws))
    said = "".join(f"<li>{html_text(sentence)}</li>" for sentence in words)
    advice = f"<h2>Which one should I use?</h2><ul>{said}</ul>" if words else ""
    return page(
        "offline/compare.js",
        title,
        ("map/strip.css", "compare/compare.css", "offline/table.css"),
        f"{asset('compare/compare.html')}\n{advice}\n{table}",
        "\n".join(contents),
        notes,
    )
