"""A trained layer with all that predictions need, independent of any estimator."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from gplvm_core.bounds import Collapsed, OutputGaps, collapsed, collapsed_per_output
from gplvm_core.kernels import Kernel
from gplvm_core.likelihoods import Links, Number, WithErrors
from gplvm_core.numerics import Array, BoolArray, Factor, IntArray
from gplvm_core.prediction.variances import OwnVariances, SharedVariances, Variances
from gplvm_core.statistics import Statistics


@dataclass(frozen=True)
class Posterior:
    """A layer with its optimal q(u), and the units of its outputs.

    In the model's internal units f_d(x*) has mean k*ᵀ weights_d and variance k** − k*ᵀ gap_g k*,
    where g is the group of output d. Outputs observed in the same rows form a group and share their
    variance. Outputs are center + scale · f. With noise per output (`each`) the internal unit of an
    output is its noise standard deviation. The noise variance is then 1, the prior variance of f_d
    is its ratio times k**, and `gap` is an average. slope: a linear mean function of the inputs,
    f_d(x*) = x*ᵀ slope_d + …. links: the likelihood of every output; None if all
    are numbers with the layer's noise. errors: the known errors of the rows that a question is
    about, in the user's units (0 for outputs that are not numbers); None: no errors. Source:
    Titsias & Lawrence (2010), §4; Damianou (2015), App. B.1.2.
    """

    kernel: Kernel
    inducing: Float[Array, "M Q"]
    weights: Float[Array, "M D"]
    gap: Float[Array, "G M M"]
    noise_variance: float
    jitter: float  # absolute, on the diagonal of K
    center: Float[Array, " D"]
    scale: Float[Array, " D"]
    groups: Int[IntArray, " D"] | None = None  # None: a single group
    each: OutputGaps | None = None
    slope: Float[Array, "Q D"] | None = None
    links: Links | None = None
    errors: Float[Array, "N D"] | None = None

    def __post_init__(self) -> None:
        if self.groups is None:
            object.__setattr__(self, "groups", np.zeros(self.n_outputs, dtype=np.intp))

    @property
    def n_latent(self) -> int:
        return self.inducing.shape[1]

    @property
    def n_outputs(self) -> int:
        return self.weights.shape[1]

    @property
    def variances(self) -> Variances:
        """The posterior variances of the outputs' functions."""
        groups = np.asarray(self.groups)
        if self.each is None:
            return SharedVariances(self.gap, groups)
        return OwnVariances(self.each, groups)

    def bound(
        self,
        statistics: Statistics,
        gram: Factor,
        seen: Bool[BoolArray, " D"] | slice = slice(None),
    ) -> Collapsed:
        """Return F_data of these statistics (of the outputs `seen`) at the noise of the layer."""
        if self.links is not None:
            raise ValueError("outputs of several kinds have no bound that is a sum over rows")
        if self.each is None:
            return collapsed(statistics, gram, self.noise_variance)
        return collapsed_per_output(statistics, gram, self.each.ratio[seen])

    def mean(self, points: Float[Array, "N Q"], cross: Float[Array, "N M"]) -> Float[Array, "N D"]:
        """Return the means of the functions in internal units; cross: k* or its expectation."""
        carried = cross @ self.weights
        return carried if self.slope is None else carried + points @ self.slope

    def to_internal(self, outputs: Float[Array, "N D"]) -> Float[Array, "N D"]:
        """Convert outputs with units from the user's units to internal units."""
        internal = (outputs - self.center) / self.scale
        return internal if self.links is None else np.where(self.links.measured, internal, outputs)

    @property
    def layer_noise(self) -> Float[Array, " D"]:
        """The variance of the layer's noise in every output, in the user's units."""
        noise = self.noise_variance * np.broadcast_to(self.scale, self.n_outputs) ** 2
        return noise if self.links is None else noise * self.links.numbers

    @property
    def row_links(self) -> Links | None:
        """The likelihoods of the rows that a question is about, with their known errors."""
        if self.errors is None:
            return self.links
        columns = self.links.columns if self.links else (Number(),) * self.n_outputs
        noise = np.sqrt(self.layer_noise).tolist()
        own = (
            WithErrors(std) if isinstance(column, Number) else column
            for column, std in zip(columns, noise, strict=True)
        )
        return Links(tuple(own), self.errors)

    def of_rows(self, chosen: IntArray) -> "Posterior":
        """Return the posterior for some of the rows that a question is about."""
        return self if self.errors is None else replace(self, errors=self.errors[chosen])

    @property
    def noise(self) -> Float[Array, " D"]:
        """The variance of the noise in every output with units, in the user's units, else 0."""
        if self.links is None:
            return self.layer_noise
        return self.layer_noise + np.where(self.links.measured, self.links.noise, 0.0)

    def observed(
        self, mean: Float[Array, "*S D"], variance: Float[Array, "*S D"], *, noise: bool
    ) -> tuple[Float[Array, "*S D"], Float[Array, "*S D"]]:
        """Return moments of the data (with noise) or functions, from the moments of the functions.

        All are in the user's units.
        """
        if not noise:
            return mean, variance
        noisy = variance + self.layer_noise
        return (mean, noisy) if self.links is None else self.links.moments(mean, noisy)
