"""The objective of one training phase, as a function of a vector."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gplvm_core.models.training.run import NUMERICAL, Evaluated, Phase, Problem
from gplvm_core.numerics import Array
from gplvm_core.optimise import State


class PhaseObjective:
    """The negative bound as a function of the free vector; also records the noise variance.

    ask: called before every evaluation; an exception that it raises ends the evaluation.
    """

    def __init__(
        self, problem: Problem, anchor: Any, phase: Phase, ask: Callable[[], None] | None = None
    ) -> None:
        self.problem, self.anchor, self.phase, self.ask = problem, anchor, phase, ask
        self.layout = problem.layout(anchor, phase)
        self.trouble = ""
        self._noise: dict[float, float] = {}

    def parameters(self, x: Array) -> Any:
        return self.layout.unpack(x)

    def __call__(self, x: Array, /) -> tuple[float, Array]:
        return self.negative(x, lambda at: self.problem.evaluate(at, self.phase))

    def negative(self, x: Array, evaluate: Callable[[Any], Evaluated]) -> tuple[float, Array]:
        """Negative value and gradient of the bound; evaluate: a function of the parameters."""
        if self.ask is not None:
            self.ask()
        parameters = self.layout.unpack(x)
        # In a line search, a parameter may overflow: the evaluation is then rejected and counted.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            try:
                at = evaluate(parameters)
            except NUMERICAL as error:
                self.trouble = str(error)
                return np.inf, np.zeros_like(x)
            gradient = -self.layout.chain(parameters, at.gradient)
        self._noise[-at.bound] = at.noise_variance
        return -at.bound, gradient

    def noise_at(self, state: State) -> float:
        if state.value in self._noise:
            return self._noise[state.value]
        return self.problem.evaluate(self.layout.unpack(state.x), self.phase).noise_variance
