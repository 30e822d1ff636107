"""Training on batches of rows. In benchmarks, growing samples gave better results in the same time.

Only the estimator with `batch_size` imports this package (benchmarks/README.md has the
measurements).
"""

from gplvm_core.models.batches.problem import Stochastic, check_batches

__all__ = ["Stochastic", "check_batches"]
