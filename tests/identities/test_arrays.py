"""Tests that sums and gradients of data in other array libraries equal NumPy's."""

import importlib
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from gplvm_core import RBF, BayesianGPLVM, Bias, Linear, White, evaluate_bound
from gplvm_core.arrays import ArrayLibraryError, DeviceArray, Place, to_numpy
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.kernels import Kernel
from gplvm_core.numerics import symmetrise
from gplvm_core.statistics import Targets, keeping, reduce_statistics

N, D, Q, M = 37, 5, 3, 6
LENGTHS = np.array([0.7, 1.3, 2.5])
KERNELS = {
    "rbf": RBF(1.3, LENGTHS),
    "one lengthscale": RBF(0.8, 1.1),
    "linear": Linear(np.array([0.6, 1.1, 0.2])),
    "rbf and linear": RBF(1.3, LENGTHS) + Linear(np.array([0.6, 1.1, 0.2])),
    "two rbfs": RBF(1.3, LENGTHS) + RBF(0.4, 0.8),
    "all": RBF(1.3, LENGTHS) + Linear(0.6) + Bias(0.7) + White(0.2),
}


@pytest.fixture(params=["array_api_strict", "array_api_strict, a device", "torch"])
def place(request: pytest.FixtureRequest) -> Place:
    """Return every installed library; for the strict library also a device other than the
    processor.
    """
    name, _, device = request.param.partition(", ")
    library = pytest.importorskip(name)
    given = {"device": library.Device("device1")} if device else {}
    place = Place.of(library.ones(1, dtype=library.float64, **given))
    assert place is not None
    return place


def problem(kernel: Kernel, seed: int = 0) -> tuple[Layer, Belief, np.ndarray]:
    generator = np.random.default_rng(seed)
    belief = Belief(generator.normal(size=(N, Q)), generator.uniform(0.1, 0.8, (N, Q)))
    layer = Layer(kernel, generator.normal(size=(M, Q)), 0.1)
    return layer, belief, generator.normal(size=(N, D))


def assert_close(found: Any, expected: Any, rtol: float = 1e-13) -> None:
    """Compare NumPy arrays, or nested dataclasses of them, up to rounding errors."""
    if is_dataclass(expected):
        for each in fields(expected):
            assert_close(getattr(found, each.name), getattr(expected, each.name), rtol)
    elif isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other, rtol)
    elif expected is not None:
        assert type(found) is type(expected)
        largest = np.max(np.abs(expected), initial=0.0)
        np.testing.assert_allclose(found, expected, rtol=0, atol=rtol * largest)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("kind", ["whole", "gaps", "wide", "believed"])
def test_sums_of_other_array_libraries_equal_numpys(
    place: Place, kernel: Kernel, kind: str
) -> None:
    layer, belief, values = problem(kernel)
    if kind == "gaps":
        values[np.random.default_rng(1).random(values.shape) < 0.3] = np.nan
    if kind == "wide":
        values = np.hstack([values] * 20)
    targets = Targets.of(values)
    if kind == "believed":
        targets = Targets.believed(Belief(values, np.full(values.shape, 0.2)))
    given = layer.kernel, belief, layer.inducing
    here, pull_here = reduce_statistics(*given, targets)
    there, pull_there = reduce_statistics(*given, targets.at(place))
    assert_close(there, here)
    generator = np.random.default_rng(2)
    adjoint = replace(
        here,
        psi0=generator.normal(size=here.psi0.shape),
        psi1_targets=generator.normal(size=here.psi1_targets.shape),
        psi2=symmetrise(generator.normal(size=here.psi2.shape)),
        yy=0.7,
        spread=None if here.spread is None else symmetrise(generator.normal(size=(M, M))),
    )
    assert_close(pull_there(adjoint), pull_here(adjoint))


def test_small_blocks_and_chunks_add_up_to_the_same(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    reduced = importlib.import_module("gplvm_core.statistics.reduce")
    blocks = importlib.import_module("gplvm_core.kernels.pairs")
    layer, belief, values = problem(KERNELS["rbf"])
    here = evaluate_layer(layer, belief, Targets.of(values), jitter=1e-3)
    monkeypatch.setattr(blocks, "DEVICE_BLOCK", (5, 4))
    monkeypatch.setattr(reduced, "DEVICE_CHUNK", 10)
    monkeypatch.setattr(keeping, "FEW", 0)
    there = evaluate_layer(layer, belief, Targets.of(values).at(place), jitter=1e-3)
    assert_close(there.gradients, here.gradients, 1e-12)


def test_noise_per_output_in_other_array_libraries(place: Place) -> None:
    layer, belief, values = problem(KERNELS["rbf"])
    own = {"jitter": 1e-3, "profile": True, "per_output": True}
    here = evaluate_layer(layer, belief, Targets.whole(values), **own)
    there = evaluate_layer(layer, belief, Targets.whole(values).at(place), **own)
    assert_close(there.gradients, here.gradients, 1e-10)


def test_the_bound_of_an_array_of_another_library(place: Place) -> None:
    layer, belief, values = problem(KERNELS["rbf"])
    rest = belief.mean, belief.variance, layer.inducing, layer.kernel, 0.1
    here, gradients = evaluate_bound(values, *rest)
    there, found = evaluate_bound(place.take(values), *rest)
    np.testing.assert_allclose(there, here, rtol=1e-13)
    assert_close(found, gradients, 1e-12)


def test_a_model_of_an_array_of_another_library(place: Place) -> None:
    _, _, values = problem(KERNELS["rbf"])
    settings = {"n_components": 2, "n_inducing": 5, "max_iter": 4, "random_state": 0}
    here = BayesianGPLVM(**settings).fit(values)
    there = BayesianGPLVM(**settings).fit(place.take(values))
    np.testing.assert_allclose(there.bound_, here.bound_, rtol=1e-9)
    np.testing.assert_allclose(there.latent_mean_, here.latent_mean_, rtol=1e-6, atol=1e-8)
    assert type(there.latent_mean_) is np.ndarray
    np.testing.assert_allclose(
        there.transform(place.take(values[:3])), here.transform(values[:3]), atol=1e-5
    )


def test_a_device_without_float64_is_refused_with_the_reason() -> None:
    strict = pytest.importorskip("array_api_strict")
    single = strict.ones((4, 2), dtype=strict.float32, device=strict.Device("no_float64"))
    with pytest.raises(ArrayLibraryError, match=r"no_float64.*no float64.*float32.*numpy.asarray"):
        BayesianGPLVM().fit(single)


def test_float32_data_are_converted_to_float64() -> None:
    strict = pytest.importorskip("array_api_strict")
    layer, belief, values = problem(KERNELS["rbf"])
    single = strict.asarray(values.astype(np.float32))
    rest = belief.mean, belief.variance, layer.inducing, layer.kernel, 0.1
    here, _ = evaluate_bound(values.astype(np.float32), *rest)
    there, _ = evaluate_bound(single, *rest)
    np.testing.assert_allclose(there, here, rtol=1e-13)
    assert to_numpy(single).dtype == np.float32


def test_a_kernel_that_needs_more_of_numpy_is_refused_with_the_function(place: Place) -> None:
    class Own(RBF):
        def psi1(self, mean: Any, variance: Any, inducing: np.ndarray) -> Any:
            value, pullback = super().psi1(mean, variance, inducing)
            return np.cumsum(value, axis=1), pullback

    layer, belief, values = problem(Own(1.3, LENGTHS))
    targets = Targets.of(values)
    assert np.isfinite(evaluate_layer(layer, belief, targets, jitter=1e-3).value)
    for kernel in (layer.kernel, layer.kernel + Bias(0.1)):
        with pytest.raises(
            ArrayLibraryError, match=r"numpy\.cumsum does not .*numpy\.asarray\(Y\)"
        ):
            evaluate_layer(replace(layer, kernel=kernel), belief, targets.at(place), jitter=1e-3)


def test_numpys_functions_and_operators_work_on_the_arrays_device(place: Place) -> None:
    numbers, other = np.random.default_rng(0).uniform(0.5, 2.0, (2, 3, 4))
    array = DeviceArray.of(numbers, place)
    into = np.zeros((3, 4), like=array)
    into[1:, :] += other[1:]
    grown = np.array(other)
    grown = np.exp(np.add(grown, array, out=grown), out=grown)
    pairs = [
        (2.0 - array / other, 2.0 - numbers / other),
        (1.0 / -array + other, 1.0 / -numbers + other),
        (other.T @ array, other.T @ numbers),
        (array.T @ other, numbers.T @ other),
        (np.sqrt(np.log(array + 1.0)) ** 2, np.log(numbers + 1.0)),
        (np.concatenate([array, other], axis=1)[1:, 2:5], np.hstack([numbers, other])[1:, 2:5]),
        (np.full((2, 3), np.float64(0.3), like=array), np.full((2, 3), 0.3)),
        (into, np.vstack([np.zeros((1, 4)), other[1:]])),
        (grown, np.exp(other + numbers)),
    ]
    for found, expected in pairs:
        assert type(found) is DeviceArray and len(found) == len(expected)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-14)
    with pytest.raises(ArrayLibraryError, match=r"numpy\.ndarray\.reshape does not work"):
        array.reshape(-1)
