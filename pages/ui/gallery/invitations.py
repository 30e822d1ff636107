"""What a visitor can do with each ready model, and the tab of Explore where it is done."""

from dataclasses import dataclass

from gplvm_core.store import Entry
from pages.ui.shared.doors import FILL, LAYERS, MAP, TIME, VIEWS, Door, main_door


@dataclass(frozen=True)
class Invitation:
    """What to do with a model, in at most seven words, and the button that opens the place."""

    words: str
    door: Door


INVITATIONS: dict[str, Invitation] = {
    "people": Invitation("Paint on a face; another one appears.", MAP),
    "ages": Invitation("Change the age of a face.", MAP),
    "heads": Invitation("Move the lamp around a head.", MAP),
    "poses": Invitation("Pull a hand: the body follows.", MAP),
    "moves": Invitation("Play, forecast or generate a movement.", TIME),
    "limbs": Invitation("Move one limb, or the whole body.", LAYERS),
    "walker": Invitation("Draw a body from its silhouette.", VIEWS),
    "pendulum": Invitation("Let it swing on after the film.", TIME),
    "pairs": Invitation("Move the light of two heads.", VIEWS),
    "countries": Invitation("Find countries with a similar history.", MAP),
    "digits": Invitation("Hide part of a digit; see guesses.", FILL),
    "turned": Invitation("Go around one turning digit.", MAP),
    "spikes": Invitation("Follow the path behind the spikes.", MAP),
    "flow": Invitation("Replace a sensor that failed.", FILL),
    "deep-flow": Invitation("See what a second layer adds.", LAYERS),
}
# The photographs of faces are too few for a sharp map (`benchmarks/README.md`). Explore still
# offers the model, for Fill in.
OFF_SHELF = ("faces",)


def invitation(entry: Entry) -> Invitation:
    """Return the invitation of a model; without one, the model opens in its most specific tab."""
    return INVITATIONS.get(entry.id) or Invitation(
        "Explore the map.", main_door(entry.capabilities)
    )
