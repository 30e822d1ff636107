"""Conditional families of deep models: what is believed of a hidden layer follows from others.

Measured against the engine's own families they gain nothing (benchmarks/README.md). They can be
chosen by name all the same, nothing else imports this room, and a model without them does not load
it. 6.2 (`given_inducing`) and diagonal 6.5 (`given_inputs`) have analytic gradients; joint 6.3
(`joint`), full 6.5 (`given_inputs_full`) and the chain of inducing outputs 6.6 (`chained`) are for
small models and take theirs from `autograd`. Sections are those of MATHEMATICS.md; after Chamberlin
(2016).
"""

from gplvm_core.models.families.graph import Following
from gplvm_core.models.families.separate import DiagonalFamily, FreeFamily, GatedFamily
from gplvm_core.models.families.together import (
    ChainFamily,
    FullFamily,
    JointFamily,
    LowRankChainFamily,
)

FAMILIES: dict[str, Following] = {
    each.name: each
    for each in (
        GatedFamily("gated"),
        FreeFamily("free"),
        DiagonalFamily("diagonal"),
        JointFamily("joint"),
        FullFamily("full"),
        ChainFamily("chain"),
        LowRankChainFamily("low_rank_chain"),
    )
}
__all__ = ["FAMILIES", "Following"]
