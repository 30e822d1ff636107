"""The bound of latent inputs whose q(X) an encoder gives, as a training problem."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from gplvm_core.bounds import Layer
from gplvm_core.models.initialise import partial_scores
from gplvm_core.models.latent import LatentProblem
from gplvm_core.models.layers import OneLayer, Parameters
from gplvm_core.models.run import Evaluated, Phase
from gplvm_core.numerics import Array
from gplvm_core.parameters import Layout, Leaf
from gplvm_core.priors.encoder import Encoder, Head, Reading, Seen

ENCODERS = ("kernel", "network")
# A start that an encoder reproduces less well than this is worth a note.
LEAST_REPRODUCED = 0.99


@dataclass(frozen=True)
class Encoded:
    """All that training moves when an encoder gives q(X): its parameters and the layer."""

    head: Head
    layer: Layer


@dataclass(frozen=True)
class EncodedProblem:
    """The bound with q(X) constrained to be an encoder's answer to the outputs.

    Values and gradients are those of the problem with a free q(X), pulled back through the
    encoder, so it is the same lower bound over fewer beliefs. Rows with gaps are encoded as
    probabilistic PCA fills them in. Source: Damianou (2015), §4.2.1 and §6.2.5.
    """

    data: OneLayer
    reading: Reading
    seen: Seen

    @classmethod
    def of(cls, data: OneLayer, kind: str) -> Self:
        """The problem with an encoder: "kernel" or "network". Raises ValueError for others."""
        if kind not in ENCODERS:
            raise ValueError(f"encoder must be None, 'kernel' or 'network'; got {kind!r}")
        rows, n_latent = data.begin.targets, data.begin.n_latent
        if np.isnan(rows).any():
            _, rows = partial_scores(rows, n_latent)
        # Twice the latent dimensions: what lies beyond is noise that the weights would fit.
        reading = Reading.of(rows, 2 * n_latent, bumps=kind == "kernel")
        return cls(data, reading, reading(rows))

    @property
    def inner(self) -> LatentProblem[OneLayer]:
        """The problem with a free q(X)."""
        return LatentProblem(self.data)

    @property
    def phases(self) -> Sequence[Phase]:
        return self.inner.phases

    def notes(self) -> tuple[str, ...]:
        """What the encoder makes of a start, and of rows with gaps."""
        wanted = self.inner.start(0).belief.mean
        found = self.start(0).head.belief(self.seen).mean
        around = float(np.sum((wanted - wanted.mean(axis=0)) ** 2))
        share = 1.0 - float(np.sum((found - wanted) ** 2)) / around
        notes: tuple[str, ...] = ()
        if share < LEAST_REPRODUCED:
            notes = (f"the encoder reproduces {share:.0%} of the variance of the starting means",)
        gaps = np.isnan(self.data.begin.targets).any(axis=1)
        if not gaps.any():
            return notes
        return (
            *notes,
            f"the encoder sees {int(gaps.sum())} rows with their gaps filled in by probabilistic "
            "PCA; new rows with gaps are inferred iteratively",
        )

    def decoded(self, parameters: Encoded) -> Parameters:
        """The same with q(X) as the encoder gives it."""
        return Parameters(parameters.head.belief(self.seen), parameters.layer)

    def encoder(self, parameters: Encoded) -> Encoder:
        """What encodes new rows."""
        return Encoder(self.reading, parameters.head)

    def start(self, seed: int) -> Encoded:
        begin = self.inner.start(seed)
        if self.reading.bumps is not None:
            head = Head.kernel(self.seen, begin.belief)
        else:
            head = Head.network(self.seen, begin.belief, np.random.default_rng(seed))
        return Encoded(head, begin.layer)

    def layout(self, anchor: Encoded, phase: Phase) -> Layout:
        variance = self.decoded(anchor).belief.variance
        spread, n_points = np.sqrt(variance.mean(axis=0)), len(variance)
        # What is seen has unit size, and moves all points at once.
        share = 1.0 / np.sqrt(n_points)
        free = {
            "head.mean": Leaf(scale=np.broadcast_to(share * spread, anchor.head.mean.shape)),
            "head.log_variance": Leaf(scale=2.0 * share),
        }
        if anchor.head.hidden is not None:
            free["head.hidden"] = Leaf(scale=share)
        return Layout(anchor, free | self.data.free(anchor.layer, spread, n_points))

    def evaluate(self, parameters: Encoded, phase: Phase) -> Evaluated:
        decoded = self.decoded(parameters)
        at = self.inner.evaluate(decoded, phase)
        head = parameters.head.pullback(self.seen, decoded.belief, at.gradient.belief)
        return Evaluated(at.bound, Encoded(head, at.gradient.layer), at.noise_variance)

    def describe(self, parameters: Encoded) -> tuple[Array, Array, Array]:
        return self.inner.describe(self.decoded(parameters))
