"""From the settings of a deep latent variable model to its graph: one table or several views."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.kernels import RBF
from gplvm_core.models.data.scaling import Noise
from gplvm_core.models.problems.deep import PHASES, Family, chain
from gplvm_core.models.problems.deep_growing import Grown
from gplvm_core.models.problems.deep_many_rows import SampledGraph, together
from gplvm_core.models.problems.deep_starts import Connected, Embedded, Sloped
from gplvm_core.models.problems.edges import targets_for
from gplvm_core.models.problems.graph import Beginning, Graph, Recipes
from gplvm_core.models.problems.many_rows import Rows, are_many
from gplvm_core.models.problems.nodes import LatentNode, Node
from gplvm_core.models.training.run import Phase
from gplvm_core.numerics import Array
from gplvm_core.statistics import Executor

# Recipes of starts: all layers together from the first, or a new top on layers trained before.
TOGETHER, GROWN = "all layers together", "a grown top"
# The belief at the top, about points with these outputs and of this dimension.
Top = Callable[[Float[Array, "N D"], int], Node]


@dataclass(frozen=True)
class LatentChain:
    """Layers below latent points.

    linear: hidden layers have a linear mean. grow: None, or the iterations of a shallow model from
    which the upper layers also start. connected: every layer sees the top.
    """

    top: Top
    family: Family
    noise: Noise
    jitter: float
    executor: Executor
    linear: bool = False
    grow: int | None = None
    connected: bool = False

    def graph(self, begin: Embedded, *, alone: bool) -> Graph:
        """The graph that is trained from this start; alone: where the belief at the top is one of
        every point's own, a sample is trained of many rows.
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
        targets = tuple(targets_for(values, self.noise) for values in each)
        starts: dict[str, Beginning] = {"": begin}
        below = partial(self._below, targets if several else targets[0], begin)
        if self.grow is not None and len(begin.n_latent) > 1:
            # Every family starts from what the default one finds.
            grown = Grown(begin, partial(below, LatentNode(), "marginalised"), self.grow)
            starts = {TOGETHER: begin, GROWN: grown}
        if self.connected:
            starts = {name: Connected(start, begin.kernels) for name, start in starts.items()}
        if self.linear:
            self._check_linear(begin.kernels[:-1])
            starts = {name: Sloped(start) for name, start in starts.items()}
        hidden, top = len(begin.n_latent) - 1, self.top(each[0], begin.n_latent[0])
        return below(top, self.family, Recipes(starts), hidden, connected=self.connected)

    def _below(
        self,
        targets: Any,
        settings: Embedded,
        top: Node,
        family: Family,
        begin: Beginning,
        n_hidden: int,
        phases: Sequence[Phase] = PHASES,
        *,
        connected: bool = False,
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
            per_output=self.noise == "per_output",
            connected=connected,
            phases=phases,
        )

    def _check_linear(self, above: Sequence[Any]) -> None:
        """Raise ValueError where hidden layers of these kernels cannot have a linear mean."""
        if why := together(self.family):
            raise ValueError(f"mean='linear' is for marginalised and mean_field families: {why}")
        if not all(each == "rbf" or isinstance(each, RBF) for each in above):
            raise ValueError("mean='linear' needs RBF kernels in the hidden layers")
