"""Tests of several views on one latent space: values of established packages, and identities."""

import numpy as np
import pytest

from gplvm_core import RBF, BayesianGPLVM, ManifoldRelevance, evaluate_bound
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, LayerValue, evaluate_layer
from gplvm_core.parameters import leaves
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Targets


@pytest.fixture(scope="module")
def views() -> dict[str, np.ndarray]:
    """Return two views of 40 rows with a shared curve and one private signal each."""
    generator = np.random.default_rng(4)
    shared, own, other = generator.normal(size=(3, 40))
    first = np.column_stack([np.sin(shared), shared, own, shared * own])
    second = np.column_stack([np.cos(shared), shared, other])
    noise = generator.normal(size=(40, 7)) * 0.05
    return {"first": first + noise[:, :4], "second": second + noise[:, 4:]}


def value_of(problem, number: str) -> LayerValue:
    """Return F_data of one view of the reference problem."""
    targets = problem[f"Y{number}"]
    kernel = RBF(float(problem[f"variance{number}"]), problem[f"lengthscales{number}"])
    layer = Layer(kernel, problem["Z"], float(problem[f"noise{number}"]))
    belief = Belief(problem["mu"], problem["S"])
    data = Targets(targets, targets.shape[1])
    return evaluate_layer(layer, belief, data, jitter=1e-8, relative=False)


def test_two_views_match_established_packages(problem, reference) -> None:
    """The test covers Σ_v F_v − KL, with the KL once, and all its gradients."""
    values = reference["gpflow"]
    first, second = value_of(problem, ""), value_of(problem, "2")
    kl, d_kl = StandardNormal().kl(Belief(problem["mu"], problem["S"]))
    bound = first.value + second.value - kl
    assert bound == pytest.approx(float(values["mrd_bound"]), rel=1e-11)
    assert bound == pytest.approx(float(reference["gpy"]["mrd_bound"]), rel=1e-11)
    assert first.value - kl == pytest.approx(float(values["mrd_view1_elbo"]), rel=1e-11)
    assert second.value - kl == pytest.approx(float(values["mrd_view2_elbo"]), rel=1e-11)
    pairs = {
        "mu": first.gradients.mean + second.gradients.mean - d_kl.mean,
        "S": first.gradients.variance + second.gradients.variance - d_kl.variance,
        "Z": first.gradients.inducing + second.gradients.inducing,
    }
    for name, found in pairs.items():
        expected = values[f"mrd_g_{name}"]
        close = {"rtol": 1e-8, "atol": 1e-9 * np.abs(expected).max()}
        np.testing.assert_allclose(found, expected, **close)
    for view, at in (("view1", first), ("view2", second)):
        own = leaves(at.gradients.kernel)
        for theirs, ours in (("variance", "variance"), ("lengthscales", "lengthscale")):
            np.testing.assert_allclose(own[ours], values[f"mrd_{view}_g_kern.{theirs}"], rtol=1e-8)
        assert at.noise_variance == pytest.approx(float(values[f"mrd_{view}_g_noise"]), rel=1e-8)


def test_two_views_with_one_kernel_are_one_view_of_all_columns(problem) -> None:
    kernel = RBF(1.3, problem["lengthscales"])
    arguments = (problem["mu"], problem["S"], problem["Z"], kernel, 0.07)
    whole, _ = evaluate_bound(problem["Y"], *arguments)
    left, _ = evaluate_bound(problem["Y"][:, :2], *arguments)
    right, _ = evaluate_bound(problem["Y"][:, 2:], *arguments)
    kl, _ = StandardNormal().kl(Belief(problem["mu"], problem["S"]))
    assert left + right + kl == pytest.approx(whole, rel=1e-12)


def test_one_view_is_the_bayesian_gplvm(views) -> None:
    settings = {"n_components": 3, "n_inducing": 10, "max_iter": 20, "random_state": 0}
    alone = BayesianGPLVM(**settings).fit(views["first"])
    model = ManifoldRelevance(**settings).fit({"first": views["first"]})
    assert model.bound_ == pytest.approx(alone.bound_, rel=1e-6)
    np.testing.assert_allclose(model.latent_mean_, alone.latent_mean_, atol=1e-4)
    new = views["first"][:5] + 0.01
    seen = model.of_view("first").score_samples(new)
    np.testing.assert_allclose(model.score_samples({"first": new}), seen, atol=1e-6)


@pytest.fixture(scope="module")
def model(views) -> ManifoldRelevance:
    return ManifoldRelevance(4, 15, max_iter=60, random_state=0).fit(views)


def test_the_bound_is_that_of_all_views_with_the_kl_once(model, views) -> None:
    """The public function evaluates each view separately, at the trained parameters."""
    kl = StandardNormal().kl(Belief(model.latent_mean_, model.latent_variance_))[0]
    total = -kl
    for name, targets in views.items():
        total += f_data(model, name, targets, model.posteriors_[name].kernel) + jacobian(
            model, name, targets
        )
    assert model.bound_ == pytest.approx(total, rel=1e-9)
    assert sum(model.bounds_.values()) - kl == pytest.approx(model.bound_, rel=1e-12)


def test_a_drop_is_the_fall_of_a_views_bound_without_a_dimension(model, views) -> None:
    """Compare the drop with the public bound at a lengthscale so long that its weight is
    practically 0.
    """
    for name, targets in views.items():
        kernel = model.posteriors_[name].kernel
        with_all = f_data(model, name, targets, kernel)
        for q in range(4):
            length = np.array(kernel.lengthscale)
            length[q] = 1e9
            without = f_data(model, name, targets, RBF(kernel.variance, length))
            expected = (with_all - without) / len(targets)
            assert model.drops_[name][q] == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_threads_do_not_change_the_numbers(views) -> None:
    settings = {"n_components": 3, "n_inducing": 10, "max_iter": 15, "random_state": 0}
    one = ManifoldRelevance(**settings).fit(views)
    two = ManifoldRelevance(**settings, n_jobs=2).fit(views)
    assert one.bound_ == two.bound_
    np.testing.assert_array_equal(one.latent_mean_, two.latent_mean_)


def f_data(model, name: str, targets: np.ndarray, kernel: RBF) -> float:
    posterior = model.posteriors_[name]
    belief = Belief(model.latent_mean_, model.latent_variance_)
    bound, _ = evaluate_bound(
        posterior.to_internal(targets),
        belief.mean,
        belief.variance,
        posterior.inducing,
        kernel,
        posterior.noise_variance,
        posterior.jitter,
    )
    return bound + StandardNormal().kl(belief)[0]


def jacobian(model, name: str, targets: np.ndarray) -> float:
    return -len(targets) * float(np.sum(np.log(model.posteriors_[name].scale)))
