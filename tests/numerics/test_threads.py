"""Tests that BLAS uses one thread inside the context, and that the last context restores the
setting.
"""

from contextlib import ExitStack

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from gplvm_core import DynamicalGPLVM
from gplvm_core.numerics import one_thread_a_product


def blas_threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_blas_is_limited_until_the_last_context_ends() -> None:
    with threadpool_limits(limits=2, user_api="blas"):
        first, second = ExitStack(), ExitStack()
        first.enter_context(one_thread_a_product())
        second.enter_context(one_thread_a_product())
        assert blas_threads() == {1}
        first.close()
        assert blas_threads() == {1}
        second.close()
        assert blas_threads() == {2}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_training_uses_one_thread_also_between_evaluations() -> None:
    """Dense algebra over time on a busy machine was 15 times slower with a thread for each core."""
    rows, seen = np.sin(np.arange(60.0).reshape(20, 3)), list[set[int]]()
    model = DynamicalGPLVM(1, 5, time_kernel="rbf", max_iter=3, random_state=0)
    with threadpool_limits(limits=2, user_api="blas"):
        model.fit(rows, callback=lambda _: seen.append(blas_threads()))
        assert seen
        assert set.union(*seen) == {1}
        assert blas_threads() == {2}
