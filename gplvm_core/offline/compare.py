"""Write several models of the same rows to one HTML file with linked maps."""

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
    """A map in the file: the packed model, or only positions if the model cannot generate rows.

    note: a text shown instead of a generated row.
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
    picture: str = "",
    words: Sequence[str] = (),
    table: str = "",
    source: str = "",
) -> str:
    """Return the text of the file.

    picture: HTML of the recommendation, as `panels_html` returns it; words: the recommendation's
    sentences; table: HTML of a table. All HTML is inserted unchanged. source: the origin of the
    data. Raises KernelError for a kernel that a browser cannot evaluate.
    """
    contents, notes = [], [source]
    for number, each in enumerate(maps):
        name = f"model{number}"
        if each.positions is None:
            packed, precision = rounded(each.chart, pack_model(each.chart, name))
            notes.append(f"{each.title}: {precision.in_words()}")
        else:
            packed = pack_placed(each.chart, each.positions, each.title, name)
        facts = {"title": each.title, "facts": each.facts, "note": each.note}
        draws = {"draws": "1"} if each.positions is None else {}
        contents.append(content(name, packed, facts | draws))
    items = "".join(f"<li>{html_text(sentence)}</li>" for sentence in words)
    advice = f"{picture}<ul>{items}</ul>" if words else picture
    advice = f"<h2>Which one should I use?</h2>{advice}" if advice else ""
    return page(
        "offline/compare.js",
        title,
        ("map/strip.css", "compare/compare.css", "compare/purposes.css", "offline/table.css"),
        f"{asset('compare/compare.html')}\n{advice}\n{table}",
        "\n".join(contents),
        notes,
    )
