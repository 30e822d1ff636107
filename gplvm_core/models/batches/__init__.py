"""Training by batches of the rows; growing samples did better in the same time.

Only the estimator that offers `batch_size` imports this room (benchmarks/README.md has the
measurements).
"""

from gplvm_core.models.batches.problem import Stochastic, check_batches

__all__ = ["Stochastic", "check_batches"]
