"""The tab Views: what several views share, one from another, some kept, others varied."""

from pages.ui.explore.views.canvas import stage
from pages.ui.explore.views.segments import segmentation
from pages.ui.explore.views.transfer import from_view_to_view
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS

LAYERS = (
    "**Layers.** The views of this model hang on the lowest of several maps, which is the one "
    "here. The layers above it say how its dimensions go together; their maps are in the tab "
    "Layers, which shows one view at a time."
)


def views(item: Item, name: str) -> None:
    """The tab for one model."""
    parts = segmentation(item, name)
    stage(item, name, parts)
    from_view_to_view(item, name)
    about(
        *([LAYERS] if item.model.capabilities.layers else []),
        f"**The map.** {TERMS['latent']} All views of a row hang on the same place, but each "
        "view has a mapping of its own, with its own relevances: so a dimension may move one "
        "view and leave another alone (manifold relevance determination). Dimensions that the "
        "map does not show follow the data near the pointer, until a slider is moved; while only "
        "a part moves, the rest is held at the ring instead.",
        "**Shared and private.** The bars say what a view loses when a dimension is taken away "
        "from it. The relevances alone (w = 1/ℓ²) tell nearly the same, but a small one may "
        "still carry much, which is why they are here only for comparison.",
        "**The shading** is the standard deviation of all views together, as a share of what "
        "it is where nothing is known.",
        "**Alternatives.** A view that is given fixes the shared dimensions. What the other "
        "view has for itself stays open; every alternative takes it from another training row.",
        "**Keys.** Arrow keys move the point (with Shift in larger steps), Enter keeps it, + "
        "and − zoom, 0 resets. On a figure, the arrow keys turn it.",
        *bullets(item.model.notes_),
        f"**Data.** {plain(item.dataset.source)}",
        *bullets(item.dataset.notes),
    )
