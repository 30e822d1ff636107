"""Reverse-mode gradients by `autograd`, for functions whose hand-written adjoints would be long.

`autograd` is imported only when a gradient is needed; values need only NumPy.
"""

import importlib.util
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gplvm_core.numerics import Array, NotPositiveDefiniteError

Pull = Callable[[Sequence[Array | None]], tuple[Array, ...]]


def numpy_of(*arrays: Any) -> Any:
    """NumPy, or autograd's version of NumPy if one of the arrays is being differentiated."""
    traced = any(type(array).__module__.startswith("autograd.") for array in arrays)
    return sys.modules["autograd.numpy"] if traced else np


def inverse_factor(matrix: Any, jitter: float = 0.0) -> Any:
    """L⁻¹ for LLᵀ = a symmetric matrix plus jitter · I; works with NumPy and autograd."""
    xp, eye = numpy_of(matrix), np.eye(len(matrix))
    return xp.linalg.solve(xp.linalg.cholesky(matrix + jitter * eye), eye)


def needs_autograd() -> None:
    """Raise ImportError if the package autograd is not installed."""
    if importlib.util.find_spec("autograd") is None:
        raise ImportError(
            "the families 'joint', 'full', 'chain' and 'low_rank_chain' of deep models need the "
            "package autograd for their gradients: pip install autograd"
        )


def pulled(
    function: Callable[..., tuple[Any, ...]], arguments: Sequence[Array]
) -> tuple[tuple[Array, ...], Pull]:
    """Evaluate a function of arrays; returns its results and their pullback.

    The pullback maps adjoints of the results (None: 0) to adjoints of the arguments. Raises
    ImportError without autograd, and NotPositiveDefiniteError if a Cholesky factor does not exist.
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
