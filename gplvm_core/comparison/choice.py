"""Choose the settings of a model by held-out rows, for the task that the model is wanted for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, get_args

import numpy as np
from jaxtyping import Shaped
from numpy.typing import ArrayLike

from gplvm_core.comparison.measures import Measure
from gplvm_core.comparison.repeated import Contender, Split, repeated
from gplvm_core.comparison.result import Comparison, Difference
from gplvm_core.comparison.settings import Settings, candidates_for, in_words
from gplvm_core.comparison.tasks import Data, Judge, Scaling, Task, held_out
from gplvm_core.models.data.views import check_name
from gplvm_core.models.estimators.second_stage import ready
from gplvm_core.models.training.watched import Step
from gplvm_core.numerics import AnyNDArray
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import listed, plural
from gplvm_core.readers.frames import taken

# The first round trains with this share of the iterations; this share of the candidates goes on.
SHORT, GO_ON = 0.25, 0.25
LEAST_ITERATIONS = 40
MOST_DERIVED = 500  # largest number of columns for which the density of the rows is derived
DENSITY = Measure("density", "log-probability of a held-out row", "In nats.", "more")
ERROR = Measure("crps", "error of held-out values", "A share of the data's spread.", "less")


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
    """The settings that predict held-out rows clearly best, and everything that was tried.

    measure: the score. model: the given model with the chosen settings, not fitted. settings: the
    chosen settings. own: the settings of the given model. tried: the tries of the last round, then
    those of the first round, each from best to worst. gain: how much better the chosen settings
    are than the given ones; NaN if the given ones failed. to: the view whose predictions counted.
    """

    task: Task
    measure: Measure
    model: Any
    settings: Settings
    own: Settings
    tried: tuple[Tried, ...]
    gain: Difference
    notes: tuple[str, ...] = ()
    to: str | None = None

    def sentence(self) -> str:
        """Say what was chosen, and how much better it is than the given settings."""
        if self.settings == self.own:
            count = len({in_words(each.settings) for each in self.tried})
            return (
                f"No other settings were clearly better: {in_words(self.own)}. "
                f"{plural(count, 'combination')} {'was' if count == 1 else 'were'} tried."
            )
        own, best = self.of(self.own), self.of(self.settings)
        words = (
            f"Best: {in_words(self.settings)}. The {self.measure.words} is "
            f"{self.measure.in_words(best.score)}; with {in_words(self.own)}"
        )
        if own.problem is not None:
            return f"{words} the training failed: {own.problem}"
        sure = "" if self.gain.sure else " The difference may be chance."
        return f"{words}: {self.measure.in_words(own.score)}.{sure}"

    def of(self, settings: Settings) -> Tried:
        """Return the last try of some settings."""
        return next(each for each in self.tried if each.settings == settings)


def choose(
    model: Any,
    data: ArrayLike | Mapping[str, ArrayLike],
    task: Task | None = None,
    *,
    to: str | None = None,
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
    and the given settings are then trained with all iterations. Every training has one start. The
    bound on the training rows cannot choose these settings: it grows with the model even where
    held-out sequences are predicted worse. If the best settings gain at most one standard error
    over the splits, the given settings are chosen; if whole sequences or groups are held out, also
    if their gain is not significant (t test, 95 %). Gaps are filled as in the app, by the density
    of the rows; tables of more than 500 columns are filled by the map alone, and a note says so.

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
        otherwise "fill". A single sequence cannot be held out, so its default is "forecast".
    to : str, optional
        The name of the view that matters: only predictions of this view count ("transfer" and
        "forecast" with several views). By default all views count.
    times, sequences : array_like, optional
        For a model over time, as in `fit`. Other models use sequences only as groups.
    groups : array_like of shape (N,), optional
        Rows with the same label depend on each other, and are held out together; by default the
        sequences.
    candidates : sequence of dict, optional
        Settings to try, without max_iter and random_state, which the search sets itself. By default
        twelve combinations of the number of dimensions and of inducing points, the noise (with at
        most four views also one noise per column in a single view), the scaling and, for views over
        time, their weights. The combinations include the given settings.
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
        If the task or a setting is unknown, if all candidates failed, or if the search was ended
        before the first split.
    """
    timed = bool(model.capabilities.timed)
    _check_model(model, isinstance(taken(data), Mapping))
    rows = Data.checked(data, scaling, times, sequences, timed)
    task = task or rows.usual_task
    _check_task(task, rows, to)
    known = _labels(sequences if groups is None else groups, len(rows))
    splits = held_out(task, rows, known, cv, random_state)
    columns, notes = sum(each.shape[1] for each in rows.views.values()), []
    by_density = task in ("density", "fill") and not timed
    if by_density and columns > MOST_DERIVED:
        by_density = False
        notes.append(f"The table has more than {MOST_DERIVED} columns, so only the map was judged.")
    fresh = ready(model)
    own, tries = candidates_for(
        fresh,
        columns,
        min(len(train) for train, _ in splits),
        candidates,
        random_state,
        views=tuple(rows.views) if rows.several else (),
        differ=rows.scaling == "columns",
    )
    search = _Search(
        model=fresh,
        own=own,
        train=partial(rows.train, derive=by_density),
        judge=Judge(task, rows, random_state, to),
        splits=splits,
        seed=random_state,
        measure=DENSITY if task == "density" else ERROR,
        callback=callback,
    )
    rounds = search.rounds(tries)
    if not rounds:
        raise ValueError("The search was ended before the first split was finished.")
    if search.stopped:
        notes.append("The search was ended early, so fewer splits or only short trainings count.")
    whole = known is not None and task != "forecast"  # forecasts hold out the ends of sequences
    return replace(_result(task, fresh, own, rounds, notes, grouped=whole), to=to)


@dataclass(eq=False, kw_only=True)
class _Search:
    """A search in two rounds, of which the first has short trainings; also its own callback.

    own: the settings of the unfitted model. train, judge: see `repeated`. before, share: the shares
    of the work of the earlier rounds, and of this round.
    """

    model: Any
    own: Settings
    train: Callable[..., Any]
    judge: Judge
    splits: list[Split]
    seed: int
    measure: Measure
    callback: Callable[[Step], None] | None
    before: float = 0.0
    share: float = 1.0
    stopped: bool = False

    def rounds(self, tries: list[Settings]) -> list["_Round"]:
        """The rounds that have a finished split."""
        most = int(self.model.get_params()["max_iter"])
        short = min(most, max(LEAST_ITERATIONS, round(SHORT * most)))
        n_last = min(len(tries), max(2, round(GO_ON * len(tries))) + 1)
        two_rounds = short < most and len(tries) > 1
        if two_rounds:
            self.share = len(tries) * short / (len(tries) * short + n_last * most)
        found = [self._round(tries, short)]
        if two_rounds and not self.stopped:
            self.before, self.share = self.share, 1.0 - self.share
            best = [each.settings for each in found[0].ranked() if each.problem is None]
            others = [each for each in best if each != self.own][: n_last - 1]
            found.append(self._round([self.own, *others], most))
        return [each for each in found if each.comparison.n_splits]

    def _round(self, tries: list[Settings], iterations: int) -> "_Round":
        single = {"n_restarts": 1} if "n_restarts" in self.model.get_params() else {}
        fixed, failed = {"max_iter": iterations}, dict[str, str]()
        contenders = [
            Contender(str(at), ready(self.model).set_params(**single | self.own | these | fixed))
            for at, these in enumerate(tries)
        ]
        found = repeated(
            contenders,
            self.splits,
            self.train,
            self.judge,
            random_state=self.seed,
            callback=self,
            failed=failed,
        )
        return _Round(tries, iterations, found, self.measure, failed)

    def __call__(self, step: Step) -> None:
        """Convert the progress of a round to that of the search."""
        share = min(self.before + self.share * step.share, 1.0)
        try:
            if self.callback is not None:
                self.callback(replace(step, name="", share=share))
        except StopIteration:
            self.stopped = True
            raise


@dataclass(frozen=True)
class _Round:
    """The result of a round. failed: the first errors of candidates, by their numbers."""

    settings: list[Settings]
    iterations: int
    comparison: Comparison
    measure: Measure
    failed: dict[str, str]

    def ranked(self) -> list[Tried]:
        """Return all tries from best to worst; settings that failed are last."""
        found = [self._tried(at, each) for at, each in enumerate(self.settings)]
        loss = self.measure.loss(np.array([each.score for each in found]))
        return [found[at] for at in np.argsort(np.where(np.isnan(loss), np.inf, loss))]

    def _tried(self, at: int, settings: Settings) -> Tried:
        values = self.comparison.values
        means = {key: float(np.mean(each[:, at])) for key, each in values.items()}
        score, inside = (means.get(key, np.nan) for key in (self.measure.key, "inside_95"))
        problem = self.failed.get(str(at))
        return Tried(settings, score, inside, self.iterations, means["seconds"], problem)


def _result(
    task: Task,
    fresh: Any,
    own: Settings,
    rounds: list[_Round],
    notes: list[str],
    *,
    grouped: bool,
) -> Choice:
    tried = tuple(each for one in reversed(rounds) for each in one.ranked())
    last, best = rounds[-1], rounds[-1].ranked()[0]
    if best.problem is not None:
        raise ValueError(f"All trainings failed, the first with: {best.problem}")
    gain = _gain(last, best.settings, own)
    # A small gain over few splits keeps the given settings. Whole sequences differ more than rows,
    # so only a significant gain counts for them (`benchmarks/README.md`).
    compared, one = np.isfinite(gain.mean), not np.isfinite(gain.error)
    clear = gain.sure if grouped else one or gain.mean > gain.error
    if best.settings != own and compared and not clear:
        words = (
            f"better by {gain.mean:.2g}, but only in the one split that was finished."
            if one
            else f"better by only {gain.unsigned} (mean and standard error)."
        )
        others = in_words(best.settings)
        notes = [*notes, f"The given settings are kept: others ({others}) are {words}"]
        best, gain = next(e for e in tried if e.settings == own), _gain(last, own, own)
    failed = {in_words(each.settings) for each in tried if each.problem is not None}
    if failed:
        left_out = "was" if len(failed) == 1 else "were"
        notes = [*notes, f"{plural(len(failed), 'combination')} failed and {left_out} left out."]
    chosen = ready(fresh).set_params(**best.settings)
    return Choice(task, last.measure, chosen, best.settings, own, tried, gain, tuple(notes))


def _gain(last: _Round, settings: Settings, own: Settings) -> Difference:
    better, given = (str(last.settings.index(each)) for each in (settings, own))
    return last.comparison.gain(last.measure, better, given)


def _check_model(model: Any, several: bool) -> None:
    if getattr(model, "kinds", None) is not None:
        raise DataError("only settings for tables of numbers can be searched; got kinds")
    if several != bool(model.capabilities.views):
        raise DataError("several views need ManifoldRelevance, and one table another model")
    missing = {"n_components", "n_inducing", "noise", "max_iter"} - set(model.get_params())
    if missing or not hasattr(model, "complete"):
        raise DataError("settings can be searched for Bayesian maps of one layer")


def _labels(given: ArrayLike | None, count: int) -> Shaped[AnyNDArray, " N"] | None:
    """The labels of rows that are held out together."""
    known = None if given is None else np.asarray(given)
    if known is not None and known.shape != (count,):
        raise DataError(
            f"groups and sequences need one label for each of the {plural(count, 'row')}; "
            f"got shape {known.shape}"
        )
    return known


def _check_task(task: str, data: Data, to: str | None) -> None:
    if task not in get_args(Task):
        raise ValueError(f"task must be one of {listed(list(get_args(Task)), 4)}; got {task!r}")
    if task == "transfer" and not data.several:
        raise DataError("task='transfer' predicts one view from others: pass a dict of views")
    if task in ("fill", "density") and data.several:
        raise DataError(f"task={task!r} needs one table; use 'transfer' for several views")
    if task == "density" and data.times is not None:
        raise DataError("rows over time depend on each other: use task='fill' or 'forecast'")
    if to is not None and not data.several:
        raise DataError("to names one of several views: leave it out for one table")
    if to is not None:
        check_name(to, tuple(data.views))
