"""Tests that a user's kernel works everywhere if its file is in the folder of kernels."""

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gplvm_core import GPLVM, BayesianGPLVM, Bias, SparseGPRegression, White, kernels, load
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.kernels import Kernel, KernelError, Matern32
from gplvm_core.prediction import predict
from gplvm_core.store import StoreError
from gplvm_core.wire.frame import unframe
from gplvm_core.wire.model import Chart, pack_model

NOISE = 0.05
PHASES = np.linspace(0.0, 3.0, 8)


@pytest.fixture(scope="module")
def cosine() -> Iterator[type[Kernel]]:
    """Add tests/kernels/own to the path of gplvm_core.kernels, and yield its kernel class."""
    here = str(Path(__file__).parent / "own")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "__path__", [*kernels.__path__, here])
        yield importlib.import_module("gplvm_core.kernels.cosine").Cosine
        del kernels.cosine, sys.modules["gplvm_core.kernels.cosine"]


def waves(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return cosines of one angle with noise, and the angle."""
    generator = np.random.default_rng(seed)
    angle = generator.uniform(0.0, 5.0, (count, 1))
    rows = np.cos(angle + PHASES) + NOISE * generator.normal(size=(count, len(PHASES)))
    return rows, (angle - angle.mean()) / angle.std()


def fitted(cosine: type[Kernel], rows: np.ndarray, angle: np.ndarray) -> BayesianGPLVM:
    """Return a model that starts at the angles, with a useless dimension and a frequency of the
    wrong sign.
    """
    kernel = cosine(1.0, np.array([-1.5, 0.1])) + Bias(0.3) + White(0.01)
    begin = np.hstack([angle, np.random.default_rng(1).normal(size=angle.shape)])
    return BayesianGPLVM(2, 4, kernel=kernel, init=begin, max_iter=25, random_state=0).fit(rows)


@pytest.fixture(scope="module")
def model(cosine: type[Kernel]) -> BayesianGPLVM:
    return fitted(cosine, *waves(50, 0))


def test_a_negative_parameter_is_trained_without_a_transform(model: BayesianGPLVM) -> None:
    wave, _, _ = model.posterior_.kernel.parts
    assert wave.frequency[0] < -0.5
    assert model.n_effective_ == 1
    again = model.inverse_transform(model.latent_mean_)
    assert np.sqrt(np.mean((again - waves(50, 0)[0]) ** 2)) < 1.1 * NOISE


def test_the_kernel_is_stored_with_its_model(model: BayesianGPLVM, tmp_path: Path) -> None:
    model.save(tmp_path / "waves.gplvm")
    again = load(tmp_path / "waves.gplvm")
    assert repr(again.posterior_.kernel) == repr(model.posterior_.kernel)
    rows, _ = waves(5, 1)
    np.testing.assert_array_equal(again.transform(rows), model.transform(rows))


def test_a_model_with_the_kernel_completes_rows(model: BayesianGPLVM) -> None:
    rows, _ = waves(40, 2)
    gaps = rows.copy()
    gaps[:20, 3:], gaps[20:, ::2] = np.nan, np.nan
    whole, deviation = model.complete(gaps, return_std=True)
    apart = (whole - rows)[np.isnan(gaps)] / deviation[np.isnan(gaps)]
    assert np.sqrt(np.mean(apart**2)) < 1.5
    assert np.sqrt(np.mean((whole - rows) ** 2)) < 2.5 * NOISE


def test_a_model_with_the_kernel_trains_on_rows_with_gaps(cosine: type[Kernel]) -> None:
    rows, angle = waves(50, 0)
    gaps = np.where(np.random.default_rng(3).uniform(size=rows.shape) < 0.2, np.nan, rows)
    filled = fitted(cosine, gaps, angle).complete(gaps)
    assert np.sqrt(np.mean((filled - rows)[np.isnan(gaps)] ** 2)) < 2.5 * NOISE


def test_training_finds_the_frequency_of_the_kernel(cosine: type[Kernel]) -> None:
    generator = np.random.default_rng(4)
    inputs = generator.uniform(-3.0, 3.0, (60, 1))
    outputs = np.cos(2.0 * inputs + [0.3, 1.2]) + NOISE * generator.normal(size=(60, 2))
    model = SparseGPRegression(8, kernel=cosine(1.0, -1.8), max_iter=100, random_state=0)
    found = model.fit(inputs, outputs).posterior_.kernel.frequency
    np.testing.assert_allclose(found, -2.0 * inputs.std(), rtol=0.02)


def test_points_instead_of_beliefs_and_held_frequencies(cosine: type[Kernel]) -> None:
    kernel = cosine(1.0, np.array([-1.0, 0.5])).holding("frequency")
    model = GPLVM(2, kernel=kernel, max_iter=40, random_state=0).fit(waves(40, 0)[0])
    assert model.posterior_.kernel.frequency.tolist() == [-1.0, 0.5]


def test_the_canvas_gets_all_that_it_needs(model: BayesianGPLVM) -> None:
    dataset = Dataset("waves", "Waves", waves(50, 0)[0], Drawing.of_vector(8))
    header, arrays = unframe(pack_model(Chart.of(model, dataset), "m"))
    points = np.random.default_rng(5).normal(size=(30, 2))
    wave, bias, white = header["kernel"]
    assert [part["kind"] for part in header["kernel"]] == ["cosine", "bias", "white"]
    apart = (points[:, None] - arrays["inducing"]) @ np.array(wave["frequency"])
    row = wave["variance"] * np.cos(apart) + bias["variance"]
    alpha = row @ arrays["transform"].T
    diagonal = wave["variance"] + bias["variance"] + white["variance"]
    mean, variance = predict(model.posterior_, points)
    np.testing.assert_allclose(arrays["center"] + alpha @ arrays["weights"], mean, atol=2e-5)
    found = (diagonal - alpha**2 @ arrays["shrink"]) * header["scale"] ** 2
    np.testing.assert_allclose(found, variance[:, 0], atol=2e-5)


def test_error_messages_list_the_kernel(cosine: type[Kernel]) -> None:
    with pytest.raises(KernelError, match=r"a kernel that has them: Bias, Cosine, .*RBF"):
        Matern32().check()
    with pytest.raises(KernelError, match=r"cannot evaluate Matern32.* Bias, Cosine, .*RBF"):
        Matern32().browser_form()
    with pytest.raises(KernelError, match=r"Cosine and Cosine has no .*: Bias \+ Cosine, "):
        (cosine() + cosine()).check()


def test_a_kernel_that_a_script_defines_is_stored_and_must_be_there_to_be_read(
    tmp_path: Path,
) -> None:
    source = (
        "from dataclasses import dataclass\n"
        "from gplvm_core import Matern32, load, save\n"
        "@dataclass(frozen=True, repr=False)\n"
        "class Ripple(Matern32):\n"
        "    def K(self, first, second=None):\n"
        "        return super().K(first, second) ** 2\n"
    )
    file = str(tmp_path / "ripple.gplvm")
    script = source + f"save(Ripple(1.5, 2.0), {file!r})\nprint(load({file!r}))\n"
    run = [sys.executable, "-c", script]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "Ripple(variance=1.5, lengthscale=2.0)"
    with pytest.raises(StoreError, match=r"'Ripple'.* define or import its class first"):
        load(file)
