"""A layer of a model's graph: from q(X) at one or more nodes to data, or to another node.

Also here: a shift of rows: a layer whose outputs are the next rows of the same sequences.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import (
    Informed,
    Layer,
    LayerValue,
    evaluate_layer,
    gram_factor,
    layer_term,
    output_gaps,
)
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Noise, Scaling
from gplvm_core.models.training.run import Phase
from gplvm_core.numerics import Array, IntArray
from gplvm_core.parameters import LOG, Leaf, Transform, leaves
from gplvm_core.prediction import Posterior
from gplvm_core.readers.errors import by_count
from gplvm_core.statistics import Executor, Statistics, Targets, reduce_statistics
from gplvm_core.statistics.reduce import serial


@dataclass(frozen=True)
class Shift:
    """Pairs of rows: row before[i] is an input of the layer, and row after[i] is its output."""

    before: Int[IntArray, " P"]
    after: Int[IntArray, " P"]

    @staticmethod
    def returned(slope: Belief, rows: Int[IntArray, " P"], count: int) -> Belief:
        """Put the gradients of some rows in their places among `count` rows; 0 elsewhere.

        Every row must occur at most once.
        """
        mean, variance = np.zeros((2, count, slope.n_latent))
        mean[rows], variance[rows] = slope.mean, slope.variance
        return Belief(mean, variance)


# Outputs with a smaller ratio of signal to noise variance count as having no signal.
NO_SIGNAL = 1e-4
# A phase in which all parameters are free.
FREE = Phase("all free", 0)


def all_noise(count: int, total: int) -> str:
    """Return the note about outputs that the map does not explain."""
    verb, them = by_count(count, "is", "are"), by_count(count, "it", "them")
    return f"{count} of {total} outputs {verb} all noise: the map does not explain {them}"


@dataclass(frozen=True)
class LayerEdge:
    """A Gaussian-process layer: its source nodes and its outputs, which are data or a node.

    sources: indices of nodes, whose q(X) are concatenated as the layer's inputs. inducing_held:
    training does not change the inducing inputs. kernel_held: training changes only the kernel's
    overall scale. positive: the transform of the kernel's positive parameters. mean_field: if the
    outputs are a node, q(u) is independent of them (Damianou 2015, App. C); otherwise u is
    integrated out first. per_output: every data column has a separate signal and noise variance.
    shift: the rows of the inputs and of the outputs, if the outputs belong to other rows than their
    inputs. weight: how much the edge's term of the bound counts in training.
    executor: evaluates the chunks of points.
    """

    sources: tuple[int, ...]
    outputs: Targets | int
    executor: Executor = serial
    inducing_held: bool = False
    kernel_held: bool = False
    positive: Transform = LOG
    mean_field: bool = False
    per_output: bool = False
    shift: Shift | None = None
    weight: float = 1.0

    @property
    def source(self) -> int:
        """The index of the first source node."""
        return self.sources[0]

    @property
    def data(self) -> Targets:
        """The outputs of an edge to data; raises TypeError for an edge to a node."""
        if not isinstance(self.outputs, Targets):
            raise TypeError(f"the edge ends in node {self.outputs}, not in data")
        return self.outputs

    @property
    def ends_in_node(self) -> bool:
        """Whether the outputs are a node, and therefore the inputs of another layer."""
        return isinstance(self.outputs, int)

    def ends_in(self, node: int) -> bool:
        """Whether the edge ends in the node of this number."""
        return isinstance(self.outputs, int) and self.outputs == node

    def free(
        self,
        prefix: str,
        layer: Layer,
        spread: Float[Array, " Q"],
        n_points: int,
        *,
        profiled: bool = True,
    ) -> dict[str, Leaf]:
        """The free parameters with their scales; spread: the scale of the layer's input points.

        profiled: the layer's noise variance and overall kernel scale are always optimal, so they
        are not parameters.
        """
        free: dict[str, Leaf] = {}
        if not profiled:
            free[f"{prefix}.noise_variance"] = Leaf(LOG, 1.0 / np.sqrt(n_points))
        if not self.inducing_held:
            free[f"{prefix}.inducing"] = Leaf(scale=spread)
        if not self.kernel_held:
            kernel = kernel_leaves(layer.kernel, f"{prefix}.kernel", n_points, profiled=profiled)
            for path, leaf in kernel.items():
                positive = leaf.transform is LOG
                free[path] = replace(leaf, transform=self.positive) if positive else leaf
        return free

    def value(
        self,
        layer: Layer,
        source: Belief,
        targets: Targets,
        jitter: float,
        phase: Phase = FREE,
    ) -> LayerValue:
        """F_data and all its gradients, at the best noise and kernel scale that the phase allows.

        Both are multiplied by the edge's weight, which changes neither this best point nor q(u).
        The noise is never smaller than the jitter added to K; otherwise rounding errors of the
        statistics would exceed the noise, and training would stall.
        """
        at = evaluate_layer(
            layer,
            source,
            targets,
            jitter=jitter,
            profile=True,
            ratio=None if self.ends_in_node else phase.ratio,
            most_ratio=1.0 / jitter,
            noise_held=phase.hidden_noise_held and self.ends_in_node,
            mean_field=self.mean_field,
            per_output=self.per_output,
            executor=self.executor,
        )
        return at if self.weight == 1.0 else at.weighted(self.weight)

    def settled(
        self, layer: Layer, source: Belief, seen: Targets, whole: Targets, jitter: float
    ) -> "Settled":
        """The layer with the best noise and kernel scale for `seen`, evaluated on all columns.

        seen: the targets in training, which may be a square root of Y Yᵀ. whole: the targets with
        all columns.
        """
        best = self.value(layer, source, seen, jitter)
        at = evaluate_layer(
            best.layer,
            source,
            whole,
            jitter=best.jitter,
            relative=False,
            mean_field=self.mean_field,
            executor=self.executor,
        )
        capped = 0 if best.profile is None else int(np.sum(best.profile.capped))
        return Settled(
            at.layer, at.statistics, at.posterior, at.jitter, capped, self._gaps(at, source, whole)
        )

    def value_with(
        self, kernel: Kernel, settled: "Settled", source: Belief, targets: Targets
    ) -> float:
        """F_data of a trained layer with another kernel; nothing else changes."""
        layer = settled.layer
        statistics, _ = reduce_statistics(kernel, source, layer.inducing, targets, self.executor)
        gram = gram_factor(kernel, layer.inducing, settled.jitter, relative=False)
        return layer_term(layer, statistics, gram, targets, mean_field=self.mean_field)

    def _gaps(
        self, at: LayerValue, source: Belief, outputs: Targets
    ) -> Float[Array, "D M M"] | None:
        """K⁻¹ − P of every output if u is integrated out given uncertain outputs; else None."""
        if self.mean_field or outputs.variance is None:
            return None
        kernel, inducing = at.layer.kernel, at.layer.inducing
        gram = gram_factor(kernel, inducing, at.jitter, relative=False)
        psi1, _ = kernel.psi1(source.mean, source.variance, inducing)
        noise = float(at.layer.noise_variance)
        return output_gaps(at.posterior, gram, noise, psi1, outputs.variance)


def to_data(
    values: Float[Array, "N D"],
    executor: Executor,
    noise: Noise,
    weight: float = 1.0,
    shift: Shift | None = None,
) -> LayerEdge:
    """The layer from the first node to these outputs (in internal units; NaN: missing).

    shift: the rows of the node that have outputs; None: all rows.
    """
    seen = targets_for(values, noise)
    own = noise == "per_output"
    return LayerEdge((0,), seen, executor, per_output=own, weight=weight, shift=shift)


def targets_for(values: Float[Array, "N D"], noise: Noise) -> Targets:
    """The targets of a layer for the given outputs."""
    # Noise per output needs all columns, not a square root of Y Yᵀ.
    return Targets.whole(values) if noise == "per_output" else Targets.of(values)


@dataclass(frozen=True)
class Settled:
    """A trained layer with the statistics of its data, F_data and its optimal q(u)."""

    layer: Layer
    statistics: Statistics
    posterior: Informed
    jitter: float  # absolute, as added to K
    # number of outputs whose σ_f²/σ² is at its limit; 0 or 1 if all outputs share one ratio
    capped: int = 0
    # K⁻¹ − P of each output, unless the outputs of a group share it
    gaps: Float[Array, "D M M"] | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on unusual results of the fit."""
        ratio, notes = self.layer.ratio, []
        if self.capped:
            verb = by_count(self.capped, "is", "are")
            which = "" if ratio is None else f"{self.capped} of {len(ratio)} outputs {verb} "
            notes.append(
                f"{which}fitted without error: the noise is fixed at the level of the jitter"
            )
        if ratio is not None:
            flat, empty = int(np.sum(ratio == 0.0)), int(np.sum(ratio <= NO_SIGNAL))
            if flat:
                notes.append(
                    f"{flat} of {len(ratio)} outputs {by_count(flat, 'does', 'do')} not vary: "
                    f"{by_count(flat, 'its', 'their')} noise is unknown and fixed at the level of "
                    "the jitter"
                )
            if empty > flat:
                notes.append(all_noise(empty - flat, len(ratio)))
        return tuple(notes)

    def as_posterior(self, scaling: Scaling) -> Posterior:
        """The posterior for predictions, in the units of the outputs."""
        noise = np.asarray(self.layer.noise_variance)
        own = self.layer.ratio is not None
        gap, groups = self.posterior.gap, self.statistics.groups
        if self.gaps is not None:
            gap, groups = self.gaps, np.arange(len(self.gaps))
        return Posterior(
            self.layer.kernel,
            self.layer.inducing,
            self.posterior.weights,
            gap,
            1.0 if own else float(noise),
            self.jitter,
            scaling.center,
            scaling.scale * np.sqrt(noise) if own else scaling.scale,
            groups,
            self.posterior.each,
            self.layer.slope,
        )


def kernel_leaves(
    kernel: Kernel, prefix: str, n_points: int, *, profiled: bool = False
) -> dict[str, Leaf]:
    """The free parameters that the kernel declares; their scales assume a curvature of about N.

    Parameters that the kernel fixes are left out. profiled: the overall scale is always optimal, so
    the first overall variance is left out, too.
    """
    declared, values = kernel.declared(), leaves(kernel)
    fixed = kernel.held_paths()
    if profiled:
        overall = (path for path, each in declared.items() if each.overall)
        fixed |= set([path for path in overall if np.ndim(values[path]) == 0][:1])
    return {
        f"{prefix}.{path}": Leaf(each.transform, each.scale / np.sqrt(n_points))
        for path, each in declared.items()
        if path not in fixed
    }


def relevance_of(kernel: Kernel, n_latent: int) -> Float[Array, " Q"]:
    """ARD weights; all 1 for a kernel without a weight for each dimension."""
    relevance = kernel.relevance
    return np.ones(n_latent) if relevance is None else relevance
