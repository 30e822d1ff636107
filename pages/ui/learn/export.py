"""A lesson as one HTML file: the stops whose pictures can be computed in advance."""

from dataclasses import replace
from itertools import product
from typing import Any

from gplvm_core.lessons.picture import LessonPicture, dots, pack_picture
from gplvm_core.offline.lesson import StopPictures, offline_lesson
from pages.ui.learn.controls import (
    ChoiceControl,
    Control,
    Draw,
    PointsControl,
    Slider,
    State,
    Switch,
    usual_state,
)
from pages.ui.learn.stop import OwnStop, Stop

MOST_PICTURES = 60  # of a stop
DRAWS = 4
LEAST_LEVELS = 5  # of a slider, if every combination of settings has a picture
# The point of these stops is to move points, which needs the app.
BY_HAND = ("back",)


def needs_app(stop: Stop | OwnStop) -> bool:
    """Return whether a stop trains a model or lives from points that the visitor moves."""
    return isinstance(stop, OwnStop) or stop.train is not None or stop.name in BY_HAND


def values_of(control: Control, levels: int) -> list[Any]:
    """Return some values of a control, the default first; a slider gets about `levels` values."""
    if isinstance(control, ChoiceControl):
        return [name for name, _ in control.options]
    if isinstance(control, Switch):
        return [control.usual, not control.usual]
    if isinstance(control, Draw):
        return list(range(DRAWS))
    if isinstance(control, PointsControl):
        return [state_value(control)]
    count = min(levels, round((control.high - control.low) / control.step) + 1)
    steps = (control.high - control.low) / max(count - 1, 1)
    even = (control.clean(control.low + at * steps) for at in range(count))
    return list(dict.fromkeys([state_value(control), *even]))


def state_value(control: Control) -> Any:
    """Return the default value of a control as it is in a state."""
    return usual_state((control,))[control.name]


def states_of(controls: tuple[Control, ...]) -> tuple[list[State], bool]:
    """Return the settings with a picture, the default first, and whether all combinations have one.

    If too many combinations exist, only one control at a time differs from its default.
    """
    usual = usual_state(controls)
    names = [control.name for control in controls]
    for levels in range(MOST_PICTURES, LEAST_LEVELS - 1, -1):
        values = [values_of(each, levels) for each in controls if not isinstance(each, Draw)]
        count = 1
        for each in values:
            count *= len(each)
        if count <= MOST_PICTURES:
            kept = [each.name for each in controls if not isinstance(each, Draw)]
            return [usual | dict(zip(kept, one, strict=True)) for one in product(*values)], True
    sliders = sum(isinstance(each, Slider) for each in controls)
    others = sum(len(values_of(each, 1)) - 1 for each in controls if not isinstance(each, Slider))
    levels = (MOST_PICTURES - 1 - others) // max(sliders, 1) - 1
    states = [usual]
    for name, control in zip(names, controls, strict=True):
        states += [usual | {name: value} for value in values_of(control, levels)[1:]]
    return states, False


def still(picture: LessonPicture, state: State) -> LessonPicture:
    """Return the picture with its points as marks, which nobody can move."""
    panels = []
    for panel in picture.panels:
        if panel.hand is not None and state[panel.hand.name]:
            x, y = zip(*state[panel.hand.name], strict=True)
            points = dots(x, y, "warm", panel.hand.title, radius=6)
            panel = replace(panel, hand=None, marks=(*panel.marks, points))
        panels.append(replace(panel, hand=None))
    return replace(picture, panels=tuple(panels))


def pictures_of(stop: Stop) -> StopPictures:
    """Compute the pictures of a stop."""
    states, together = states_of(stop.controls)
    pictures = [
        pack_picture(still(stop.picture(state), state), name=stop.name, edit=0) for state in states
    ]
    varied = {name for state in states for name in state if state[name] != states[0][name]}
    return StopPictures(
        name=stop.name,
        title=stop.title,
        above=(stop.words,),
        below=(f"**Try this.** {stop.attempt}", f"**What it does not mean.** {stop.caution}"),
        note=(
            f"**Say.** {stop.note.say}",
            f"**Ask.** {stop.note.ask}",
            f"**Answer.** {stop.note.answer}",
            "**Two mistakes that students make.**",
            *stop.note.mistakes,
        ),
        controls=[each for each in stop.drawn() if each["name"] in varied],
        states=states,
        pictures=pictures,
        together=together,
    )


def lesson_file(stops: tuple[Stop | OwnStop, ...]) -> str:
    """Return the lesson as the text of an HTML file, without the stops that need the app."""
    made = [pictures_of(stop) for stop in stops if isinstance(stop, Stop) and not needs_app(stop)]
    missing = [stop.title for stop in stops if needs_app(stop)]
    notes = [
        "This file contains pictures of some settings of every stop. Sliders jump to the nearest "
        "of these settings. If a stop has too many settings, only one control at a time differs "
        "from its first value. Points cannot be moved here.",
        f"These stops need the app: {'; '.join(missing)}." if missing else "",
    ]
    return offline_lesson(made, "A lesson on latent variable models", notes)
