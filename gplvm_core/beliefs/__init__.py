"""Level 1: the variational distribution of inputs or outputs."""

from gplvm_core.beliefs.belief import Belief

__all__ = ["Belief"]
