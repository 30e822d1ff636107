"""Tests of training on batches of rows."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, RowFiles, load
from gplvm_core.arrays import DeviceArray
from gplvm_core.models.batches import Stochastic
from gplvm_core.models.batches.adam import AdamState
from gplvm_core.models.problems import many_rows
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.encoded import EncodedNode
from gplvm_core.models.problems.graph import Parameters
from gplvm_core.models.problems.many_rows import ManyRows
from gplvm_core.models.problems.starts import Start
from gplvm_core.parameters import leaves
from gplvm_core.statistics import Targets, reduce_statistics
from gplvm_core.statistics.executors import serial
from gplvm_core.store import save
from tests.models.test_many_rows import SETTINGS, dense_bound, rows

BATCHES = SETTINGS | {"max_iter": 15, "batch_size": 40}
ENCODERS = pytest.mark.parametrize("encoder", [None, "network"])
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(autouse=True)
def few_rows_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_rows, "SAMPLES", (30, 30, 150, 200))
    monkeypatch.setattr(many_rows, "FEW_INDUCING", 5)
    monkeypatch.setattr("gplvm_core.models.problems.many_rows.MANY", 250)


@ENCODERS
@pytest.mark.parametrize("gaps", [False, True], ids=["whole", "gaps"])
def test_batches_train_a_model_of_all_rows(gaps: bool, encoder: str | None, tmp_path: Path) -> None:
    values, seen = rows(300, gaps), []
    model = BayesianGPLVM(**BATCHES, encoder=encoder).fit(values, callback=seen.append)
    assert model.rows_.trained is None and model.latent_mean_.shape == (300, 2)
    np.testing.assert_allclose(model.bound_, dense_bound(model, values), rtol=1e-8, atol=1e-4)
    assert any(
        "trained on batches of 40 rows, drawn from 300 rows" in note for note in model.notes_
    )
    assert seen[-1].phase == "batches of 40 rows" and seen[-1].latent_mean.shape == (300, 2)
    if encoder is None:
        # Progress reports running means, which are near the final values.
        np.testing.assert_allclose(seen[-1].bound, model.bound_, atol=0.5 * 300)
        np.testing.assert_allclose(seen[-1].information, model.information_, atol=0.3)
    model.save(tmp_path / "model.gplvm")
    again = load(tmp_path / "model.gplvm")
    np.testing.assert_array_equal(again.transform(values[:3]), model.transform(values[:3]))


@ENCODERS
def test_a_resumed_run_gives_the_same_numbers(encoder: str | None, tmp_path: Path) -> None:
    values, seen = rows(300), []
    whole = BayesianGPLVM(**BATCHES, encoder=encoder).fit(values, callback=seen.append)
    assert isinstance(seen[-2].run.optimiser, AdamState)
    save(seen[-2].run, tmp_path / "run.gplvm")
    run = load(tmp_path / "run.gplvm")
    again = BayesianGPLVM(**BATCHES, encoder=encoder).fit(values, resume=run)
    np.testing.assert_array_equal(again.latent_mean_, whole.latent_mean_)
    assert again.bound_ == whole.bound_
    # A larger max_iter continues with batches.
    longer = BayesianGPLVM(**BATCHES | {"max_iter": 17}, encoder=encoder)
    longer.fit(values, resume=seen[-1].run)
    assert longer.result_.iterations == 17


def test_training_can_be_stopped() -> None:
    for phase, expected in (
        ("1,000", "ended before it used a batch"),
        ("batches", "trained on batches"),
    ):

        def stop(progress: object, phase: str = phase) -> None:
            if progress.phase.startswith(phase):
                raise StopIteration

        model = BayesianGPLVM(**BATCHES).fit(rows(300), callback=stop)
        assert model.result_.status == "stopped" and len(model.latent_mean_) == 300
        assert any(expected in note for note in model.notes_)


def test_files_are_trained_on_batches_of_the_stored_rows(tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", rows(400))
    model = BayesianGPLVM(**BATCHES).fit(RowFiles.of(tmp_path / "rows.npy"))
    assert model.rows_.count == 400 and len(model.rows_.kept) == 250
    # The batches contain only stored rows, not all rows of the files.
    np.testing.assert_array_equal(model.rows_.trained, model.rows_.kept)
    np.testing.assert_array_equal(model.extend(rows(10)).rows_.trained, model.rows_.kept[:250])
    assert any(
        "trained on batches of 40 rows, drawn from 250 rows" in note for note in model.notes_
    )


def test_sums_over_a_batch_run_in_the_data_s_array_library(monkeypatch: pytest.MonkeyPatch) -> None:
    strict = pytest.importorskip("array_api_strict")
    made = set()

    def told(kernel: object, belief: object, inducing: object, targets: Targets, executor: object):
        made.add(type(targets.values))
        return reduce_statistics(kernel, belief, inducing, targets, executor)

    monkeypatch.setattr("gplvm_core.models.batches.bound.reduce_statistics", told)
    values = rows(300, gaps=True)
    there = BayesianGPLVM(**BATCHES).fit(strict.asarray(values))
    assert made == {DeviceArray}
    np.testing.assert_allclose(there.bound_, BayesianGPLVM(**BATCHES).fit(values).bound_, rtol=1e-5)


def test_invalid_batch_sizes_raise_errors() -> None:
    values = rows(50)
    with pytest.raises(ValueError, match="batch_size is 51, but there are 50 rows"):
        BayesianGPLVM(**BATCHES | {"batch_size": 51}).fit(values)
    for size in (0, 2.5, True):
        with pytest.raises(ValueError, match="whole number of at least 1"):
            BayesianGPLVM(**BATCHES | {"batch_size": size}).fit(values)
    with pytest.raises(ValueError, match="noise='shared'"):
        BayesianGPLVM(**BATCHES, noise="per_output").fit(values)


def test_a_batch_of_all_rows_equals_training_without_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(many_rows, "SAMPLES", (60, 60, 60, 60))
    values = rows(60) - rows(60).mean(axis=0)
    begin = Start((values,), 2, 8, ("rbf",), "pca")
    sample = ManyRows(begin, 1e-6, serial, ("shared",))
    encoder = EncodedNode.of(values, 2, "network")
    problem = Stochastic(sample, 60, 10, encoder)
    phase = problem.phases[-1]
    begun = problem.entering(sample.start(0), phase)
    found = problem.batch(begun, 3)
    whole = replace(sample.graph(begin), nodes=(encoder,))
    expected = whole.evaluate(Parameters((begun.head,), (begun.layer,)), FREE)
    np.testing.assert_allclose(found.bound, expected.bound, rtol=1e-10)
    np.testing.assert_allclose(found.noise_variance, expected.noise_variance, rtol=1e-10)
    pairs = (
        (found.gradient.head, expected.gradient.nodes[0]),
        (found.gradient.layer.kernel, expected.gradient.layers[0].kernel),
        (found.gradient.layer.inducing, expected.gradient.layers[0].inducing),
    )
    for got, wanted in pairs:
        for path, value in leaves(wanted).items():
            # the scale is always at its optimum, so neither gradient contains it
            if path != "variance":
                np.testing.assert_allclose(leaves(got)[path], value, rtol=1e-6, atol=1e-6)
    # At the running means of all rows, the gradient with respect to q(u) is 0.
    for value in leaves(found.gradient.seen).values():
        np.testing.assert_allclose(value, 0.0, atol=1e-8)
