"""Tests that files of every schema can be read, and give the stored numbers."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from gplvm_core.models import BayesianGPLVM
from gplvm_core.models.problems import paths
from gplvm_core.store import StoreError, load, manifest, migrations, read_manifest, save
from gplvm_core.store.encoding import Encoded
from gplvm_core.store.migrations import OLDEST, SCHEMA, each_node
from gplvm_core.training import Queue

OLD = Path(__file__).parent / "old"
MODELS = sorted(OLD.glob("*/model_*.gplvm"))
JOBS = sorted(OLD.glob("*/jobs/*.data.gplvm"))


def named(path: Path) -> str:
    return f"{path.relative_to(OLD).parts[0]}-{path.name.split('.')[0]}"


def test_files_of_every_schema_are_kept():
    """If this test fails, run tests/store/write_old.py before the present schema changes."""
    assert {read_manifest(path).schema for path in MODELS} == set(range(OLDEST, SCHEMA))
    assert {read_manifest(path).schema for path in JOBS} == set(range(OLDEST, SCHEMA))


@pytest.mark.parametrize("path", MODELS, ids=named)
def test_an_old_model_predicts_what_it_did(path):
    told = load(path)
    model, points = told["model"], told["points"]
    if "transferred" in told:
        transferred = model.transfer(told["given"], "right")
        np.testing.assert_allclose(transferred, told["transferred"], rtol=1e-3, atol=1e-3)
        model = model.of_view("right")
    mean, deviation = model.inverse_transform(points, return_std=True)
    np.testing.assert_allclose(mean, told["mean"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(deviation, told["deviation"], rtol=1e-6)
    # These predictions need the statistics and the gap of every group.
    outputs = model.inverse_transform(model.latent_mean_)
    assert np.isfinite(model.score_samples(outputs[:2])).all()


@pytest.mark.parametrize("path", MODELS, ids=named)
def test_an_old_model_is_stored_again_as_a_present_one(path, tmp_path):
    again = save(load(path), tmp_path / "again.gplvm")
    assert read_manifest(again).schema == SCHEMA
    np.testing.assert_array_equal(load(again)["mean"], load(path)["mean"])


@pytest.mark.parametrize("path", sorted(OLD.glob("*/kinds.gplvm")), ids=named)
def test_an_old_model_of_several_kinds_answers_as_it_did(path):
    told = load(path)
    model = told["model"]
    rows = load(path.parent / "jobs" / "job_kinds.data.gplvm").in_own_values()
    # The stored scores are of other draws; the standard deviation between draws is about 0.04.
    np.testing.assert_allclose(model.score_samples(rows), told["scores"], atol=0.15)
    np.testing.assert_array_equal(model.column_quantiles(rows, 3, [0.1, 0.9]), told["counts"])
    for at, stored in zip((1, 2), told["classes"], strict=True):
        np.testing.assert_allclose(model.class_probabilities(rows, at), stored, rtol=1e-9)


@pytest.mark.parametrize("path", JOBS, ids=named)
def test_an_old_job_continues_where_it_was(path, tmp_path, monkeypatch: pytest.MonkeyPatch):
    if read_manifest(path).schema == 4:
        # The stored bounds are older than these steps of training over time.
        monkeypatch.setattr(paths, "NATURAL_STEPS", 0)
    id = path.name.removesuffix(".data.gplvm")
    bounds = load(path.parents[1] / f"{id}_bounds.gplvm")
    found = continued(path, id, tmp_path / "as then")
    np.testing.assert_array_equal(found[:5], bounds[:5])
    np.testing.assert_allclose(found, bounds, rtol=1e-5)
    monkeypatch.undo()
    now = continued(path, id, tmp_path / "now")
    np.testing.assert_array_equal(now[:5], bounds[:5])
    assert now[-1] > bounds[-1] - 1e-5 * abs(bounds[-1])


def continued(path: Path, id: str, home: Path) -> np.ndarray:
    """Continue a copy of a paused job; return the bound after every iteration."""
    shutil.copytree(path.parent, home / "jobs")
    queue = Queue(home)
    try:
        before = queue.snapshot(id)
        assert before.status == "paused" and before.progress.iteration == 5
        queue.resume(id)
        after = queue.wait(id, 60)
    finally:
        queue.close()
    assert after.status == "finished", after.error
    return np.asarray(after.trace["bound"])


def as_written_by(schema: int, source: Path, target: Path, monkeypatch) -> Path:
    """Write a file's value again under another schema number."""
    value = load(source)
    monkeypatch.setattr(manifest, "SCHEMA", schema)
    save(value, target)
    monkeypatch.undo()
    return target


def test_a_file_of_a_later_schema_is_refused(tmp_path, monkeypatch):
    later = as_written_by(SCHEMA + 1, MODELS[0], tmp_path / "later.gplvm", monkeypatch)
    with pytest.raises(StoreError, match=f"newer.*schema {SCHEMA + 1}.*reads up to {SCHEMA}.*Upd"):
        load(later)


def test_a_failing_migration_names_the_step_and_a_remedy(tmp_path, monkeypatch):
    def lost(_stored: Encoded) -> Encoded:
        raise KeyError("weights")

    monkeypatch.setattr(migrations, "STEPS", (lost,))
    with pytest.raises(StoreError, match=r"whole\.gplvm has schema 4.*KeyError.*Restore a copy"):
        load(OLD / "4" / "model_whole.gplvm")


def test_a_file_of_before_the_first_release_is_refused_with_a_remedy(tmp_path, monkeypatch):
    old = as_written_by(OLDEST - 1, MODELS[0], tmp_path / "old.gplvm", monkeypatch)
    words = (
        rf"old\.gplvm has schema {OLDEST - 1}.*reads {OLDEST} to {SCHEMA}. Train the model again"
    )
    with pytest.raises(StoreError, match=words):
        load(old)


def test_settings_that_went_are_left_out():
    (path,) = OLD.glob("4/model_whole.gplvm")
    ((_, model), *_) = read_manifest(path).content["items"]
    assert model["parameters"]["optimiser"] == "lbfgs"
    assert "optimiser" not in load(path)["model"].get_params()
    state = {"$": "object", "class": "SCGState", "fields": {}}
    with pytest.raises(StoreError, match="an optimiser that no longer exists"):
        migrations.settings_that_went(Encoded([state], {}))


def test_a_likelihood_with_an_unknown_code_is_refused():
    links = {"$": "object", "class": "Links", "fields": {"size": {"$": "array", "name": "codes"}}}
    found = migrations.likelihoods_as_objects(
        Encoded(links, {"codes": np.array([np.nan, 0.0, 3.0])})
    )
    kinds = [each["class"] for each in found.content["fields"]["columns"]["items"]]
    assert kinds == ["Number", "YesNo", "Count"]
    with pytest.raises(StoreError, match=r"-2\.0 is no code of a likelihood"):
        migrations.likelihoods_as_objects(Encoded(links, {"codes": np.array([-2.0])}))


def test_steps_change_nothing_that_they_were_given():
    path = OLD / "4" / "model_whole.gplvm"
    content = read_manifest(path).content
    before = json.dumps(content)
    each_node(content, lambda node: node | {"class": "Other"})
    assert json.dumps(content) == before


def test_present_files_pass_through_no_step(model, tmp_path, monkeypatch):
    path = save(model, tmp_path / "model.gplvm")
    monkeypatch.setattr(migrations, "STEPS", (None,) * (SCHEMA - OLDEST))
    assert isinstance(load(path), BayesianGPLVM)
