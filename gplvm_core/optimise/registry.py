"""All optimisers of vectors, by name."""

from typing import Any

from gplvm_core.optimise.lbfgs import LBFGS
from gplvm_core.optimise.objective import Optimiser
from gplvm_core.optimise.scg import SCG

OPTIMISERS: dict[str, Optimiser[Any]] = {"lbfgs": LBFGS(), "scg": SCG()}


def optimiser_named(name: str) -> Optimiser[Any]:
    """Return the optimiser of a given name. Raises ValueError for unknown names."""
    if name not in OPTIMISERS:
        raise ValueError(f"optimiser must be one of {', '.join(OPTIMISERS)}; got {name!r}")
    return OPTIMISERS[name]
