"""Data classes for the stops of the tour."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gplvm_core.lessons.picture import LessonPicture, Look
from pages.ui.learn.controls import Control, State


@dataclass(frozen=True)
class Note:
    """A note for teachers: an explanation, a question with its answer, and two mistakes that
    students make.
    """

    say: str
    ask: str
    answer: str
    mistakes: tuple[str, str]


@dataclass(frozen=True)
class StopDoor:
    """A button to another page of the app, with the query parameters of its link."""

    page: str
    label: str
    query: dict[str, str]


@dataclass(frozen=True)
class Stop:
    """A stop of the tour: its name in links, its texts, controls and picture.

    picture: returns the picture of a state, within 0.1 s. train: runs the training that the visitor
    starts, and returns the last picture.
    """

    name: str
    title: str
    words: str
    attempt: str
    caution: str
    note: Note
    controls: tuple[Control, ...]
    picture: Callable[[State], LessonPicture]
    train: Callable[[State, Look], LessonPicture] | None = None
    doors: tuple[StopDoor, ...] = ()
    source: str = ""

    def drawn(self) -> list[dict[str, Any]]:
        """Return the definitions of the controls that the browser draws."""
        made = (each.drawn() for each in self.controls)
        return [each for each in made if each is not None]


@dataclass(frozen=True)
class OwnStop:
    """A stop with its own figure; the figure trains in the background or draws in the browser.

    show: draws the figure and the explanation of its parts.
    """

    name: str
    title: str
    words: str
    show: Callable[[], None]
    attempt: str
    caution: str
    note: Note
    doors: tuple[StopDoor, ...] = ()
    source: str = ""
