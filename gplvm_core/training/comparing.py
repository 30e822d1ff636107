"""Comparisons of models, and models for them, in background threads, by a key of the asker's.

As with the queue of jobs, pages come and go with every refresh, the work behind them must not:
`_RUNS` outlives them. It keeps the newest that are done.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from gplvm_core.training.limits import give_way

# Tells its steps to what it is given, and returns what it found.
Task = Callable[[Callable[[Any], None]], Any]
MOST_KEPT = 40  # runs that are done
AT_ONCE = 2  # the others wait
LOOK = 0.2  # seconds after which one that waits looks whether it still has to
_TURNS = threading.BoundedSemaphore(AT_ONCE)
_RUNS: dict[str, "ComparisonRun"] = {}
_LOCK = threading.Lock()


class ComparisonRun:
    """A comparison, or a model for one, that is being made, was made, or ended in an error.

    step: the last that it told. result: what it found; of a comparison that was ended, its finished
    splits; of a model, what it had come to. problem: why there is none, in words.
    """

    def __init__(self, task: Task) -> None:
        self.began = time.monotonic()
        self.step: Any = None
        self.result: Any = None
        self.problem: str | None = None
        self._task, self._ended = task, False
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def done(self) -> bool:
        return self.result is not None or self.problem is not None

    @property
    def ending(self) -> bool:
        """Whether it was asked to end."""
        return self._ended

    def end(self) -> None:
        """Ask for an end at the next step."""
        self._ended = True

    def wait(self, timeout: float | None = None) -> None:
        """Block until it is done, or for `timeout` seconds."""
        self._thread.join(timeout)

    def start(self) -> "ComparisonRun":
        self._thread.start()
        return self

    def _run(self) -> None:
        give_way()
        while not _TURNS.acquire(timeout=LOOK):
            if self._ended:
                self.problem = "Ended before its turn came."
                return
        try:
            self.result = self._task(self._follow)
        except Exception as error:  # a thread's error would be lost otherwise
            self.problem = str(error) or type(error).__name__
        finally:
            _TURNS.release()

    def _follow(self, step: Any) -> None:
        self.step = step
        if self._ended:
            raise StopIteration


def begin_comparison(key: str, task: Task) -> ComparisonRun:
    """Start the task, unless one of that key is being made already; task(callback): the work."""
    with _LOCK:
        known = _RUNS.get(key)
        if known is None or known.done:
            _RUNS.pop(key, None)
            known = _RUNS[key] = ComparisonRun(task).start()
            done = [name for name, run in _RUNS.items() if run.done]
            for name in done[: max(len(done) - MOST_KEPT, 0)]:
                del _RUNS[name]
        return known


def comparison_of(key: str) -> ComparisonRun | None:
    """The last comparison of that key in this process."""
    return _RUNS.get(key)
