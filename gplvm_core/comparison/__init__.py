"""Floor 7: models beside each other and beside base lines, on data that they have not seen."""

from gplvm_core.comparison.depth import is_depth_worth_it
from gplvm_core.comparison.repeated import Contender, Step, compare
from gplvm_core.comparison.result import Comparison, Difference

__all__ = [
    "Comparison",
    "Contender",
    "Difference",
    "Step",
    "compare",
    "is_depth_worth_it",
]
