"""Training of regressions, in one or several stages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.input_units import input_scaling, internal_variance
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.data.rows import checked_outputs, checked_rows
from gplvm_core.models.data.scaling import Noise, Scaling, observed_counts, units_for
from gplvm_core.models.estimators.regression_questions import RegressionQuestions
from gplvm_core.models.problems.edges import targets_for
from gplvm_core.models.problems.graph import Beginning, Graph
from gplvm_core.models.problems.regression import PHASES, RegressionStart, regression
from gplvm_core.models.training.run import Phase, Run, Trained, seeds_for
from gplvm_core.models.training.schedule import Training
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.optimise import Progress
from gplvm_core.statistics import Executor, Targets


@dataclass(frozen=True)
class RegressionData:
    """Inputs and targets (NaN: missing) in internal units, and the units of both."""

    inputs: Inputs
    targets: Float[Array, "N D"]
    units: Scaling
    scaling: Scaling


class FromInputs:
    """A regression that checks and standardises its inputs and outputs."""

    scaling: str
    noise: Noise
    one_output_: bool

    def _given(
        self,
        X: ArrayLike,
        Y: ArrayLike,
        X_variance: ArrayLike | Literal["learned"] | None,
        *,
        constrained: bool = False,
    ) -> RegressionData:
        """Check inputs (exact, or with variances) and outputs; convert them to internal units."""
        points = checked_rows(self, X, reset=True)
        outputs, self.one_output_ = checked_outputs(Y, points, type(self).__name__)
        units = input_scaling(points)
        scaling = Scaling.of(outputs, units_for(self.scaling, self.noise))
        variance = internal_variance(X_variance, points.shape, units.scale)
        inputs = Inputs.of(units.apply(points), variance, constrained=constrained)
        return RegressionData(inputs, scaling.apply(outputs), units, scaling)


class TrainedRegression(FromInputs, RegressionQuestions):
    """A regression that is trained from one or several starts."""

    n_inducing: int
    kernel: str | Kernel
    max_iter: int
    n_restarts: int
    jitter: float
    random_state: Any

    def _staged(
        self,
        inputs: Inputs,
        targets: Float[Array, "N D"],
        scaling: Scaling,
        executor: Executor,
        callback: Callable[[Progress], None] | None,
        resume: Run | None,
    ) -> tuple[Graph, tuple[Trained, ...]]:
        """Train all stages; returns the problem of the last stage, and the end of every start."""
        problem = self._problem(inputs, targets, executor)
        return problem, self._run(problem, targets, scaling, callback, resume)

    def _run(
        self,
        problem: Graph,
        targets: Array,
        scaling: Scaling,
        callback: Callable[[Progress], None] | None,
        resume: Run | None,
        seeds: tuple[int, ...] | None = None,
    ) -> tuple[Trained, ...]:
        if seeds is None:
            seeds = seeds_for(self.random_state, self.n_restarts)
        offset = scaling.log_jacobian(observed_counts(targets))
        training = Training(problem, self.max_iter, self.jitter, offset)
        return training.run(seeds if resume is None else resume.seeds, callback, resume)

    def _problem(
        self,
        inputs: Inputs,
        targets: Array,
        executor: Executor,
        begin: Beginning | None = None,
        *,
        kernel_held: bool = False,
        phases: Sequence[Phase] = PHASES,
    ) -> Graph:
        """The training problem; begin: a start that replaces the default start."""
        seen = Targets.of(targets)
        # Training starts from a shared noise variance, with a kernel for all outputs jointly.
        start = RegressionStart(inputs, seen, self.kernel, self.n_inducing, self.jitter, executor)
        return regression(
            inputs,
            targets_for(targets, self.noise),
            begin or start,
            n_inducing=self.n_inducing,
            jitter=self.jitter,
            executor=executor,
            kernel_held=kernel_held,
            per_output=self.noise == "per_output",
            phases=phases,
        )

    def _kept(self, inputs: Inputs) -> Bool[BoolArray, " N"]:
        """The rows to train on."""
        return np.ones(inputs.belief.n_points, dtype=bool)

    def _stage_notes(self, inputs: Inputs, n_given: int) -> tuple[str, ...]:
        """Notes on rows and stages; n_given: the number of given rows."""
        return ()
