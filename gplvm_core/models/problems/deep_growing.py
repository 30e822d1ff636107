"""A start that grows a deep model layer by layer, from the lowest layer to the top.

Each layer is trained before the next layer is added above it. The top layer is untrained when the
main training begins (MATHEMATICS.md, section 6.7).
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.models.problems.deep_starts import HIDDEN_NOISE, UPPER_VARIANCE, Embedded
from gplvm_core.models.problems.doctor import LEAST_FREEDOM, freedom
from gplvm_core.models.problems.edges import FREE, relevance_of
from gplvm_core.models.problems.graph import PHASES, Beginning, Begun, Given, Graph
from gplvm_core.models.problems.initialise import initial_latent
from gplvm_core.models.problems.nodes import INITIAL_VARIANCE
from gplvm_core.models.problems.starts import start_layer
from gplvm_core.models.training.run import Phase
from gplvm_core.models.training.schedule import Training

# Iterations of training before another layer is added.
ITERATIONS = 300
# Phases of training after a layer was added; the new layer first adapts with its noise fixed.
GROWING = (
    Phase("noise held everywhere", 75, 0.25, ratio=300.0, hidden_noise_held=True),
    Phase("hidden noise held", 150, 0.5, hidden_noise_held=True),
    Phase("all free", 75, 0.25),
)
# Makes a chain from a start, a number of hidden nodes, and phases.
ChainOf = Callable[[Beginning, int, Sequence[Phase]], Graph]


@dataclass(frozen=True)
class Grown:
    """A start that adds a new top to layers that were trained without this top.

    `whole` is a start without growth; its settings also apply to the grown layers. If a trained
    layer is off, no layer is added: a warning is issued, and the start is `whole`.
    """

    whole: Embedded
    chain: ChainOf
    max_iter: int

    def __call__(self, seed: int, /) -> Begun:
        whole, depth = self.whole, len(self.whole.n_latent)
        lowest = replace(
            whole,
            n_latent=whole.n_latent[-1:],
            n_inducing=whole.n_inducing[-1:],
            kernels=whole.kernels[-1:],
        )
        begun = lowest(seed)
        for at in reversed(range(depth - 1)):
            n_hidden = depth - 2 - at
            problem = self.chain(Given(begun), n_hidden, GROWING if n_hidden else PHASES)
            most = min(ITERATIONS, self.max_iter)
            (trained,) = Training(problem, most, problem.jitter, 0.0).run((seed,))
            found = problem.values(trained.parameters, FREE)
            if any(freedom(each.posterior) < LEAST_FREEDOM for each in found):
                warnings.warn(
                    "a trained layer is off, so no layer was added above it: this start is like "
                    "the other starts",
                    UserWarning,
                    stacklevel=2,
                )
                return whole(seed)
            layers = tuple(
                replace(layer, noise_variance=value.layer.noise_variance)
                if edge.ends_in_node
                else layer
                for edge, layer, value in zip(
                    problem.edges, trained.parameters.layers, found, strict=True
                )
            )
            beliefs = tuple(node.belief for node in problem.believed(trained.parameters))
            begun = _with_top(whole, at, Begun(beliefs, layers, begun.notes), seed)
        return begun


def _with_top(whole: Embedded, at: int, below: Begun, seed: int) -> Begun:
    """Add a top layer whose inputs are principal components of the old top's points.

    The old points are first divided by their lengthscales.
    """
    generator, old = np.random.default_rng(seed), below.beliefs[0]
    weights = relevance_of(below.layers[0].kernel, old.n_latent)
    centred = (old.mean - old.mean.mean(axis=0)) * np.sqrt(weights)
    mean, notes = initial_latent((centred,), whole.n_latent[at], "pca", generator)
    kind = whole.kernels[at]
    assert not isinstance(kind, tuple)
    noise = HIDDEN_NOISE * float(np.mean(old.mean.var(axis=0)))
    layer, more = start_layer(kind, mean, whole.n_inducing[at], noise, generator)
    # Without the division by the lengthscales, dimensions with a large variance would make the KL
    # term of the new layer large.
    hidden = Belief(old.mean, np.minimum(old.variance, INITIAL_VARIANCE))
    return Begun(
        (Belief(mean, np.full_like(mean, UPPER_VARIANCE)), hidden, *below.beliefs[1:]),
        (layer, *below.layers),
        tuple(dict.fromkeys((*below.notes, *notes, *more))),
    )
