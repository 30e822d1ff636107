"""The state-space model: rows of a sequence whose latent state generates the next state."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.timeline import checked_even_times, checked_timeline, checked_times
from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.models.estimators.sequences import SequenceQueries
from gplvm_core.models.estimators.settings import LatentSettings, preset
from gplvm_core.models.estimators.timed import warn_of_moving
from gplvm_core.models.estimators.trained import Ended, TrainedModel
from gplvm_core.models.problems.edges import relevance_of, to_data
from gplvm_core.models.problems.graph import Graph
from gplvm_core.models.problems.state_space import StateNode, StateStart, shift_of, to_next
from gplvm_core.models.training.run import Run
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.prediction.held_out import HeldOut
from gplvm_core.prediction.held_states import HeldStates
from gplvm_core.prediction.intervals import Asked
from gplvm_core.prediction.network import Network, Outputs
from gplvm_core.prediction.paths import StepCallback
from gplvm_core.prediction.sequence import FoundPath
from gplvm_core.prediction.states import FUTURES, futures, infer_states, outputs_of
from gplvm_core.readers import DataError
from gplvm_core.statistics import Executor


@preset
class StateSpaceGPLVM(LatentSettings, TrainedModel, SequenceQueries):
    """Gaussian-process state-space model: x_t = g(x_{t−1}) + noise, y_t = f(x_t) + noise.

    Both functions are Gaussian processes, and both are integrated out as the layers of a deep GP
    (Damianou 2015, §6.2 and App. C; §4.3.2 proposes autoregression in a latent space). `bound_` is
    a lower bound on log p(Y), with independent Gaussians q(x_t). The first state of a sequence is
    N(0, I). The rows of a sequence are equally spaced in time.

    A DynamicalGPLVM knows that paths are smooth, so its forecasts return to the average after about
    a lengthscale. This model learns the rule that leads from one state to the next, so it can
    continue oscillations and chaotic movements. `transform`, `score_samples`, `denoise`, and
    `complete` without times treat rows as independent, with x ~ N(0, I).

    Parameters
    ----------
    n_components
        The largest number of latent dimensions of the state.
    n_inducing
        The number of inducing inputs of the mapping, and of the transition.

    Attributes
    ----------
    transition_ : Posterior
        The posterior of the transition g, from a state to the next state.
    times_ : ndarray of shape (N, 1)
        The times of the training rows.
    sequences_ : ndarray of shape (N,)
        The labels of the training rows' sequences.
    statistics_ : Statistics
        The sums over the rows that determine q(u) of the mapping.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import StateSpaceGPLVM
    >>> angle = np.linspace(0.0, 24.0, 80)
    >>> Y = np.column_stack([np.sin(angle), np.cos(angle), np.sin(angle) * 2.0])
    >>> Y += 0.05 * np.random.default_rng(0).standard_normal((80, 3))
    >>> model = StateSpaceGPLVM(2, 12, max_iter=60, random_state=0).fit(Y)
    >>> mean, std = model.forecast(np.arange(80, 90), return_std=True)
    >>> mean.shape, std.shape
    ((10, 3), (10, 3))
    """

    _absent = {  # noqa: RUF012
        "path_": "its states have no kernel over time",
        "time_kernel_": "its states have no kernel over time",
    }
    n_components: int = 5
    n_inducing: int = 50
    _: KW_ONLY
    kernel: str | Kernel = "rbf"

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(timed=True)

    @property
    def can_calibrate(self) -> bool:
        """Always True: `calibrate` widens the intervals of forecasts and of gaps along time."""
        return True

    def fit(  # type: ignore[override]  # adds times and sequences
        self,
        Y: ArrayLike,
        y: Any = None,
        *,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train the model.

        Parameters
        ----------
        Y : array_like of shape (N, D)
            Outputs; NaN marks missing values.
        times : array_like of shape (N,), optional
            The times of the rows, equally spaced in every sequence. None: the number of the row in
            its sequence.
        sequences : array_like of shape (N,), optional
            The label of every row's sequence. None: one sequence.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range.
        DataError
            If Y is not suitable for training, if the times are not equally spaced, or if no
            sequence has two rows.
        """
        return self._fit(Y, times, sequences, callback, resume)

    def _take_times(
        self, times: ArrayLike | None, sequences: ArrayLike | None, count: int
    ) -> tuple[str, ...]:
        self.intervals_ = None
        self.times_, self.sequences_ = checked_timeline(times, sequences, count)
        checked_even_times(self.times_, self.sequences_)
        return ()

    def _begin(self, targets: Float[Array, "N D"]) -> StateStart:
        settings = self.n_components, self.n_inducing, (self.kernel,), self.init
        return StateStart((targets,), *settings, shift=shift_of(self.times_, self.sequences_))

    def _problem(self, begin: StateStart, executor: Executor, further: int) -> Graph:
        shift, outputs = begin.shift, begin.outputs[0]
        node = StateNode(np.setdiff1d(np.arange(len(outputs)), shift.after))
        edges = to_data(outputs, executor, self.noise), to_next(shift, executor)
        return Graph((node,), edges, begin, self.jitter)

    def _settle(
        self, ended: Ended, targets: Array, scaling: Scaling, offset: float
    ) -> tuple[str, ...]:
        learnt = ended.learnt((targets,))
        (node,), (mapping, transition) = learnt.nodes, learnt.layers
        self.posterior_, self.statistics_ = mapping.as_posterior(scaling), mapping.statistics
        self.transition_ = transition.as_posterior(Scaling.none(self.n_components))
        self.latent_mean_, self.latent_variance_ = node.belief.mean, node.belief.variance
        self.information_, self.bound_ = node.information, learnt.bound + offset
        self.relevance_ = relevance_of(self.posterior_.kernel, self.n_components)
        return mapping.notes

    def forecast_latent(
        self, times: ArrayLike, *, sequence: Any = None
    ) -> tuple[Float[Array, "n Q"], Float[Array, "n Q"]]:
        """Predict the states at the times of a trained sequence, or at later times.

        Parameters
        ----------
        times : array_like of shape (n,)
            Times of training rows, or times that are whole steps after the last one.
        sequence : label, optional
            The trained sequence; required if there are several.

        Returns
        -------
        mean, variance : ndarray of shape (n, Q)
            The means and variances of the states; at later times of 200 sampled futures.
        """
        return self._at(times, sequence, lambda drawn: (drawn.mean(axis=0), drawn.var(axis=0)))

    def forecast(self, times: ArrayLike, *, sequence: Any = None, return_std: bool = False) -> Any:
        """Predict outputs at the times of a trained sequence, or at later times.

        Later outputs are averages over 200 sampled futures, so several possible continuations
        widen the standard deviations.

        Parameters
        ----------
        times : array_like of shape (n,)
            Times of training rows, or times that are whole steps after the last one.
        sequence : label, optional
            The trained sequence; required if there are several.

        Returns
        -------
        ndarray of shape (n, D), or two of them
            The means, and with return_std the standard deviations with noise, in the units of the
            outputs. After `calibrate` they are calibrated at later times.

        Raises
        ------
        DataError
            If the sequence is unknown, or if a time is neither trained nor whole steps later.
        """
        mean, variance = self._at(
            times,
            sequence,
            lambda drawn: outputs_of(self.posterior_, drawn),
            lambda states: prediction.moments(self._network, {0: states}, noise=True)[
                prediction.DATA
            ],
        )
        new = self._outside(times, sequence)
        variance[new] = self._calibrated(Asked("forecast"), variance[new])
        return (mean, np.sqrt(variance)) if return_std else mean

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
        checked_even_times(when, np.zeros(len(when)), least=1)
        if sequence is not None:
            rows, steps = self._steps(when, sequence)
            if steps[0] != 1:
                raise DataError("the first row must follow the last row of the sequence")
            before = Belief(self.latent_mean_[rows[-1:]], self.latent_variance_[rows[-1:]])
        trained = Belief(self.latent_mean_, self.latent_variance_)
        known = self.posterior_, self.transition_, trained
        states, ending = infer_states(*known, outputs, before, callback)
        if ending == "moving":
            warn_of_moving(len(outputs))
        return FoundPath(self._network, {0: states}, ending), outputs

    def _held_out(
        self, network: Network, outputs: Outputs, times: Array, sequences: Any
    ) -> HeldOut:
        return HeldStates(network, outputs, {}, times, sequences, self.transition_)

    def _check_timed(self) -> None:
        check_is_fitted(self)

    def _steps(
        self, times: ArrayLike, sequence: Any
    ) -> tuple[Int[NDArray[np.intp], " r"], Int[NDArray[np.intp], " n"]]:
        """The rows of a sequence in time, and the steps from its last row to each time (≤ 0: a
        training row).
        """
        rows = self._rows_of(sequence)
        rows = rows[np.argsort(self.times_[rows, 0], kind="stable")]
        new, known = checked_times(times, None)[:, 0], self.times_[rows, 0]
        exact = (new - known[-1]) / checked_even_times(self.times_, self.sequences_)
        steps = np.round(exact).astype(np.intp)
        odd = (np.abs(exact - steps) > 0.01) | (steps <= -len(rows))
        if odd.any():
            raise DataError(
                f"a state-space model has rows only at the times of training and at whole steps "
                f"after them; got the time {new[odd][0]:g}"
            )
        return rows, steps

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
        later = steps > 0
        own = rows[len(rows) - 1 + np.where(later, 0, steps)]
        mean, variance = of_states(Belief(self.latent_mean_[own], self.latent_variance_[own]))
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
