"""Level 10: training in background threads, independent of any user interface."""

from gplvm_core.training.comparing import ComparisonRun, begin_comparison, comparison_of
from gplvm_core.training.job import JobError
from gplvm_core.training.limits import Limits
from gplvm_core.training.progress import Snapshot
from gplvm_core.training.queue import Queue, here

__all__ = [
    "ComparisonRun",
    "JobError",
    "Limits",
    "Queue",
    "Snapshot",
    "begin_comparison",
    "comparison_of",
    "here",
]
