"""The stops that a link chooses for a class, and the panel where a teacher chooses them."""

import streamlit as st

from pages.ui.learn.export import lesson_file, needs_app
from pages.ui.learn.stop import OwnStop, Stop
from pages.ui.shared.component import write_link
from pages.ui.shared.download import download
from pages.ui.shared.link import go_to

# The stops of two prepared lessons; docs/lesson_plan.md states the minutes for each stop.
LESSONS = {
    "45 minutes": ("pixels", "digit", "functions", "maps", "dimensions", "meaning"),
    "90 minutes": (
        "pixels",
        "digit",
        "meet",
        "functions",
        "surfaces",
        "maps",
        "more",
        "dimensions",
        "torn",
        "views",
        "why",
        "meaning",
    ),
}


PLACE = "learn_place"  # session key: the stop, the course and the type size that were shown last


def place() -> dict[str, str]:
    """Return the link's parameters of the tour: `stop`, `stops` and `large`.

    A link that names no stop leads to the last place of this session, because Back from another
    page of the app returns to such a link.
    """
    known = st.query_params.to_dict()
    if not {"stop", "stops"} & known.keys():
        return dict(st.session_state.get(PLACE, {}))
    return {name: known[name] for name in ("stop", "stops", "large") if name in known}


def keep_place(stop: Stop | OwnStop) -> None:
    """Store the place in the session, and write it into the link if the link does not name it."""
    now = place() | {"stop": stop.name}
    st.session_state[PLACE] = now
    known = st.query_params.to_dict()
    if not {"stop", "stops"} & known.keys():
        write_link(key="link|learn", data=dict.fromkeys(known) | now)


def course(stops: tuple[Stop | OwnStop, ...]) -> tuple[Stop | OwnStop, ...]:
    """Return the stops that the link's `stops` names, in that order; all stops if it names none."""
    known = {stop.name: stop for stop in stops}
    names = place().get("stops", "").split(",")
    chosen = dict.fromkeys(name for name in names if name in known)
    return tuple(known[name] for name in chosen) or stops


def plan(stops: tuple[Stop | OwnStop, ...]) -> None:
    """Show the panel that chooses the stops of a lesson and writes them into the link."""
    titles = {stop.name: stop.title for stop in stops}
    now = course(stops)

    def open_lesson(names: tuple[str, ...]) -> None:
        go_to("stop", stops=",".join(names))

    def open_chosen() -> None:
        names = st.session_state["learn_plan_stops"]
        if names:
            open_lesson(tuple(names))
        else:
            go_to("stops")

    with st.popover("Plan a lesson", icon=":material/school:"):
        st.markdown(
            "Choose the stops of your lesson. The page's address then opens only these stops."
        )
        with st.container(horizontal=True):
            for title, names in LESSONS.items():
                st.button(title, key=f"learn_plan|{title}", on_click=open_lesson, args=(names,))
            if now != stops:
                st.button("All stops", key="learn_plan_all", on_click=lambda: go_to("stops"))
        st.multiselect(
            "Stops, in this order",
            list(titles),
            default=[stop.name for stop in now] if now != stops else [],
            format_func=titles.__getitem__,
            key="learn_plan_stops",
            on_change=open_chosen,
        )
        _file(now)


def _file(stops: tuple[Stop | OwnStop, ...]) -> None:
    """Show the button that writes the stops to one file."""
    count = sum(not needs_app(stop) for stop in stops)
    if not count:
        st.caption("All of these stops need the app, so there is no file of them.")
        return
    download(
        "Download as one file",
        lambda: lesson_file(stops),
        "lesson.html",
        key="learn_plan_file",
        help="A page for any browser, without a server or a network. It takes up to half a minute.",
    )
    if count < len(stops):
        st.caption(f"The file has {count} of {len(stops)} stops; the others need the app.")
