"""Where a model can be opened: the page that is made for its kind first."""

from dataclasses import dataclass

import streamlit as st

from gplvm_core.models import Capabilities


@dataclass(frozen=True)
class Door:
    """A page that opens models: its key, its name, what the button says, its icon."""

    key: str
    page: str
    verb: str
    icon: str

    def open(self, model: str) -> None:
        """Go to the page with the model of this key."""
        st.switch_page(f"pages/{self.key}.py", query_params={"model": model})


EXPLORE = Door("explore", "Explore", "Explore", ":material/explore:")
DYNAMICS = Door("dynamics", "Dynamics", "Play", ":material/play_arrow:")
VIEWS = Door("views", "Views", "See the views", ":material/join_inner:")
DEPTH = Door("depth", "Depth", "See the layers", ":material/layers:")
COMPLETE = Door("complete", "Complete", "Complete", ":material/brush:")
COMPARE = Door("compare", "Compare", "Compare", ":material/compare:")


def doors(capabilities: Capabilities | None) -> tuple[Door, ...]:
    """The pages for a model that can do this, the main one first; none for one that is gone."""
    if capabilities is None:
        return ()
    views = (VIEWS,) if capabilities.views else ()
    timed = (DYNAMICS,) if capabilities.timed else ()
    deep = (DEPTH,) if capabilities.layers else ()
    return (*views, *timed, *deep, EXPLORE, COMPLETE, COMPARE)
