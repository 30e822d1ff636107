"""Level 3: the additive statistics through which a layer sees its data."""

from gplvm_core.statistics.clusters import ClusterError, cluster
from gplvm_core.statistics.linear_mean import LinearMean
from gplvm_core.statistics.reduce import (
    Executor,
    PulledBack,
    StatisticsPullback,
    chunk_pullback,
    chunk_statistics,
    chunks_of,
    executor_for,
    reduce_statistics,
)
from gplvm_core.statistics.statistics import Patterns, Statistics, Targets

__all__ = [
    "ClusterError",
    "Executor",
    "LinearMean",
    "Patterns",
    "PulledBack",
    "Statistics",
    "StatisticsPullback",
    "Targets",
    "chunk_pullback",
    "chunk_statistics",
    "chunks_of",
    "cluster",
    "executor_for",
    "reduce_statistics",
]
