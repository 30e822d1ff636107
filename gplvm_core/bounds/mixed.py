"""The bound of a layer whose outputs are numbers, yes/no entries and counts (section 3c).

The quadratic lower bound of the likelihood at ξ makes every yes/no entry and count a Gaussian
factor with its own weight. The layer then has a signal and a noise variance per output
(`per_output`). The weights replace the 0 or 1 that marks a number as missing or observed. Training
alternates two steps. In one step, ξ and the sizes of counts (`Local`) are fixed and the other
parameters change. In the other step, `updated` sets ξ and the sizes to their optimum. Neither step
can lower F.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.bounds.collapsed import Collapsed, Spectra
from gplvm_core.bounds.layer import Layer, LayerValue, Local, gram_factor, with_gram
from gplvm_core.bounds.per_output import collapsed_per_output
from gplvm_core.bounds.profiled_known import LEAST_SIGNAL, KnownFactors, profile_known
from gplvm_core.bounds.profiled_per_output import OutputProfile, profile_outputs
from gplvm_core.kernels import Kernel
from gplvm_core.likelihoods import Links, Quadratic
from gplvm_core.numerics import Array, Factor, IntArray, fold_upper, one_thread_a_product
from gplvm_core.statistics import (
    Executor,
    Patterns,
    Statistics,
    StatisticsPullback,
    Targets,
    chunks_of,
    reduce_statistics,
)
from gplvm_core.statistics.reduce import serial

# The largest signal variance of f, in logits squared.
MOST_SIGNAL = 1e4


@dataclass(frozen=True)
class MixedOutputs:
    """Outputs with a likelihood each, such as numbers, yes/no entries or counts; NaN if missing.

    links: the likelihoods at the start of training; the layer stores the current ones of all
    outputs that are not numbers (`Local`). errors: the known errors of the entries, in the units of
    the values; None: no errors.
    """

    values: Float[Array, "N D"]
    links: Links
    errors: Float[Array, "N D"] | None = None

    @cached_property
    def numbers(self) -> Float[Array, "N P"]:
        return np.ascontiguousarray(self.values[:, self.links.numbers])

    @cached_property
    def others(self) -> Float[Array, "N K"]:
        return np.ascontiguousarray(self.values[:, self.links.others])

    @cached_property
    def known(self) -> Float[Array, "N K"]:
        """The known term o in every function of `others`: the log exposure of counts."""
        return self.links.known(self.values)[:, self.links.others]

    @cached_property
    def number_patterns(self) -> Patterns:
        """The patterns of rows in which the numbers are observed."""
        if self.numbers.shape[1] == 0:
            return Patterns(np.empty(0, dtype=np.intp), np.empty((len(self.values), 0)))
        return Patterns.of(~np.isnan(self.numbers))

    def started(self) -> Local:
        """Return the initial ξ and likelihoods, before the functions are known."""
        links = self.links.of(self.links.others)
        return Local(links.started(self.others), links)

    def of_rows(self, links: Links) -> Links:
        """Return the likelihoods of `others` with the known errors of the rows."""
        if self.errors is None:
            return links
        return replace(links, errors=self.errors[:, self.links.others])

    def linked(self, links: Links) -> Links:
        """Return the likelihoods of all outputs, from the present ones of `others`."""
        columns = np.array(self.links.columns, dtype=object)
        columns[self.links.others] = links.columns
        return Links(tuple(columns))

    def factors(self, local: Local) -> Quadratic:
        """Return the Gaussian factors at ξ.

        Their offsets include the terms of log p(y | f) that do not depend on f.
        """
        return self.of_rows(local.links).factors(self.others, local.xi).beside(self.known)

    def targets(self, factors: Quadratic) -> Targets:
        """Return the targets of the statistics: the numbers, the slopes ℓ and the weights w."""
        own, numbers = factors.weight, self.number_patterns
        # Columns with the same weights share their sums, as columns with the same gaps do.
        keys = np.ascontiguousarray(own.T).view(np.dtype((np.void, 8 * len(own))))[:, 0]
        _, first, groups = np.unique(keys, return_index=True, return_inverse=True)
        discrete = groups.reshape(-1) + numbers.rows.shape[1]
        values = np.hstack([np.nan_to_num(self.numbers), factors.slope, own])
        every = np.concatenate([numbers.groups, discrete, discrete])
        together = Patterns(every, np.hstack([numbers.rows, own[:, first]]))
        return Targets(values, values.shape[1], together)


@dataclass(frozen=True)
class Limits:
    """The largest signal-to-noise ratio of numbers, and the smallest signal variance of discrete
    outputs.
    """

    most_ratio: float
    least_signal: float


@dataclass(frozen=True)
class _Settled:
    """The layer with optimal scales, and its F.

    In arrays with one entry per column, the columns of numbers come first.
    """

    layer: Layer
    at: Collapsed
    statistics: Statistics
    pullback: StatisticsPullback
    gram: Factor
    bias: Float[Array, " K"]
    profile: OutputProfile | None
    level: float  # the mean diagonal of K if the jitter is relative to it, else 1


@one_thread_a_product()
def evaluate_mixed(
    layer: Layer,
    belief: Belief,
    outputs: MixedOutputs,
    *,
    jitter: float,
    relative: bool = True,
    profile: bool = False,
    most_ratio: float = np.inf,
    least_signal: float = LEAST_SIGNAL,
    executor: Executor = serial,
) -> LayerValue:
    """Compute `evaluate_layer` for outputs of several kinds, with the layer's `local` fixed.

    The arguments are those of `evaluate_layer`. With profile, the signal variances (at least
    `least_signal`) and biases of the outputs that are not numbers are also set to their optimum.
    """
    limits = Limits(most_ratio, least_signal) if profile else None
    found = _settle(layer, belief, outputs, jitter, relative, limits, executor)
    at, layer = found.at, found.layer
    n_numbers = outputs.numbers.shape[1]
    noise = np.asarray(layer.noise_variance)[outputs.links.numbers]
    slopes = at.statistics.psi1_targets[:, n_numbers:]
    carried = [at.statistics.psi1_targets[:, :n_numbers] / np.sqrt(noise), slopes]
    adjoints = replace(
        at.statistics,
        psi1_targets=np.hstack([*carried, -found.bias * slopes]),
        groups=found.statistics.groups,
    )
    pulled = found.pullback(adjoints).inputs
    d_level = 0.0 if found.profile is None else -found.profile.slope / found.level
    added = jitter, relative, d_level
    gradients = with_gram(pulled, layer.kernel, layer.inducing, at.gram, *added)
    order = _order(outputs.links)
    each = at.each
    assert each is not None
    each = replace(each, ratio=each.ratio[order], shares=each.shares[order])
    groups = np.asarray(found.statistics.groups)[: len(order)][order]
    weights = at.weights[:, order]
    own = replace(found.statistics, psi1_targets=weights, groups=groups)
    posterior = replace(at, weights=weights, each=each)
    return LayerValue(
        at.value, gradients, np.nan, layer, posterior, found.gram.jitter, own, found.profile
    )


def factor_statistics(
    kernel: Kernel,
    belief: Belief,
    inducing: Float[Array, "M Q"],
    outputs: MixedOutputs,
    factors: Quadratic,
    executor: Executor = serial,
) -> Statistics:
    """Return the statistics of rows whose Gaussian factors are fixed, in the order of the outputs.

    Numbers are in units of their noise, and `factors` are of functions without their bias. yy
    includes the factors' terms, so that `collapsed_per_output` is the F_data of the rows.
    """
    targets, order = outputs.targets(factors), _order(outputs.links)
    found, _ = reduce_statistics(kernel, belief, inducing, targets, executor)
    groups = np.asarray(found.groups)[: len(order)][order]
    discrete = float(found.n_points[groups[outputs.links.others]].sum())
    yy = float(np.nansum(outputs.numbers**2)) - 2.0 * float(np.sum(factors.offset))
    return replace(
        found,
        psi1_targets=found.psi1_targets[:, : len(order)][:, order],
        yy=yy - np.log(2.0 * np.pi) * discrete,
        n_outputs=np.bincount(groups, minlength=len(found.psi2)),
        groups=groups,
    )


@one_thread_a_product()
def mixed_term(
    layer: Layer,
    belief: Belief,
    outputs: MixedOutputs,
    *,
    jitter: float,
    executor: Executor = serial,
) -> float:
    """Return only the value F_data of a layer, without profiling. The jitter is absolute."""
    return _settle(layer, belief, outputs, jitter, False, None, executor).at.value


def updated(
    layer: Layer,
    belief: Belief,
    outputs: MixedOutputs,
    *,
    jitter: float,
    most_ratio: float = np.inf,
    least_signal: float = LEAST_SIGNAL,
    executor: Executor = serial,
) -> Layer:
    """Return the layer with the optimal ξ and the optimal sizes of counts, given its q(u).

    This step cannot lower F.
    """
    local = layer.local
    assert local is not None
    limits = Limits(most_ratio, least_signal)
    found = _settle(layer, belief, outputs, jitter, True, limits, executor)
    mean, square = function_moments(found.layer, belief, outputs, found.at, found.bias, executor)
    mean, square = mean + outputs.known, square + outputs.known * (2.0 * mean + outputs.known)
    spread = np.maximum(square - mean**2, 0.0)
    links, shift = outputs.of_rows(local.links).learnt(outputs.others, mean, spread)
    square = np.where(shift == 0.0, square, (mean - shift) ** 2 + spread)
    return replace(layer, local=Local(links.local(outputs.others, mean - shift, square), links))


def function_moments(
    layer: Layer,
    belief: Belief,
    outputs: MixedOutputs,
    at: Collapsed,
    bias: Float[Array, " K"],
    executor: Executor,
) -> tuple[Float[Array, "N K"], Float[Array, "N K"]]:
    """Return ⟨f⟩ and ⟨f²⟩ of the outputs that are not numbers in every row, under q(u) of `at`.

    In `at`, the columns of numbers come first. f does not include the known term of exposures.
    """
    kernel, inducing = layer.kernel, layer.inducing
    n_numbers, each = outputs.numbers.shape[1], at.each
    assert each is not None
    v, signal = at.weights[:, n_numbers:], each.ratio[n_numbers:]
    if not v.shape[1]:  # numbers beside constant columns of words
        return np.empty((belief.n_points, 0)), np.empty((belief.n_points, 0))
    groups = np.asarray(at.statistics.groups)[n_numbers:]
    folded = np.stack(
        [
            fold_upper(np.outer(own, own) - (each.basis[g] * share) @ each.basis[g].T)
            for own, g, share in zip(v.T, groups, each.shares[n_numbers:], strict=True)
        ]
    )

    def moments(rows: slice) -> tuple[Array, Array]:
        some = belief.rows(rows)
        psi0, _ = kernel.psi0(some.mean, some.variance)
        psi1, _ = kernel.psi1(some.mean, some.variance, inducing)
        g = psi1 @ v
        traces = kernel.psi2_traces(some.mean, some.variance, inducing, folded)
        return bias + g, bias**2 + 2.0 * bias * g + psi0[:, None] * signal + traces

    parts = executor(moments, chunks_of(belief.n_points))
    mean, square = (np.concatenate(own) for own in zip(*parts, strict=True))
    # Rounding may make ⟨f²⟩ smaller than ⟨f⟩²; the variance is then 0.
    return mean, np.maximum(square, mean**2)


def _settle(
    layer: Layer,
    belief: Belief,
    outputs: MixedOutputs,
    jitter: float,
    relative: bool,
    limits: Limits | None,
    executor: Executor,
) -> _Settled:
    """Evaluate F.

    limits: the range in which the scales are optimised; None to use the layer's scales.
    """
    local = layer.local
    assert local is not None
    factors, links = outputs.factors(local), outputs.links
    targets, n_numbers = outputs.targets(factors), outputs.numbers.shape[1]
    n_outputs = len(links.columns)
    statistics, pullback = reduce_statistics(
        layer.kernel, belief, layer.inducing, targets, executor
    )
    gram = gram_factor(layer.kernel, layer.inducing, jitter, relative=relative)
    spectra, found = Spectra.of(statistics, gram), None
    level = gram.jitter / jitter if relative else 1.0
    groups = np.asarray(statistics.groups)
    total = slice(n_numbers, n_outputs)
    squares = targets.squares[:n_numbers]
    if limits is not None:
        profiled = links, factors, statistics, spectra
        layer, found = _profiled(layer, *profiled, squares=squares, limits=limits, level=level)
    assert layer.ratio is not None and layer.bias is not None
    bias = layer.bias[links.others]
    noise = np.asarray(layer.noise_variance)[links.numbers]
    order = np.concatenate([np.flatnonzero(links.numbers), np.flatnonzero(links.others)])
    of_discrete = spectra.carried[:, total] - bias * spectra.carried[:, n_outputs:]
    seen = statistics.psi1_targets[:, total] - bias * statistics.psi1_targets[:, n_outputs:]
    kept = np.hstack([spectra.carried[:, :n_numbers] / np.sqrt(noise), of_discrete])
    in_units = Statistics(
        statistics.psi0,
        np.hstack([statistics.psi1_targets[:, :n_numbers] / np.sqrt(noise), seen]),
        statistics.psi2,
        float(np.sum(squares / noise)),
        statistics.n_points,
        np.bincount(groups[:n_outputs], minlength=len(statistics.psi2)),
        groups[:n_outputs],
    )
    at = collapsed_per_output(in_units, gram, layer.ratio[order], replace(spectra, carried=kept))
    counts = statistics.n_points[groups[:n_outputs]]
    constant = np.sum(factors.offset + bias * (factors.slope - 0.5 * bias * factors.weight))
    # Discrete entries have no term −½ log 2π, and the scaling of the numbers adds a Jacobian.
    value = at.value + float(constant) + 0.5 * np.log(2.0 * np.pi) * float(counts[total].sum())
    value -= 0.5 * float(counts[:n_numbers] @ np.log(noise))
    at = replace(at, value=value)
    return _Settled(layer, at, statistics, pullback, gram, bias, found, level)


def _profiled(
    layer: Layer,
    links: Links,
    factors: Quadratic,
    statistics: Statistics,
    spectra: Spectra,
    *,
    squares: Float[Array, " P"],
    limits: Limits,
    level: float,
) -> tuple[Layer, OutputProfile | None]:
    """Return the layer with its optimal scales, and the profile of the numbers, if there are any.

    squares: Σ y² of each number. level: the jitter's size relative to the kernel's variance.
    """
    n_numbers, n_outputs = len(squares), len(links.columns)
    own, total = np.asarray(statistics.groups)[n_numbers:n_outputs], slice(n_numbers, n_outputs)
    known = KnownFactors(
        spectra.values.T[:, own],
        spectra.carried[:, total],
        spectra.carried[:, n_outputs:],
        factors.slope.sum(axis=0),
        factors.weight.sum(axis=0),
        statistics.psi0[own],
    )
    most = min(limits.most_ratio, MOST_SIGNAL)
    # Signals of outputs with units are not in logits.
    least = np.where(links.measured[links.others], LEAST_SIGNAL, limits.least_signal)
    signal, bias = profile_known(known, most, least)
    noise, strength, found = np.ones(n_outputs), np.empty(n_outputs), None
    strength[links.others] = signal
    if n_numbers:
        numbers, most = _first(statistics, spectra, n_numbers), limits.most_ratio / level
        # Each varying column has mean square 1, but every column of numbers may be constant.
        found = profile_outputs(*numbers, squares, None, most, usual=1.0)
        noise[links.numbers], strength[links.numbers] = found.noise_variance, found.ratio
    every = np.zeros(n_outputs)
    every[links.others] = bias
    profiled = Layer(layer.kernel, layer.inducing, noise, strength, bias=every, local=layer.local)
    return profiled, found


def _first(statistics: Statistics, spectra: Spectra, count: int) -> tuple[Statistics, Spectra]:
    """Return the statistics and spectra of the first columns."""
    groups = np.asarray(statistics.groups)[:count]
    own = replace(
        statistics,
        psi1_targets=statistics.psi1_targets[:, :count],
        n_outputs=np.bincount(groups, minlength=len(statistics.psi2)),
        groups=groups,
    )
    return own, replace(spectra, carried=spectra.carried[:, :count])


def _order(links: Links) -> Int[IntArray, " D"]:
    """Return the position of every output in the order "numbers first"."""
    first = np.concatenate([np.flatnonzero(links.numbers), np.flatnonzero(links.others)])
    return np.argsort(first)
