"""The tour: its stops in order, the navigation between them, and the texts around a figure."""

import streamlit as st

from pages.ui.learn.course import course, plan
from pages.ui.learn.depth.bend import bend
from pages.ui.learn.depth.families import families
from pages.ui.learn.depth.prior import prior
from pages.ui.learn.figure import figure
from pages.ui.learn.stop import Note, OwnStop, Stop
from pages.ui.learn.stops.chances import CHANCES
from pages.ui.learn.stops.dimensions import DIMENSIONS
from pages.ui.learn.stops.forecasts import FORECASTS
from pages.ui.learn.stops.four_maps import FOUR_MAPS
from pages.ui.learn.stops.functions import FUNCTIONS
from pages.ui.learn.stops.inducing import INDUCING
from pages.ui.learn.stops.more_dimensions import MORE_DIMENSIONS
from pages.ui.learn.stops.noisy_inputs import NOISY_INPUTS
from pages.ui.learn.stops.output_back import OUTPUT_BACK
from pages.ui.learn.stops.pixels import PIXELS
from pages.ui.learn.stops.step import STEP
from pages.ui.learn.stops.surfaces import SURFACES
from pages.ui.learn.stops.torn_pairs import TORN_PAIRS
from pages.ui.learn.stops.turned_digit import TURNED_DIGIT
from pages.ui.learn.stops.two_digits import TWO_DIGITS
from pages.ui.learn.stops.two_trainings import TWO_TRAININGS
from pages.ui.learn.stops.two_views import TWO_VIEWS
from pages.ui.learn.stops.uncertain_input import UNCERTAIN_INPUT
from pages.ui.shared.link import go_to

BEND = OwnStop(
    "why",
    "Why two layers?",
    "A Gaussian process draws a curve through points, with its uncertainty. It expects a curve "
    "that is equally smooth everywhere, but a step is not. A deep Gaussian process first bends "
    "the input axis with a second process. Add or remove points: both models train again.",
    bend,
)
FAMILIES = OwnStop(
    "families",
    "Which approximation?",
    "Exact training of a hidden layer is impossible. Here are nine approximations, trained on the "
    "same points with the same effort.",
    families,
)
PRIOR = OwnStop(
    "ten",
    "Why not ten layers?",
    "These functions are typical of a model before it sees data. In a deeper model, less "
    "information about the input reaches the last layer.",
    prior,
)
STOPS: tuple[Stop | OwnStop, ...] = (
    PIXELS,
    TURNED_DIGIT,
    TWO_DIGITS,
    FUNCTIONS,
    UNCERTAIN_INPUT,
    SURFACES,
    FOUR_MAPS,
    MORE_DIMENSIONS,
    DIMENSIONS,
    TORN_PAIRS,
    OUTPUT_BACK,
    CHANCES,
    INDUCING,
    NOISY_INPUTS,
    FORECASTS,
    TWO_VIEWS,
    STEP,
    BEND,
    FAMILIES,
    PRIOR,
    TWO_TRAININGS,
)


def chosen() -> Stop | OwnStop:
    """Return the stop that the link names, or the first stop if it names none."""
    name = st.query_params.get("stop")
    stops = course(STOPS)
    return next((stop for stop in stops if stop.name == name), stops[0])


def open_stop(stop: Stop | OwnStop) -> None:
    """Open a stop, and remove the previous stop's settings from the link."""
    kept = ("stop", "stops", "large")
    go_to(*(name for name in st.query_params.to_dict() if name not in kept), stop=stop.name)


def tour() -> None:
    """Show the chosen stop and the navigation."""
    stop = chosen()
    stops = course(STOPS)
    place = stops.index(stop)
    _ways(stops, place)
    with st.container(key="learn_large" if large() else "learn_usual"):
        st.header(stop.title, anchor=False)
        st.markdown(stop.words)

        def turn(way: int) -> None:
            if 0 <= place + way < len(stops):
                open_stop(stops[place + way])

        if isinstance(stop, OwnStop):
            stop.show()
        else:
            figure(stop, turn)
            _around(stop)


def large() -> bool:
    """Return whether the link requests large type."""
    return st.query_params.get("large") == "1"


def _ways(stops: tuple[Stop | OwnStop, ...], place: int) -> None:
    """Show the buttons Back and Next, the menu of stops, and the switch for large type."""
    titles = {stop.name: f"{number}. {stop.title}" for number, stop in enumerate(stops, 1)}

    def chose() -> None:
        open_stop(next(each for each in stops if each.name == st.session_state[control]))

    def switch() -> None:
        if st.session_state["learn_type"]:
            go_to(large="1")
        else:
            go_to("large")

    control = f"learn_stop|{place}|{','.join(titles)}"
    with st.container(horizontal=True, vertical_alignment="center", key="learn_ways"):
        st.selectbox(
            "Stop",
            list(titles),
            index=place,
            format_func=titles.__getitem__,
            key=control,
            on_change=chose,
            label_visibility="collapsed",
            width=420,
        )
        st.button(
            "Back",
            key="learn_back",
            icon=":material/arrow_back:",
            disabled=place == 0,
            on_click=lambda: open_stop(stops[place - 1]),
        )
        st.button(
            "Next",
            key="learn_next",
            icon=":material/arrow_forward:",
            disabled=place == len(stops) - 1,
            on_click=lambda: open_stop(stops[place + 1]),
            help="The arrow keys also move between stops.",
        )
        st.toggle("Large type", value=large(), key="learn_type", on_change=switch)
        plan(STOPS)


def _around(stop: Stop) -> None:
    """Show the exercise, the caution, buttons to other pages, and the note for teachers."""
    attempt, caution = st.columns(2)
    attempt.markdown(f"**Try this.** {stop.attempt}")
    caution.markdown(f"**What it does not mean.** {stop.caution}")
    if stop.doors:
        with st.container(horizontal=True):
            for door in stop.doors:
                if st.button(door.label, key=f"learn_door|{door.label}", type="tertiary"):
                    st.switch_page(f"pages/{door.page}.py", query_params=door.query)
    with st.expander("For teachers", icon=":material/school:"):
        _note(stop.note, stop.source)


def _note(note: Note, source: str) -> None:
    st.markdown(f"**Say.** {note.say}")
    st.markdown(f"**Ask.** {note.ask}")
    st.markdown(f"**Answer.** {note.answer}")
    st.markdown("**Two mistakes that students make.**")
    for mistake in note.mistakes:
        st.markdown(f"- {mistake}")
    if source:
        st.caption(f"Source: {source}")
