"""Floor 1: what is believed about inputs or outputs."""

from gplvm_core.beliefs.belief import Belief

__all__ = ["Belief"]
