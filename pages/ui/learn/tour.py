"""The tour: its stops in order, the navigation between them, and the texts around a figure."""

import streamlit as st

from pages.ui.learn.course import course, keep_place, place, plan
from pages.ui.learn.depth.bend import bend, prior
from pages.ui.learn.depth.families import families
from pages.ui.learn.figure import figure
from pages.ui.learn.stop import Note, OwnStop, Stop, StopDoor
from pages.ui.learn.stops.chances import CHANCES
from pages.ui.learn.stops.dimensions import DIMENSIONS
from pages.ui.learn.stops.forecasts import FORECASTS
from pages.ui.learn.stops.four_maps import FOUR_MAPS
from pages.ui.learn.stops.functions import FUNCTIONS
from pages.ui.learn.stops.hidden_batch import HIDDEN_BATCH
from pages.ui.learn.stops.inducing import INDUCING
from pages.ui.learn.stops.more_dimensions import MORE_DIMENSIONS
from pages.ui.learn.stops.noisy_inputs import NOISY_INPUTS
from pages.ui.learn.stops.output_back import OUTPUT_BACK
from pages.ui.learn.stops.path_or_rule import PATH_OR_RULE
from pages.ui.learn.stops.pixels import PIXELS
from pages.ui.learn.stops.step import STEP
from pages.ui.learn.stops.surfaces import SURFACES
from pages.ui.learn.stops.torn_pairs import TORN_PAIRS
from pages.ui.learn.stops.turned_digit import TURNED_DIGIT
from pages.ui.learn.stops.two_digits import TWO_DIGITS
from pages.ui.learn.stops.two_trainings import TWO_TRAININGS
from pages.ui.learn.stops.two_views import TWO_VIEWS
from pages.ui.learn.stops.uncertain_input import UNCERTAIN_INPUT
from pages.ui.shared.component import turn_by_arrows
from pages.ui.shared.link import go_to

BEND = OwnStop(
    "why",
    "Why two layers?",
    "Here you can try the previous stop on your own points. A Gaussian process with one layer "
    "expects a curve that is equally smooth everywhere. With two layers, the first layer bends "
    "the input axis for the second. Add or remove points: both models train again.",
    bend,
    attempt="Remove the points beside the step: which band widens more? Then choose the smooth "
    "curve. Does the second layer still help?",
    caution="Depth does not always help: we chose the step and the chirp because depth helps "
    "there. Compare the unseen points, not the bounds: the bound of two layers is further below "
    "its evidence than the bound of one layer.",
    note=Note(
        "Both models see the same points. The first layer bends the axis: it stretches steep parts "
        "and compresses flat ones, so that the second layer sees a curve of equal smoothness.",
        "Where does a single layer fail?",
        "Where the smoothness changes: one lengthscale is too long for the steep part and too "
        "short for the flat parts.",
        (
            "They expect that more layers are always better. On the smooth curve two layers are no "
            "better than one.",
            "They think that the hidden layer found something real in the data. It only bends the "
            "axis, and another bend may explain the points equally well.",
        ),
    ),
    doors=(StopDoor("compare", "Is depth worth it on real data?", {}),),
)
FAMILIES = OwnStop(
    "families",
    "Which approximation?",
    "The values of a hidden layer have no exact posterior distribution that can be computed. Here "
    "are nine approximations to it. All are trained on the same points, with equally many steps.",
    families,
    attempt="Which approximation has the highest bound, and which predicts unseen points best? "
    "Then train on other points: is it the same one?",
    caution="One training of each proves little. A higher bound shows a better "
    "approximation, but the model need not predict new points better.",
    note=Note(
        "All nine are lower bounds on the same evidence, so their bounds are comparable. They "
        "differ in which parts of the model may depend on each other.",
        "Why can a richer approximation end with a lower bound than a simpler one?",
        "Training may stop in a worse optimum, or before its end: a richer form has more numbers "
        "to train.",
        (
            "They compare bounds of different data. Only bounds of the same points are comparable.",
            "They think that the best approximation is the best model. All nine approximate the "
            "same model.",
        ),
    ),
)
PRIOR = OwnStop(
    "ten",
    "Why not ten layers?",
    "These functions are typical of a model before it sees data. In a deeper model, less "
    "information about the input reaches the last layer.",
    prior,
    attempt="Increase the depth step by step: what happens to the functions? Then let every layer "
    "see the input.",
    caution="The figure shows models before they see data. Trained deep models can be useful; "
    "they switch off layers that they do not need.",
    note=Note(
        "The slope of the result is the product of the layers' slopes. A product of ten slopes is "
        "mostly near zero and sometimes huge.",
        "Why do deep functions have plateaus and jumps?",
        "Where one layer is flat, all later layers see the same value; where all layers are steep, "
        "the product of their slopes is huge.",
        (
            "They think that the plateaus come from training. Nothing here is trained.",
            "They conclude that deep models cannot work. If every layer sees the input, nothing is "
            "lost, and training switches off layers that do not help.",
        ),
    ),
    source="Duvenaud, Rippel, Adams and Ghahramani, *Avoiding pathologies in very deep networks* "
    "(2014).",
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
    PATH_OR_RULE,
    TWO_VIEWS,
    HIDDEN_BATCH,
    STEP,
    BEND,
    FAMILIES,
    PRIOR,
    TWO_TRAININGS,
)


def chosen() -> Stop | OwnStop:
    """Return the stop that the link names, or the first stop if it names none."""
    name = place().get("stop")
    stops = course(STOPS)
    return next((stop for stop in stops if stop.name == name), stops[0])


def open_stop(stop: Stop | OwnStop) -> None:
    """Open a stop, and remove the previous stop's settings from the link."""
    kept = ("stop", "stops", "large")
    go_to(*(name for name in st.query_params.to_dict() if name not in kept), stop=stop.name)


def tour() -> None:
    """Show the chosen stop and the navigation."""
    stop = chosen()
    keep_place(stop)
    stops = course(STOPS)
    _ways(stops, stops.index(stop))
    with st.container(key="learn_large" if large() else "learn_usual"):
        st.header(stop.title, anchor=False)
        st.markdown(stop.words)
        if isinstance(stop, OwnStop):
            stop.show()
        else:
            figure(stop, opened=lambda: chosen() is stop)
        _around(stop)
    turn_by_arrows(key="learn_turning")


def large() -> bool:
    """Return whether the link requests large type."""
    return place().get("large") == "1"


def _ways(stops: tuple[Stop | OwnStop, ...], at: int) -> None:
    """Show the buttons Back and Next, the menu of stops, and the switch for large type."""
    titles = {stop.name: f"{number}. {stop.title}" for number, stop in enumerate(stops, 1)}

    def chose() -> None:
        open_stop(next(each for each in stops if each.name == st.session_state[control]))

    def switch() -> None:
        if st.session_state["learn_type"]:
            go_to(large="1")
        else:
            go_to("large")

    control = f"learn_stop|{at}|{','.join(titles)}"
    with st.container(horizontal=True, vertical_alignment="center", key="learn_ways"):
        st.selectbox(
            "Stop",
            list(titles),
            index=at,
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
            disabled=at == 0,
            on_click=lambda: open_stop(stops[at - 1]),
        )
        st.button(
            "Next",
            key="learn_next",
            icon=":material/arrow_forward:",
            disabled=at == len(stops) - 1,
            on_click=lambda: open_stop(stops[at + 1]),
            help="The arrow keys also move between stops.",
        )
        st.toggle("Large type", value=large(), key="learn_type", on_change=switch)
        plan(STOPS)


def _around(stop: Stop | OwnStop) -> None:
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
