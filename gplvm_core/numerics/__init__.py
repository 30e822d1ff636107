"""Level 0: linear algebra that all other packages use."""

from gplvm_core.numerics.linalg import (
    Factor,
    NotPositiveDefiniteError,
    factorise,
    fold_upper,
    low_rank,
    mirror_upper,
    symmetrise,
    unfold_upper,
    upper_pairs,
)
from gplvm_core.numerics.threads import keep_freed_memory, one_thread_a_product
from gplvm_core.numerics.types import (
    AnyNDArray,
    Array,
    BoolArray,
    ByteArray,
    Int64Array,
    IntArray,
)

__all__ = [
    "AnyNDArray",
    "Array",
    "BoolArray",
    "ByteArray",
    "Factor",
    "Int64Array",
    "IntArray",
    "NotPositiveDefiniteError",
    "factorise",
    "fold_upper",
    "keep_freed_memory",
    "low_rank",
    "mirror_upper",
    "one_thread_a_product",
    "symmetrise",
    "unfold_upper",
    "upper_pairs",
]

keep_freed_memory()
