"""The state-space model: rows of a sequence whose latent state generates the next state."""

from dataclasses import KW_ONLY
from functools import partial
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.answers.over_time import States
from gplvm_core.models.data.data_weights import in_sequence, weight_in_words, weight_of_rows
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.timeline import checked_even_times
from gplvm_core.models.estimators import in_time, with_intervals
from gplvm_core.models.estimators.base import NOTHING, Capabilities
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.in_time import checked_count
from gplvm_core.models.estimators.settings import preset
from gplvm_core.models.estimators.trained import Ended
from gplvm_core.models.problems.edges import relevance_of, to_data
from gplvm_core.models.problems.graph import Graph
from gplvm_core.models.problems.state_space import LinkedStates, StateNode, StateStart, to_next
from gplvm_core.numerics import Array
from gplvm_core.prediction import Network
from gplvm_core.prediction.states import MissingStates
from gplvm_core.statistics import Executor


@preset
class StateSpaceGPLVM(LatentVariableModel):
    """Gaussian-process state-space model: x_t = g(x_{t−1}) + noise, y_t = f(x_t) + noise.

    Both functions are Gaussian processes, and both are integrated out as the layers of a deep GP
    (Damianou 2015, §6.2 and App. C; §4.3.2 proposes autoregression in a latent space). `bound_` is
    a lower bound on log p(Y), with independent Gaussians q(x_t). The first state of a sequence is
    N(0, I). The rows of a sequence are equally spaced in time (months and quarters count as equal
    steps), but some may be missing: their states are inferred, too. In training, a gap of more than
    10 steps separates the rows before it from the rows after it. `notes_` reports the gaps. New
    sequences may have gaps, too.

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
    data_weight
        How much the rows count beside the transition when states are inferred: a weight above 0 and
        at most 1 multiplies their term of the bound. "auto": the columns of wide rows count as the
        number of their independent columns, but at least as twice the number of dimensions, so that
        the many pixels of a picture do not outweigh the transition. `bound_` is a lower bound on
        log p(Y) with any weight.

    Attributes
    ----------
    times_ : ndarray of shape (N, 1)
        The times of the training rows.
    sequences_ : ndarray of shape (N,)
        The labels of the training rows' sequences.
    statistics_ : Statistics
        The sums over the rows that determine q(u) of the mapping.
    transition_ : Posterior
        The posterior of the transition g, from a state to the next state.
    missing_states_ : MissingStates or None
        The states at times of trained sequences that have no row; None without such times.

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
    data_weight: str | float = "auto"

    _can = Capabilities(timed=True)
    _attributes: ClassVar[str] = "transition_"
    # Defaults for models in files of older versions.
    intervals_ = forecaster_ = missing_states_ = times_ = sequences_ = NOTHING

    forecast, forecast_latent = in_time.forecast, in_time.forecast_latent
    choose_forecaster = in_time.choose_forecaster
    can_choose_forecaster = property(in_time.can_choose_forecaster)
    sample_sequence, transform_sequence = in_time.sample_sequence, in_time.transform_sequence
    calibrate = with_intervals.calibrate
    can_calibrate = property(with_intervals.can_calibrate)
    _to_calibrate, _try = in_time.to_calibrate, in_time.try_in_time

    def _over(self, network: Network) -> States:
        known = self.transition_, self.times_, self.sequences_, self.missing_states_
        return States(network, *known, self.data_weight_)

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
        over, generator = self._over(self._network), np.random.default_rng(random_state)
        return over.futures(times, checked_count(n_samples), sequence, generator)

    def _begin(self, targets: Float[Array, "N D"]) -> StateStart:
        settings = self.n_components, self.n_inducing, (self.kernel,), self.init
        links = self._links()
        automatic = partial(in_sequence, targets, self.n_components)
        self.data_weight_ = weight_of_rows(self.data_weight, automatic)
        return StateStart((targets,), *settings, links=links)

    def _links(self) -> LinkedStates:
        step = checked_even_times(self.times_, self.sequences_)
        return LinkedStates.of(self.times_, self.sequences_, step)

    def _problem(self, begin: StateStart, executor: Executor, further: int) -> Graph:
        links, outputs = begin.links, begin.outputs[0]
        edges = (
            to_data(outputs, executor, self._noise, self.data_weight_, links.seen),
            to_next(links.shift, executor),
        )
        return Graph((StateNode(links.first),), edges, begin, self.jitter)

    def _settle(
        self, ended: Ended, targets: Array, scaling: Scaling, offset: float
    ) -> tuple[str, ...]:
        learnt = ended.learnt((targets,))
        (node,), (mapping, transition) = learnt.nodes, learnt.layers
        self.posterior_, self.statistics_ = mapping.as_posterior(scaling), mapping.statistics
        self.transition_ = transition.as_posterior(Scaling.none(self.n_components))
        count = len(targets)
        states, missing = node.belief.rows(slice(count)), node.belief.rows(slice(count, None))
        self.latent_mean_, self.latent_variance_ = states.mean, states.variance
        self.missing_states_ = None
        if missing.n_points:
            links = self._links()
            labels = self.sequences_[links.before_missing]
            times = links.bridged(self.times_)[count:, 0]
            self.missing_states_ = MissingStates(times, labels, missing)
        self.information_, self.bound_ = node.information, learnt.bound + offset
        self.relevance_ = relevance_of(self.posterior_.kernel, self.n_components)
        if self.data_weight != "auto":
            return mapping.notes
        words = weight_in_words(self.data_weight_, targets.shape[1], "the rule from state to state")
        return (*mapping.notes, *words)
