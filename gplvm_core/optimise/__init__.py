"""An optimiser of vectors, independent of models, with immutable states that can be stored."""

from gplvm_core.optimise.batched import RowsObjective, RowsResult, minimise_rows
from gplvm_core.optimise.lbfgs import LBFGS, LBFGSState
from gplvm_core.optimise.objective import Objective, Progress, Result, State

__all__ = [
    "LBFGS",
    "LBFGSState",
    "Objective",
    "Progress",
    "Result",
    "RowsObjective",
    "RowsResult",
    "State",
    "minimise_rows",
]
