"""The start of training for a latent variable model: means, kernels, inducing inputs."""

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, MixedOutputs
from gplvm_core.kernels import RBF, Kernel, kernel_named
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.data.known import residual
from gplvm_core.models.problems.graph import Beginning, Begun, Graph
from gplvm_core.models.problems.initialise import (
    initial_inducing,
    initial_latent,
    initial_lengthscale,
)
from gplvm_core.models.problems.nodes import INITIAL_VARIANCE, InputNode
from gplvm_core.numerics import Array

ASIDE = 0.02  # the factor for the means of dimensions that are not leading
ENDLESS = 1e3  # the lengthscale of a dimension that is off
FACTOR_SCALE = 4.0  # the starting lengthscale of known factors, whose spread is about 1


@dataclass(frozen=True)
class Start:
    """The start of a model with one latent node and a layer to each of the outputs.

    outputs: matrices N × D in internal units (NaN: missing). kernels: a name or an object for each
    of the outputs. init: the latent means, or the name of a method for them. The seed chooses the
    inducing inputs, which are a subset of the means. exact: q(X) is a point for every row; any
    kernel can be used then. by_observed: see `initial_latent`. leading: if init is a name,
    dimensions after the first `leading` ones start almost at zero; None: all dimensions have the
    full spread. mixed: the columns of any kind for every layer, or None for a layer to numbers;
    outputs then has these columns as numbers. Empty: all layers are to numbers. known: the known
    factors, further inputs of every layer; the means start at what they do not explain.
    """

    outputs: tuple[Float[Array, "N _D"], ...]
    n_latent: int
    n_inducing: int
    kernels: tuple[str | Kernel, ...]
    init: str | ArrayLike
    exact: bool = False
    by_observed: bool = False
    leading: int | None = None
    mixed: tuple[MixedOutputs | None, ...] = ()
    known: Float[Array, "N C"] | None = None

    def starting(self, init: str) -> Self:
        """The same start with another method for the means."""
        return replace(self, init=init)

    def narrow(self, n_latent: int) -> Self:
        """The same start with fewer dimensions."""
        init = self.init if isinstance(self.init, str) else np.asarray(self.init)[:, :n_latent]
        return replace(self, n_latent=n_latent, init=init)

    def linear(self) -> Self:
        """The same start with a linear kernel, whose rank is the number of dimensions."""
        return replace(self, kernels=("linear",) * len(self.kernels), n_inducing=self.n_latent)

    def latent(self, generator: np.random.Generator) -> tuple[Array, tuple[str, ...]]:
        """The starting latent means, and notes on automatic choices."""
        left = self.outputs
        if self.known is not None:
            left = tuple(residual(own, self.known) for own in left)
        mean, notes = initial_latent(
            left, self.n_latent, self.init, generator, by_observed=self.by_observed
        )
        if self.leading is not None and isinstance(self.init, str):
            mean = mean * np.where(np.arange(self.n_latent) < self.leading, 1.0, ASIDE)
        return mean, notes

    def __call__(self, seed: int, /) -> Begun:
        generator = np.random.default_rng(seed)
        mean, notes = self.latent(generator)
        layers, layer_notes, seen = [], set[str](), mean
        if self.known is not None:
            seen = np.hstack([mean, self.known])
        for kernel, own in zip_longest(self.kernels, self.mixed):
            if self.known is not None:
                assert isinstance(kernel, str)
                beside = np.full(self.known.shape[1], FACTOR_SCALE)
                kernel = kernel_named(kernel, np.append(initial_lengthscale(mean), beside))
            layer, more = start_layer(
                kernel, seen, self.n_inducing, 1.0, generator, exact=self.exact
            )
            layers.append(replace(layer, local=own.started()) if own else layer)
            layer_notes |= set(more)
        belief = Belief(mean, np.full_like(mean, INITIAL_VARIANCE))
        beliefs = (belief,) if self.known is None else (belief, Belief.certain(self.known))
        return Begun(beliefs, tuple(layers), (*notes, *sorted(layer_notes)))


@dataclass(frozen=True)
class FewDimensions:
    """A start with fewer dimensions and an RBF kernel, as a start whose other dimensions are off.

    begin: the start with fewer dimensions. n_latent: the number of all dimensions.
    """

    begin: Beginning
    n_latent: int

    def __call__(self, seed: int, /) -> Begun:
        begun = self.begin(seed)
        (belief,) = begun.beliefs
        off = self.n_latent - belief.n_latent

        def wider(values: Array, filling: float) -> Array:
            return np.pad(values, ((0, 0), (0, off)), constant_values=filling)

        layers = []
        for layer in begun.layers:
            kernel, inducing = layer.kernel, wider(layer.inducing, 0.0)
            assert isinstance(kernel, RBF)
            scale = wider(np.atleast_2d(kernel.lengthscale), ENDLESS)[0]
            layers.append(
                replace(layer, kernel=replace(kernel, lengthscale=scale), inducing=inducing)
            )
        wide = Belief(wider(belief.mean, 0.0), wider(belief.variance, 1.0))
        return replace(begun, beliefs=(wide,), layers=tuple(layers))


def beside_known(graph: Graph, known: Float[Array, "N C"] | None) -> Graph:
    """The graph with known factors as further inputs of every layer; None: the same graph."""
    if known is None:
        return graph
    edges = tuple(replace(edge, sources=(*edge.sources, 1)) for edge in graph.edges)
    return replace(graph, nodes=(*graph.nodes, InputNode(Inputs.of(known, None))), edges=edges)


def start_layer(
    kernel: str | Kernel,
    latent: Float[Array, "N Q"],
    n_inducing: int,
    noise_variance: float,
    generator: np.random.Generator,
    *,
    exact: bool = False,
) -> tuple[Layer, tuple[str, ...]]:
    """A layer whose inducing inputs are a subset of these points, and notes.

    kernel, exact: as for `start_kernel`; the kernel is then scaled to unit variance.
    """
    inducing, notes = initial_inducing(latent, n_inducing, generator)
    started = of_unit_scale(start_kernel(kernel, latent, exact=exact), latent)
    return Layer(started, inducing, noise_variance), notes


def start_kernel(
    kernel: str | Kernel, latent: Float[Array, "N Q"], *, exact: bool = False
) -> Kernel:
    """The starting kernel; a kernel object is used unchanged.

    A kernel given by name gets lengthscales from the latent means. exact: the inputs are known
    exactly. Raises KernelError for a kernel that cannot be used.
    """
    if isinstance(kernel, str):
        kernel = kernel_named(kernel, initial_lengthscale(latent))
    kernel = kernel.with_latent(latent.shape[1])
    kernel.check(exact=exact)
    return kernel


def of_unit_scale(kernel: Kernel, latent: Float[Array, "N Q"]) -> Kernel:
    """Scale the kernel so that k(x, x) is 1 on average.

    The limits on the optimised scale are relative to this unit scale.
    """
    return kernel.scaled(1.0 / float(np.mean(kernel.diag(latent))))
