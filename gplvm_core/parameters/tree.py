"""Nested frozen dataclasses ↔ one flat vector, with fixed, tied, bounded and scaled leaves.

A leaf is a number or an array inside nested dataclasses and tuples. Its path consists of field
names and tuple positions, joined with dots: "layer.kernel.parts.0.lengthscale".

Also here: maps between bounded parameters and unbounded numbers.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gplvm_core.numerics import Array


@dataclass(frozen=True)
class Transform:
    """A parameter θ = forward(v) of an unbounded number v; `slope` is dθ/dv as a function of θ."""

    name: str
    forward: Callable[[Array], Array]
    inverse: Callable[[Array], Array]
    slope: Callable[[Array], Array]


def _softplus_inverse(value: Array) -> Array:
    return np.asarray(value + np.log(-np.expm1(-value)))


def _exp(value: Array) -> Array:
    # A line search may try a step that is too large. The overflow gives inf, so the evaluation is
    # rejected.
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(value))


def log_above(least: Array) -> Transform:
    """θ = least + exp(v): a parameter above a lower bound of the same shape.

    Values at the bound, or below it, are moved to 1.001 times the bound.
    """
    return Transform(
        "log above",
        lambda v: least + _exp(v),
        lambda t: np.log(np.maximum(t - least, 1e-3 * least)),
        lambda t: t - least,
    )


IDENTITY = Transform("identity", lambda v: v, lambda t: t, np.ones_like)
LOG = Transform("log", _exp, np.log, lambda t: t)
SOFTPLUS = Transform(
    "softplus", lambda v: np.logaddexp(0.0, v), _softplus_inverse, lambda t: -np.expm1(-t)
)


Tree = TypeVar("Tree")


def leaves(tree: Any, prefix: str = "") -> dict[str, Any]:
    """Return every number and floating-point array of a tree, by path."""
    return dict(_walk(tree, prefix))


def _walk(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(tree, float | int | np.floating) and not isinstance(tree, bool):
        yield path, tree
    elif isinstance(tree, np.ndarray):
        if tree.dtype.kind == "f":
            yield path, tree
    else:
        for name, child in _children(tree):
            yield from _walk(child, f"{path}.{name}" if path else name)


def _children(tree: Any) -> Iterator[tuple[str, Any]]:
    if is_dataclass(tree):
        for part in fields(tree):
            yield part.name, getattr(tree, part.name)
    elif isinstance(tree, tuple):
        for position, child in enumerate(tree):
            yield str(position), child


def replace_leaves(tree: Tree, values: Mapping[str, Any]) -> Tree:
    """Return a copy of the tree with new leaves at the given paths. Raises KeyError for unknown
    paths.
    """
    unknown = set(values) - set(leaves(tree))
    if unknown:
        raise KeyError(f"no such leaves: {sorted(unknown)}")
    return _rebuild(tree, dict(values), "")


def _rebuild(tree: Any, values: dict[str, Any], path: str) -> Any:
    if path in values:
        value = values[path]
        return value if isinstance(tree, np.ndarray) else float(value)
    if isinstance(tree, tuple):
        return tuple(_rebuild(child, values, _join(path, name)) for name, child in _children(tree))
    if is_dataclass(tree) and not isinstance(tree, type):
        changed = {
            name: _rebuild(child, values, _join(path, name)) for name, child in _children(tree)
        }
        return replace(tree, **changed)
    return tree


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def add(first: Tree, second: Tree) -> Tree:
    """Return the leafwise sum of two trees of the same shape, such as gradients."""
    return _leafwise(operator.add, first, second)


def scale_leaves(tree: Tree, factor: float) -> Tree:
    """Return the tree with every leaf multiplied by a factor."""
    return _leafwise(lambda value: factor * value, tree)


def _leafwise(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    # Every evaluation calls this function, so it avoids building paths.
    if isinstance(tree, np.ndarray):
        return function(tree, *others) if tree.dtype.kind == "f" else tree
    if isinstance(tree, float | int | np.floating) and not isinstance(tree, bool):
        return float(function(tree, *others))
    if isinstance(tree, tuple):
        return tuple(_leafwise(function, *each) for each in zip(tree, *others, strict=True))
    if is_dataclass(tree) and not isinstance(tree, type):
        changed = {
            part.name: _leafwise(function, *(getattr(each, part.name) for each in (tree, *others)))
            for part in fields(tree)
        }
        return replace(tree, **changed)
    return tree


@dataclass(frozen=True)
class Leaf:
    """The relation of a leaf θ to its free variable v: θ = transform(scale · v).

    free: entries that may change (None: all). tied: path of the leaf whose value this leaf shares.
    """

    transform: Transform = IDENTITY
    scale: float | Array = 1.0
    free: NDArray[np.bool_] | None = None
    tied: str | None = None


@dataclass(frozen=True)
class Layout:
    """The free leaves of a tree, and the order of their entries in one flat vector.

    A leaf that is not in `free` has the template's value.
    """

    template: Any
    free: Mapping[str, Leaf] = field(default_factory=dict)

    def pack(self, tree: Any) -> Array:
        """Return the free vector v of a tree, without tied leaves."""
        values = leaves(tree)
        parts = [
            self._select(leaf, self._to_free(leaf, values[path])) for path, leaf in self._own()
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def unpack(self, vector: Array) -> Any:
        """Return the tree at a free vector."""
        template = leaves(self.template)
        values: dict[str, Any] = {}
        start = 0
        for path, leaf in self._own():
            old = np.asarray(template[path], dtype=float)
            free = self._to_free(leaf, old)
            mask = np.ones(old.shape, bool) if leaf.free is None else leaf.free
            size = int(mask.sum())
            free[mask] = vector[start : start + size]
            start += size
            moved = leaf.transform.forward(leaf.scale * free)
            values[path] = np.where(mask, moved, old) if leaf.free is not None else moved
        for path, leaf in self.free.items():
            if leaf.tied is not None:
                values[path] = values[leaf.tied]
        return replace_leaves(self.template, values)

    def scales(self) -> Array:
        """Return the scale of every entry of the free vector."""
        values = leaves(self.template)
        parts = [
            self._select(leaf, np.array(np.broadcast_to(leaf.scale, np.shape(values[path]))))
            for path, leaf in self._own()
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def below(self, name: str) -> NDArray[np.bool_]:
        """Return a mask of the free vector's entries that belong to leaves below a given name."""
        values = leaves(self.template)
        parts = [
            np.full(self._select(leaf, np.asarray(values[path])).size, path.startswith(f"{name}."))
            for path, leaf in self._own()
        ]
        return np.concatenate(parts) if parts else np.empty(0, dtype=bool)

    def chain(self, tree: Any, gradient: Any) -> Array:
        """Return the gradient ∂/∂v from the tree of ∂/∂θ, at the given tree."""
        values, slopes = leaves(tree), dict(leaves(gradient))
        for path, leaf in self.free.items():
            if leaf.tied is not None:
                slopes[leaf.tied] = slopes[leaf.tied] + slopes[path]
        parts = []
        for path, leaf in self._own():
            slope = leaf.transform.slope(np.asarray(values[path], dtype=float))
            parts.append(self._select(leaf, np.asarray(slopes[path] * slope * leaf.scale)))
        return np.concatenate(parts) if parts else np.empty(0)

    def _own(self) -> list[tuple[str, Leaf]]:
        return [(path, leaf) for path, leaf in self.free.items() if leaf.tied is None]

    @staticmethod
    def _to_free(leaf: Leaf, value: Any) -> Array:
        # Fixed entries may be outside the transform's domain (log 0 for a variance of 0).
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.array(leaf.transform.inverse(np.asarray(value, dtype=float)) / leaf.scale)

    @staticmethod
    def _select(leaf: Leaf, array: Array) -> Array:
        return array.ravel() if leaf.free is None else array[leaf.free]
