"""What a model is wanted for: how rows are held out, and how well a trained model predicts them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np
from jaxtyping import Float, Shaped
from numpy.typing import ArrayLike

from gplvm_core.comparison.placing import units
from gplvm_core.comparison.repeated import Rows, Split, fit_map, half_hidden, splits_of
from gplvm_core.models.data.timeline import checked_timeline
from gplvm_core.models.data.views import table_or_views
from gplvm_core.numerics import AnyNDArray, Array, BoolArray
from gplvm_core.prediction.derived import Recipe
from gplvm_core.prediction.intervals import Errors, in_order
from gplvm_core.readers import DataError
from gplvm_core.readers.checks import mixed_units

Scaling = Literal["global", "columns"]
Task = Literal["density", "fill", "transfer", "forecast"]
Timeline = dict[str, Any]
Predicted = tuple[str, tuple[Array, Array], Array, BoolArray]
GAUSSIANS, STRENGTH = 5, 10.0  # the density of the rows: components, and the prior's strength
AHEAD = 0.15  # fraction of a sequence that is forecast


@dataclass(frozen=True, eq=False)
class Data:
    """The values of one table (N × D), or of views by name, with the rows' times and sequences.

    scaling: "global" if the columns of a view share a unit, "columns" if not. times: None for a
    model without time.
    """

    values: Float[Array, "N D"] | Mapping[str, Float[Array, "N _D"]]
    scaling: Scaling = "global"
    times: Float[Array, "N P"] | None = None
    sequences: Shaped[AnyNDArray, " N"] | None = None

    @classmethod
    def checked(
        cls,
        values: Any,
        scaling: Scaling | None,
        times: ArrayLike | None,
        sequences: ArrayLike | None,
        timed: bool,
    ) -> Self:
        """Convert to arrays; raises DataError if the numbers of rows differ."""
        if scaling not in (None, *get_args(Scaling)):
            raise ValueError(f'scaling must be "global" or "columns"; got {scaling!r}')
        found = cls(table_or_views(values, "data"), scaling or "global")
        if scaling is None and any(map(_units_differ, found.views.values())):
            found = replace(found, scaling="columns")
        if not timed:
            return found
        when, which = checked_timeline(times, sequences, len(found))
        return replace(found, times=when, sequences=which)

    @property
    def usual_task(self) -> Task:
        """The task of a search by default. A single sequence cannot be held out as a whole."""
        if self.times is None or self.sequences is None:
            return "transfer" if self.several else "fill"
        return "transfer" if self.several and len(np.unique(self.sequences)) > 1 else "forecast"

    @property
    def several(self) -> bool:
        return isinstance(self.values, Mapping)

    def __len__(self) -> int:
        return len(next(iter(self.views.values())))

    @property
    def views(self) -> Mapping[str, Float[Array, "N _D"]]:
        return self.values if isinstance(self.values, Mapping) else {"": self.values}

    def of(self, rows: Rows) -> Any:
        if isinstance(self.values, Mapping):
            return {name: each[rows] for name, each in self.values.items()}
        return self.values[rows]

    def timeline(self, rows: Rows) -> dict[str, Any]:
        """The arguments `times` and `sequences` of `fit`; empty for a model without time."""
        if self.times is None or self.sequences is None:
            return {}
        return {"times": self.times[rows], "sequences": self.sequences[rows]}

    def train(self, model: Any, rows: Rows, callback: Any = None, *, derive: bool = False) -> Any:
        """Train a model on these rows; derive: also the density of the rows, without a search.

        As after a training in the app, the density fills all gaps.
        """
        values = self.of(rows)
        fit_map(model, values, callback=callback, **self.timeline(rows))
        if derive:
            gaussians = min(GAUSSIANS, max(1, len(rows) // 10))
            model.fit_density(values, recipe=Recipe(gaussians, STRENGTH, ()))
        return model

    def spread(self, name: str, rows: Rows) -> Float[Array, " D"]:
        """The unit of errors in each column of a view: its standard deviation in these rows.

        Columns that share a unit, such as pixels, have the root mean square of their standard
        deviations. Columns that are constant in these rows have 0.
        """
        own = self.views[name][rows]
        return np.where(np.nanstd(own, axis=0) > 0.0, units(own, self.scaling == "columns"), 0.0)


def _units_differ(rows: Float[Array, "N D"]) -> bool:
    return bool(mixed_units(rows, [str(at) for at in range(rows.shape[1])]))


def held_out(
    task: Task, data: Data, groups: Shaped[AnyNDArray, " N"] | None, cv: Any, seed: int
) -> list[Split]:
    """Return the training and test rows of each split.

    Forecasts hold out a part of every sequence and train on the frames before it. Other tasks hold
    out whole groups if there are groups, or single rows.
    """
    from sklearn.model_selection import GroupKFold

    if task == "forecast":
        return splits_of(_ends(data, cv), len(data), seed)
    if groups is None and data.sequences is not None:
        groups = data.sequences
    if groups is None:
        return splits_of(cv, len(data), seed)
    count = len(np.unique(groups))
    if count < 2:
        raise DataError(
            "all rows belong to one group or sequence, so none can be held out as a whole: pass "
            "at least two, or choose task='forecast'"
        )
    if isinstance(cv, int):
        cv = GroupKFold(min(cv, count), shuffle=True, random_state=seed)
    return splits_of(list(cv.split(np.empty((len(data), 1)), None, groups)), len(data), seed)


def _ends(data: Data, cv: Any) -> list[Split]:
    """Splits for forecasts: the k-th ends k horizons before the end of every sequence."""
    if not isinstance(cv, int):
        raise ValueError("for forecasts, cv must be a number of splits")
    if data.times is None or data.sequences is None:
        raise DataError("forecasts need a model over time: set time_kernel, or pick another task")
    splits = []
    for back in range(cv, 0, -1):
        before, ahead = [], []
        for rows in in_order(data.sequences, data.times).values():
            horizon = max(1, round(AHEAD * len(rows) / cv))
            end = max(len(rows) - back * horizon, 0)
            before.append(rows[:end])
            ahead.append(rows[end : end + horizon] if end > 1 else rows[:0])
        splits.append((np.concatenate(before), np.concatenate(ahead)))
    return splits


@dataclass(frozen=True)
class Judge:
    """Judges a trained model on the held-out rows of a split (`compare`'s judge).

    The score "crps" is the continuous ranked probability score of Gaussian predictions, in units of
    the data's spread (`Data.spread`). It is an absolute error that also punishes intervals that are
    too wide or too narrow. Source: Gneiting & Raftery (2007), eq. 21. to: the view whose
    predictions count; None: all views.
    """

    task: Task
    data: Data
    seed: int
    to: str | None = None

    def __call__(self, model: Any, split: Split, at: int) -> dict[str, float]:
        if self.task == "density":
            derived = getattr(model, "density_", None) is not None
            how = {"method": "density"} if derived else {}
            density = model.score_samples(self.data.of(split[1]), **how)
            return {"density": float(np.mean(density))}
        train, test = split
        # Every model gets the same hidden values.
        generator = np.random.default_rng([self.seed, at])
        found = [
            Errors.of(mean, std, truth, self.data.spread(name, train), judged=hidden)
            for rows, timeline in self._parts(test)
            for name, (mean, std), truth, hidden in getattr(self, f"_{self.task}")(
                model, rows, timeline, generator
            )
        ]
        if not any(len(each.error) for each in found):
            raise ValueError("no value of the held-out rows could be predicted and compared")
        errors = Errors.joined(found)
        return {"crps": float(np.mean(errors.scores())), "inside_95": errors.inside()}

    # For each view of some test rows: its name, mean and standard deviation, the true values, and
    # which of them were hidden.

    def _fill(
        self, model: Any, rows: Rows, timeline: Timeline, generator: np.random.Generator
    ) -> Iterator[Predicted]:
        truth = self.data.of(rows)
        hidden = half_hidden(~np.isnan(truth), generator)
        given = np.where(hidden, np.nan, truth)
        yield "", model.complete(given, return_std=True, **timeline), truth, hidden

    def _transfer(
        self, model: Any, rows: Rows, timeline: Timeline, _: np.random.Generator
    ) -> Iterator[Predicted]:
        whole = self.data.of(rows)
        for name in self._judged():
            others = {other: each for other, each in whole.items() if other != name}
            # Without times, a row is predicted only if it has a value in another view.
            seen = np.any([~np.isnan(each).all(axis=1) for each in others.values()], axis=0)
            asked = np.flatnonzero(seen | bool(timeline))
            if len(asked):
                given = {other: each[asked] for other, each in others.items()}
                found = model.transfer(given, name, return_std=True, **timeline)
                yield name, found, whole[name][asked], ~np.isnan(whole[name][asked])

    def _forecast(
        self, model: Any, rows: Rows, timeline: Timeline, _: np.random.Generator
    ) -> Iterator[Predicted]:
        assert self.data.sequences is not None
        label = self.data.sequences[rows[0]]
        for name in self._judged():
            own, truth = model.of_view(name) if name else model, self.data.views[name][rows]
            found = own.forecast(timeline["times"], sequence=label, return_std=True)
            yield name, found, truth, ~np.isnan(truth)

    def _judged(self) -> list[str]:
        """The names of the views whose predictions count."""
        return list(self.data.views) if self.to is None else [self.to]

    def _parts(self, test: Rows) -> list[tuple[Rows, Timeline]]:
        """The test rows of each sequence, with their times; all rows for a model without time."""
        if self.data.times is None or self.data.sequences is None:
            return [(test, {})]
        labels = self.data.sequences[test]
        parts = [test[labels == label] for label in np.unique(labels)]
        return [(rows, {"times": self.data.times[rows]}) for rows in parts]
