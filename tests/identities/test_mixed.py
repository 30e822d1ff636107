"""Tests of the bound of outputs of several kinds: dense algebra, evidence, updates, gradients."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import log_expit, logsumexp
from scipy.stats import multivariate_normal, t

from gplvm_core import RBF, Linear
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, Local, MixedOutputs, evaluate_mixed, mixed_term, updated
from gplvm_core.bounds.profiled_known import KnownFactors
from gplvm_core.kernels import Kernel
from gplvm_core.likelihoods import Count, Exposure, Links, Number, Robust, YesNo
from gplvm_core.likelihoods.counts import log_base
from gplvm_core.numerics import fold_upper
from gplvm_core.prediction import Posterior, predict_uncertain
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import executor_for

SETTINGS = {"jitter": 1e-6, "most_ratio": 1e6}


def draw(
    n_points: int = 40, seed: int = 0, gaps: float = 0.25, exposed: bool = False
) -> tuple[MixedOutputs, Belief]:
    """Return three numbers, one with values far off, three yes/no columns and a count.

    exposed: whether to add a column of exposures.
    """
    generator = np.random.default_rng(seed)
    mean = generator.normal(size=(n_points, 2))
    f = np.sin(mean @ generator.normal(size=(2, 8)))
    values = np.column_stack(
        [
            *(f[:, :3] + 0.1 * generator.normal(size=(n_points, 3))).T,
            *(generator.random((n_points, 3)) < 1.0 / (1.0 + np.exp(-8.0 * f[:, 3:6]))).T,
            generator.poisson(np.exp(1.0 + f[:, 6])),
            f[:, 7] + 0.1 * generator.standard_t(2.0, n_points),
        ]
    )
    values[generator.random(values.shape) < gaps] = np.nan
    columns = [*[Number()] * 3, *[YesNo()] * 3, Count(), Robust()]
    order = np.array([3, 0, 6, 1, 4, 7, 2, 5])  # the kinds are mixed
    spread = generator.uniform(0.05, 0.3, mean.shape)
    values, columns = values[:, order], [columns[d] for d in order]
    if exposed:
        values = np.column_stack([generator.normal(size=n_points), values])
        columns = [Exposure(), *columns]
    return MixedOutputs(values, Links(tuple(columns))), Belief(mean, spread)


def layer_of(outputs: MixedOutputs, kernel: Kernel, inducing: np.ndarray) -> Layer:
    return Layer(kernel.with_latent(inducing.shape[1]), inducing, 1.0, local=outputs.started())


def trained(outputs: MixedOutputs, belief: Belief, kernel: Kernel) -> Layer:
    layer = layer_of(outputs, kernel, belief.mean[:8])
    for _ in range(4):
        layer = updated(layer, belief, outputs, **SETTINGS)
    return layer


def test_at_known_inputs_the_bound_is_the_integral_of_gaussian_factors() -> None:
    outputs, belief = draw(9)
    points = belief.mean
    layer = layer_of(outputs, RBF(0.8, 1.3), points)
    generator = np.random.default_rng(3)
    xi = generator.uniform(0.2, 3.0, (9, 5))
    noise = np.where(outputs.links.numbers, 0.3, 1.0)
    ratio, bias = generator.uniform(0.5, 4.0, 8), np.where(noise < 1.0, 0.0, 0.4)
    links = outputs.started().links.columns
    local = Local(xi, Links(tuple(Count(2.5) if own == Count() else own for own in links)))
    layer = replace(layer, local=local, ratio=ratio, bias=bias, noise_variance=noise)
    own = evaluate_mixed(layer, Belief.certain(points), outputs, jitter=1e-10, relative=False)
    factors, gram, exact, k = outputs.factors(local), layer.kernel.K(points), 0.0, 0
    for d, column in enumerate(outputs.values.T):
        seen = ~np.isnan(column)
        prior = ratio[d] * gram[np.ix_(seen, seen)]
        if outputs.links.numbers[d]:
            covariance = 0.3 * (prior + np.eye(seen.sum()))
            exact += multivariate_normal(np.zeros(seen.sum()), covariance).logpdf(column[seen])
            continue
        w, slope = factors.weight[seen, k], factors.slope[seen, k]
        precision = np.linalg.inv(prior + 1e-10 * np.eye(len(prior)))
        carried = slope - w * bias[d]
        # Compute ∫ exp(Σ c + ℓ(b + g) − ½ w(b + g)²) N(g; 0, prior) dg.
        exact += np.sum(factors.offset[seen, k] + slope * bias[d] - 0.5 * w * bias[d] ** 2)
        exact += 0.5 * carried @ np.linalg.solve(precision + np.diag(w), carried)
        exact -= 0.5 * np.linalg.slogdet(np.eye(len(prior)) + prior * w)[1]
        k += 1
    assert own.value == pytest.approx(exact, abs=1e-5)


@pytest.mark.parametrize("kernel", [RBF(1.0, 1.2), RBF(0.7, np.array([1.0, 2.0])) + Linear(0.3)])
def test_every_update_raises_the_bound(kernel: Kernel) -> None:
    outputs, belief = draw(exposed=isinstance(kernel, RBF))
    layer, before = layer_of(outputs, kernel, belief.mean[:6]), -np.inf
    for _ in range(6):
        value = evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS).value
        assert value >= before - 1e-9
        before, layer = value, updated(layer, belief, outputs, **SETTINGS)


def test_signals_and_biases_are_at_their_optimum() -> None:
    outputs, belief = draw()
    layer = trained(outputs, belief, RBF(1.0, 1.2))
    best = evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS)
    fixed = {"jitter": best.jitter, "relative": False}
    again = evaluate_mixed(best.layer, belief, outputs, **fixed)
    assert again.value == pytest.approx(best.value, rel=1e-12)
    assert ((best.layer.ratio > 1e-3) & (best.layer.ratio < 1e3)).all()
    for d in np.flatnonzero(outputs.links.others):
        for field, step in (("ratio", 1.03), ("bias", 1.03), ("ratio", 0.97), ("bias", 0.97)):
            moved = np.array(getattr(best.layer, field))
            assert moved[d] != 0.0
            moved[d] *= step
            worse = evaluate_mixed(replace(best.layer, **{field: moved}), belief, outputs, **fixed)
            assert worse.value < best.value


def test_a_dimension_that_is_left_out_has_an_endless_lengthscale() -> None:
    outputs, belief = draw()
    layer = trained(outputs, belief, RBF(1.0, np.array([1.2, 0.9])))
    at = evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS)
    own = evaluate_mixed(at.layer, belief, outputs, jitter=at.jitter, relative=False).value
    for q in range(2):
        without = replace(at.layer, kernel=at.layer.kernel.without(q))
        length = np.where(np.arange(2) == q, 1e6, at.layer.kernel.lengthscale)
        long = replace(at.layer, kernel=replace(at.layer.kernel, lengthscale=length))
        found = mixed_term(without, belief, outputs, jitter=at.jitter)
        far = evaluate_mixed(long, belief, outputs, jitter=at.jitter, relative=False).value
        assert found == pytest.approx(far, abs=1e-5)
        assert found < own - 1.0


def test_ratios_are_at_least_the_least_signal() -> None:
    outputs, belief = draw()
    layer = trained(outputs, belief, RBF(1.0, 1.2))
    free = evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS)
    own = free.layer.ratio[outputs.links.others]
    least = float(np.sort(own)[1:3].mean())
    held = evaluate_mixed(layer, belief, outputs, profile=True, least_signal=least, **SETTINGS)
    # The least signal is in logits, so it is not for robust numbers.
    exact = np.where(outputs.links.measured[outputs.links.others], own, np.maximum(own, least))
    np.testing.assert_allclose(held.layer.ratio[outputs.links.others], exact, rtol=1e-6)
    assert held.value < free.value


@pytest.mark.parametrize(("gaps", "exposed"), [(0.0, False), (0.25, False), (0.25, True)])
@pytest.mark.parametrize("kernel", [RBF(1.0, np.array([1.2, 0.9])), RBF(0.7, 1.0) + Linear(0.3)])
def test_gradients_match_differences(kernel: Kernel, gaps: float, exposed: bool) -> None:
    outputs, belief = draw(gaps=gaps, exposed=exposed)
    layer = trained(outputs, belief, kernel)

    def value(mean: np.ndarray, variance: np.ndarray, inducing: np.ndarray) -> float:
        at = replace(layer, inducing=inducing)
        found = evaluate_mixed(at, Belief(mean, variance), outputs, profile=True, **SETTINGS)
        return found.value

    found = evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS)
    own = found.gradients
    at = [belief.mean, belief.variance, layer.inducing]
    generator = np.random.default_rng(5)
    for n, slope in enumerate((own.mean, own.variance, own.inducing)):
        way, step = generator.normal(size=at[n].shape), 1e-5
        ends = []
        for sign in (1.0, -1.0):
            moved = list(at)
            moved[n] = at[n] + sign * step * way
            ends.append(value(*moved))
        difference = (ends[0] - ends[1]) / (2.0 * step)
        assert np.sum(slope * way) == pytest.approx(difference, rel=1e-5)


def test_gradients_by_the_kernel_match_differences() -> None:
    outputs, belief = draw()
    layer = trained(outputs, belief, RBF(1.0, np.array([1.2, 0.9])))
    own = evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS).gradients.kernel
    step, length = 1e-5, np.array([1.2, 0.9])
    for q in range(2):
        ends = []
        for sign in (1.0, -1.0):
            kernel = replace(layer.kernel, lengthscale=length + sign * step * np.eye(2)[q])
            at = replace(layer, kernel=kernel)
            ends.append(evaluate_mixed(at, belief, outputs, profile=True, **SETTINGS).value)
        assert own.lengthscale[q] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-5)


def test_a_search_that_stops_early_spoils_the_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    # The gradient by the envelope theorem is exact only at the optimum. With gaps, the scales of
    # every column are searched separately.
    outputs, belief = draw()
    layer = trained(outputs, belief, RBF(1.0, 1.2))
    exact = evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS).gradients.mean
    monkeypatch.setattr("gplvm_core.bounds.profiled_known.MOST_STEPS", 1)
    early = evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS).gradients.mean
    assert np.abs(early - exact).max() > 1e-4 * np.abs(exact).max()


@pytest.mark.parametrize("exposed", [False, True])
def test_an_update_uses_the_moments_of_predictions(exposed: bool) -> None:
    outputs, belief = draw(exposed=exposed)
    layer = trained(outputs, belief, RBF(1.0, 1.2))
    at = evaluate_mixed(layer, belief, outputs, profile=True, **SETTINGS)
    posterior = Posterior(
        at.layer.kernel,
        at.layer.inducing,
        at.posterior.weights,
        at.posterior.gap,
        1.0,
        at.jitter,
        at.layer.bias,
        np.sqrt(at.layer.noise_variance),
        at.statistics.groups,
        at.posterior.each,
    )
    mean, variance = predict_uncertain(posterior, belief.mean, belief.variance)
    after, own = updated(layer, belief, outputs, **SETTINGS).local, outputs.links.others
    sizes = [[getattr(one, "size", 1.0) for one in at.links.columns] for at in (after, layer.local)]
    ratio = np.divide(*sizes)
    moved = mean[:, own] + outputs.known - np.log(ratio)
    exact = np.sqrt(moved**2 + variance[:, own])
    far = np.flatnonzero(outputs.links.measured[own])
    exact[:, far] = (outputs.others[:, far] - moved[:, far]) ** 2 + variance[:, own][:, far]
    seen = ~np.isnan(outputs.others) & ~outputs.links.exposures[own]
    np.testing.assert_allclose(after.xi, np.where(seen, exact, 0.0), rtol=1e-7)


def test_the_rise_of_known_factors_is_the_difference_of_their_value() -> None:
    generator = np.random.default_rng(4)
    factors = KnownFactors(
        generator.uniform(0.0, 3.0, (5, 2)),
        generator.normal(size=(5, 2)),
        0.3 * generator.normal(size=(5, 2)),
        generator.normal(size=2),
        np.full(2, 4.0),
        np.full(2, 20.0),
    )
    signal, step = np.array([0.3, 4.0]), 1e-5
    ends = [factors.value(signal * np.exp(sign * step)) for sign in (1.0, -1.0)]
    np.testing.assert_allclose(factors.rise(signal), (ends[0] - ends[1]) / (2 * step), rtol=1e-6)


def test_threads_change_nothing() -> None:
    outputs, belief = draw()
    layer = trained(outputs, belief, RBF(1.0, 1.2))
    one = updated(layer, belief, outputs, **SETTINGS)
    with executor_for(2) as executor:
        two = updated(layer, belief, outputs, executor=executor, **SETTINGS)
    np.testing.assert_array_equal(one.local.xi, two.local.xi)


@pytest.mark.parametrize("kernel", [RBF(0.7, np.array([1.0, 2.0])), RBF(0.7, 1.0) + Linear(0.3)])
def test_traces_are_of_each_points_own_sums(kernel: Kernel) -> None:
    generator = np.random.default_rng(2)
    mean, variance = generator.normal(size=(5, 2)), generator.uniform(0.1, 1.0, (5, 2))
    inducing, kernel = generator.normal(size=(4, 2)), kernel.with_latent(2)
    weights = generator.normal(size=(3, 4, 4))
    weights = weights + weights.swapaxes(1, 2)
    found = kernel.psi2_traces(mean, variance, inducing, fold_upper(weights))
    for n in range(5):
        own, _ = kernel.psi2(mean[n : n + 1], variance[n : n + 1], inducing)
        np.testing.assert_allclose(found[n], np.sum(weights * own, axis=(1, 2)), rtol=1e-9)


def grid_of(n_nodes: int, n_dims: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points and log weights of Gauss–Hermite quadrature under N(0, I)."""
    nodes, weights = hermegauss(n_nodes)
    points = np.stack(np.meshgrid(*[nodes] * n_dims, indexing="ij"), axis=-1)
    each = np.stack(np.meshgrid(*[np.log(weights)] * n_dims, indexing="ij"), axis=-1)
    log_weight = each.sum(axis=-1).ravel() - 0.5 * n_dims * np.log(2.0 * np.pi)
    return points.reshape(-1, n_dims), log_weight


def log_evidence(outputs: MixedOutputs, layer: Layer, known: np.ndarray | None = None) -> float:
    """Compute log p(Y) by quadrature over the latent points (None: known) and each column's f."""
    count = len(outputs.values)
    places, log_weight = grid_of(12, count) if known is None else (known.T, np.zeros(1))
    units, log_unit = grid_of(10, count)
    columns, found = outputs.linked(layer.local.links).columns, log_weight.copy()
    for s, points in enumerate(places):
        gram = layer.kernel.K(points[:, None])
        for d, column in enumerate(outputs.values.T):
            if columns[d] == Exposure():
                continue
            seen = ~np.isnan(column)
            y, prior = column[seen], layer.ratio[d] * gram
            if columns[d] == Number():
                own = layer.noise_variance[d] * (prior[np.ix_(seen, seen)] + np.eye(len(y)))
                found[s] -= 0.5 * (y @ np.linalg.solve(own, y) + np.linalg.slogdet(own)[1])
                found[s] -= 0.5 * len(y) * np.log(2.0 * np.pi)
                continue
            root = np.linalg.cholesky(prior + 1e-9 * np.eye(count))
            f = layer.bias[d] + (units @ root.T)[:, seen]
            if isinstance(columns[d], Robust):
                each = t(columns[d].freedom, f, columns[d].scale).logpdf(y)
                found[s] += logsumexp(log_unit + each.sum(axis=1))
                continue
            size = getattr(columns[d], "size", None)
            if size is not None:
                f = f + np.nansum(outputs.values[:, outputs.links.exposures], axis=1)[seen]
            failures = 1.0 - y if size is None else np.full_like(y, size)
            each = y * log_expit(f) + failures * log_expit(-f)
            if size is not None:
                each = each + log_base(y, failures)
            found[s] += logsumexp(log_unit + each.sum(axis=1))
    return float(logsumexp(found))


@pytest.mark.parametrize("exposures", [None, (0.8, -0.5, 0.3)])
def test_the_bound_is_below_the_evidence(exposures: tuple[float, ...] | None) -> None:
    mean = np.array([[-1.2], [0.1], [1.3]])
    values = np.array([[0.0, 1.0, -0.9], [np.nan, 4.0, 0.1], [1.0, 9.0, 1.1]])
    columns, k = (YesNo(), Count(), Number()), 2
    if exposures:
        values, columns, k = np.column_stack([values, exposures]), (*columns, Exposure()), 3
    outputs = MixedOutputs(values, Links(columns))
    layer = Layer(RBF(1.0, 1.0).with_latent(1), mean, 1.0, local=outputs.started())
    # The signals are fixed, because their optimum for three rows may be 0 or infinite.
    layer = replace(
        layer,
        ratio=np.array([2.0, 0.7, 4.0, 1.0])[: len(columns)],
        bias=np.array([0.2, -0.8, 0.0, 0.0])[: len(columns)],
        noise_variance=np.array([1.0, 1.0, 0.2, 1.0])[: len(columns)],
        local=Local(np.full((3, k), 1.2), Links((YesNo(), Count(6.0), Exposure())[:k])),
    )
    evidence, highest = log_evidence(outputs, layer), -np.inf
    for scale, variance, xi in product((0.3, 0.6, 0.9), (0.1, 0.2, 0.4), (0.5, 1.0, 1.5)):
        belief = Belief(scale * mean, np.full((3, 1), variance))
        at = replace(layer, local=replace(layer.local, xi=np.full((3, k), xi)))
        own = evaluate_mixed(at, belief, outputs, jitter=1e-8, relative=False)
        highest = max(highest, own.value - StandardNormal().kl(belief)[0])
    assert evidence - 3.0 < highest < evidence
    # At known points, the factors are the only approximation, and they are nearly exact.
    at_points, highest = log_evidence(outputs, layer, mean), -np.inf
    for yes_no, count in product(np.linspace(0.5, 2.0, 7), np.linspace(0.1, 1.5, 8)):
        xi = np.broadcast_to([yes_no, count, 1.0][:k], (3, k)).copy()
        at = replace(layer, local=replace(layer.local, xi=xi))
        own = evaluate_mixed(at, Belief.certain(mean), outputs, jitter=1e-8, relative=False)
        highest = max(highest, own.value)
    assert at_points - 0.25 < highest < at_points


def test_the_bound_of_robust_numbers_is_below_the_evidence() -> None:
    mean = np.array([[-1.2], [0.1], [1.3]])
    outputs = MixedOutputs(np.array([[0.4], [-0.3], [6.0]]), Links((Robust(0.8),)))
    layer = Layer(RBF(1.0, 1.0).with_latent(1), mean, np.ones(1), local=outputs.started())
    layer = replace(layer, ratio=np.array([0.7]), bias=np.array([0.1]))
    evidence, highest = log_evidence(outputs, layer, mean), -np.inf
    for near, far in product(np.linspace(0.1, 1.5, 8), np.linspace(10.0, 50.0, 9)):
        at = replace(layer, local=replace(layer.local, xi=np.array([[near], [near], [far]])))
        own = evaluate_mixed(at, Belief.certain(mean), outputs, jitter=1e-8, relative=False)
        highest = max(highest, own.value)
    assert evidence - 0.2 < highest < evidence
