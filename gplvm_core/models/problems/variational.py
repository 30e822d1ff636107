"""How q(u) of a layer's inducing outputs and q(h) of its hidden outputs go together: by name.

Two families belong to the engine: every hidden point has a Gaussian of its own, and q(u) is either
integrated out given the points or independent of them. The others are in `models/families`, which
nothing imports: a family there is loaded when somebody asks for it by name.
"""

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Protocol

from gplvm_core.models.problems.graph import Graph

# The room that has the other families.
OTHERS = "gplvm_core.models.families"


class VariationalFamily(Protocol):
    """What a family answers; MATHEMATICS.md, section 6, has the mathematics.

    name : the word that users choose it by.
    independent : whether q(u) is independent of q(h).
    summarised : whether q(u) is a function of its layer's statistics.
    dependent_rows : why a row cannot be placed without training on it; None where it can be.
    """

    @property
    def name(self) -> str: ...

    @property
    def independent(self) -> bool: ...

    @property
    def summarised(self) -> bool: ...

    @property
    def dependent_rows(self) -> str | None: ...

    def graph(self, plain: Graph) -> Graph:
        """The training problem, from the marginalised one of the same nodes and layers.

        The graph says where training starts, how q(u) and q(h) are parametrised (`entering`,
        `layout`), the terms of the bound (`evaluate`) and the learnt posteriors (`learnt`). Raises
        ValueError for a structure that the family cannot have.
        """


@dataclass(frozen=True)
class FreePoints:
    """A Gaussian of its own for every hidden point: 6.1, or 6.0 where q(u) is independent."""

    name: str
    independent: bool
    summarised: bool = True
    dependent_rows: str | None = None

    def graph(self, plain: Graph) -> Graph:
        edges = tuple(replace(edge, mean_field=self.independent) for edge in plain.edges)
        return replace(plain, edges=edges)


PLAIN = {
    "mean_field": FreePoints("mean_field", independent=True),
    "marginalised": FreePoints("marginalised", independent=False),
}


def family_named(name: str) -> VariationalFamily:
    """The family that a word stands for. Raises ValueError for other words."""
    if name in PLAIN:
        return PLAIN[name]
    others: dict[str, VariationalFamily] = import_module(OTHERS).FAMILIES
    if name not in others:
        raise ValueError(f"family must be one of {', '.join((*PLAIN, *others))}; got {name!r}")
    return others[name]
