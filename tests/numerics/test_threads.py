"""Tests that BLAS uses one thread inside the context, and that the last context restores the
setting.
"""

from contextlib import ExitStack

from threadpoolctl import threadpool_info, threadpool_limits

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
