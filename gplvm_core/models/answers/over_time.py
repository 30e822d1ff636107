"""The training rows over time: on paths with a kernel, or as states that follow a rule.

Both answer the same questions: the latent points and the data at other times, the points of new
rows in time, and new sequences.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped
from numpy.typing import ArrayLike

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.timeline import (
    CALENDAR,
    EXACT,
    UNEVEN,
    checked_even_times,
    checked_times,
    rows_of_sequence,
    steps_after,
)
from gplvm_core.numerics import AnyNDArray, Array, BoolArray, IntArray
from gplvm_core.prediction import DATA, Network, Posterior
from gplvm_core.prediction.forward import Moments, with_priors
from gplvm_core.prediction.held_out import HeldOut, HeldStates
from gplvm_core.prediction.network import Outputs
from gplvm_core.prediction.paths import MOST_STEPS, Continued, StepCallback, continued, forecast
from gplvm_core.prediction.project import Inputs
from gplvm_core.prediction.sequence import FoundPath, infer_sequence, sample_paths
from gplvm_core.prediction.states import FUTURES, MissingStates, futures, infer_states, outputs_of
from gplvm_core.priors.temporal import Path
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import plural

NO_TIME = "the model was trained without a kernel over time: it has no sequences"
Drawn = tuple[Float[Array, "S n Q"], dict[str, Float[Array, "S n _D"]]]


@dataclass(frozen=True, eq=False)
class Paths:
    """Latent paths: the kernel and the training rows' path of every node over time."""

    network: Network
    nodes: Mapping[int, tuple[Kernel, Path]]
    times: Float[Array, "N P"]
    sequences: Shaped[AnyNDArray, " N"]

    def at_nodes(self, times: ArrayLike, sequence: Any) -> dict[int, Belief]:
        """The paths at new times of a trained sequence, by node."""
        rows = rows_of_sequence(self.sequences, sequence)
        known = self._so_far(checked_times(times, None), rows)
        return {at: forecast(*own) for at, own in known.items()}

    def latent(self, times: ArrayLike, sequence: Any) -> tuple[Array, Array]:
        """Means and variances of the path at new times of a trained sequence."""
        found = self.at_nodes(times, sequence)[0]
        return found.mean, found.variance

    def moments(self, times: ArrayLike, sequence: Any) -> Moments:
        """Means and variances of the data, with noise, at new times of a trained sequence."""
        given = with_priors(self.network, self.at_nodes(times, sequence))
        return prediction.moments(self.network, given, noise=True)

    def continued(self, times: ArrayLike, count: int | None, sequence: Any) -> Continued:
        """The prior of `count` new rows at all nodes over time, side by side.

        The rows continue a trained sequence. If `sequence` is None, they are a new sequence.
        """
        rows = np.empty(0, dtype=np.intp)
        if sequence is not None:
            rows = rows_of_sequence(self.sequences, sequence)
        known = self._so_far(checked_times(times, count), rows)
        return Continued.beside([continued(*own) for own in known.values()])

    def infer(
        self,
        outputs: Outputs,
        prior: Continued,
        callback: StepCallback | None = None,
        *,
        inputs: Inputs | None = None,
        adapt: bool = False,
    ) -> FoundPath:
        """q(x) of the rows of one sequence (`infer_sequence`); warns if it has not converged."""
        network = self.network
        if adapt and len(network.nodes) > 1:
            raise ValueError("adapt=True is only for models of one layer: leave adapt out")
        if adapt and not network.can_adapt:
            raise ValueError(
                "adapt=True needs a table of numbers without known errors or known factors: leave "
                "adapt out"
            )
        tops = tuple(self.nodes)
        path = infer_sequence(
            network, outputs, prior, tops=tops, inputs=inputs, callback=callback, adapt=adapt
        )
        _warn_if_moving(path, len(prior.mean))
        return path

    def of_rows(
        self,
        outputs: Array,
        times: ArrayLike,
        sequence: Any,
        callback: StepCallback | None = None,
        *,
        coupled: bool = True,
        adapt: bool = False,
        inputs: Inputs | None = None,
    ) -> FoundPath:
        """q(x) of the rows of a table in time; inputs: their known factors."""
        prior = self.continued(times, len(outputs), sequence)
        prior = prior if coupled else prior.independent
        return self.infer({DATA: outputs}, prior, callback, inputs=inputs, adapt=adapt)

    def draw(self, times: ArrayLike, n_samples: int, generator: Any) -> Drawn:
        """Draw new sequences: paths from the prior over time, and the data without noise."""
        prior = self.continued(times, None, None)
        return sample_paths(self.network, prior, n_samples, generator, tuple(self.nodes))

    def held(self, outputs: Outputs) -> HeldOut:
        """The graph with its training rows, to ask about rows that its map has not seen."""
        return HeldOut(self.network, outputs, self.nodes, self.times, self.sequences)

    def _so_far(
        self, times: Float[Array, "n P"], rows: Int[IntArray, " r"]
    ) -> dict[int, tuple[Kernel, Array, Path, Array]]:
        """For each node over time: the kernel, the training rows' times and path, the new times."""
        if times.shape[1] != self.times.shape[1]:
            raise DataError(
                f"times have {plural(times.shape[1], 'column')}, but the model was trained with "
                f"{self.times.shape[1]}"
            )
        return {
            at: (kernel, self.times[rows], Path(path.dual[rows], path.precision[rows]), times)
            for at, (kernel, path) in self.nodes.items()
        }


@dataclass(frozen=True, eq=False)
class States:
    """States that follow a rule: the transition's posterior, and the training rows' times.

    missing: the states at times of trained sequences that have no row. weight: how much the rows
    count beside the transition.
    """

    network: Network
    transition: Posterior
    times: Float[Array, "N 1"]
    sequences: Shaped[AnyNDArray, " N"]
    missing: MissingStates | None
    weight: float

    @property
    def states(self) -> Belief:
        """The states of the training rows."""
        return self.network.beliefs[0]

    @property
    def mapping(self) -> Posterior:
        """The layer from states to the data."""
        return self.network.ends[DATA].posterior

    @property
    def step(self) -> float:
        """The time between two states."""
        return checked_even_times(self.times, self.sequences)

    @property
    def near(self) -> float:
        """The largest fraction of a step by which times may differ from whole steps."""
        each = [self.times[self.sequences == name, 0] for name in np.unique(self.sequences)]
        gaps = np.concatenate([np.diff(np.unique(own)) for own in each]) / self.step
        # Leap days add up over many years.
        return CALENDAR if np.any(np.abs(gaps - np.round(gaps)) > EXACT) else UNEVEN

    def latent(self, times: ArrayLike, sequence: Any) -> tuple[Array, Array]:
        """Means and variances of the states at the times of a trained sequence, or later."""
        return self._at(times, sequence, lambda drawn: (drawn.mean(axis=0), drawn.var(axis=0)))

    def moments(self, times: ArrayLike, sequence: Any) -> Moments:
        """Means and variances of the data, with noise; later ones average over futures."""
        found = self._at(
            times,
            sequence,
            lambda drawn: outputs_of(self.mapping, drawn),
            lambda states: prediction.moments(self.network, {0: states}, noise=True)[DATA],
        )
        return {DATA: found}

    def futures(
        self, times: ArrayLike, n_samples: int, sequence: Any, generator: np.random.Generator
    ) -> Float[Array, "S n D"]:
        """Draw the data at later times of a trained sequence, with noise."""
        rows, steps = self._steps(times, sequence)
        if (steps <= 0).any():
            raise DataError("every time must be later than the last time of the sequence")
        drawn = self._futures(rows, int(steps.max()), n_samples, generator)[:, steps - 1]
        return np.array([prediction.sample(self.mapping, at, 1, generator)[0] for at in drawn])

    def of_rows(
        self,
        outputs: Array,
        times: ArrayLike,
        sequence: Any,
        callback: StepCallback | None = None,
        *,
        coupled: bool = True,
        adapt: bool = False,
    ) -> FoundPath:
        """q(x) of the states of rows in time."""
        if adapt or not coupled:
            raise ValueError("a state-space model has neither adapt=True nor coupled=False")
        before, when = None, checked_times(times, len(outputs))
        # A row without a value may be some days off its step, as in calendars.
        seen = ~np.isnan(outputs).all(axis=1)
        even = when[seen] if seen.any() else when
        step = checked_even_times(even, np.zeros(len(even)), least=1)
        steps = steps_after(when[:, 0], even.min(), step)[0]
        steps = steps - steps.min()
        if len(np.unique(steps)) < len(steps):
            raise DataError("two rows of a sequence are less than half a step apart: leave out one")
        if sequence is not None:
            rows, steps = self._steps(when, sequence)
            if steps.min() < 1:
                raise DataError("all rows must follow the last row of the sequence")
            before, steps = self.states.rows(rows[-1:]), steps - 1
        known = self.mapping, self.transition, self.states
        states, ending = infer_states(
            *known, outputs, before, callback, steps=steps, weight=self.weight
        )
        path = FoundPath(self.network, {0: states}, ending)
        _warn_if_moving(path, len(outputs))
        return path

    def draw(self, times: ArrayLike, n_samples: int, generator: Any) -> Drawn:
        """Draw new sequences, which begin at the states of random training rows."""
        count, generator = len(checked_times(times, None)), np.random.default_rng(generator)
        rows = generator.integers(self.states.n_points, size=n_samples)
        begin = self.states.rows(rows)
        first = begin.mean + np.sqrt(begin.variance) * generator.standard_normal(begin.mean.shape)
        later = futures(self.transition, Belief.certain(first), count - 1, n_samples, generator)
        states = np.concatenate([first[:, None], later], axis=1)
        drawn = [prediction.sample(self.mapping, at, 1, generator, noise=False)[0] for at in states]
        return states, {DATA: np.array(drawn)}

    def held(self, outputs: Outputs) -> HeldOut:
        """The graph with its training rows, to ask about rows that its map has not seen."""
        known = self.transition, self.step, self.weight
        return HeldStates(self.network, outputs, {}, self.times, self.sequences, *known)

    def _steps(
        self, times: ArrayLike, sequence: Any
    ) -> tuple[Int[IntArray, " r"], Int[IntArray, " n"]]:
        """The rows of a sequence in time, and the steps from its last row to each time (≤ 0: a
        training row).
        """
        rows = rows_of_sequence(self.sequences, sequence)
        rows = rows[np.argsort(self.times[rows, 0], kind="stable")]
        new, known = checked_times(times, None)[:, 0], self.times[rows, 0]
        steps, whole = steps_after(new, known[-1], self.step, self.near)
        odd = ~whole | ((steps <= 0) & ~np.isin(steps, self._known(rows)[0]))
        if odd.any():
            raise DataError(
                f"a state-space model has states only at the times of training, in short gaps "
                f"between them, and at whole steps after them; got the time {new[odd][0]:g}"
            )
        return rows, steps

    def _known(self, rows: Int[IntArray, " r"]) -> tuple[Int[IntArray, " s"], Belief]:
        """The steps (≤ 0) from the last of a sequence's rows to each of its states, in order, and
        the states.
        """
        times, states = self.times[rows, 0], self.states.rows(rows)
        end = times[-1]
        if self.missing is not None:
            more, others = self.missing.of(self.sequences[rows[0]])
            times = np.append(times, more)
            states = states.followed_by(others)
        steps = steps_after(times, end, self.step)[0]
        order = np.argsort(steps)
        return steps[order], states.rows(order)

    def _futures(
        self, rows: Int[IntArray, " r"], steps: int, n_samples: int, generator: np.random.Generator
    ) -> Float[Array, "S n Q"]:
        """States after the last of these rows."""
        return futures(self.transition, self.states.rows(rows[-1:]), steps, n_samples, generator)

    def _at(
        self,
        times: ArrayLike,
        sequence: Any,
        of_futures: Callable[[Array], tuple[Array, Array]],
        of_states: Callable[[Belief], tuple[Array, Array]] = lambda at: (at.mean, at.variance),
    ) -> tuple[Array, Array]:
        """Means and variances at times: of trained states, and of sampled futures."""
        rows, steps = self._steps(times, sequence)
        later, (known, states) = steps > 0, self._known(rows)
        own = np.searchsorted(known, np.minimum(steps, 0))
        mean, variance = of_states(states.rows(own))
        if later.any():
            generator = np.random.default_rng(0)
            drawn = self._futures(rows, int(steps.max()), FUTURES, generator)
            mean[later], variance[later] = of_futures(drawn[:, steps[later] - 1])
        return mean, variance


def outside(over: Paths | States, times: ArrayLike, sequence: Any) -> Bool[BoolArray, " n"]:
    """Whether each of the times is before or after all times of a trained sequence."""
    known = over.times[rows_of_sequence(over.sequences, sequence)]
    new = checked_times(times, None)
    return np.asarray(np.any((new < known.min(axis=0)) | (new > known.max(axis=0)), axis=1))


def _warn_if_moving(path: FoundPath, count: int) -> None:
    """Warn if the path of this number of rows has not converged."""
    if path.ending == "moving":
        warnings.warn(
            f"the path of {count} rows has not converged after {MOST_STEPS} steps: its bound may "
            "still rise a little",
            UserWarning,
            stacklevel=5,
        )
