"""Natural-gradient steps of q(u) in hidden layers whose outputs follow it (MATHEMATICS.md, 6.2).

In natural parameters a step goes from the sites s that q(u) has, beside its own layer's terms, to
what the layers below say at present: s ← (1 − ρ)s + ρ(g_μ − 2g_Σμ, g_Σ). At a fixed point the whole
bound is stationary in q(u). A step that is too long may lower the bound, or leave q(u) without a
covariance, so ρ is halved until the bound rises.
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

# Parameters of hidden beliefs that follow q(u), which has sites of what the layers below say.
WITH_SITES = (GivenInducing, JointlyGivenInducing)
# Steps shorter than this gain nothing.
LEAST_STEP = 1e-3


def natural_steps(
    evaluate: Callable[[Parameters], Evaluated], parameters: Parameters, n_steps: int
) -> tuple[Parameters, float]:
    """Parameters after at most so many steps of all layers together, and their bound."""
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


def _moved(parameters: Parameters, said: Parameters, step: float) -> Parameters:
    nodes = list(parameters.nodes)
    for i, (own, new) in enumerate(zip(parameters.nodes, said.nodes, strict=True)):
        if isinstance(own, WITH_SITES):
            at = scale_leaves(new.sites, step)
            old = at if own.sites is None else add(scale_leaves(own.sites, 1.0 - step), at)
            nodes[i] = replace(own, sites=old)
    return replace(parameters, nodes=tuple(nodes))
