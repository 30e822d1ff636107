"""The tab Views: shared dimensions, views predicted from others, and variations."""

from pages.ui.explore.bring import unseen_of
from pages.ui.explore.views.canvas import stage
from pages.ui.explore.views.segments import segmentation
from pages.ui.explore.views.transfer import from_view_to_view
from pages.ui.shared.about import about, bullets
from pages.ui.shared.catalogue import Item
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS

LAYERS = (
    "**Layers.** This model has several maps. The views depend on the lowest map, which is shown "
    "here. The higher layers describe how the dimensions of this map vary together. The tab "
    "Layers shows their maps, for one view at a time."
)


def views(item: Item, name: str) -> None:
    """Show the tab for one model."""
    film_first = bool(unseen_of(item))
    if film_first:
        from_view_to_view(item, name, of_new=True)
    parts = segmentation(item, name)
    stage(item, name, parts)
    if not film_first:
        from_view_to_view(item, name)
    about(
        *([LAYERS] if item.model.capabilities.layers else []),
        f"**The map.** {TERMS['latent']} All views of a row share one position, but each view has "
        "its own mapping and relevances. A dimension may therefore change one view and not "
        "another (manifold relevance determination). Hidden dimensions follow the data near the "
        "pointer until you move a slider. If only one part of the dimensions moves, all other "
        "dimensions are fixed at the ring.",
        "**By hand.** Drag a joint, or paint on a picture: the model looks for the place on the "
        "map that fits, and all views show this place. *Move* limits the dimensions that may "
        "change. Without *Follow the data*, dimensions that only other views use stay fixed.",
        "**Shared and private.** The bars show how much a view loses without a dimension. The "
        "relevances (w = 1/ℓ²) are shown for comparison. Relevances mostly agree with the bars, "
        "but a dimension with a small relevance may still matter.",
        "**The shading** is the standard deviation of all views together, relative to its value "
        "far from the data.",
        "**Alternatives.** A given view determines the shared dimensions, but not the private "
        "dimensions of the other view. Each alternative copies these private dimensions from "
        "another training row.",
        "**New rows and films.** You can bring rows of one view as a file. If the model was "
        "trained with time, it infers the frames of a film together. If a frame alone has two "
        "explanations, the frames before and after it decide. The model does not change.",
        "**Keys.** Arrow keys move the point (with Shift in larger steps), Enter keeps it, + and "
        "− zoom, 0 resets. On a figure, the arrow keys turn the figure.",
        *bullets(item.model.notes_),
        f"**Data.** {plain(item.dataset.source)}",
        *bullets(item.dataset.notes),
    )
