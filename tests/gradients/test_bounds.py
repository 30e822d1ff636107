"""Tests of every bound's gradients against central differences; no bound may be left out."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import gplvm_core.bounds as bounds
from gplvm_core import RBF, Bias, Linear, White, evaluate_bound
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import (
    Collapsed,
    Layer,
    collapsed,
    collapsed_per_output,
    evaluate_layer,
    exact,
    gram_factor,
    marginalised,
)
from gplvm_core.kernels import Kernel
from gplvm_core.models.problems.full import FullProblem, Points
from gplvm_core.models.problems.starts import Start
from gplvm_core.numerics import factorise
from gplvm_core.parameters import leaves, replace_leaves
from gplvm_core.prediction import Posterior, predict_uncertain
from gplvm_core.prediction.row_terms import CertainTerms, UncertainTerms
from gplvm_core.statistics import Statistics, Targets

CLOSE = {"rtol": 2e-6, "atol": 2e-6}
BOUNDS = {
    "collapsed",
    "collapsed_per_output",
    "exact",
    "evaluate_layer",
    "evaluate_bound",
    "marginalised",
    "evaluate_mixed",  # tested in tests/identities/test_mixed.py
}
# These functions return values without adjoints.
NOT_BOUNDS = {"gram_factor", "layer_term", "output_gaps", "profile_scales", "updated", "mixed_term"}
NOT_BOUNDS |= {"factor_statistics"}  # tests/models/test_many_rows.py compares it


def test_every_bound_is_tested() -> None:
    functions = {name for name in bounds.__all__ if name.islower()}
    assert functions - NOT_BOUNDS == BOUNDS


@pytest.fixture
def small() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(11)
    mean, variance = generator.normal(size=(9, 2)), generator.uniform(0.02, 0.2, (9, 2))
    targets = np.column_stack([np.sin(mean @ [1.0, 0.5]), mean[:, 0], mean[:, 1] ** 2])
    targets = targets + 0.1 * generator.normal(size=targets.shape)
    return targets, mean, variance, mean[:4] + 0.1 * generator.normal(size=(4, 2))


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(1.3, np.array([0.8, 1.4])),
        RBF(1.3, 0.9) + Linear(np.array([0.4, 0.2])) + Bias(0.5) + White(0.05),
    ],
    ids=["rbf", "rbf + linear + bias + white"],
)
def test_evaluate_bound(kernel: Kernel, small, central_difference) -> None:
    targets, mean, variance, inducing = small
    kernel = kernel.with_latent(2)
    at = {"mean": mean, "variance": variance, "inducing": inducing, "noise_variance": 0.2}

    def value(**changed) -> float:
        return evaluate_bound(targets, **{**at, "kernel": kernel, "jitter": 1e-6, **changed})[0]

    _, gradients = evaluate_bound(targets, **at, kernel=kernel, jitter=1e-6)
    for name, here in at.items():
        expected = central_difference(lambda x, n=name: value(**{n: x}), here)
        np.testing.assert_allclose(getattr(gradients, name), expected, **CLOSE)
    for path, here in leaves(kernel).items():
        expected = central_difference(
            lambda x, p=path: value(kernel=replace_leaves(kernel, {p: x})), here
        )
        np.testing.assert_allclose(leaves(gradients.kernel)[path], expected, **CLOSE)


@pytest.mark.parametrize("ratio", [None, 30.0], ids=["profiled", "ratio held"])
def test_profiled_layer(ratio: float | None, small, central_difference) -> None:
    targets, mean, variance, inducing = small
    kernel = RBF(1.0, np.array([0.8, 1.4])) + Linear(np.array([0.3, 0.2]))
    at = {"mean": mean, "variance": variance, "inducing": inducing}

    def evaluated(mean=mean, variance=variance, inducing=inducing, kernel=kernel):
        return evaluate_layer(
            Layer(kernel, inducing, 1.0),
            Belief(mean, variance),
            Targets.of(targets),
            jitter=1e-5,
            profile=True,
            ratio=ratio,
        )

    gradients = evaluated().gradients
    for name, here in at.items():
        expected = central_difference(lambda x, n=name: evaluated(**{n: x}).value, here)
        np.testing.assert_allclose(getattr(gradients, name), expected, **CLOSE)
    for path, here in leaves(kernel).items():
        expected = central_difference(
            lambda x, p=path: evaluated(kernel=replace_leaves(kernel, {p: x})).value, here
        )
        np.testing.assert_allclose(leaves(gradients.kernel)[path], expected, **CLOSE)


def test_profile_is_a_maximum(small) -> None:
    targets, mean, variance, inducing = small
    kernel, belief = RBF(1.0, np.array([0.8, 1.4])), Belief(mean, variance)
    layer, data = Layer(kernel, inducing, 1.0), Targets.of(targets)
    best = evaluate_layer(layer, belief, data, jitter=1e-6, profile=True)
    for scale, noise in ((1.01, 1.0), (0.99, 1.0), (1.0, 1.01), (1.0, 0.99)):
        other = Layer(best.layer.kernel.scaled(scale), inducing, noise * best.layer.noise_variance)
        assert evaluate_layer(other, belief, data, jitter=1e-6).value < best.value


@pytest.mark.parametrize("bound", [collapsed, marginalised])
def test_adjoints(bound: Callable[..., Collapsed], small, central_difference) -> None:
    targets, mean, variance, inducing = small
    kernel = RBF(1.3, np.array([0.8, 1.4]))
    psi1, psi2 = (getattr(kernel, p)(mean, variance, inducing)[0] for p in ("psi1", "psi2"))
    gram = kernel.K(inducing)

    known = (psi1 * np.linspace(0.2, 1.1, 9)[:, None]).T @ psi1
    around = None if bound is collapsed else known

    def value(
        psi0=11.7, cross=psi1.T @ targets, psi2=psi2, yy=20.0, gram=gram, noise=0.3, spread=around
    ):
        counts = np.array([9]), np.array([3])
        statistics = Statistics(
            np.atleast_1d(psi0), cross, psi2[None], float(yy), *counts, spread=spread
        )
        return bound(statistics, factorise(gram, 1e-6), float(noise))

    at = value()
    for name, here, found in (
        ("psi0", 11.7, at.statistics.psi0[0]),
        ("yy", 20.0, at.statistics.yy),
        ("noise", 0.3, at.noise_variance),
        ("cross", psi1.T @ targets, at.statistics.psi1_targets),
    ):
        expected = central_difference(lambda x, n=name: value(**{n: x}).value, here)
        np.testing.assert_allclose(found, expected, **CLOSE)
    # A symmetric matrix changes only in symmetric directions.
    direction = np.random.default_rng(0).normal(size=(4, 4))
    direction = direction + direction.T
    matrices = [("psi2", psi2, at.statistics.psi2[0]), ("gram", gram, at.gram)]
    if around is not None:
        matrices.append(("spread", around, at.statistics.spread))
    for name, here, found in matrices:
        along = central_difference(
            lambda t, n=name, h=here: value(**{n: h + t * direction}).value, np.array(0.0)
        )
        np.testing.assert_allclose(np.sum(found * direction), along, rtol=1e-4)


def test_exact_is_the_gaussian_density(small) -> None:
    targets, mean, _, _ = small
    covariance = RBF(1.3, np.array([0.8, 1.4])).K(mean) + 0.2 * np.eye(9)
    expected = multivariate_normal(np.zeros(9), covariance).logpdf(targets.T).sum()
    assert exact(Targets.of(targets), factorise(covariance)).value == pytest.approx(expected)


def test_exact_adjoint(small) -> None:
    targets, mean, _, _ = small
    kernel = RBF(1.3, np.array([0.8, 1.4]))
    covariance = kernel.K(mean) + 0.2 * np.eye(9)
    direction = np.random.default_rng(0).normal(size=(9, 9))
    direction = direction + direction.T

    def value(t: float) -> float:
        return exact(Targets.of(targets), factorise(covariance + t * direction)).value

    found = np.sum(exact(Targets.of(targets), factorise(covariance)).covariance * direction)
    assert found == pytest.approx((value(1e-5) - value(-1e-5)) / 2e-5, rel=1e-6)


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
def test_the_full_model(gaps: bool, small, central_difference) -> None:
    """The test covers the optimiser's objective, with transforms and scales."""
    targets, mean, _, _ = small
    targets = targets - targets.mean(axis=0)
    if gaps:
        targets[2:5, 0], targets[4:8, 2] = np.nan, np.nan
    begin = Start((targets,), 2, 4, (RBF(1.0, 0.9) + Bias(0.5),), mean)
    problem = FullProblem(begin, Targets.of(targets), 1e-6)
    anchor = Points(mean, RBF(1.0, 0.9).with_latent(2), 0.1)
    phase = problem.phases[0]
    layout = problem.layout(anchor, phase)

    def value(x: np.ndarray) -> float:
        return problem.evaluate(layout.unpack(x), phase).bound

    x = layout.pack(anchor) + 0.05 * np.random.default_rng(1).normal(size=layout.pack(anchor).size)
    here = layout.unpack(x)
    found = layout.chain(here, problem.evaluate(here, phase).gradient)
    np.testing.assert_allclose(found, central_difference(value, x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
@pytest.mark.parametrize("terms", [CertainTerms, UncertainTerms])
def test_row_terms(terms: type, gaps: bool, small, central_difference) -> None:
    """The bound of a new row is a function of its latent point, with fixed q(u)."""
    targets, mean, variance, inducing = small
    train = targets.copy()
    if gaps:
        train[2:5, 0], train[4:8, 2] = np.nan, np.nan
    kernel = RBF(1.3, np.array([0.8, 1.4])) + Linear(np.array([0.3, 0.2])) + Bias(0.4)
    layer, data = Layer(kernel, inducing, 0.2), Targets.whole(train)
    at = evaluate_layer(layer, Belief(mean, variance), data, jitter=1e-6)
    ones, groups = np.ones(3), data.patterns and data.patterns.groups
    weights, gap = at.posterior.weights, at.posterior.gap
    posterior = Posterior(
        kernel, inducing, weights, gap, 0.2, at.jitter, 0.0 * ones, 2.0 * ones, groups
    )
    row = targets[:2].copy()
    row[1, 1] = np.nan if gaps else 0.7
    found = terms.of(posterior, row)
    spread = np.zeros((2, 2)) if terms is CertainTerms else variance[:2]
    value, d_mean, d_variance = found.data(mean[:2], spread, np.arange(2))

    def total(mean=mean[:2], variance=spread) -> float:
        return float(found.data(mean, variance, np.arange(2))[0].sum())

    np.testing.assert_allclose(
        d_mean, central_difference(lambda x: total(mean=x), mean[:2]), **CLOSE
    )
    if terms is UncertainTerms:
        expected = central_difference(lambda x: total(variance=x), spread)
        np.testing.assert_allclose(d_variance, expected, **CLOSE)
    # The expected value is ⟨log p(y | f)⟩, computed for each output from the moments of f.
    outputs, moments = row, predict_uncertain(posterior, mean[:2], spread)
    error = outputs - moments[0] / 2.0
    each = np.log(2 * np.pi * 0.2) + (error**2 + moments[1] / 4.0) / 0.2
    np.testing.assert_allclose(value, -0.5 * np.nansum(each, axis=1), rtol=1e-9)


def test_gram_factor_reports_its_jitter() -> None:
    points = np.random.default_rng(0).normal(size=(5, 2))
    assert gram_factor(RBF(4.0), points, 1e-6, relative=True).jitter == pytest.approx(4e-6)
    assert gram_factor(RBF(4.0), points, 1e-6, relative=False).jitter == 1e-6


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
@pytest.mark.parametrize("profile", [False, True], ids=["given", "profiled"])
def test_noise_per_output(profile: bool, gaps: bool, small, central_difference) -> None:
    """The test covers the gradients of the bound at given scales and at every output's best ratio
    and noise.
    """
    targets, mean, variance, inducing = small
    if gaps:
        targets = targets.copy()
        targets[2:4, 0], targets[5:8, 2] = np.nan, np.nan
    data, kernel = Targets.whole(targets), RBF(1.3, np.array([0.8, 1.4])) + Linear(0.3)
    given = Layer(kernel, inducing, np.array([0.2, 0.05, 0.6]), np.array([4.0, 30.0, 1.5]))

    def value(layer=given, mean=mean, variance=variance):
        at = Belief(mean, variance)
        return evaluate_layer(
            layer, at, data, jitter=1e-5, profile=profile, per_output=True, most_ratio=1e5
        )

    found = value().gradients
    for name, at, of in (
        ("mean", mean, lambda x: value(mean=x)),
        ("variance", variance, lambda x: value(variance=x)),
        ("inducing", inducing, lambda x: value(replace(given, inducing=x))),
    ):
        expected = central_difference(lambda x, of=of: of(x).value, at)
        np.testing.assert_allclose(getattr(found, name), expected, rtol=1e-5, atol=1e-5)
    for path, at in leaves(kernel).items():
        expected = central_difference(
            lambda x, path=path: (
                value(
                    replace(given, kernel=replace_leaves(kernel, {path: x if x.ndim else float(x)}))
                ).value
            ),
            np.asarray(at),
        )
        np.testing.assert_allclose(leaves(found.kernel)[path], expected, rtol=1e-5, atol=1e-5)


def test_collapsed_per_output(small, central_difference) -> None:
    """The adjoints of the algebra are tested for random statistics, without points."""
    generator = np.random.default_rng(0)
    root = generator.normal(size=(2, 3, 3))
    groups = np.array([0, 1, 0, 1])
    statistics = Statistics(
        np.array([9.0, 11.0]),
        generator.normal(size=(3, 4)),
        root @ np.swapaxes(root, 1, 2),
        7.0,
        np.array([5, 6]),
        np.array([2, 2]),
        groups,
    )
    gram = generator.normal(size=(3, 3))
    gram, ratio = gram @ gram.T + np.eye(3), np.array([0.5, 2.0, 7.0, 1.0])

    def value(gram=gram, **changed) -> Collapsed:
        symmetric = {"psi2": changed["psi2"]} if "psi2" in changed else {}
        changed |= {name: 0.5 * (x + np.swapaxes(x, 1, 2)) for name, x in symmetric.items()}
        return collapsed_per_output(
            replace(statistics, **changed), factorise(0.5 * (gram + gram.T)), ratio
        )

    at = value()
    expected = central_difference(lambda x: value(gram=x).value, gram)
    np.testing.assert_allclose(at.gram, expected, **CLOSE)
    for name in ("psi0", "psi1_targets", "psi2"):
        expected = central_difference(
            lambda x, name=name: value(**{name: x}).value, getattr(statistics, name)
        )
        np.testing.assert_allclose(getattr(at.statistics, name), expected, **CLOSE)
    expected = central_difference(lambda x: value(yy=float(x)).value, np.asarray(7.0))
    np.testing.assert_allclose(at.statistics.yy, expected, **CLOSE)


@pytest.mark.parametrize("per_output", [False, True], ids=["shared", "per output"])
def test_at_the_largest_ratio_the_gradient_includes_the_kernel_s_scale(
    per_output: bool, small, central_difference
) -> None:
    """The largest ratio is relative to the mean diagonal of K, which the parameters change."""
    targets, mean, variance, inducing = small
    kernel = RBF(1.3, np.array([0.8, 1.4])) + Linear(np.array([4.0, 2.0]))

    def value(kernel=kernel, inducing=inducing):
        at, layer = Belief(mean, 0.01 * variance), Layer(kernel, inducing, 1.0)
        options = {"profile": True, "per_output": per_output, "most_ratio": 0.2}
        return evaluate_layer(layer, at, Targets.whole(targets), jitter=1e-5, **options)

    found = value()
    capped, level = np.array(found.profile.capped), np.mean(np.diagonal(kernel.K(inducing)))
    assert capped.any()
    np.testing.assert_allclose(np.array(found.profile.ratio)[capped], 0.2 / level)
    expected = central_difference(lambda x: value(inducing=x).value, inducing)
    np.testing.assert_allclose(found.gradients.inducing, expected, rtol=1e-5, atol=1e-5)
    for path, at in leaves(kernel).items():
        expected = central_difference(
            lambda x, path=path: (
                value(replace_leaves(kernel, {path: x if x.ndim else float(x)})).value
            ),
            np.asarray(at),
        )
        np.testing.assert_allclose(
            leaves(found.gradients.kernel)[path], expected, rtol=1e-5, atol=1e-5
        )


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_large_kernel_does_not_make_uncertain_outputs_look_known_exactly(seed: int) -> None:
    """States of a cycle lead to the next states. The linear part of the kernel is 10⁷ times the
    other part, so the statistics have rounding errors of the size of the noise.
    """
    second = 0.01 * np.random.default_rng(seed).normal(size=121)
    mean = np.column_stack([np.cos(2.0 * np.pi * np.arange(121) / 11.0), second])
    states = Belief(mean, np.tile([0.001, 0.15], (121, 1)))
    kernel = RBF(0.66, np.array([9.0, 108.0])) + Linear(np.array([1e7, 0.03]))
    later = Targets.believed(states.rows(slice(1, None)))
    options = {"jitter": 1e-6, "profile": True, "most_ratio": 1e6}
    layer, before = Layer(kernel, mean[:40], 1.0), states.rows(slice(120))
    at = evaluate_layer(layer, before, later, **options)
    # The variances of the outputs alone are 0.0755 on average.
    assert 0.07 < at.layer.noise_variance < 0.3
