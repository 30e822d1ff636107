"""What several layers say of rows whose outputs are given: a bound that splits over rows.

As in one layer (`project`), the layers' q(u) is held. A layer whose outputs for a row are a belief
N(m, s) adds what it says of that belief to what the layers to data say of the data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Self

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array
from gplvm_core.parameters import add
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.row_terms import (
    Evidence,
    RowTerms,
    UncertainTerms,
    rows_seen,
    terms_of,
)
from gplvm_core.statistics import HandedOn

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class HiddenTerms:
    """⟨log p(h_n | f)⟩ of rows whose outputs in the layer are beliefs, and their entropy."""

    terms: UncertainTerms

    @classmethod
    def of(cls, posterior: Posterior) -> Self:
        return cls(UncertainTerms.of(posterior, np.zeros((1, posterior.n_outputs))))

    @property
    def n_latent(self) -> int:
        return self.terms.posterior.n_latent

    def data(self, above: Belief, below: Belief) -> tuple[Array, Belief, Belief]:
        """Values (r,), and gradients in the beliefs about inputs and outputs of the rows."""
        posterior, rows = self.terms.posterior, np.arange(above.n_points)
        psi1, pull_psi1 = posterior.kernel.psi1(above.mean, above.variance, posterior.inducing)
        left, squares, handed = below.mean, np.zeros(len(rows)), None
        if posterior.slope is not None:
            handed = HandedOn.of(posterior.slope, posterior.kernel, above, posterior.inducing, psi1)
            left, squares = handed.left(below.mean), handed.squares
        full = np.ones(len(rows))
        here = replace(
            self.terms,
            carried=left @ posterior.weights.T,
            yy=np.sum(left**2 + below.variance, axis=1) + squares,
            count=self.terms.count[0] * full,
            level=self.terms.level[0] * full,
        )
        value, d_mean, d_variance = here.data(above.mean, above.variance, rows)
        precision = 1.0 / posterior.noise_variance
        d_left = precision * (psi1 @ posterior.weights - left)
        value = value + 0.5 * np.sum(np.log(2.0 * np.pi * np.e * below.variance), axis=1)
        if handed is not None:
            d_carried = precision * posterior.weights
            more, d_psi1, slid = handed.pullback(d_left, d_carried, -0.5 * precision)
            value, slid = value + more, slid + pull_psi1(d_psi1)
            d_mean, d_variance = d_mean + slid.mean, d_variance + slid.variance
        d_below = Belief(d_left, 0.5 / below.variance - 0.5 * precision)
        return value, Belief(d_mean, d_variance), d_below


@dataclass(frozen=True)
class Link:
    """A hidden layer from some nodes to another; told: 0 for rows of which nothing is observed
    below it, whose outputs integrate out, 1 for the others (None: all).
    """

    terms: HiddenTerms
    sources: tuple[int, ...]
    below: int
    told: Float[Array, " N"] | None = None

    def data(self, above: Belief, below: Belief, rows: Rows) -> tuple[Array, Belief, Belief]:
        value, *slopes = self.terms.data(above, below)
        if self.told is not None:
            told = self.told[rows]
            value = told * value
            slopes = [Belief(told[:, None] * b.mean, told[:, None] * b.variance) for b in slopes]
        return value, slopes[0], slopes[1]


@dataclass(frozen=True)
class RowBound:
    """What all layers say of rows whose outputs are given: their bound but for the KL of nodes
    that have a prior of their own.

    ends: what is observed below which nodes, by a layer that has these as its inputs. known: the
    beliefs about the rows at nodes that are inputs; all other nodes are inferred, in their order.
    """

    ends: tuple[tuple[RowTerms, tuple[int, ...]], ...]
    hidden: tuple[Link, ...]
    known: Mapping[int, Belief] = field(default_factory=dict)

    @classmethod
    def of(cls, evidence: Sequence[Evidence], above: Sequence[Posterior]) -> Self:
        """Of a chain of layers, whose nodes are numbered as `beliefs_at` has them.

        above: the layers that all views share. A layer with more inputs than the node above it has
        dimensions sees the top as well.
        """
        first = (*above, *evidence[0].layers)[0]
        widths, links = [first.n_latent], list[Link]()

        def into(posterior: Posterior, at: int) -> tuple[int, ...]:
            return (at,) if posterior.n_latent == widths[at] else (at, 0)

        def linked(posterior: Posterior, at: int, told: Array | None = None) -> int:
            terms = HiddenTerms.of(posterior)
            links.append(Link(terms, into(posterior, at), len(widths), told))
            widths.append(posterior.n_outputs)
            return len(links)

        for at, posterior in enumerate(above):
            linked(posterior, at)
        met: dict[tuple[int, ...], list[Evidence]] = {}
        for each in evidence:
            at, seen = len(above), rows_seen([each])
            for layer in each.own:
                at = linked(layer.posterior, at, None if seen.all() else seen.astype(np.float64))
            met.setdefault(into(each.posterior, at), []).append(each)
        ends = ((terms_of(each, UncertainTerms.of), at) for at, each in met.items())
        return cls(tuple(ends), tuple(links))

    def data(self, beliefs: Sequence[Belief], rows: Rows) -> tuple[Array, list[Belief]]:
        """Values (r,), and gradients in the beliefs at every node that is inferred, of the rows
        with these numbers in the evidence.
        """
        value = np.zeros(len(rows))
        inferred = iter(beliefs)
        beliefs = [
            self.known[at].rows(rows) if at in self.known else next(inferred)
            for at in range(len(beliefs) + len(self.known))
        ]
        slopes = [Belief(np.zeros_like(b.mean), np.zeros_like(b.mean)) for b in beliefs]

        def seen(sources: tuple[int, ...]) -> Belief:
            return reduce(Belief.beside, (beliefs[at] for at in sources))

        def pull(sources: tuple[int, ...], met: Belief) -> None:
            parts = met.split([beliefs[at].n_latent for at in sources])
            for at, own in zip(sources, parts, strict=True):
                slopes[at] = add(slopes[at], own)

        for terms, sources in self.ends:
            inputs = seen(sources)
            own, d_mean, d_variance = terms.data(inputs.mean, inputs.variance, rows)
            value = value + own
            pull(sources, Belief(d_mean, d_variance))
        for link in self.hidden:
            own, above, below = link.data(seen(link.sources), beliefs[link.below], rows)
            value = value + own
            pull(link.sources, above)
            slopes[link.below] = add(slopes[link.below], below)
        return value, [own for at, own in enumerate(slopes) if at not in self.known]
