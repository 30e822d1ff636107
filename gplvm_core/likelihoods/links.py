"""The links from the functions of a layer to data: numbers, yes/no entries or counts."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import expit, log_expit

from gplvm_core.likelihoods.counts import log_base
from gplvm_core.likelihoods.logistic import log_probability, probability
from gplvm_core.numerics import Array, BoolArray

Flags = Bool[BoolArray, " D"]
EXPOSURE = -1.0


@dataclass(frozen=True)
class Links:
    """The type of every output.

    size: NaN for a number, 0 for yes/no, r for a count with size r, and `EXPOSURE` for the
    logarithm of an exposure. An exposure is given, never predicted: it is a known term in the
    functions of the row's counts, and its own function is 0.
    """

    size: Float[Array, " D"]

    @property
    def numbers(self) -> Flags:
        return np.isnan(self.size)

    @property
    def counts(self) -> Flags:
        return self.size > 0.0

    @property
    def yes_no(self) -> Flags:
        return self.size == 0.0

    @property
    def exposures(self) -> Flags:
        return self.size == EXPOSURE

    @property
    def discrete(self) -> Flags:
        return ~self.numbers

    def entries(
        self, values: Float[Array, "N D"]
    ) -> tuple[Float[Array, "N K"], Float[Array, "N K"], Bool[BoolArray, "N K"]]:
        """Return successes and failures of the discrete outputs (0 if missing), and which are
        observed.
        """
        own, size = values[:, self.discrete], self.size[self.discrete]
        observed = ~np.isnan(own) & (size != EXPOSURE)
        successes = np.where(observed, own, 0.0)
        failures = np.where(size > 0.0, size, 1.0 - successes)
        return successes, np.where(observed, failures, 0.0), observed

    def known(self, values: Float[Array, "N D"]) -> Float[Array, "N D"]:
        """Return the known term in every function: the row's log exposure for counts, 0 for others.

        An exposure's own column contains its log exposure. A missing exposure counts as the usual
        exposure (0).
        """
        own = np.nan_to_num(values[:, self.exposures])
        found = np.zeros(values.shape)
        found[:, self.counts] = own.sum(axis=1, keepdims=True)
        found[:, self.exposures] = own
        return found

    def log_base(self, values: Float[Array, "N D"]) -> Float[Array, "N K"]:
        """Return the terms of log p(y | f) that are constant in f, for discrete outputs; 0 if
        missing.
        """
        own, size = values[:, self.discrete], self.size[self.discrete]
        there = ~np.isnan(own) & (size > 0.0)
        found = log_base(np.where(there, own, 0.0), np.where(there, size, 1.0))
        return np.where(there, found, 0.0)

    def log_probabilities(
        self,
        values: Float[Array, "N D"],
        mean: Float[Array, "*S N D"],
        variance: Float[Array, "*S N D"],
    ) -> Float[Array, "*S N"]:
        """Return Σ log ⟨p(y | f)⟩ over the observed discrete outputs of each row."""
        successes, failures, _ = self.entries(values)
        own = self.discrete
        mean = mean[..., own] + self.known(values)[:, own]
        each = log_probability(
            np.broadcast_to(successes, mean.shape),
            np.broadcast_to(failures, mean.shape),
            mean,
            variance[..., own],
        )
        return np.asarray(np.sum(each + self.log_base(values), axis=-1))

    def log_likelihoods(
        self, values: Float[Array, "N D"], functions: Float[Array, "T D"]
    ) -> Float[Array, "N T"]:
        """Return Σ log p(y | f) without `log_base` over each row's discrete outputs, at each f."""
        successes, failures, _ = self.entries(values)
        f = functions[:, self.discrete]
        if self.exposures.any():
            known = self.known(values)[:, self.discrete]
            return np.stack(
                [
                    log_expit(f + o) @ a + log_expit(-f - o) @ b
                    for o, a, b in zip(known, successes, failures, strict=True)
                ]
            )
        return successes @ log_expit(f).T + failures @ log_expit(-f).T

    def draw(
        self,
        functions: Float[Array, "*S D"],
        generator: np.random.Generator,
        known: Float[Array, "N D"] | None = None,
    ) -> Float[Array, "*S D"]:
        """Draw the discrete outputs at these functions; numbers are returned unchanged.

        known: the result of `known`; None means usual exposures.
        """
        functions = np.where(self.exposures, 0.0, functions)
        if known is not None:
            functions = functions + known
        found, yes_no = functions.copy(), self.yes_no
        chance = generator.random(functions[..., yes_no].shape)
        found[..., yes_no] = chance < expit(functions[..., yes_no])
        stop = expit(-functions[..., self.counts])
        size = np.broadcast_to(self.size[self.counts], stop.shape)
        # A value of f far above all data would give counts that are too large for an integer.
        stop = np.maximum(stop, 1e-12)
        found[..., self.counts] = generator.negative_binomial(size, stop)
        return found

    def moments(
        self, mean: Float[Array, "*S D"], variance: Float[Array, "*S D"]
    ) -> tuple[Float[Array, "*S D"], Float[Array, "*S D"]]:
        """Return the moments of the outputs for f ~ N(mean, variance); numbers do not change."""
        mean, spread = mean.copy(), variance.copy()
        yes_no, counts = self.yes_no, self.counts
        yes = probability(mean[..., yes_no], variance[..., yes_no])
        m, v, size = mean[..., counts], variance[..., counts], self.size[counts]
        mean[..., yes_no], spread[..., yes_no] = yes, yes * (1.0 - yes)
        level = size * np.exp(m + 0.5 * v)
        # Var y = ⟨r eᶠ + r e²ᶠ⟩ + Var(r eᶠ)
        square = size * np.exp(2.0 * (m + v))
        mean[..., counts] = level
        spread[..., counts] = level + square * (1.0 + size) - level**2
        return mean, spread
