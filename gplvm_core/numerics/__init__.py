"""Floor 0: linear algebra that every other room rests on."""

from gplvm_core.numerics.linalg import (
    Array,
    Factor,
    NotPositiveDefiniteError,
    factorise,
    fold_upper,
    mirror_upper,
    symmetrise,
    unfold_upper,
)
from gplvm_core.numerics.memory import keep_freed_memory
from gplvm_core.numerics.reverse import inverse_factor, namespace, needs_autograd, pulled
from gplvm_core.numerics.threads import one_thread_a_product

__all__ = [
    "Array",
    "Factor",
    "NotPositiveDefiniteError",
    "factorise",
    "fold_upper",
    "inverse_factor",
    "keep_freed_memory",
    "mirror_upper",
    "namespace",
    "needs_autograd",
    "one_thread_a_product",
    "pulled",
    "symmetrise",
    "unfold_upper",
]

keep_freed_memory()
