"""The models that the form of Train offers."""

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

from gplvm_core import (
    GPLVM,
    BayesianGPLVM,
    BayesianPCA,
    DeepGPLVM,
    DeepManifoldRelevance,
    DynamicalGPLVM,
    ManifoldRelevance,
    ProbabilisticPCA,
    StateSpaceGPLVM,
)
from gplvm_core.datasets import Dataset
from gplvm_core.models.data.timeline import checked_even_times, checked_timeline
from gplvm_core.models.problems.state_space import MOST_APART
from gplvm_core.readers import DataError
from gplvm_core.readers.rows.table import TableDataset


@dataclass(frozen=True)
class Choice:
    """An offered model: its scientific name, a one-line description, and its estimator.

    deeper: the deep version of the estimator, if there is one.
    """

    title: str
    line: str
    estimator: type
    deeper: type | None = None

    @property
    def needs_times(self) -> bool:
        return bool(self.estimator().capabilities.timed)

    @property
    def needs_views(self) -> bool:
        return bool(self.estimator().capabilities.views)

    @property
    def has_noises(self) -> bool:
        """Whether outputs may have their own noise; impossible if all rows are inducing inputs."""
        known = inspect.signature(self.estimator).parameters
        whole = "n_inducing" in known and known["n_inducing"].default is None
        return "noise" in known and not whole

    def suits(self, dataset: Dataset) -> bool:
        """Return whether the model supports the data, and can read them in parts if necessary."""
        if isinstance(dataset, TableDataset):
            return self.estimator is BayesianGPLVM
        if dataset.kinds is not None:
            learns = ManifoldRelevance if dataset.views else BayesianGPLVM
            if not issubclass(self.estimator, learns):
                return False
        has_times, has_views = dataset.times is not None, len(dataset.views) > 1
        if self.estimator is StateSpaceGPLVM and not in_equal_steps(dataset):
            return False
        return (has_times or not self.needs_times) and (has_views or not self.needs_views)


def unfilled_gap(choice: Choice, dataset: Dataset) -> str:
    """Say that a state-space model leaves the longest gap open; "" if it fills every gap."""
    if choice.estimator is not StateSpaceGPLVM or dataset.times is None:
        return ""
    longest, sequences = 0.0, dataset.sequences
    known = np.zeros(dataset.n_points, dtype=int) if sequences is None else sequences
    for label in np.unique(known):
        steps = np.diff(np.sort(dataset.times[known == label]))
        if len(steps):
            longest = max(longest, float(steps.max() / np.median(steps)))
    if longest < MOST_APART + 0.5:
        return ""
    return (
        f"This model does not fill the gap of {longest - 1.0:.0f} steps: it links rows that are at "
        f"most {MOST_APART} steps apart. A dynamical GP-LVM fills it."
    )


def in_equal_steps(dataset: Dataset) -> bool:
    """Return whether the rows of every sequence are equally spaced, apart from missing rows."""
    if dataset.times is None:
        return False
    try:
        checked_even_times(*checked_timeline(dataset.times, dataset.sequences, dataset.n_points))
    except DataError:
        return False
    return True


CHOICES: tuple[Choice, ...] = (
    Choice(
        "Views (manifold relevance)",
        "One map for all views; finds which dimensions are shared and which belong to one view.",
        ManifoldRelevance,
        DeepManifoldRelevance,
    ),
    Choice(
        "Bayesian GP-LVM",
        "A curved map with uncertainty; finds how many dimensions the data need.",
        BayesianGPLVM,
        DeepGPLVM,
    ),
    Choice(
        "Dynamical GP-LVM",
        "A curved map for rows that follow each other in time: each sequence is a path.",
        DynamicalGPLVM,
        DeepGPLVM,
    ),
    Choice(
        "State-space GP-LVM",
        "Like the dynamical GP-LVM, but learns the rule that leads from one row to the next: for "
        "forecasts of things that swing or repeat.",
        StateSpaceGPLVM,
    ),
    Choice(
        "GP-LVM",
        "A curved map with one fitted position per row; every dimension stays in use.",
        GPLVM,
    ),
    Choice(
        "Bayesian PCA",
        "A straight map that switches off unneeded dimensions.",
        BayesianPCA,
    ),
    Choice(
        "Probabilistic PCA",
        "A straight map that is solved immediately: the baseline for comparison.",
        ProbabilisticPCA,
    ),
)


def offered_for(dataset: Dataset, *, series: bool) -> list[Choice]:
    """Return the models that suit the data; series: only those that continue a series, if any.

    A model of views has a prior over time if the data have times.
    """
    offered = [choice for choice in CHOICES if choice.suits(dataset)]
    timed = [each for each in offered if each.needs_times or each.needs_views]
    return timed if series and dataset.times is not None and timed else offered


def quicker_for(model: Any, dataset: Dataset) -> list[Any]:
    """Return the other models of one layer that suit the data, not fitted, the likest first."""
    given = {"kinds": dataset.kinds} if dataset.kinds is not None else {}
    others = [choice for choice in CHOICES if choice.suits(dataset)]
    others.sort(key=lambda choice: choice.deeper is not type(model))
    return [choice.estimator(**given) for choice in others if choice.estimator is not type(model)]
