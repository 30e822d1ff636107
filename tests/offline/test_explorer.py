"""Tests of an explorer as one file: its precision, and errors for models without a map."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import gplvm_core
from gplvm_core import GPLVM, BayesianGPLVM, Kernel, White
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.kernels import KernelError
from gplvm_core.wire.frame import Rounded, frame, unframe
from gplvm_core.wire.model import Chart, pack_model
from gplvm_core.wire.precision import rounded
from tests.kernels.own.cosine import Cosine

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def waves(kind: str = "curve", scale: float = 1.0) -> Dataset:
    rng = np.random.default_rng(0)
    values = np.sin(rng.standard_normal((40, 2)) @ rng.standard_normal((2, 6)))
    values[:, 0] *= scale
    return Dataset("waves", "Waves", values, Drawing(kind, (6,)))


@pytest.fixture(scope="module")
def model() -> BayesianGPLVM:
    return BayesianGPLVM(n_components=2, n_inducing=12, max_iter=40, random_state=0).fit(
        waves().values
    )


def test_rounded_rows_are_within_half_a_step_in_16_bits():
    numbers = np.random.default_rng(0).normal(size=(5, 400)) * np.logspace(-6, 6, 5)[:, None]
    numbers[2] = 0.0
    data = frame({}, {"numbers": Rounded.of(numbers)})
    assert len(data) < 2 * numbers.size + 600
    back = unframe(data)[1]["numbers"]
    steps = np.abs(numbers).max(axis=1, keepdims=True) / 32767
    assert np.all(np.abs(back - numbers) <= 0.5001 * steps)


def test_the_file_reports_the_error_of_its_numbers(model):
    chart = Chart.of(model, waves())
    data, precision = rounded(chart, pack_model(chart, "waves"))
    _, arrays = unframe(data)
    row = model.kernel_.K(model.latent_mean_, model.inducing_)
    shown = arrays["center"] + row @ arrays["transform"].T @ arrays["weights"]
    error = np.abs(shown - model.inverse_transform(model.latent_mean_)).max()
    assert precision.bits == 16
    values = waves().values
    deviation = np.sqrt(np.mean((values - values.mean(axis=0)) ** 2))
    assert precision.share == pytest.approx(error / deviation, rel=1e-6)
    assert 0 < precision.share < 1e-3
    assert precision.in_words() in gplvm_core.explorer(model, waves()).html


def test_columns_that_need_32_bits_keep_them():
    """One column has other units; a step that suits it is too coarse for the other columns."""
    dataset = waves("bars", scale=1e5)
    model = BayesianGPLVM(n_components=2, n_inducing=12, max_iter=40, random_state=0)
    explorer = gplvm_core.explorer(model.fit(dataset.values), dataset)
    assert explorer.precision.bits == 32
    assert explorer.precision.share < 1e-4


def test_the_file_is_small_without_the_arrays(model):
    file = gplvm_core.explorer(model, waves())
    packed = pack_model(Chart.of(model, waves()), "waves")
    assert len(file.html.encode()) < 1_000_000 + 4 / 3 * len(packed)


def test_nothing_is_fetched_and_only_one_script_may_run(model):
    html = gplvm_core.explorer(model, waves(), title="<b>Mine</b> & yours").html
    assert not re.search(r"<[^>]+\b(?:src|href)\s*=|^\s*(?:@import|import|export)\b", html, re.M)
    assert "default-src 'none'" in html
    assert html.lower().count("</script>") == 2
    assert "<title>&lt;b&gt;Mine&lt;/b&gt; &amp; yours</title>" in html


def test_models_that_cannot_be_shown_are_refused(model):
    with pytest.raises(NotFittedError):
        gplvm_core.explorer(BayesianGPLVM(), waves())
    with pytest.raises(ValueError, match="40 rows × 6 columns, the data set has 39 × 6"):
        short = replace(waves(), targets=waves().targets[:39])
        gplvm_core.explorer(model, short)
    with pytest.raises(TypeError, match="takes the Dataset"):
        gplvm_core.explorer(model, waves().values)
    with pytest.raises(TypeError, match="fitted model"):
        gplvm_core.explorer("model", waves())
    regression = gplvm_core.SparseGPRegression(n_inducing=5, max_iter=5).fit(
        waves().values[:, :2], waves().values
    )
    with pytest.raises(TypeError, match="SparseGPRegression has none"):
        gplvm_core.explorer(regression, waves())


def test_an_unsupported_kernel_is_named():
    class Unknown(Cosine):
        browser_form = Kernel.browser_form

    model = GPLVM(n_components=2, kernel=Unknown() + White(0.1), max_iter=5).fit(waves().values)
    with pytest.raises(KernelError, match="browser cannot evaluate Unknown"):
        gplvm_core.explorer(model, waves())


def test_a_model_of_several_views_needs_a_view():
    parts = {"left": (waves().values[:, :3], Drawing("curve", (3,))), "right": waves()}
    dataset = Dataset.of_views("pair", "Pair", parts)
    model = gplvm_core.ManifoldRelevance(n_components=2, n_inducing=8, max_iter=5, random_state=0)
    model.fit(dataset.view_values)
    with pytest.raises(ValueError, match=r"model\.of_view\(name\)"):
        gplvm_core.explorer(model, dataset)
    alone = gplvm_core.explorer(model.of_view("right"), dataset.view("right"))
    assert alone.precision.share < 1e-3
