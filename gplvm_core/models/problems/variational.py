"""Variational families, by name: how q(u) and q(h) of a layer depend on each other.

u are the layer's inducing outputs, h its hidden outputs. In the two built-in families every hidden
point has a separate Gaussian. One family integrates u out given the points; in the other family, u
is independent of the points. The other families are in `models/families` and are imported only when
they are chosen by name.
"""

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Protocol

from gplvm_core.models.problems.graph import Graph

# The package with the other families.
OTHERS = "gplvm_core.models.families"


class VariationalFamily(Protocol):
    """The interface of a family; MATHEMATICS.md, section 6, has the mathematics.

    name : the name by which users choose the family.
    independent : whether q(u) is independent of q(h).
    summarised : whether q(u) is a function of its layer's statistics.
    dependent_rows : the reason why training must use every row; None if it may use a sample.
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
        """Convert the marginalised problem with the same nodes and layers to the family's problem.

        The graph defines the start, the parameters of q(u) and q(h) (`entering`, `layout`), the
        terms of the bound (`evaluate`) and the learnt posteriors (`learnt`). Raises ValueError for
        a structure that the family does not support.
        """


@dataclass(frozen=True)
class FreePoints:
    """A separate Gaussian for every hidden point (section 6.1; with an independent q(u), 6.0)."""

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
    """The family of this name. Raises ValueError for an unknown name."""
    if name in PLAIN:
        return PLAIN[name]
    others: dict[str, VariationalFamily] = import_module(OTHERS).FAMILIES
    if name not in others:
        raise ValueError(f"family must be one of {', '.join((*PLAIN, *others))}; got {name!r}")
    return others[name]
