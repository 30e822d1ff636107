"""The node whose q(X) is the output of an encoder: a learnt function of the data."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.models.problems.graph import Beginning, Begun
from gplvm_core.models.problems.initialise import partial_scores
from gplvm_core.models.problems.nodes import Believed, LatentNode
from gplvm_core.models.problems.starts import start_layer
from gplvm_core.numerics import Array, IntArray
from gplvm_core.parameters import Leaf
from gplvm_core.priors.encoder import Encoder, Head, Reading, Seen

ENCODERS = ("kernel", "network")
# q(X) is centred on the outputs themselves, and nothing of it is trained.
OUTPUTS = "outputs"
# Below this fraction of reproduced variance, a note reports how well the encoder fits the start.
LEAST_REPRODUCED = 0.99


@dataclass(frozen=True)
class EncodedNode:
    """x_n ~ N(0, I), with q(X) restricted to functions of the data: an encoder.

    The bound is the bound for a free q(X); its gradients are pulled back through the encoder.
    Probabilistic PCA fills in the gaps of rows before they are encoded. Source: Lawrence &
    Quiñonero-Candela (2006), for the means.
    """

    reading: Reading
    seen: Seen
    n_gaps: int = 0  # number of rows whose gaps are filled in before they are encoded
    at_outputs: bool = False  # q(X) is centred on the outputs

    @classmethod
    def of(cls, rows: Float[Array, "N D"], n_latent: int, kind: str) -> Self:
        """Make a node for these outputs; kind: "kernel", "network" or "outputs".

        Raises ValueError for other kinds, and for "outputs" unless there are as many latent
        dimensions as outputs.
        """
        if kind not in (*ENCODERS, OUTPUTS):
            names = ", ".join((*ENCODERS, OUTPUTS))
            raise ValueError(f"encoder must be None or one of {names}; got {kind!r}")
        width = rows.shape[1]
        if kind == OUTPUTS and n_latent != width:
            raise ValueError(
                "encoder='outputs' needs as many latent dimensions (at the top of a deep model) as "
                f"outputs, {width}; got {n_latent}"
            )
        gaps = np.isnan(rows).any(axis=1)
        if gaps.any():
            _, rows = partial_scores(rows, min(n_latent, width))
        if kind == OUTPUTS:
            reading = Reading.of_outputs(rows)
            return cls(reading, reading(rows), int(gaps.sum()), at_outputs=True)
        # With more scores than 2 Q, the encoder's weights would fit noise.
        reading = Reading.of(rows, 2 * n_latent, bumps=kind == "kernel")
        return cls(reading, reading(rows), int(gaps.sum()))

    def rows(self, chosen: Int[IntArray, " n"]) -> Self:
        """The node of some of the rows."""
        return replace(self, seen=self.seen.rows(chosen))

    def encoder(self, own: Head) -> Encoder:
        """The encoder for new rows."""
        return Encoder(self.reading, own)

    def start(self, belief: Belief, seed: int) -> Head:
        if self.at_outputs:
            return Head.outputs(self.seen)
        if self.reading.bumps is not None:
            return Head.kernel(self.seen, belief)
        return Head.network(self.seen, belief, np.random.default_rng(seed))

    def notes(self, belief: Belief, seed: int) -> tuple[str, ...]:
        """Notes on how well the encoder fits the start, and on rows with gaps."""
        if self.at_outputs and not self.n_gaps:
            return ()
        wanted, found = belief.mean, self.start(belief, seed).belief(self.seen).mean
        around = float(np.sum((wanted - wanted.mean(axis=0)) ** 2))
        share = 1.0 - float(np.sum((found - wanted) ** 2)) / around
        notes: tuple[str, ...] = ()
        if share < LEAST_REPRODUCED and not self.at_outputs:
            notes = (f"the encoder reproduces {share:.0%} of the variance of the starting means",)
        if not self.n_gaps:
            return notes
        return (
            *notes,
            f"the encoder uses {self.n_gaps} rows with gaps filled in by probabilistic PCA; for "
            "new rows with gaps, optimisation replaces the encoder",
        )

    def believed(self, own: Head) -> Believed:
        free = LatentNode().believed(own.belief(self.seen))

        def pullback(adjoint: Belief) -> Head:
            return own.pullback(self.seen, free.belief, free.pullback(adjoint))

        return Believed(free.belief, free.own, free.information, pullback)

    def free(self, prefix: str, own: Head, belief: Belief, *, refreshed: bool) -> dict[str, Leaf]:
        if self.at_outputs:
            return {}
        # The scales are divided by √N, because each weight moves all N points at once; the features
        # have unit size.
        share = 1.0 / np.sqrt(belief.n_points)
        spread = self.spread(belief, refreshed=refreshed)
        free = {
            f"{prefix}.mean": Leaf(scale=np.broadcast_to(share * spread, own.mean.shape)),
            f"{prefix}.log_variance": Leaf(scale=2.0 * share),
        }
        if own.hidden is not None:
            free[f"{prefix}.hidden"] = Leaf(scale=share)
        return free

    def spread(self, belief: Belief, *, refreshed: bool) -> Float[Array, " Q"]:
        return np.asarray(np.sqrt(belief.variance.mean(axis=0)))


def at_outputs(nodes: Sequence[Any]) -> bool:
    """Return whether q(X) of the first node is centred on the outputs."""
    return isinstance(nodes[0], EncodedNode) and nodes[0].at_outputs


@dataclass(frozen=True)
class AtOutputs:
    """A start whose top is centred on the outputs, with the first inducing inputs among them."""

    begin: Beginning
    node: EncodedNode
    kernel: Any
    n_inducing: int

    def __call__(self, seed: int, /) -> Begun:
        begun = self.begin(seed)
        top = self.node.start(begun.beliefs[0], seed).belief(self.node.seen)
        noise = float(np.mean(begun.layers[0].noise_variance))
        generator = np.random.default_rng(seed)
        first, _ = start_layer(self.kernel, top.mean, self.n_inducing, noise, generator)
        replaced = f"of {top.n_latent} latent dimensions start"  # or "starts"
        return Begun(
            (top, *begun.beliefs[1:]),
            (first, *begun.layers[1:]),
            tuple(note for note in begun.notes if replaced not in note),
        )
