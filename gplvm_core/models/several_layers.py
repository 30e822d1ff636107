"""Several views on the same latent inputs: the data's side of manifold relevance determination.

F_data = Σ_v F_data^v(q(X)), each view with a kernel, inducing inputs and noise of its own (Damianou
2015, ch. 5).
"""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.models.initialise import initial_inducing, initial_latent_of_views
from gplvm_core.models.layers import (
    DataValue,
    OneLayer,
    Parameters,
    Settled,
    layer_leaves,
    of_unit_scale,
    start_kernel,
)
from gplvm_core.numerics import Array
from gplvm_core.parameters import Leaf, add
from gplvm_core.statistics import Executor


@dataclass(frozen=True)
class SeveralLayers:
    """F_data of several views, each a layer on the latent inputs that all of them share."""

    views: tuple[OneLayer, ...]
    run: Executor  # over views

    def start(self, seed: int, variance: float) -> Parameters:
        return self._begin(seed, variance)[0]

    def notes(self, seed: int) -> tuple[str, ...]:
        """What had to be decided for the user."""
        return self._begin(seed, 1.0)[1]

    def _begin(self, seed: int, variance: float) -> tuple[Parameters, tuple[str, ...]]:
        generator = np.random.default_rng(seed)
        begins = [view.begin for view in self.views]
        mean, notes = initial_latent_of_views(
            [begin.targets for begin in begins], begins[0].n_latent, begins[0].init, generator
        )
        layers, said = [], set()
        for begin in begins:
            inducing, more = initial_inducing(mean, begin.n_inducing, generator)
            kernel = of_unit_scale(start_kernel(begin.kernel, mean), mean)
            layers.append(Layer(kernel, inducing, 1.0))
            said |= set(more)
        belief = Belief(mean, np.full_like(mean, variance))
        return Parameters(belief, tuple(layers)), (*notes, *sorted(said))

    def value(self, parameters: Parameters, ratio: float | None) -> DataValue:
        done = self._each(parameters, lambda view, own: view.value(own, ratio))
        return DataValue(
            sum(at.value for at in done),
            reduce(add, (at.belief for at in done)),
            tuple(at.layer for at in done),
            float(np.mean([at.noise_variance for at in done])),
        )

    def free(self, layer: Any, spread: Float[Array, " Q"], n_points: int) -> dict[str, Leaf]:
        found: dict[str, Leaf] = {}
        for v, own in enumerate(layer):
            found |= layer_leaves(own, f"layer.{v}", spread, n_points)
        return found

    def relevance(self, layer: Any, n_latent: int) -> Float[Array, " Q"]:
        """Of the view to which a dimension matters most, relative to that view's largest."""
        each = [view.relevance(own, n_latent) for view, own in zip(self.views, layer, strict=True)]
        return np.asarray(np.max([own / own.max() for own in each], axis=0))

    def settled(
        self, parameters: Parameters, targets: tuple[Float[Array, "N D"], ...]
    ) -> tuple[Settled, ...]:
        """Every view's layer at its best scales, evaluated once more as what is stored will be."""
        return tuple(
            view.settled(Parameters(parameters.belief, own), values)
            for view, own, values in zip(self.views, parameters.layer, targets, strict=True)
        )

    def _each(self, parameters: Parameters, evaluate: Any) -> list[Any]:
        pairs = [Parameters(parameters.belief, own) for own in parameters.layer]
        return self.run(lambda pair: evaluate(*pair), zip(self.views, pairs, strict=True))
