"""What a stop of the tour is made of."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gplvm_core.lessons.picture import LessonPicture
from pages.ui.learn.controls import Control, State

# Called in training with a picture, the steps that were made and the most that there may be; waits
# where the visitor paused, and raises StopIteration when nobody wants to see more.
Look = Callable[[LessonPicture, int, int], None]


@dataclass(frozen=True)
class Note:
    """What a teacher may say and ask, and two mistakes that students make."""

    say: str
    ask: str
    mistakes: tuple[str, str]


@dataclass(frozen=True)
class StopDoor:
    """Where to go on: a page of the app with parameters of its link."""

    page: str
    label: str
    query: dict[str, str]


@dataclass(frozen=True)
class Stop:
    """A stop: its number and name in links, its words, what can be changed, what is drawn.

    picture: of a state, within a tenth of a second. train: the training that the visitor plays; it
    returns the last picture.
    """

    number: int
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
        """The controls as the browser makes them."""
        made = (each.drawn() for each in self.controls)
        return [each for each in made if each is not None]


@dataclass(frozen=True)
class OwnStop:
    """A stop whose figure looks after itself: it trains in the background, or draws by itself.

    show: draws the figure and what is said around it.
    """

    name: str
    title: str
    words: str
    show: Callable[[], None]
