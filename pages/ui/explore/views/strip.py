"""Pictures of several views side by side, as one piece of HTML."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from numpy import ndarray as Array
from PIL import Image

from gplvm_core.figures.thumbnails import Frame, common_frame, picture_uri, row_picture, table_card
from gplvm_core.wire.views import ViewRows
from pages.ui.explore.views.model import class_of

SIZE = 132


@dataclass(frozen=True, eq=False)
class Tile:
    """A picture: a row (D,) of a view, the caption, and whether the picture is highlighted."""

    view: str
    row: Array
    words: str = ""
    note: str = ""
    marked: bool = False


class Pictures:
    """The drawing of the views' rows; all rows of a view have the same scale."""

    def __init__(self, rows: dict[str, ViewRows]) -> None:
        self.rows = rows
        self.frames: dict[str, Frame] = {
            name: common_frame(view.drawing, view.values) for name, view in rows.items()
        }

    def image(self, view: str, row: Array, size: int = SIZE) -> Image.Image:
        """Draw a row of a view; a row with words is a card."""
        rows = self.rows[view]
        if rows.columns:
            return table_card(rows.columns, rows.values, row, size)
        return row_picture(rows.drawing, row, self.frames[view], size)

    def html(self, tile: Tile) -> str:
        label = class_of(self.rows[tile.view], tile.row)
        words = " · ".join(word for word in (label, tile.words) if word)
        alt = escape(f"{tile.view}: {words or 'a row'}")
        return (
            f'<figure class="{"mf-marked" if tile.marked else ""}">'
            f'<img src="{picture_uri(self.image(tile.view, tile.row))}" alt="{alt}" title="{alt}">'
            f"<figcaption>{escape(words)}"
            + (f"<small>{escape(tile.note)}</small>" if tile.note else "")
            + "</figcaption></figure>"
        )

    def strip(self, tiles: Sequence[Tile]) -> str:
        """Return HTML of pictures in one line that wraps."""
        return f'<div class="mf-strip">{"".join(self.html(tile) for tile in tiles)}</div>'

    def table(self, columns: Sequence[Sequence[Tile]], titles: Sequence[str]) -> str:
        """Return HTML of several views of the same points: a column per point, a line per view."""
        lines = [
            f'<div class="mf-line"><span>{escape(title)}</span>'
            f'<div style="grid-template-columns:repeat({len(columns)},minmax(0,1fr))">'
            f"{''.join(self.html(column[number]) for column in columns)}</div></div>"
            for number, title in enumerate(titles)
        ]
        return f'<div class="mf-lines">{"".join(lines)}</div>'
