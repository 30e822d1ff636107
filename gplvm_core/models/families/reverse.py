"""Reverse mode by `autograd`, for what is shorter than its adjoints by hand would be.

`autograd` is asked for when a gradient is, and not before: values need NumPy alone.
"""

import importlib.util
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gplvm_core.numerics import Array, NotPositiveDefiniteError

Pull = Callable[[Sequence[Array | None]], tuple[Array, ...]]


def numpy_of(*arrays: Any) -> Any:
    """NumPy, or autograd's of the same names where one of the arrays is being differentiated."""
    traced = any(type(array).__module__.startswith("autograd.") for array in arrays)
    return sys.modules["autograd.numpy"] if traced else np


def inverse_factor(matrix: Any, jitter: float = 0.0) -> Any:
    """L⁻¹ of a symmetric matrix (plus jitter · I) = LLᵀ, one that is differentiated or not."""
    xp, eye = numpy_of(matrix), np.eye(len(matrix))
    return xp.linalg.solve(xp.linalg.cholesky(matrix + jitter * eye), eye)


def needs_autograd() -> None:
    """Raises ImportError, in words, where the package is not installed."""
    if importlib.util.find_spec("autograd") is None:
        raise ImportError(
            "the families 'joint', 'full', 'chain' and 'low_rank_chain' of deep models need the "
            "package autograd for their gradients: pip install autograd"
        )


def pulled(
    function: Callable[..., tuple[Any, ...]], arguments: Sequence[Array]
) -> tuple[tuple[Array, ...], Pull]:
    """The arrays that a function of arrays returns, and the way back from adjoints of them (None:
    0) to those of its arguments.

    Raises ImportError without autograd, and NotPositiveDefiniteError for what has no Cholesky
    factor.
    """
    needs_autograd()
    import autograd.numpy as anp
    from autograd.core import make_vjp

    shapes: list[tuple[int, ...]] = []

    def flat(given: Any) -> Any:
        found = function(*(given[i] for i in range(len(arguments))))
        shapes.extend(np.shape(each) for each in found)
        return anp.concatenate([anp.ravel(each) for each in found])

    try:
        back, together = make_vjp(flat, tuple(np.asarray(each, float) for each in arguments))
    except np.linalg.LinAlgError as error:
        raise NotPositiveDefiniteError(
            "a covariance matrix is not positive definite: use fewer inducing inputs, or a larger "
            "jitter"
        ) from error
    edges = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
    parts = np.split(np.asarray(together), edges)
    values = tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))

    def pull(adjoints: Sequence[Array | None]) -> tuple[Array, ...]:
        each = [
            np.zeros(int(np.prod(shape))) if one is None else np.ravel(one)
            for one, shape in zip(adjoints, shapes, strict=True)
        ]
        return tuple(np.asarray(one) for one in back(np.concatenate(each)))

    return values, pull
