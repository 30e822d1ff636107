"""The training of both models of a curve, in a thread that can be stopped."""

import threading
from dataclasses import dataclass, field

from numpy import ndarray as Array

from gplvm_core.lessons.bend import CURVES, MAX_ITER, compare, pack_comparison
from gplvm_core.optimise import Progress

# The number of visitors whose models may train at the same time, because they share the processor.
AT_ONCE = 2
TURNS = threading.BoundedSemaphore(AT_ONCE)
LOOK = 0.2  # seconds between two attempts to start a waiting training


class _StoppedError(Exception):
    """Raised in the callback of `fit` to end the training."""


@dataclass(eq=False)
class Live:
    """The training of both models on a curve's points x, y, for one edit of the visitor.

    before: the stopped training that this training replaces. packed: the result. error: the reason
    if there is no result. After `stop`, packed and error are None.
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
            return "Waiting until other visitors' models are trained …"
        if not self.steps:
            return "Training one layer …"
        return f"Training two layers: step {self.steps} of at most {3 * MAX_ITER} …"

    def _watch(self, progress: Progress) -> None:
        self.steps += 1
        if self._stop.is_set():
            raise _StoppedError

    def _work(self) -> None:
        if self.before is not None:
            self.before._thread.join()  # a visitor trains one model at a time
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
