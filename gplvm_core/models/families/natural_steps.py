"""Natural-gradient steps of q(u) in hidden layers whose outputs depend on u (MATHEMATICS.md, 6.2).

The natural parameters of q(u) are the sum of a closed form for the layer's own terms and of sites
s. A step moves the sites towards the present gradients of the layers below:
s ← (1 − ρ)s + ρ(g_μ − 2g_Σμ, g_Σ). At a fixed point the whole bound is stationary in q(u). ρ is
halved if a step does not raise the bound, or if the precision of q(u) is not positive definite.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gplvm_core.models.families.given_inducing import GivenInducing
from gplvm_core.models.families.joint import JointlyGivenInducing
from gplvm_core.models.problems.graph import Parameters
from gplvm_core.models.training.run import Evaluated
from gplvm_core.numerics import NotPositiveDefiniteError
from gplvm_core.parameters import add, scale_leaves

# Parameters of q(h | u) for which q(u) has sites.
WITH_SITES = (GivenInducing, JointlyGivenInducing)
# The smallest step to try.
LEAST_STEP = 1e-3


def natural_steps(
    evaluate: Callable[[Parameters], Evaluated], parameters: Parameters, n_steps: int
) -> tuple[Parameters, float]:
    """Make at most n_steps steps of all layers together; returns the parameters and the bound."""
    at, step = evaluate(parameters), 1.0
    for _ in range(n_steps):
        while step >= LEAST_STEP:
            trial = _moved(parameters, at.gradient, step)
            with np.errstate(all="ignore"):
                try:
                    found = evaluate(trial)
                except NotPositiveDefiniteError:
                    found = None
            if found is not None and found.bound > at.bound:
                parameters, at, step = trial, found, min(1.0, 2.0 * step)
                break
            step *= 0.5
        else:
            break
    return parameters, at.bound


def _moved(parameters: Parameters, gradient: Parameters, step: float) -> Parameters:
    nodes = list(parameters.nodes)
    for i, (own, new) in enumerate(zip(parameters.nodes, gradient.nodes, strict=True)):
        if isinstance(own, WITH_SITES):
            at = scale_leaves(new.sites, step)
            old = at if own.sites is None else add(scale_leaves(own.sites, 1.0 - step), at)
            nodes[i] = replace(own, sites=old)
    return replace(parameters, nodes=tuple(nodes))
