"""Queries of a fitted state-space model: forecasts, drawn sequences, and new sequences."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.data.timeline import checked_even_times, checked_times, steps_after
from gplvm_core.models.estimators.sequences import SequenceQueries
from gplvm_core.models.estimators.timed import warn_of_moving
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction.held_out import HeldOut
from gplvm_core.prediction.held_states import HeldStates
from gplvm_core.prediction.network import Network, Outputs
from gplvm_core.prediction.paths import StepCallback
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.sequence import FoundPath
from gplvm_core.prediction.states import FUTURES, MissingStates, futures, infer_states, outputs_of
from gplvm_core.readers import DataError


class StateQueries(SequenceQueries):
    """Methods for rows whose states follow a rule; these methods need only fitted attributes.

    Attributes
    ----------
    transition_ : Posterior
        The posterior of the transition g, from a state to the next state.
    missing_states_ : MissingStates or None
        The states at times of trained sequences that have no row; None without such times.
    """

    transition_: Posterior
    missing_states_: MissingStates | None = None

    def forecast_latent(
        self, times: ArrayLike, *, sequence: Any = None
    ) -> tuple[Float[Array, "n Q"], Float[Array, "n Q"]]:
        """Predict the states at the times of a trained sequence, or at later times.

        Parameters
        ----------
        times : array_like of shape (n,)
            Times of training rows or of rows that are missing between them, or times that are
            whole steps after the last one.
        sequence : label, optional
            The trained sequence; required if there are several.

        Returns
        -------
        mean, variance : ndarray of shape (n, Q)
            The means and variances of the states; at later times of 200 sampled futures.
        """
        return self._at(times, sequence, lambda drawn: (drawn.mean(axis=0), drawn.var(axis=0)))

    def _own_forecast(
        self, times: Float[Array, "n P"], sequence: Any, *, shown: bool
    ) -> tuple[Float[Array, "n D"], Float[Array, "n D"]]:
        mean, variance = self._at(
            times,
            sequence,
            lambda drawn: outputs_of(self.posterior_, drawn),
            lambda states: prediction.moments(self._network, {0: states}, noise=True)[
                prediction.DATA
            ],
        )
        return mean, self._calibrated_outside(times, sequence, variance, shown=shown)

    def sample_forecast(
        self,
        times: ArrayLike,
        n_samples: int = 100,
        random_state: int | None = None,
        *,
        sequence: Any = None,
    ) -> Float[Array, "S n D"]:
        """Draw futures of a trained sequence.

        Parameters
        ----------
        times : array_like of shape (n,)
            Times that are whole steps after the last time of the sequence.
        n_samples : int, default 100
            The number of futures S.
        sequence : label, optional
            The trained sequence; required if there are several.

        Returns
        -------
        ndarray of shape (S, n, D)
            Draws of the outputs with noise.
        """
        rows, steps = self._steps(times, sequence)
        if (steps <= 0).any():
            raise DataError("every time must be later than the last time of the sequence")
        generator = np.random.default_rng(random_state)
        drawn = self._futures(rows, int(steps.max()), checked_count(n_samples), generator)
        return np.array(
            [
                prediction.sample(self.posterior_, states, 1, generator)[0]
                for states in drawn[:, steps - 1]
            ]
        )

    def sample_sequence(
        self,
        times: ArrayLike,
        *,
        n_samples: int = 1,
        random_state: int | None = None,
        return_latent: bool = False,
    ) -> Any:
        """Draw new sequences, which begin at the states of random training rows.

        Parameters
        ----------
        times : array_like of shape (n,)
            The times of the new rows, equally spaced; only their number matters.
        n_samples : int, default 1
            The number of sequences S.
        return_latent : bool, default False
            Whether to return the states, too.

        Returns
        -------
        ndarray of shape (S, n, D), or with the states of shape (S, n, Q)
            Draws of the outputs without observation noise, and with return_latent the states.
        """
        check_is_fitted(self)
        count, n_samples = len(checked_times(times, None)), checked_count(n_samples)
        generator = np.random.default_rng(random_state)
        rows = generator.integers(len(self.latent_mean_), size=n_samples)
        begin = Belief(self.latent_mean_[rows], self.latent_variance_[rows])
        first = begin.mean + np.sqrt(begin.variance) * generator.standard_normal(begin.mean.shape)
        later = futures(self.transition_, Belief.certain(first), count - 1, n_samples, generator)
        states = np.concatenate([first[:, None], later], axis=1)
        drawn = np.array(
            [
                prediction.sample(self.posterior_, own, 1, generator, noise=False)[0]
                for own in states
            ]
        )
        return (drawn, states) if return_latent else drawn

    def _infer_path(
        self,
        Y: ArrayLike,
        times: ArrayLike,
        sequence: Any,
        coupled: bool,
        adapt: bool,
        callback: StepCallback | None,
    ) -> tuple[FoundPath, Array]:
        check_is_fitted(self)
        if adapt or not coupled:
            raise ValueError("a state-space model has neither adapt=True nor coupled=False")
        outputs, before = self._rows_in_time(Y), None
        when = checked_times(times, len(outputs))
        step = checked_even_times(when, np.zeros(len(when)), least=1)
        steps = steps_after(when[:, 0], when.min(), step)[0]
        if sequence is not None:
            rows, steps = self._steps(when, sequence)
            if steps.min() < 1:
                raise DataError("all rows must follow the last row of the sequence")
            before, steps = self._belief.rows(rows[-1:]), steps - 1
        trained = Belief(self.latent_mean_, self.latent_variance_)
        known = self.posterior_, self.transition_, trained
        states, ending = infer_states(
            *known, outputs, before, callback, steps=steps, weight=self.data_weight_
        )
        if ending == "moving":
            warn_of_moving(len(outputs))
        return FoundPath(self._network, {0: states}, ending), outputs

    def _held_out(
        self, network: Network, outputs: Outputs, times: Array, sequences: Any
    ) -> HeldOut:
        step = checked_even_times(times, sequences)
        known = self.transition_, step, self.data_weight_
        return HeldStates(network, outputs, {}, times, sequences, *known)

    def _check_timed(self) -> None:
        check_is_fitted(self)

    def _steps(
        self, times: ArrayLike, sequence: Any
    ) -> tuple[Int[IntArray, " r"], Int[IntArray, " n"]]:
        """The rows of a sequence in time, and the steps from its last row to each time (≤ 0: a
        training row).
        """
        rows = self._rows_of(sequence)
        rows = rows[np.argsort(self.times_[rows, 0], kind="stable")]
        new, known = checked_times(times, None)[:, 0], self.times_[rows, 0]
        steps, whole = steps_after(new, known[-1], self._time_step())
        odd = ~whole | ((steps <= 0) & ~np.isin(steps, self._known_states(rows)[0]))
        if odd.any():
            raise DataError(
                f"a state-space model has states only at the times of training, in short gaps "
                f"between them, and at whole steps after them; got the time {new[odd][0]:g}"
            )
        return rows, steps

    def _time_step(self) -> float:
        """The time between two states."""
        return checked_even_times(self.times_, self.sequences_)

    def _known_states(self, rows: NDArray[np.intp]) -> tuple[Int[IntArray, " s"], Belief]:
        """The steps (≤ 0) from the last of a sequence's rows to each of its states, in order, and
        the states.
        """
        times, states = self.times_[rows, 0], self._belief.rows(rows)
        end = times[-1]
        if self.missing_states_ is not None:
            more, others = self.missing_states_.of(self.sequences_[rows[0]])
            times = np.append(times, more)
            states = Belief(
                np.vstack([states.mean, others.mean]),
                np.vstack([states.variance, others.variance]),
            )
        steps = steps_after(times, end, self._time_step())[0]
        order = np.argsort(steps)
        return steps[order], states.rows(order)

    def _futures(
        self, rows: NDArray[np.intp], steps: int, n_samples: int, generator: np.random.Generator
    ) -> Float[Array, "S n Q"]:
        """States after the last of these rows."""
        now = Belief(self.latent_mean_[rows[-1:]], self.latent_variance_[rows[-1:]])
        return futures(self.transition_, now, steps, n_samples, generator)

    def _at(
        self,
        times: ArrayLike,
        sequence: Any,
        of_futures: Callable[[Array], tuple[Array, Array]],
        of_states: Callable[[Belief], tuple[Array, Array]] = lambda at: (at.mean, at.variance),
    ) -> tuple[Array, Array]:
        """Means and variances at times: of trained states, and of sampled futures."""
        rows, steps = self._steps(times, sequence)
        later, (known, states) = steps > 0, self._known_states(rows)
        own = np.searchsorted(known, np.minimum(steps, 0))
        mean, variance = of_states(states.rows(own))
        if later.any():
            generator = np.random.default_rng(0)
            drawn = self._futures(rows, int(steps.max()), FUTURES, generator)
            mean[later], variance[later] = of_futures(drawn[:, steps[later] - 1])
        return mean, variance


def checked_count(count: Any) -> int:
    """Return a number of draws; ValueError unless it is a whole number of at least 1."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ValueError(f"n_samples must be a whole number of at least 1; got {count!r}")
    return int(count)
