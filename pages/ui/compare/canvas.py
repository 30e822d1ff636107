"""The linked maps as a Streamlit component; the browser fetches each model's bytes separately."""

import streamlit as st

from pages.ui.compare.members import NO_DRAWING, Member
from pages.ui.shared.component import component, hold_bytes, room_for
from pages.ui.shared.link import whole_number
from pages.ui.shared.place import FARTHEST

show_maps = component("compare", "compare/compare.html", "map/strip.css", "compare/compare.css")


def linked_maps(members: list[Member]) -> None:
    """Show maps side by side. Raises ValueError for a model that the browser cannot evaluate."""
    bytes_of = {member.store: member.packed for member in members}
    models = [
        {
            "store": member.store,
            "title": member.name,
            "facts": member.facts,
            "note": NO_DRAWING,
            "draws": member.draws,
            "names": member.named,
        }
        for member in members
    ]
    query = st.query_params
    stand = {
        "turned": "own" not in query,
        "at": linked_at(),
        "rows": query.get("rows", ""),
        "labels": [
            int(each)
            for each in query.get("labels", "").split(",")
            if each.isdecimal() and len(each) < 10
        ],
        "thumbnails": query.get("show") == "thumbnails",
        "by": whole_number(query.get("by")) or 0,
    }
    with room_for("compare"):
        show_maps(key="compare", data={"models": models, "stand": stand})
        for store, data in bytes_of.items():
            hold_bytes(key=f"bytes|{store}", data=data)


def linked_at() -> list[float] | None:
    """Return the position in the link: a map's number, then coordinates; None if malformed."""
    try:
        numbers = [float(text) for text in st.query_params.get("at", "").split(",")]
    except ValueError:
        return None
    return numbers if all(abs(number) <= FARTHEST for number in numbers) else None
