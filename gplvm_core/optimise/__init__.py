"""Optimisers of vectors: they know nothing of models, and their states are values."""

from gplvm_core.optimise.adam import Adam, AdamState, BatchObjective
from gplvm_core.optimise.batched import RowsObjective, RowsResult, minimise_rows
from gplvm_core.optimise.lbfgs import LBFGS, LBFGSState, rescaled
from gplvm_core.optimise.objective import Objective, Optimiser, Progress, Result, State
from gplvm_core.optimise.scg import SCG, SCGState

__all__ = [
    "LBFGS",
    "SCG",
    "Adam",
    "AdamState",
    "BatchObjective",
    "LBFGSState",
    "Objective",
    "Optimiser",
    "Progress",
    "Result",
    "RowsObjective",
    "RowsResult",
    "SCGState",
    "State",
    "minimise_rows",
    "rescaled",
]
