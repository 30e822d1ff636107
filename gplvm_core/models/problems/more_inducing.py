"""The rise of the bound at once if every layer had twice as many inducing inputs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gplvm_core.bounds import Layer
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.numerics import NotPositiveDefiniteError

# A smaller rise in nats per row is not followed by a clear rise of maps after training; the bounds
# of deep regressions rose by 0.10 and 0.16 in the mean (`benchmarks/README.md`).
LEAST_RISE = 0.02


@dataclass(frozen=True)
class MoreInducing:
    """The rise of the bound with twice as many inducing inputs and nothing else changed.

    now, more: the numbers of inducing inputs of the layer that has most of them. rise: in nats.
    n_rows: the number of rows of the outputs.
    """

    now: int
    more: int
    rise: float
    n_rows: int

    def sentence(self) -> str:
        """The rise in words."""
        each = self.rise / self.n_rows
        begin = f"With {self.more} inducing points instead of {self.now}, the bound would rise by"
        if each < LEAST_RISE:
            return (
                f"{begin} less than {LEAST_RISE} nats per row at once. A training with {self.more} "
                "may end a little higher or lower."
            )
        return (
            f"{begin} {each:.2g} nats per row at once, and by more after training (2 to 8 times as "
            "much in most of the small tables that were tried). A higher bound does not promise "
            "better predictions."
        )


def more_inducing(problem: Graph, parameters: Parameters, seed: int) -> MoreInducing | None:
    """Evaluate a trained graph with twice as many inducing inputs; None if no layer can have more.

    The further inducing inputs are the means of q(X) at random rows. The noise and the overall
    scale of the kernel are the best for the new layers; all else is held.
    """
    if not problem.plain(parameters):
        return None
    layers = tuple(_doubled(problem, parameters, np.random.default_rng(seed)))
    pairs = [
        (len(now.inducing), len(new.inducing))
        for now, new in zip(parameters.layers, layers, strict=True)
        if new is not now
    ]
    if not pairs:
        return None
    try:
        before, after = (
            # `bound_` does not contain the weights of training.
            sum(
                float(at.value) / edge.weight
                for edge, at in zip(problem.edges, problem.values(each, FREE), strict=True)
            )
            for each in (parameters, replace(parameters, layers=layers))
        )
    except NotPositiveDefiniteError:
        return None
    return MoreInducing(*max(pairs), after - before, problem.n_rows)


def _doubled(
    problem: Graph, parameters: Parameters, generator: np.random.Generator
) -> Iterator[Layer]:
    """The layers with further inducing inputs, where these may change and there are more rows."""
    nodes = problem.believed(parameters)
    for edge, layer in zip(problem.edges, parameters.layers, strict=True):
        means = problem.source(edge, nodes).mean
        number = min(len(layer.inducing), len(means) - len(layer.inducing))
        if edge.inducing_held or number < 1:
            yield layer
            continue
        rows = generator.choice(len(means), number, replace=False)
        yield replace(layer, inducing=np.vstack([layer.inducing, means[rows]]))
