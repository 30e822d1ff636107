"""Draw the results of a comparison: a panel for each purpose, with a dot for each split."""

from collections.abc import Sequence
from html import escape

import numpy as np
from jaxtyping import Float

from gplvm_core.comparison.advice import Result
from gplvm_core.comparison.measures import PURPOSES, Purpose
from gplvm_core.numerics import Array
from gplvm_core.readers.tables.csv_text import html_text

MARGIN = 0.05  # margin at both ends of a strip, as a fraction of its width
NOT_YET = "Not tested on new rows yet."
NOT_LOOKED = "Too few rows to compare maps."


def panels_html(names: Sequence[str], given: Sequence[Result]) -> str:
    """Return HTML with a panel for each purpose and a line for each model.

    Every strip has the direction of its measure: the lowest values are on the left. For a measure
    that is best near a value, the best ones are on the right. names: the models in order. A dash
    marks models without a value for the purpose.
    """
    known = {result.purpose.key: result for result in given}
    panels = (_panel(purpose, names, known.get(purpose.key)) for purpose in PURPOSES)
    return f'<div class="mf-purposes">{"".join(panels)}</div>'


def _panel(purpose: Purpose, names: Sequence[str], result: Result | None) -> str:
    head = (
        f"<h2>{escape(purpose.words)}</h2>"
        f'<details class="mf-what"><summary aria-label="What “{escape(purpose.words)}” measures">?'
        f"</summary><p>{escape(purpose.sentence)}</p></details>"
    )
    if result is None:
        words = NOT_LOOKED if purpose.key == "look" else NOT_YET
        body = f'<p class="mf-none">{words}</p>'
    else:
        body = _lines(names, result)
    return f'<section data-purpose="{purpose.key}"><header>{head}</header>{body}</section>'


def _lines(names: Sequence[str], result: Result) -> str:
    measure, places = result.measure, strips(result)
    every = (*names, *(name for name in result.found.names if name not in names))
    rows = ""
    for name in every:
        if name not in result.names:
            if name in names:
                rows += f'<tr><th scope="row">{html_text(name)}</th><td></td><td>–</td></tr>'
            continue
        at = result.names.index(name)
        dots = "".join(f'<i style="left:{100 * place:.1f}%"></i>' for place in places[:, at])
        middle = f'<b style="left:{100 * places[:, at].mean():.1f}%"></b>'
        value = measure.in_words(result.found.mean(measure.key, name))
        best = name == result.winner
        words = f"{value} <strong>best</strong>" if best else value
        rows += (
            f"<tr{' class=mf-best' if best else ''}>"
            f'<th scope="row">{html_text(name)}</th>'
            f'<td><span class="mf-splits" aria-hidden="true">{dots}{middle}</span></td>'
            f"<td>{words}</td></tr>"
        )
    better = {"more": "higher is better", "less": "lower is better"}.get(measure.better, "")
    caption = f'<span class="mf-better">{escape(measure.words)}, {better}</span>'
    note = ""
    if result.plain_wins:
        note = '<p class="mf-none">Use the map only for looking.</p>'
    elif result.winner is None:
        note = '<p class="mf-none">No clear winner</p>'
    return f"<table><caption>{caption}</caption><tbody>{rows}</tbody></table>{note}"


def strips(result: Result) -> Float[Array, "S C"]:
    """Return positions of all splits on a strip from 0 (lowest, or farthest) to 1.

    Some splits are harder for every model. The mean of each split is subtracted, so that the dots
    show paired differences, as in the test for a winner.
    """
    loss = result.measure.loss(result.values)
    along = loss if result.measure.better == "less" else -loss
    along = along - along.mean(axis=1, keepdims=True) + along.mean()
    low, high = float(along.min()), float(along.max())
    if high <= low:
        return np.full_like(along, 0.5)
    return np.asarray(MARGIN + (1.0 - 2.0 * MARGIN) * (along - low) / (high - low))
