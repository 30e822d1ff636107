"""Conditional families of deep models: q(h) of a hidden layer depends on other variables.

In benchmarks these families were no better than the built-in families (benchmarks/README.md). A
family is imported only when it is chosen by name. Numbers such as 6.2 are sections of
MATHEMATICS.md. The families 6.2 (`given_inducing`) and diagonal 6.5 (`given_inputs`) have analytic
gradients. The joint family 6.3 (`joint`), the full family 6.5 (`given_inputs_full`) and the chain
of inducing outputs 6.6 (`chained`) are for small models; `autograd` computes their gradients.
Source: Chamberlin (2016).
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
