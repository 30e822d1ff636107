"""Ask a trained graph about training rows that its map has not seen, to calibrate intervals.

Sequences are held out as a whole. The q(u) of the layers to data then follows from the other rows
(`with_rows`). However, kernels, noise and inducing inputs were trained on all rows.

In a state-space model, the mapping's q(u) follows from the other rows too. The transition was
trained on all rows, and the state from which a forecast begins was inferred with the rows that
follow it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float, Shaped

from gplvm_core.kernels import Kernel
from gplvm_core.numerics import AnyNDArray, Array
from gplvm_core.prediction.candidates import Report, part_of
from gplvm_core.prediction.forward import Moments, moments, with_priors
from gplvm_core.prediction.intervals import (
    GAPS,
    Asked,
    Part,
    Rows,
    Tries,
    away,
    error_in_spreads,
    hidden_in_time,
    in_order,
)
from gplvm_core.prediction.network import DATA, Network, Outputs, with_rows
from gplvm_core.prediction.paths import Continued, continued, forecast, smoother_of
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.sequence import FoundPath, infer_sequence, with_updated_mappings
from gplvm_core.prediction.states import FUTURES, futures, infer_states, outputs_of
from gplvm_core.priors.temporal import Path, Sites

# Forecasts are tried after these shares of every sequence, for up to MOST_AHEAD frames.
ORIGINS = (0.5, 0.75, 1.0)
MOST_AHEAD, SHARE_AHEAD = 20, 0.15


class EndedError(Exception):
    """The StopIteration of a report, which ends all of the work and not only one inference."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A trained graph with its training rows.

    outputs: the data in the user's units, by name. over_time: the kernel and the path of every node
    over time. times, sequences: the time and the sequence of every row. The last three are empty
    without nodes over time.
    """

    network: Network
    outputs: Outputs
    over_time: Mapping[int, tuple[Kernel, Path]]
    times: Float[Array, "N P"]
    sequences: Shaped[AnyNDArray, " N"]

    @property
    def spread(self) -> dict[str, Float[Array, " _D"]]:
        """The standard deviations of all columns, by name."""
        return {name: np.nanstd(own, axis=0) for name, own in self.outputs.items()}

    def without(self, aside: Rows) -> tuple[Network, Rows]:
        """The graph with a map of the other rows, and the numbers of the other rows."""
        others = np.setdiff1d(np.arange(self.network.beliefs[0].n_points), aside)
        whole = np.hstack([self.outputs[name] for name in self.network.ends])
        return with_rows(self.network, whole[others], others), others

    def of(self, rows: Rows) -> dict[str, Array]:
        return {name: own[rows] for name, own in self.outputs.items()}

    def new_path(self, rows: Rows) -> Continued:
        """The prior of rows as a new sequence, at all nodes over time, side by side."""
        empty, times = np.empty(0, dtype=np.intp), self.times[rows]
        return Continued.beside(
            [
                continued(kernel, self.times[empty], _only(path, empty), times)
                for kernel, path in self.over_time.values()
            ]
        )

    def try_gaps(
        self, part: Part, generator: np.random.Generator, tries: Tries, report: Report
    ) -> None:
        """Fill gaps of a new sequence: complete frames, and some columns of further frames."""
        network, _ = self.without(part.aside)
        truth, spread = self.of(part.asked), self.spread
        ends = np.cumsum([own.shape[1] for own in truth.values()])
        shape = (len(part.asked), int(ends[-1]))
        errors: dict[str, list[list[float]]] = {name: [] for name in truth}
        for number in range(GAPS):
            hidden = np.split(hidden_in_time(shape, generator), ends[:-1], axis=1)
            given = {
                name: np.where(gone, np.nan, own)
                for (name, own), gone in zip(truth.items(), hidden, strict=True)
            }
            for own in errors.values():
                own.append([])
            of_gap = part_of(report, number, GAPS)
            for adapted, filled in self.filled(network, given, part, of_gap):
                for name, (mean, variance) in filled.items():
                    gaps = np.isnan(given[name])
                    empty = gaps.all(axis=1)
                    asked = np.where(gaps, truth[name], np.nan)
                    error = away(mean, variance, asked, spread[name])
                    for what, rows in (("frames", empty), ("values", ~empty)):
                        tries.add(
                            Asked(what, name, adapted=adapted), error[rows], part.groups[rows]
                        )
                    errors[name][-1].append(error_in_spreads(mean, asked, spread[name]))
        for name, each in errors.items():
            tries.compare((Asked("frames", name), Asked("values", name)), each)

    def filled(
        self, network: Network, given: Outputs, part: Part, report: Report
    ) -> Iterator[tuple[bool, Moments]]:
        """Means and variances of all outputs of a new sequence with gaps, by name.

        The first are with fixed mappings, the second with updated mappings if the graph allows it.
        """
        for adapted, path, _ in self.paths(network, given, part, report):
            yield adapted, moments(path.network, path.beliefs, noise=True)

    def paths(
        self, network: Network, given: Outputs, part: Part, report: Report
    ) -> Iterator[tuple[bool, FoundPath, Continued]]:
        """Paths of a new sequence and their prior: with fixed, then with updated mappings.

        report is called at every step; raises EndedError if it raises StopIteration.
        """
        watches = [partial(_told, part_of(report, at, 2)) for at in range(2)]
        prior = self.new_path(part.asked)
        tops = tuple(self.over_time)
        fixed = infer_sequence(network, given, prior, tops=tops, callback=watches[0])
        yield False, fixed, prior
        if network.can_adapt:
            yield True, with_updated_mappings(network, given, prior, fixed, watches[1]), prior

    def try_forecasts(self, tries: Tries) -> None:
        """Forecast every training sequence from several origins."""
        spread = self.spread
        for origin in ORIGINS:
            series = in_order(self.sequences, self.times)
            splits = [_ahead(rows, origin) for rows in series.values()]
            splits = [(before, ahead) for before, ahead in splits if len(before) > 1 and len(ahead)]
            if not splits:
                continue
            network, _ = self.without(np.concatenate([ahead for _, ahead in splits]))
            for before, ahead in splits:
                found = self.forecasts(network, before, ahead)
                groups = np.full(len(ahead), f"{self.sequences[before[0]]} {origin}")
                for name, own in self.of(ahead).items():
                    error = away(*found[name], own, spread[name])
                    tries.add(Asked("forecast", name), error, groups)

    def forecasts(self, network: Network, before: Rows, ahead: Rows) -> Moments:
        """Means and variances of the outputs of rows that follow other rows, by name."""
        paths = {
            at: forecast(
                kernel, self.times[before], self._path_so_far(at, before), self.times[ahead]
            )
            for at, (kernel, _) in self.over_time.items()
        }
        return moments(network, with_priors(network, paths), noise=True)

    def _path_so_far(self, node: int, rows: Rows) -> Path:
        """The path of the first rows of a sequence, without the evidence of its later rows."""
        kernel, path = self.over_time[node]
        known = _only(path, rows)
        # The evidence of a row, exp(l x − ½ λ x²): l = μ̄ + λ m, as K⁻¹ m = μ̄ = l − λ m.
        linear = known.dual + known.precision * self.network.beliefs[node].mean[rows]
        empty = np.empty(0, dtype=np.intp)
        prior = continued(kernel, self.times[empty], _only(path, empty), self.times[rows])
        found = smoother_of(prior)(Sites(linear, known.precision)).belief
        return Path(linear - known.precision * found.mean, known.precision)


def _told(report: Report, step: int, bound: float) -> None:
    """Report a step of an inference, whose share of the work is unknown."""
    try:
        report(0.0)
    except StopIteration as stop:
        raise EndedError from stop


def _ahead(rows: Rows, origin: float) -> tuple[Rows, Rows]:
    """The rows of a sequence before an origin, and the rows to forecast."""
    ahead = max(1, min(MOST_AHEAD, round(SHARE_AHEAD * len(rows))))
    first = min(round(origin * len(rows)), len(rows) - ahead)
    return rows[:first], rows[first : first + ahead]


def _only(path: Path, rows: Rows) -> Path:
    return Path(path.dual[rows], path.precision[rows])


@dataclass(frozen=True, eq=False)
class HeldStates(HeldOut):
    """A trained state-space model with its training rows.

    transition: the posterior of g. step: the time between two states. weight: how much the rows
    count beside the transition.
    """

    transition: Posterior
    step: float
    weight: float

    def filled(
        self, network: Network, given: Outputs, part: Part, report: Report
    ) -> Iterator[tuple[bool, Moments]]:
        known = network.ends[DATA].posterior, self.transition
        steps = self._steps(part.asked, part.asked[0])
        inputs = *known, network.beliefs[0], given[DATA]
        watch = partial(_told, report)
        states, _ = infer_states(*inputs, steps=steps, weight=self.weight, callback=watch)
        yield False, moments(network, {0: states}, noise=True)

    def forecasts(self, network: Network, before: Rows, ahead: Rows) -> Moments:
        now = self.network.beliefs[0].rows(before[-1:])
        generator = np.random.default_rng(0)
        steps = self._steps(ahead, before[-1])
        drawn = futures(self.transition, now, int(steps[-1]), FUTURES, generator)[:, steps - 1]
        return {DATA: outputs_of(network.ends[DATA].posterior, drawn)}

    def _steps(self, rows: Rows, start: int) -> Rows:
        """The number of steps from a row to other rows."""
        apart = (self.times[rows, 0] - self.times[start, 0]) / self.step
        return np.round(apart).astype(np.intp)
