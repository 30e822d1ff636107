"""The layers of a deep model from the top down, with their dimensions and a verdict for each."""

import re
from collections.abc import Sequence
from html import escape

import numpy as np

from gplvm_core.figures.dimensions import dimensions_on
from gplvm_core.models.problems.doctor import DeepLayer
from gplvm_core.readers.errors import in_digits, plural
from gplvm_core.wire.model import as_seen
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import room_for
from pages.ui.shared.layer_map import place_in_words
from pages.ui.shared.words import percent


def ladder(item: Item) -> None:
    """Show one rung per layer, and the data at the bottom."""
    layers = item.model.layers_
    rungs = "".join(rung(layers, at) for at in range(len(layers)))
    width = item.dataset.values.shape[1]
    room_for("ladder", len(layers)).html(
        f'<ol class="mf-ladder">{rungs}<li class="mf-data"><b>The data</b> '
        f"{plural(width, 'number')} a row</li></ol>"
    )


def rung(layers: Sequence[DeepLayer], at: int) -> str:
    """Return HTML of a layer, with its dimensions as bars, its verdict and its numbers."""
    layer, place = layers[at], place_in_words(at, len(layers))
    return (
        f"<li><b>{escape(place)}</b>{bars(as_seen(layers, at))}"
        f"<span>{escape(verdict(layer))}</span>"
        f'<small class="mf-facts">{escape(" · ".join(facts(layer)))}</small></li>'
    )


def verdict(layer: DeepLayer) -> str:
    """Return the layer's verdict without the layer's name, which the page shows beside it."""
    words = re.sub(r"^layer \d+ of \d+(, view (['\"]).*?\2,)? ", "It ", layer.verdict_)
    return f"{words[:1].upper()}{words[1:]}."


def facts(layer: DeepLayer) -> list[str]:
    """Return the numbers behind the verdict."""
    information, points = float(np.sum(layer.information_)), len(layer.latent_mean_)
    return [
        f"{information:.1f} nats of information per row",
        f"signal {rounded(layer.signal_to_noise_)} × noise",
        f"{layer.freedom_:.0f} degrees of freedom for {plural(points, 'row')}",
        f"{percent(layer.linear_)} linear",
    ]


def rounded(value: float) -> str:
    """Format with three significant digits, without an exponent below 10 million."""
    return in_digits(value, 3)


def bars(layer: DeepLayer) -> str:
    """Return ARD weights as bars; dimensions that contain information are coloured. If the layer
    also receives the dimensions of the top layer, these are last.
    """
    weights = np.asarray(layer.relevance_, dtype=float)
    on = dimensions_on(layer.information_)
    shares = weights / max(float(weights.max()), 1e-300)
    drawn = "".join(
        f'<i class="{"on" if used else ""}" style="height:{max(100 * share, 4):.0f}%"></i>'
        for share, used in zip(shares, on, strict=True)
    )
    words = f"{int(on.sum())} of {plural(len(weights), 'dimension')} in use"
    return f'<span class="mf-bars" role="img" title="{words}" aria-label="{words}">{drawn}</span>'
