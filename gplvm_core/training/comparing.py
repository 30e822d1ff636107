"""Run comparisons of models, and train models for them, in background threads.

`_RUNS` holds the runs by key, so that they survive a refresh of the page that began them. Only the
newest finished runs are kept.

Also here: test a regression while it trains, by its predictions of the rows kept aside.
"""

import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator, clone

from gplvm_core import models
from gplvm_core.comparison.one_column import Predicted, predicted_by, task_of
from gplvm_core.optimise import Progress
from gplvm_core.readers import Dataset
from gplvm_core.readers.errors import told
from gplvm_core.training.limits import give_way
from gplvm_core.training.progress import Snapshot

# A function that reports its steps to the callback it is given, and returns a result.
Task = Callable[[Callable[[Any], None]], Any]
MOST_KEPT = 40  # finished runs
AT_ONCE = 2  # further runs wait
LOOK = 0.2  # seconds until a waiting run checks again whether it was ended
_TURNS = threading.BoundedSemaphore(AT_ONCE)
_RUNS: dict[str, "ComparisonRun"] = {}
_LOCK = threading.Lock()


class ComparisonRun:
    """A comparison, or a training for a comparison, that is running, finished or failed.

    step: the last reported step. result: the result of the task. If the task was ended early, the
    result is the finished splits of a comparison, or the partly trained model. problem: why there
    is no result. waiting: whether other runs must end before this one begins.
    """

    def __init__(self, task: Task) -> None:
        self.began = time.monotonic()
        self.step: Any = None
        self.result: Any = None
        self.problem: str | None = None
        self.waiting = True
        self._task, self._ended = task, False
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def done(self) -> bool:
        return self.result is not None or self.problem is not None

    @property
    def ending(self) -> bool:
        """Whether `end` was called."""
        return self._ended

    def end(self) -> None:
        """End the run at its next step."""
        self._ended = True

    def wait(self, timeout: float | None = None) -> None:
        """Block until the run is done, or for `timeout` seconds."""
        self._thread.join(timeout)

    def start(self) -> "ComparisonRun":
        self._thread.start()
        return self

    def _run(self) -> None:
        give_way()
        while not _TURNS.acquire(timeout=LOOK):
            if self._ended:
                self.problem = "Ended before it started."
                return
        self.waiting = False
        try:
            self.result = self._task(self._follow)
        except Exception as error:  # an exception would be lost in the thread
            self.problem = told(error)
        finally:
            _TURNS.release()

    def _follow(self, step: Any) -> None:
        self.step = step
        if self._ended:
            raise StopIteration


def begin_comparison(key: str, task: Task) -> ComparisonRun:
    """Start task(callback), unless a run with this key is active; returns the new or active run."""
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
    """Return the last run with this key in this process."""
    return _RUNS.get(key)


def model_of(job: Snapshot) -> Any:
    """Return the unfitted estimator of a job; None if it is not one of this package."""
    kind = getattr(models, job.model_class, None)
    if not isinstance(kind, type) or not issubclass(kind, BaseEstimator):
        return None
    return kind(**job.parameters)


def present_predictions(job: Snapshot, dataset: Dataset) -> Predicted | None:
    """Predict the rows kept aside with the model at the job's last step; None before any step."""
    model, progress = model_of(job), job.progress
    if model is None or progress is None or progress.run is None or dataset.task is None:
        return None
    _, train, held = task_of(dataset)
    noise = {} if train.variance is None else {"X_variance": train.variance}

    def stop(_: Progress) -> None:
        raise StopIteration

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the job reports them in its notes
        fitted = clone(model).fit(
            train.inputs, train.target, callback=stop, resume=progress.run, **noise
        )
    return predicted_by(fitted, held)
