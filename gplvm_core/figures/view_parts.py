"""Group latent dimensions by the views that use them: shared, private, unused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

# with more views, parts depend on how many views use a dimension, not on which views
MOST_NAMED_VIEWS = 4


@dataclass(frozen=True)
class Part:
    """Latent dimensions used by the same views.

    Dimensions are counted from 0; the most important one comes first. title: a name for menus.
    words: a sentence. views: the views that use the dimensions, () if none.
    """

    id: str
    title: str
    words: str
    views: tuple[str, ...]
    dimensions: tuple[int, ...]

    @property
    def used(self) -> bool:
        return self.id != "unused"

    @property
    def shared(self) -> bool:
        return len(self.views) > 1

    @property
    def subject(self) -> str:
        """A phrase for a sentence that says what these dimensions describe."""
        if self.shared:
            return "the shared part"
        if self.id == "private":
            return "the private parts"
        return f"the private part of {self.views[0]}" if self.views else "the unused part"


def parts_of(
    segmentation: Mapping[frozenset[str], Sequence[int]], drops: Mapping[str, Float[Array, " Q"]]
) -> tuple[Part, ...]:
    """Return the parts of a latent space: shared parts, private parts of views, the unused part.

    segmentation: the dimensions of every set of views; drops: each view's loss without each
    dimension. Up to four views have a private part each, which may be empty. With more views there
    are three parts: dimensions used by several views, by one view, and by none.
    """
    names = tuple(drops)
    weight = np.sum([np.asarray(drop, dtype=float) for drop in drops.values()], axis=0)

    def ordered(dimensions: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(dimensions, key=lambda q: (-weight[q], q)))

    found: dict[tuple[str, ...], list[int]] = {}
    for views, dimensions in segmentation.items():
        key = tuple(name for name in names if name in views)
        found.setdefault(key, []).extend(int(q) for q in dimensions)
    unused = Part("unused", "Unused", "No view uses it", (), ordered(found.pop((), [])))
    if len(names) > MOST_NAMED_VIEWS:
        several = [q for key, dims in found.items() if len(key) > 1 for q in dims]
        single = [q for key, dims in found.items() if len(key) == 1 for q in dims]
        users = tuple(name for name in names if any(name in key for key in found if len(key) > 1))
        shared = Part("shared", "Shared", "Two views or more use it", users, ordered(several))
        return (
            shared,
            Part("private", "Of one view", "Only one view uses it", names[:1], ordered(single)),
            unused,
        )
    found.setdefault(names, [])
    for name in names:
        found.setdefault((name,), [])
    keys = sorted(found, key=lambda key: (-len(key), [names.index(name) for name in key]))
    return (*(_part(key, names, ordered(found[key])) for key in keys), unused)


def _part(key: tuple[str, ...], names: tuple[str, ...], dimensions: tuple[int, ...]) -> Part:
    if len(key) == 1 and len(names) > 1:
        words = f"Only {key[0]} uses it"
        return Part(f"only {key[0]}", f"Only {key[0]}", words, key, dimensions)
    if key == names:
        words = "Both views use it" if len(names) == 2 else "All views use it"
        return Part("shared", "Shared", words, key, dimensions)
    listed = " and ".join(key)
    return Part(f"shared {listed}", f"Shared by {listed}", f"{listed} use it", key, dimensions)


def leading_plane(parts: Sequence[Part], n_latent: int) -> tuple[int, int]:
    """Return the two dimensions to show first.

    They are shared dimensions if possible, and otherwise other dimensions in use.
    """
    order = [q for part in parts for q in part.dimensions]
    return (order[0], order[1]) if n_latent > 1 else (0, 1)
