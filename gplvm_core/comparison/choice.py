"""Choose the settings of a model by held-out rows, for the task that the model is wanted for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.model_selection import ParameterGrid

from gplvm_core.comparison.kept_aside import ready
from gplvm_core.comparison.measures import Measure
from gplvm_core.comparison.repeated import Contender, Step, compare
from gplvm_core.comparison.result import Comparison, Difference
from gplvm_core.comparison.tasks import Data, Judge, OfRows, Scaling, Task, held_out
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import listed, plural

Settings = dict[str, Any]

N_CANDIDATES = 12
# The first round trains with this share of the iterations; this share of the candidates goes on.
SHORT, GO_ON = 0.25, 0.25
LEAST_ITERATIONS = 40
COMPONENTS, INDUCING = (5, 10, 15), (25, 50, 100)
MOST_DERIVED = 500  # columns up to which the density of rows is derived, as in the app
SCORES = {
    "density": Measure("density", "log-probability of a held-out row", "In nats.", "more"),
    "crps": Measure("crps", "error of held-out values", "A share of the data's spread.", "less"),
}
WORDS = {
    "n_components": "dimensions",
    "n_inducing": "inducing points",
    "noise": "noise",
    "scaling": "scale",
}


@dataclass(frozen=True)
class Tried:
    """Settings that were tried. score: the mean over splits; NaN if they failed.

    inside: the share of held-out values inside their 95 % intervals; NaN for densities. iterations:
    the limit of the training. seconds: CPU seconds of a training. problem: why they failed.
    """

    settings: Settings
    score: float
    inside: float
    iterations: int
    seconds: float
    problem: str | None = None


@dataclass(frozen=True)
class Choice:
    """The settings that predict held-out rows best, and everything that was tried.

    model: the given model with the best settings, not fitted. settings: the best ones, own: those
    of the given model. tried: the settings of the last round first, each round from best to worst.
    gain: the score of the best settings, minus the score of the given ones; positive is better.
    """

    task: Task
    measure: Measure
    model: Any
    settings: Settings
    own: Settings
    tried: tuple[Tried, ...]
    gain: Difference
    notes: tuple[str, ...] = ()

    def sentence(self) -> str:
        """What was chosen, and how much better it is than the given settings."""
        if self.settings == self.own:
            return (
                f"No other settings were better: {in_words(self.own)}. "
                f"{plural(len(self._candidates), 'combination')} were tried."
            )
        sure = "" if self.gain.sure else " The difference may be chance."
        old, new = self.of(self.own), self.of(self.settings)
        return (
            f"Best: {in_words(self.settings)}. The {self.measure.words} is "
            f"{self.measure.in_words(new.score)}; with {in_words(self.own)}: "
            f"{self.measure.in_words(old.score)}.{sure}"
        )

    def of(self, settings: Settings) -> Tried:
        """The last try of some settings."""
        return next(each for each in self.tried if each.settings == settings)

    @property
    def _candidates(self) -> list[Settings]:
        return list({in_words(each.settings): each.settings for each in self.tried}.values())


def choose(
    model: Any,
    data: ArrayLike | Mapping[str, ArrayLike],
    task: Task | None = None,
    *,
    times: ArrayLike | None = None,
    sequences: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    candidates: Sequence[Settings] | None = None,
    scaling: Scaling | None = None,
    cv: Any = 3,
    random_state: int = 0,
    callback: Callable[[Step], None] | None = None,
) -> Choice:
    """Choose a model's settings by how well they predict held-out rows.

    Every candidate is trained on the same parts of the rows and judged on the other rows. In the
    first round, the trainings have a quarter of the iterations. The best quarter of the candidates
    and the given settings are then trained with all iterations. The bound on the training rows
    cannot choose these settings: it grows with the model even where held-out sequences are
    predicted worse.

    Parameters
    ----------
    model : estimator
        `BayesianGPLVM`, `DynamicalGPLVM` or `ManifoldRelevance`, fitted or not.
    data : array_like of shape (N, D), or dict of them
        The rows of numbers; NaN marks missing values.
    task : {"density", "fill", "transfer", "forecast"}, optional
        "density": the log-probability of held-out rows. "fill": predict hidden halves of held-out
        rows. "transfer": predict each view from the others. "forecast": predict the next frames of
        every sequence. By default "transfer" for several views, "forecast" for a model over time,
        otherwise "fill".
    times, sequences : array_like of shape (N,), optional
        For a model over time, as in `fit`.
    groups : array_like of shape (N,), optional
        Rows with the same label depend on each other, and are held out together; by default the
        sequences.
    candidates : sequence of dict, optional
        Settings to try. By default twelve combinations of the number of dimensions and of inducing
        points, the noise and the scaling, which include the given settings.
    scaling : {"global", "columns"}, optional
        The unit of errors: "global" if the columns share a unit, "columns" to divide the errors of
        each column by its spread. By default "columns" if the spreads differ much.
    cv : int or scikit-learn splitter, default 3
        The number of splits.
    random_state : int, default 0
        The seed of splits, candidates and trainings.
    callback : callable, optional
        Called with a Step. If it raises StopIteration, the choice uses the finished splits.

    Returns
    -------
    Choice
        `model` has the best settings and is not fitted; `sentence()` says what they gain.

    Raises
    ------
    DataError
        If the rows cannot be split, or do not suit the task.
    ValueError
        If the task is unknown, if all candidates failed, or if it was ended before the first split.
    """
    capabilities = model.capabilities
    task = task or _usual(capabilities)
    _check(model, data, task)
    rows = Data.checked(data, scaling, times, sequences, capabilities.timed)
    splits = held_out(task, rows, None if groups is None else np.asarray(groups), cv, random_state)
    fewest = min(len(train) for train, _ in splits)
    fresh = ready(model)
    own, tries = _candidates(fresh, rows, fewest, candidates, random_state)
    judge, progress = Judge(task, rows, random_state), _Rounds(callback)
    columns = sum(each.shape[1] for each in rows.views.values())
    derive = task in ("density", "fill") and not capabilities.timed and columns <= MOST_DERIVED

    def tried_all(each: Sequence[Settings], iterations: int) -> _Round:
        contenders = [
            Contender(str(at), OfRows(_with(fresh, own | these, iterations), rows, derive))
            for at, these in enumerate(each)
        ]
        found = compare(
            contenders,
            np.arange(len(rows))[:, None],
            cv=splits,
            random_state=random_state,
            callback=progress,
            judge=judge,
        )
        return _Round(list(each), iterations, found, measure)

    measure = SCORES["density" if task == "density" else "crps"]
    most = int(fresh.get_params()["max_iter"])
    short = min(most, max(LEAST_ITERATIONS, round(SHORT * most)))
    n_last = min(len(tries), max(2, round(GO_ON * len(tries))) + 1)
    progress.plan([len(tries) * short, n_last * most] if short < most else [len(tries) * most])
    rounds = [tried_all(tries, short)]
    if short < most and len(tries) > 1 and not progress.stopped:
        best = [each.settings for each in rounds[0].ranked() if each.problem is None]
        last = [own, *[each for each in best if each != own][: n_last - 1]]
        rounds.append(tried_all(last, most))
    rounds = [each for each in rounds if each.comparison.n_splits]
    if not rounds:
        raise ValueError("The search was ended before the first split was finished.")
    return _result(task, measure, fresh, own, rounds, progress.stopped)


class _Rounds:
    """The callback of both rounds: converts the progress of a round to that of the search."""

    def __init__(self, callback: Callable[[Step], None] | None) -> None:
        self.callback, self.stopped = callback, False
        self.shares: list[float] = [1.0]
        self.seconds, self.before, self.last = 0.0, 0.0, 0.0

    def plan(self, work: Sequence[float]) -> None:
        self.shares = [each / sum(work) for each in work]

    def __call__(self, step: Step) -> None:
        if self.callback is None:
            return
        if step.share < self.last:  # the next round begins
            self.before += self.shares.pop(0)
        self.last = step.share
        share = self.before + self.shares[0] * step.share
        try:
            self.callback(replace(step, name="", share=min(share, 1.0)))
        except StopIteration:
            self.stopped = True
            raise


@dataclass(frozen=True)
class _Round:
    settings: list[Settings]
    iterations: int
    comparison: Comparison
    measure: Measure

    def ranked(self) -> list[Tried]:
        """From best to worst; settings that failed are last."""
        found = [self._tried(at, each) for at, each in enumerate(self.settings)]
        loss = self.measure.loss(np.array([each.score for each in found]))
        return [found[at] for at in np.argsort(np.where(np.isnan(loss), np.inf, loss))]

    def _tried(self, at: int, settings: Settings) -> Tried:
        found = self.comparison
        means = {key: float(np.mean(each[:, at])) for key, each in found.values.items()}
        score = means.get(self.measure.key, np.nan)
        return Tried(
            settings,
            score,
            means.get("inside_95", np.nan),
            self.iterations,
            means["seconds"],
            "the training or a prediction failed" if np.isnan(score) else None,
        )


def _result(
    task: Task,
    measure: Measure,
    fresh: Any,
    own: Settings,
    rounds: list[_Round],
    stopped: bool,
) -> Choice:
    tried = tuple(each for one in reversed(rounds) for each in one.ranked())
    last, best = rounds[-1], rounds[-1].ranked()[0]
    if best.problem is not None:
        raise ValueError(
            "All trainings failed; fit the model itself to see why, or pass other candidates."
        )
    names = [str(last.settings.index(each)) for each in (best.settings, own)]
    gain = last.comparison.gain(measure, names[0], names[1])
    failed = sum(each.problem is not None for each in tried)
    notes = []
    if stopped:
        notes.append("The search was ended early, so fewer splits or only short trainings count.")
    if failed:
        notes.append(f"{plural(failed, 'combination')} failed and was left out.")
    model = _with(fresh, best.settings, int(fresh.get_params()["max_iter"]))
    return Choice(task, measure, model, best.settings, own, tried, gain, tuple(notes))


def _usual(capabilities: Any) -> Task:
    if capabilities.views:
        return "transfer"
    return "forecast" if capabilities.timed else "fill"


def _check(model: Any, data: Any, task: str) -> None:
    if task not in get_args(Task):
        raise ValueError(f"task must be one of {listed(list(get_args(Task)), 4)}; got {task!r}")
    can, views = model.capabilities, isinstance(data, Mapping)
    if getattr(model, "kinds", None) is not None:
        raise DataError("only settings for tables of numbers can be searched; got kinds")
    if views != bool(can.views):
        raise DataError("several views need ManifoldRelevance, and one table another model")
    if task == "transfer" and not views:
        raise DataError("task='transfer' predicts one view from others: pass a dict of views")
    if task in ("fill", "density") and views:
        raise DataError(f"task={task!r} needs one table; use 'transfer' for several views")
    if task == "density" and can.timed:
        raise DataError("rows over time depend on each other: use task='fill' or 'forecast'")
    missing = {"n_components", "n_inducing", "max_iter"} - set(model.get_params())
    if missing or not hasattr(model, "complete"):
        raise DataError("settings can be searched for Bayesian maps of one layer")


def _candidates(
    model: Any, data: Data, n_train: int, given: Sequence[Settings] | None, seed: int
) -> tuple[Settings, list[Settings]]:
    """The model's own settings, and all candidates; the own settings are the first."""
    known = model.get_params(deep=False)
    if given is not None:
        keys = dict.fromkeys(key for each in given for key in each)
        if unknown := [key for key in keys if key not in known]:
            raise ValueError(f"the model has no setting {unknown[0]!r}")
        own = {key: known[key] for key in keys}
        whole = [own, *(own | dict(each) for each in given)]
        return own, [each for at, each in enumerate(whole) if each not in whole[:at]]
    own = {key: known[key] for key in WORDS if key in known}
    columns = sum(each.shape[1] for each in data.views.values())
    most = min(columns, n_train - 1)
    grid = {
        "n_components": sorted({min(each, most) for each in (*COMPONENTS, own["n_components"])}),
        "n_inducing": sorted({min(each, n_train) for each in (*INDUCING, own["n_inducing"])}),
        "noise": ["shared", "per_output"],
        "scaling": ["global", "columns"],
    }
    every = list(ParameterGrid(grid))
    # With a noise of its own, the scale of a column matters little.
    every = [e for e in every if e["noise"] == "shared" or e["scaling"] == "global"]
    order = np.random.default_rng(seed).permutation(len(every))
    others = [every[at] for at in order if every[at] != own]
    return own, [own, *others[: N_CANDIDATES - 1]]


def _with(model: Any, settings: Settings, iterations: int) -> BaseEstimator:
    return ready(model).set_params(**settings, max_iter=iterations)


def in_words(settings: Settings) -> str:
    """Settings as a list, for sentences and tables."""
    words = {"per_output": "one per column", "columns": "each column its own", "global": "shared"}
    parts = []
    for key, value in settings.items():
        if key == "scaling" and settings.get("noise") == "per_output":
            continue
        if key in ("n_components", "n_inducing"):
            parts.append(f"{value} {WORDS[key]}")
        else:
            text = words.get(value, str(value)) if isinstance(value, str) else str(value)
            parts.append(f"{WORDS.get(key, key)}: {text}")
    return ", ".join(parts)
