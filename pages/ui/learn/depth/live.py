"""Both models of a curve, trained in a thread of their own that can be stopped."""

import threading
from dataclasses import dataclass, field

from numpy import ndarray as Array

from gplvm_core.lessons.bend import CURVES, MAX_ITER, compare, pack_comparison
from gplvm_core.optimise import Progress

# So many visitors' models are trained at a time: the curves are small, the processor is shared.
AT_ONCE = 2
TURNS = threading.BoundedSemaphore(AT_ONCE)
LOOK = 0.2  # seconds after which one who waits looks whether it still has to


class _StoppedError(Exception):
    """Leaves fit from within its callback."""


@dataclass(eq=False)
class Live:
    """What is asked (a curve, points, the number of the edit) and how far it is.

    before: the training that this one takes the place of, which has been stopped. packed: the
    result; error: why there is none. `stop` ends it without either.
    """

    curve: str
    x: Array
    y: Array
    edit: int
    before: "Live | None" = None
    waits: bool = True
    steps: int = 0
    packed: bytes | None = None
    error: str | None = None
    _stop: threading.Event = field(default_factory=threading.Event)

    def start(self) -> "Live":
        self._thread = threading.Thread(target=self._work, name="depth", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        self._stop.set()

    @property
    def working(self) -> bool:
        return self._thread.is_alive() and not self._stop.is_set()

    def in_words(self) -> str:
        if self.waits:
            return "Waiting for a turn: models of others are being trained …"
        if not self.steps:
            return "Training one layer …"
        return f"Training two layers: step {self.steps} of at most {3 * MAX_ITER} …"

    def _watch(self, progress: Progress) -> None:
        self.steps += 1
        if self._stop.is_set():
            raise _StoppedError

    def _work(self) -> None:
        if self.before is not None:
            self.before._thread.join()  # one at a time of the same visitor
            self.before = None
        while not self._stop.is_set():
            if TURNS.acquire(timeout=LOOK):
                try:
                    self.waits = False
                    self._train()
                finally:
                    TURNS.release()
                return

    def _train(self) -> None:
        try:
            found = compare(CURVES[self.curve], self.x, self.y, self._watch)
            self.packed = pack_comparison(self.curve, found, self.edit)
        except _StoppedError:
            return
        except (ValueError, ArithmeticError) as error:
            self.error = str(error)
