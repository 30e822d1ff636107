"""The likelihoods of all outputs of a layer, evaluated class by class."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.likelihoods.likelihood import Each, Likelihood, Quadratic, Rows
from gplvm_core.likelihoods.numbers import Exposure, Number
from gplvm_core.numerics import Array, BoolArray, IntArray

Flags = Bool[BoolArray, " D"]


@dataclass(frozen=True)
class Links:
    """The likelihood of every output of a layer.

    Arguments have the outputs on their last axis; values are NaN where missing. errors: the known
    errors of the rows that the methods get, in the units of the outputs; None: no errors. Raises
    TypeError for anything but a likelihood.
    """

    columns: tuple[Likelihood, ...]
    errors: Rows | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for column in self.columns:
            if type(column) is Likelihood or not isinstance(column, Likelihood):
                raise TypeError(f"an output needs a likelihood, such as Number(); got {column!r}")

    @cached_property
    def groups(self) -> tuple[tuple[IntArray, Likelihood], ...]:
        """The outputs of each class, with their likelihoods as one object."""
        classes = {type(column).__name__: type(column) for column in self.columns}
        found = list[tuple[IntArray, Likelihood]]()
        # The order of the classes determines which outputs are drawn first.
        for _, kind in sorted(classes.items(), reverse=True):
            at = np.array([d for d, column in enumerate(self.columns) if type(column) is kind])
            found.append((at, kind.stacked(tuple(self.columns[d] for d in at))))
        return tuple(found)

    @cached_property
    def numbers(self) -> Flags:
        return np.array([isinstance(column, Number) for column in self.columns], dtype=bool)

    @property
    def others(self) -> Flags:
        """The outputs that are not numbers with the layer's noise."""
        return ~self.numbers

    @cached_property
    def exposures(self) -> Flags:
        return np.array([isinstance(column, Exposure) for column in self.columns], dtype=bool)

    @cached_property
    def measured(self) -> Flags:
        """The outputs whose data are centred and scaled."""
        return np.array([column.measured for column in self.columns], dtype=bool)

    @cached_property
    def noise(self) -> Float[Array, " D"]:
        """The variance of each output's own noise, in the squared units of f."""
        return np.array([column.noise for column in self.columns], dtype=np.float64)

    def of(self, outputs: Flags) -> "Links":
        """Return the likelihoods of some outputs."""
        errors = None if self.errors is None else self.errors[:, outputs]
        return Links(tuple(self.columns[d] for d in np.flatnonzero(outputs)), errors)

    def rows(self, chosen: IntArray) -> "Links":
        """Return the likelihoods of some of the rows that have errors."""
        return self if self.errors is None else replace(self, errors=self.errors[chosen])

    def in_units(self, scale: Float[Array, "*D"]) -> "Links":
        """Return the likelihoods of scale · y, for the outputs that have units."""
        every = np.broadcast_to(scale, len(self.columns)).tolist()
        pairs = zip(self.columns, every, strict=True)
        errors = None if self.errors is None else self.errors * every
        return Links(tuple(column.in_units(own) for column, own in pairs), errors)

    def known(self, values: Rows) -> Rows:
        """Return the known term in every function: the row's log exposure for counts, 0 for others.

        An exposure's own column contains its log exposure. A missing exposure counts as the usual
        exposure (0).
        """
        own = np.nan_to_num(values[:, self.exposures])
        exposed = np.array([column.exposed for column in self.columns], dtype=bool)
        found = np.zeros(values.shape)
        found[:, exposed] = own.sum(axis=1, keepdims=True)
        found[:, self.exposures] = own
        return found

    def started(self, values: Rows) -> Rows:
        """Return the ξ of every entry at which training starts; 0 if the entry has no factor."""
        return self._entries(values, lambda own, y: own.started(y))

    def local(self, values: Rows, mean: Rows, square: Rows) -> Rows:
        """Return the best ξ of every entry for given moments of f."""
        return self._entries(values, lambda own, *parts: own.local(*parts), mean, square)

    def learnt(
        self, values: Rows, mean: Rows, variance: Rows
    ) -> tuple["Links", Float[Array, " D"]]:
        """Return likelihoods with the parameters that maximise the bound, and the shifts of f.

        mean, variance: moments of f at the present parameters.
        """
        columns, shift = list(self.columns), np.zeros(len(self.columns))
        for d, column in enumerate(self.columns):
            if column.factored:
                seen = ~np.isnan(values[:, d])
                own = (part[seen, d] for part in (values, mean, variance))
                if self.errors is not None:
                    column = column.with_errors(self.errors[seen, d])
                columns[d], shift[d] = column.learnt(*own)
        return Links(tuple(columns)), shift

    def factors(self, values: Rows, xi: Rows) -> Quadratic:
        """Return the Gaussian factors of all entries at ξ; 0 for missing entries.

        Their offsets include the terms of log p(y | f) that do not depend on f.
        """
        parts = np.zeros((3, *values.shape))
        for at, own, y, seen in self._factored(values):
            found = own.factors(y, xi[:, at])
            every = np.stack([found.weight, found.slope, found.offset + own.log_base(y)])
            parts[:, :, at] = np.where(seen, every, 0.0)
        return Quadratic(*parts)

    def expected(self, values: Rows, mean: Rows, square: Rows) -> tuple[Rows, Rows, Rows]:
        """Return the bound of every entry without `log_base`, and its gradients in ⟨f⟩ and ⟨f²⟩."""
        parts = np.zeros((3, *values.shape))
        for at, own, y, seen in self._factored(values):
            found = np.stack(own.expected(y, mean[:, at], square[:, at]))
            parts[:, :, at] = np.where(seen, found, 0.0)
        value, by_mean, by_square = parts
        return value, by_mean, by_square

    def log_base(self, values: Rows) -> Rows:
        """Return the terms of log p(y | f) that do not depend on f; 0 where missing."""
        return self._entries(values, lambda own, y: own.log_base(y))

    def log_probabilities(
        self, values: Rows, mean: Float[Array, "*S N D"], variance: Float[Array, "*S N D"]
    ) -> Float[Array, "*S N"]:
        """Return Σ log ⟨p(y | f)⟩ over the observed outputs of each row that have factors."""
        found, known = np.zeros(np.shape(mean)), self.known(values)
        for at, own, y, seen in self._factored(values):
            f, every = (
                mean[..., at] + known[:, at],
                np.broadcast_to(y, (*np.shape(mean)[:-1], len(at))),
            )
            each = own.log_probability(every, f, variance[..., at])
            found[..., at] = np.where(seen, each + own.log_base(y), 0.0)
        return np.asarray(np.sum(found, axis=-1))

    def log_likelihoods(self, values: Rows, functions: Float[Array, "T D"]) -> Float[Array, "N T"]:
        """Return Σ log p(y | f) without `log_base` over each row's outputs, at each f."""
        found, known = np.zeros((len(values), len(functions))), self.known(values)
        for at, own, y, seen in self._factored(values):
            f, rows = functions[:, at], known[:, at]
            if not rows.any():
                found += own.log_factors(y, seen, f)
                continue
            for n in range(len(values)):
                found[n] += own.log_factors(y[n : n + 1], seen[n : n + 1], f + rows[n])[0]
        return found

    def draw(
        self, functions: Each, generator: np.random.Generator, known: Rows | None = None
    ) -> Each:
        """Draw the outputs at these functions; numbers are returned unchanged.

        known: the result of `known`; None means usual exposures.
        """
        functions = np.where(self.exposures, 0.0, functions)
        if known is not None:
            functions = functions + known
        found = np.empty(functions.shape)
        for at, own in self.groups:
            found[..., at] = own.draw(functions[..., at], generator)
        return found

    def moments(self, mean: Each, variance: Each) -> tuple[Each, Each]:
        """Return the moments of the outputs for f ~ N(mean, variance); numbers do not change."""
        level, spread = np.empty(np.shape(mean)), np.empty(np.shape(mean))
        for at, own in self.groups:
            level[..., at], spread[..., at] = own.moments(mean[..., at], variance[..., at])
        return level, spread

    def _factored(self, values: Rows) -> list[tuple[IntArray, Likelihood, Array, BoolArray]]:
        """Return the outputs of each class with factors, its values (0 where missing), and which
        are observed.
        """
        parts = [(at, own, values[:, at]) for at, own in self.groups if own.factored]
        if self.errors is not None:
            parts = [(at, own.with_errors(self.errors[:, at]), y) for at, own, y in parts]
        return [(at, own, np.nan_to_num(y), ~np.isnan(y)) for at, own, y in parts]

    def _entries(self, values: Rows, call: Callable[..., Array], *parts: Rows) -> Rows:
        found = np.zeros(values.shape)
        for at, own, y, seen in self._factored(values):
            found[:, at] = np.where(seen, call(own, y, *(part[:, at] for part in parts)), 0.0)
        return found
