"""A training in a separate thread that a visitor plays, pauses or runs step by step."""

import threading
import time
from dataclasses import dataclass, field

from gplvm_core.lessons.picture import LessonPicture
from gplvm_core.readers.errors import plural
from pages.ui.learn.controls import State
from pages.ui.learn.stop import Stop

# The number of trainings that may compute at the same time, for all visitors together.
TURNS = threading.BoundedSemaphore(2)
PACE = 1.0 / 25.0  # shortest time of a step in seconds, so that the visitor can see it
UNSEEN = 2.0  # seconds without a call of `seen` after which a training waits
FORGOTTEN = 600.0  # seconds of waiting after which a training ends


@dataclass(eq=False)
class LessonRun:
    """The training of a stop; picture: the latest picture; error: why the training ended early.

    The training waits while nobody calls `seen`, because the visitor is on another page or closed
    the tab.
    """

    stop: Stop
    state: State
    picture: LessonPicture | None = None
    step: int = 0
    most: int = 0
    seconds: float = 0.0  # time spent on training and drawing, without pauses
    error: str | None = None
    ended: bool = False
    _allowed: float = 0.0  # the step at which the training pauses
    _over: bool = False
    _seen: float = 0.0
    _change: threading.Condition = field(default_factory=threading.Condition)

    def start(self, steps: float) -> "LessonRun":
        """Start the training, and pause after this many steps (infinity: do not pause)."""
        self._allowed = steps
        self._seen = time.monotonic()
        threading.Thread(target=self._work, name="learn", daemon=True).start()
        return self

    def seen(self) -> None:
        """Record that a visitor is looking at the training."""
        with self._change:
            self._seen = time.monotonic()
            self._change.notify_all()

    def play(self) -> None:
        self._let(float("inf"))

    def pause(self) -> None:
        self._let(0.0)

    def one_step(self) -> None:
        self._let(self.step + 1.0)

    def cancel(self) -> None:
        self._over = True
        self._let(0.0)

    def _let(self, steps: float) -> None:
        with self._change:
            self._allowed = steps
            self._change.notify_all()

    @property
    def playing(self) -> bool:
        return not self.ended and self.step < self._allowed

    def in_words(self) -> str:
        """Describe the progress and the time left."""
        if self.ended:
            how = "Stopped after" if self._over or self.error else "Trained:"
            return f"{how} {plural(self.step, 'step')}."
        if not self.step:
            return "Training begins …"
        left = (self.most - self.step) * self.seconds / self.step
        return f"Step {self.step} of at most {self.most}, up to {max(left, 1.0):.0f} s left"

    def _wanted(self) -> bool:
        watched = time.monotonic() - self._seen < UNSEEN
        return self._over or (watched and self.step < self._allowed)

    def _work(self) -> None:
        TURNS.acquire()
        self._since = time.monotonic()
        try:
            assert self.stop.train is not None
            self.picture = self.stop.train(self.state, self._look)
        except StopIteration:
            pass
        except (ValueError, ArithmeticError) as error:
            self.error = str(error)
        finally:
            self.ended = True
            TURNS.release()

    def _look(self, picture: LessonPicture, step: int, most: int) -> None:
        """Show a step, then wait until the next may start; other trainings compute meanwhile."""
        self.picture, self.step, self.most = picture, step, most
        TURNS.release()
        try:
            rest = PACE - (time.monotonic() - self._since)
            with self._change:
                self._change.wait_for(lambda: self._over, max(rest, 0.0))
                self.seconds += time.monotonic() - self._since
                shown = self._change.wait_for(self._wanted, FORGOTTEN)
        finally:
            TURNS.acquire()
        self._over |= not shown
        if self._over:
            raise StopIteration
        self._since = time.monotonic()
