"""How q of a hidden layer's outputs hangs together with what the layer knows: a file for each way.

6.0, mean field, and 6.1, inducing outputs integrated out first, hand down a belief that moves on
its own, and are the layer's own algebra (`collapsed`, `marginalised`). Here are those where
the belief handed down follows from the layer: 6.2 (`given_inducing`) and diagonal 6.5
(`given_inputs`) with analytic gradients, and, for small models, with the help of `autograd`, joint
dimensions 6.3 (`joint`), full 6.5 (`given_inputs_full`) and the chain of inducing outputs 6.6
(`chained`). Sections are those of MATHEMATICS.md; after Chamberlin (2016).
"""

from gplvm_core.bounds.families.chained import InducingGivenAbove, chained, chained_to_data
from gplvm_core.bounds.families.correlated import Above, Correlated, to_data
from gplvm_core.bounds.families.given_inducing import GivenInducing, InducingSites, given_inducing
from gplvm_core.bounds.families.given_inputs import GivenInputs, given_inputs
from gplvm_core.bounds.families.given_inputs_full import FullyGivenInputs, given_inputs_full
from gplvm_core.bounds.families.handed import Handed, Moved
from gplvm_core.bounds.families.joint import JointlyGivenInducing, JointSites, joint

__all__ = [
    "Above",
    "Correlated",
    "FullyGivenInputs",
    "GivenInducing",
    "GivenInputs",
    "Handed",
    "InducingGivenAbove",
    "InducingSites",
    "JointSites",
    "JointlyGivenInducing",
    "Moved",
    "chained",
    "chained_to_data",
    "given_inducing",
    "given_inputs",
    "given_inputs_full",
    "joint",
    "to_data",
]
