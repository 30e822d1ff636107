"""A layer of a model's graph: from the belief at a node to data, or to the belief at another."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import (
    Informed,
    Layer,
    LayerValue,
    evaluate_layer,
    gram_factor,
    output_gaps,
)
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Noise, Scaling
from gplvm_core.models.training.run import Phase
from gplvm_core.numerics import Array
from gplvm_core.parameters import LOG, Leaf, Transform, leaves
from gplvm_core.prediction import Posterior
from gplvm_core.statistics import Executor, Statistics, Targets
from gplvm_core.statistics.executors import place_of, serial

# Outputs whose signal has less than this share of the variance of their noise have none.
NO_SIGNAL = 1e-4
# Nothing is held.
FREE = Phase("all free", 0)


@dataclass(frozen=True)
class LayerEdge:
    """A Gaussian-process layer: the nodes it starts from, and its outputs, data or a node.

    sources: numbers of nodes, whose beliefs side by side are the layer's inputs. inducing_held,
    kernel_held: what training leaves as it is, up to the overall scale. positive: the transform of
    the kernel's positive parameters. mean_field: of outputs that are a node, whether q(u) is one
    for all of it (Damianou 2015, App. C); else u is integrated out first. per_output: every output
    of data has a signal and a noise variance of its own. executor: over chunks of points.
    """

    sources: tuple[int, ...]
    outputs: Targets | int
    executor: Executor = serial
    inducing_held: bool = False
    kernel_held: bool = False
    positive: Transform = LOG
    mean_field: bool = False
    per_output: bool = False

    @property
    def source(self) -> int:
        """The first of the nodes that it starts from."""
        return self.sources[0]

    @property
    def data(self) -> Targets:
        """The outputs, of an edge that ends in data."""
        if not isinstance(self.outputs, Targets):
            raise TypeError(f"the edge ends in node {self.outputs}, which is no data")
        return self.outputs

    @property
    def ends_in_node(self) -> bool:
        """Whether the outputs are a belief, the inputs of another layer."""
        return isinstance(self.outputs, int)

    def ends_in(self, node: int) -> bool:
        """Whether the outputs are the belief at this node."""
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
        """The free parameters at their scales; spread: of the points that the layer starts from.

        profiled: the layer's two scales are at their optimum, and so no parameters.
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
        """F_data at the layer's best scales, but for what the phase holds, and all gradients.

        Less noise than the jitter adds to K drowns in the rounding of the statistics, and training
        stalls on it.
        """
        return evaluate_layer(
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

    def settled(
        self, layer: Layer, source: Belief, seen: Targets, whole: Targets, jitter: float
    ) -> "Settled":
        """The layer at its best scales for the targets that training saw, evaluated on the whole
        ones as what is stored will be.
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

    def _gaps(
        self, at: LayerValue, source: Belief, outputs: Targets
    ) -> Float[Array, "D M M"] | None:
        """K⁻¹ − P of every output, where u is integrated out given a belief about them."""
        if self.mean_field or outputs.variance is None:
            return None
        kernel, inducing = at.layer.kernel, at.layer.inducing
        gram = gram_factor(kernel, inducing, at.jitter, relative=False)
        psi1, _ = kernel.psi1(source.mean, source.variance, inducing)
        noise = float(at.layer.noise_variance)
        return output_gaps(at.posterior, gram, noise, psi1, outputs.variance)


def to_data(values: Float[Array, "N D"], executor: Executor, noise: Noise) -> LayerEdge:
    """The layer from the first node to outputs (scaled; NaN: missing)."""
    seen = targets_for(values, noise).at(place_of(executor))
    return LayerEdge((0,), seen, executor, per_output=noise == "per_output")


def targets_for(values: Float[Array, "N D"], noise: Noise) -> Targets:
    """What a layer sees of its outputs."""
    # With noise of their own all columns are needed: no square root of Y Yᵀ stands for them.
    return Targets.whole(values) if noise == "per_output" else Targets.of(values)


@dataclass(frozen=True)
class Settled:
    """A trained layer with the statistics of its data, F_data and its optimal q(u)."""

    layer: Layer
    statistics: Statistics
    posterior: Informed
    jitter: float  # absolute, as added to K
    capped: int = 0  # of how many outputs, or of all, σ_f²/σ² stands at the most that is allowed
    gaps: Float[Array, "D M M"] | None = None  # of outputs that share no K⁻¹ − P: each its own

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd about the fit, in words."""
        ratio, said = self.layer.ratio, []
        if self.capped:
            which = "" if ratio is None else f"{self.capped} of {len(ratio)} outputs are "
            said.append(
                f"{which}fitted without error: the noise is held at the level of the jitter"
            )
        if ratio is not None:
            flat, empty = int(np.sum(ratio == 0.0)), int(np.sum(ratio <= NO_SIGNAL))
            if flat:
                said.append(
                    f"{flat} of {len(ratio)} outputs do not vary: their noise is unknown, and held "
                    "at the level of the jitter"
                )
            if empty > flat:
                said.append(
                    f"{empty - flat} of {len(ratio)} outputs are all noise: the map says nothing "
                    "of them"
                )
        return tuple(said)

    def as_posterior(self, scaling: Scaling) -> Posterior:
        """What predictions need, with the units of the outputs."""
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
    """The kernel's free parameters as it declares them, at the scale of their curvature, about N.

    Not those that it holds. profiled: the first overall variance stays as it is, since the overall
    scale is put at its optimum.
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
    """ARD weights; a kernel that does not tell dimensions apart gives them all 1."""
    relevance = kernel.relevance
    return np.ones(n_latent) if relevance is None else relevance
