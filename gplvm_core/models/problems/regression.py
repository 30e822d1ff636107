"""A regression as a graph: a node of completely or partly known inputs, and a layer to the data."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gplvm_core.bounds import Layer
from gplvm_core.kernels import RBF, Kernel, Matern, Periodic, kernel_named
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.problems.edges import LayerEdge
from gplvm_core.models.problems.graph import Beginning, Begun, Given, Graph
from gplvm_core.models.problems.initialise import initial_inducing
from gplvm_core.models.problems.nodes import InputNode
from gplvm_core.models.problems.starts import of_unit_scale, start_kernel
from gplvm_core.models.training.run import Phase
from gplvm_core.models.training.schedule import Training
from gplvm_core.numerics import NotPositiveDefiniteError
from gplvm_core.parameters import LOG, Transform
from gplvm_core.statistics import Executor, Targets

# The number of points and iterations of the exact regression that determines the starting kernel.
SUBSET, SUBSET_ITERATIONS = 200, 50
# No lengthscale starts shorter than this fraction of the inputs' spread. For a column of two
# values any short lengthscale fits, but then the inducing inputs cannot move and training stalls.
SHORTEST = 0.1
# Lengthscales tried at the start, in units of √Q: the distance of standardised points.
LENGTHSCALES = (0.2, 0.5, 1.0, 2.0)
# Limits of positive parameters. A phase starts from the logarithm of a relevance, so the relevance
# must not be 0. The square of a large parameter must not overflow.
TINY, HUGE = 1e-50, 1e50
BOUNDED = Transform(
    "log within bounds",
    lambda v: np.exp(np.clip(v, np.log(TINY), np.log(HUGE))),
    lambda t: np.log(np.clip(t, TINY, HUGE)),
    LOG.slope,
)
PHASES = (Phase("all free", 100, 0.5), Phase("refining", 100))


def regression(
    inputs: Inputs,
    targets: Targets,
    begin: Beginning,
    *,
    n_inducing: int,
    jitter: float,
    executor: Executor,
    kernel_held: bool = False,
    per_output: bool = False,
    phases: Sequence[Phase] = PHASES,
) -> Graph:
    """The training problem of one layer on the inputs, with the bound F_data − KL(q(X) ‖ p(X)).

    If every input is an inducing input, the inducing inputs are fixed; with exact inputs the
    regression is then not sparse. kernel_held: training changes only the kernel's scale.
    per_output: every output has a separate signal and noise variance.
    """
    whole = not inputs.free_mean.any() and n_inducing >= inputs.belief.n_points
    layer = LayerEdge(
        (0,),
        targets,
        executor,
        inducing_held=whole,
        kernel_held=kernel_held,
        positive=BOUNDED,
        per_output=per_output,
    )
    return Graph((InputNode(inputs),), (layer,), begin, jitter, phases=phases)


@dataclass(frozen=True)
class RegressionStart:
    """Inducing inputs from a subset of the rows, and a kernel fitted to a small exact regression.

    With arbitrary lengthscales and few inducing inputs, all data look like noise, and training
    would not recover. A kernel object is used unchanged, except for its scale.
    """

    inputs: Inputs
    targets: Targets
    kernel: str | Kernel
    n_inducing: int
    jitter: float
    executor: Executor

    def __call__(self, seed: int, /) -> Begun:
        belief, generator = self.inputs.belief, np.random.default_rng(seed)
        inducing, _ = initial_inducing(belief.mean, self.n_inducing, generator)
        kernel = self._kernel(seed, generator)
        return Begun((belief,), (Layer(kernel, inducing, 1.0),))

    def _kernel(self, seed: int, generator: np.random.Generator) -> Kernel:
        mean = self.inputs.belief.mean
        if not isinstance(self.kernel, str):
            known = self.inputs.belief.known
            return of_unit_scale(start_kernel(self.kernel, mean, exact=known), mean)
        some = np.sort(generator.permutation(len(mean))[:SUBSET])
        points, width = mean[some], np.sqrt(mean.shape[1])
        inputs = Inputs.of(points, None)
        tried = [
            Layer(kernel_named(self.kernel, np.full(mean.shape[1], factor * width)), points, 1.0)
            for factor in LENGTHSCALES
        ]
        parts = [
            regression(
                inputs,
                self.targets.chunk(some),
                Given(Begun((inputs.belief,), (layer,))),
                n_inducing=len(some),
                jitter=self.jitter,
                executor=self.executor,
            )
            for layer in tried
        ]
        best = parts[int(np.argmax([_bound_or_less(part) for part in parts]))]
        exact = not self.inputs.free_mean.any() and self.n_inducing >= len(mean)
        if exact and len(some) == len(mean):
            return best.start(seed).layers[0].kernel
        training = Training(best, SUBSET_ITERATIONS, self.jitter, 0.0)
        kernel: Kernel = training.run((seed,))[0].parameters.layers[0].kernel
        if isinstance(kernel, RBF | Matern):
            return replace(kernel, lengthscale=np.maximum(kernel.lengthscale, SHORTEST))
        if isinstance(kernel, Periodic):
            # The product of period and lengthscale determines how fast the function changes. A
            # longer lengthscale therefore gets a shorter period, with the same product.
            longer = np.maximum(kernel.lengthscale, SHORTEST)
            period = kernel.period * kernel.lengthscale / longer
            return replace(kernel, lengthscale=longer, period=period)
        return kernel


def check_kernel(kernel: str | Kernel, inputs: Inputs) -> None:
    """Raise KernelError unless the kernel has expectations under q(X) of the inputs."""
    named = kernel_named(kernel, np.ones(1)) if isinstance(kernel, str) else kernel
    named.check(exact=inputs.belief.known)


def _bound_or_less(part: Graph) -> float:
    try:
        return part.evaluate(part.start(0), replace(PHASES[0], ratio=None)).bound
    except NotPositiveDefiniteError:
        return -np.inf
