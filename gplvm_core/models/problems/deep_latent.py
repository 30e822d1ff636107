"""Build the graph of a deep latent variable model, for one table or several views."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.models.data.scaling import Noise
from gplvm_core.models.problems.deep import PHASES, Family, chain
from gplvm_core.models.problems.deep_many_rows import Grown, SampledGraph, together
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.edges import targets_for
from gplvm_core.models.problems.encoded import AtOutputs, EncodedNode
from gplvm_core.models.problems.graph import Beginning, Graph, Recipes
from gplvm_core.models.problems.many_rows import Rows, are_many
from gplvm_core.models.problems.nodes import LatentNode, Node
from gplvm_core.models.training.run import Phase
from gplvm_core.numerics import Array
from gplvm_core.statistics import Executor

# Names of the starts: train all layers from the beginning, or add a new top to trained layers.
TOGETHER, GROWN = "all layers together", "a grown top"
# A function that makes the top node for points with these outputs and this dimension.
Top = Callable[[Float[Array, "N D"], int], Node]


@dataclass(frozen=True)
class LatentChain:
    """A chain of layers below latent points.

    noises: the noise of every view. grow: None, or the number of iterations that train the lower
    layers in an additional start; this start then adds a new top.
    """

    top: Top
    family: Family
    noises: Sequence[Noise]
    jitter: float
    executor: Executor
    grow: int | None = None

    def graph(self, begin: Embedded, *, alone: bool) -> Graph:
        """Return the graph that is trained from the start `begin`.

        alone: whether each point at the top has a separate q(x_n), so that training may use a
        sample of the rows.
        """
        several = isinstance(begin.outputs, tuple)
        outputs = begin.outputs if isinstance(begin.outputs, tuple) else (begin.outputs,)
        joined = not alone or together(self.family) or any(begin.own)
        if joined or not are_many(len(outputs[0])):
            return self._chain(begin)

        def some(rows: Rows) -> Graph:
            init = begin.init if isinstance(begin.init, str) else np.asarray(begin.init)[rows]
            parts = tuple(each[rows] for each in outputs)
            return self._chain(replace(begin, outputs=parts if several else parts[0], init=init))

        return SampledGraph.of(some, *outputs)

    def _chain(self, begin: Embedded) -> Graph:
        outputs = begin.outputs
        several = isinstance(outputs, tuple)
        each = outputs if isinstance(outputs, tuple) else (outputs,)
        targets = tuple(map(targets_for, each, self.noises))
        starts: dict[str, Beginning] = {"": begin}
        below = partial(self._below, targets if several else targets[0], begin)
        if self.grow is not None and len(begin.n_latent) > 1:
            # Lower layers are always trained with the default family.
            grown = Grown(begin, partial(below, LatentNode(), "marginalised"), self.grow)
            starts = {TOGETHER: begin, GROWN: grown}
        hidden, top = len(begin.n_latent) - 1, self.top(each[0], begin.n_latent[0])
        if isinstance(top, EncodedNode) and top.at_outputs:
            first = begin.kernels[0], begin.n_inducing[0]
            starts = {name: AtOutputs(start, top, *first) for name, start in starts.items()}
        return below(top, self.family, Recipes(starts), hidden)

    def _below(
        self,
        targets: Any,
        settings: Embedded,
        top: Node,
        family: Family,
        begin: Beginning,
        n_hidden: int,
        phases: Sequence[Phase] = PHASES,
    ) -> Graph:
        return chain(
            top,
            targets,
            begin,
            n_hidden,
            own=[len(each) for each in settings.own],
            family=family,
            jitter=self.jitter,
            executor=self.executor,
            per_output=[noise == "per_output" for noise in self.noises],
            phases=phases,
        )
