"""The state-space model: rows of a sequence whose latent state generates the next state."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.timeline import checked_timeline, rows_of_sequence
from gplvm_core.models.estimators.settings import LatentSettings, preset
from gplvm_core.models.estimators.trained import Ended, TrainedModel
from gplvm_core.models.problems.edges import relevance_of, to_data
from gplvm_core.models.problems.graph import Graph
from gplvm_core.models.problems.state_space import StateNode, StateStart, shift_of, to_next
from gplvm_core.models.training.run import Run
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.prediction.futures import futures, outputs_of
from gplvm_core.readers import DataError
from gplvm_core.statistics import Executor


@preset
class StateSpaceGPLVM(LatentSettings, TrainedModel):
    """Gaussian-process state-space model: x_t = g(x_{t−1}) + noise, y_t = f(x_t) + noise.

    The rows of a sequence are equally spaced in time. Both functions are Gaussian processes, and
    both are integrated out as the layers of a deep GP (Damianou 2015, §6.2 and App. C; §4.3.2
    proposes autoregression in a latent space). `bound_` is a lower bound on log p(Y), with
    independent Gaussians q(x_t). The first state of a sequence is N(0, I).

    A DynamicalGPLVM knows that paths are smooth, so its forecasts return to the average after
    about a lengthscale. This model learns the rule that leads from one state to the next, so it
    can continue oscillations and chaotic movements. `transform`, `complete` and `score_samples`
    treat rows as independent, with x ~ N(0, I).

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
    >>> mean, std = model.forecast(10, return_std=True)
    >>> mean.shape, std.shape
    ((10, 3), (10, 3))
    """

    n_components: int = 5
    n_inducing: int = 50
    _: KW_ONLY
    kernel: str | Kernel = "rbf"

    def fit(  # type: ignore[override]  # adds sequences
        self,
        Y: ArrayLike,
        y: Any = None,
        *,
        sequences: ArrayLike | None = None,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train the model.

        Parameters
        ----------
        Y : array_like of shape (N, D)
            Outputs, equally spaced in time and in order; NaN marks missing values.
        sequences : array_like of shape (N,), optional
            A label for every row. Rows of one sequence are in the order of the table. None: one
            sequence.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range.
        DataError
            If Y is not suitable for training, or if no sequence has two rows.
        """
        return self._fit(Y, None, sequences, callback, resume)

    def _take_times(
        self, times: ArrayLike | None, sequences: ArrayLike | None, count: int
    ) -> tuple[str, ...]:
        _, self.sequences_ = checked_timeline(None, sequences, count)
        _, counts = np.unique(self.sequences_, return_counts=True)
        if counts.max() < 2:
            raise DataError(
                f"every one of the {len(counts)} sequences has only one row: a transition needs at "
                "least two rows in a sequence; check the labels"
            )
        return ()

    def _begin(self, targets: Float[Array, "N D"]) -> StateStart:
        settings = self.n_components, self.n_inducing, (self.kernel,), self.init
        return StateStart((targets,), *settings, shift=shift_of(self.sequences_))

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
        self.latent_mean_, self.latent_variance_ = node.belief.mean, node.belief.variance
        self.information_, self.bound_ = node.information, learnt.bound + offset
        self.relevance_ = relevance_of(self.posterior_.kernel, self.n_components)
        self.transition_ = transition.as_posterior(Scaling.none(self.n_components))
        return mapping.notes

    def sample_states(
        self,
        steps: int,
        n_samples: int = 100,
        random_state: int | None = None,
        *,
        sequence: Any = None,
    ) -> Float[Array, "S n Q"]:
        """Draw states that continue a trained sequence; `inverse_transform` gives their outputs.

        Parameters
        ----------
        steps : int
            The number of new rows.
        n_samples : int, default 100
            The number of futures S.
        sequence : label, optional
            The trained sequence; required if there are several.

        Returns
        -------
        ndarray of shape (S, steps, Q)
            The draws. They include the uncertainty of the last state and of the transition.

        Raises
        ------
        ValueError
            If `steps` or `n_samples` is not a whole number of at least 1.
        DataError
            If the sequence is unknown.
        """
        check_is_fitted(self)
        for name, count in (("steps", steps), ("n_samples", n_samples)):
            if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
                raise ValueError(f"{name} must be a whole number of at least 1; got {count!r}")
        last = rows_of_sequence(self.sequences_, sequence)[-1:]
        now = Belief(self.latent_mean_[last], self.latent_variance_[last])
        generator = np.random.default_rng(random_state)
        return futures(self.transition_, now, int(steps), int(n_samples), generator)

    def forecast(
        self,
        steps: int,
        *,
        sequence: Any = None,
        n_samples: int = 200,
        random_state: int | None = 0,
        return_std: bool = False,
    ) -> Any:
        """Predict the rows after a trained sequence, averaged over sampled futures.

        Parameters
        ----------
        steps : int
            The number of rows to predict.
        sequence : label, optional
            The trained sequence; required if there are several.
        n_samples : int, default 200
            The number of futures over which the predictions are averaged.

        Returns
        -------
        ndarray of shape (steps, D), or two of them
            The means, and with return_std the standard deviations with noise, in the units of the
            outputs.

        Raises
        ------
        ValueError
            If `steps` or `n_samples` is not a whole number of at least 1.
        DataError
            If the sequence is unknown.
        """
        states = self.sample_states(steps, n_samples, random_state, sequence=sequence)
        mean, variance = outputs_of(self.posterior_, states)
        return (mean, np.sqrt(variance)) if return_std else mean
