"""Ask a state-space model about training rows that its mapping has not seen.

The mapping's q(u) follows from the other rows. The transition was trained on all rows, and
the state from which a forecast begins was inferred with the rows that follow it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.prediction.forward import Moments, moments
from gplvm_core.prediction.held_out import HeldOut
from gplvm_core.prediction.intervals import Part, Rows
from gplvm_core.prediction.network import DATA, Network, Outputs
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.states import FUTURES, futures, infer_states, outputs_of


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
        self, network: Network, given: Outputs, part: Part
    ) -> Iterator[tuple[bool, Moments]]:
        known = network.ends[DATA].posterior, self.transition
        steps = self._steps(part.asked, part.asked[0])
        inputs = *known, network.beliefs[0], given[DATA]
        states, _ = infer_states(*inputs, steps=steps, weight=self.weight)
        yield False, moments(network, {0: states}, noise=True)

    def forecasts(self, network: Network, before: Rows, ahead: Rows) -> Moments:
        own, last = self.network.beliefs[0], before[-1:]
        now = Belief(own.mean[last], own.variance[last])
        generator = np.random.default_rng(0)
        steps = self._steps(ahead, before[-1])
        drawn = futures(self.transition, now, int(steps[-1]), FUTURES, generator)[:, steps - 1]
        return {DATA: outputs_of(network.ends[DATA].posterior, drawn)}

    def _steps(self, rows: Rows, start: int) -> Rows:
        """The number of steps from a row to other rows."""
        apart = (self.times[rows, 0] - self.times[start, 0]) / self.step
        return np.round(apart).astype(np.intp)
