"""Tests that files of every schema can be read, and give the stored numbers."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from gplvm_core.models import BayesianGPLVM
from gplvm_core.models.data.training_rows import TrainingRows
from gplvm_core.models.problems import paths
from gplvm_core.store import StoreError, load, manifest, migrations, read_manifest, save
from gplvm_core.store.encoding import Encoded
from gplvm_core.store.migrations import SCHEMA, each_node
from gplvm_core.training import Queue

OLD = Path(__file__).parent / "old"
MODELS = sorted(OLD.glob("*/model_*.gplvm"))
JOBS = sorted(OLD.glob("*/jobs/*.data.gplvm"))


def named(path: Path) -> str:
    return f"{path.relative_to(OLD).parts[0]}-{path.name.split('.')[0]}"


def test_files_of_every_schema_are_kept():
    """If this test fails, run tests/store/write_old.py before the present schema changes."""
    assert {read_manifest(path).schema for path in MODELS} == set(range(1, SCHEMA))
    assert {read_manifest(path).schema for path in JOBS} == set(range(1, SCHEMA))


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


@pytest.mark.parametrize("path", JOBS, ids=named)
def test_an_old_job_continues_where_it_was(path, tmp_path, monkeypatch: pytest.MonkeyPatch):
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
    monkeypatch.setattr(manifest, "SCHEMA", schema)
    save(load(source), target)
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
    with pytest.raises(StoreError, match=r"whole\.gplvm has schema 1.*KeyError.*Restore a copy"):
        load(OLD / "1_no_gaps" / "model_whole.gplvm")


def test_views_whose_rows_cannot_be_known_are_not_guessed():
    def points(*counts):
        arrays = {"n": np.array(counts), "mean": np.zeros((9, 2))}
        statistics = {"$": "object", "class": "Statistics", "fields": {"groups": None}}
        statistics["fields"]["n_points"] = {"$": "array", "name": "n"}
        fitted = {"latent_mean_": {"$": "array", "name": "mean"}}
        fitted["statistics_"] = {"$": "dict", "items": [["left", statistics]]}
        return Encoded({"$": "estimator", "class": "ManifoldRelevance", "fitted": fitted}, arrays)

    done = migrations.groups_of_outputs(points(7, 9))
    (view, place) = done.content["fitted"]["seen_"]["items"][0]
    assert view == "left" and done.arrays[place["name"]].tolist() == [True] * 9
    with pytest.raises(StoreError, match="which rows the view 'left' lacks"):
        migrations.groups_of_outputs(points(7, 8))


@pytest.mark.parametrize("schema", ["3", "4"])
def test_old_models_get_one_record_of_their_training_rows(schema):
    rows = load(OLD / schema / "model_sampled.gplvm")["model"].rows_
    assert (rows.count, len(rows.trained), rows.kept, rows.in_files) == (14, 8, None, None)
    assert load(OLD / schema / "model_whole.gplvm")["model"].rows_ == TrainingRows(14)
    assert not hasattr(load(OLD / schema / "model_points.gplvm")["model"], "information_")


def test_the_rows_of_old_models_are_counted():
    """A deep regression stores its rows in its layers; a model of files has an attribute."""
    array = {"$": "array", "name": "mean"}
    layers = {"$": "tuple", "items": [{"$": "object", "fields": {"latent_mean_": array}}]}

    def fields(kind: str, fitted: dict) -> dict:
        node = {"$": "estimator", "class": kind, "fitted": fitted}
        done = migrations.one_record_of_rows(Encoded(node, {"mean": np.zeros((9, 2))}))
        assert set(done.content["fitted"]) == set(fitted) - set(migrations.ROWS) | {"rows_"}
        return done.content["fitted"]["rows_"]["fields"]

    assert fields("DeepGP", {"layers_": layers, "trained_rows_": None})["count"] == 9
    whole = {"latent_mean_": array, "n_rows_": 40, "kept_rows_": array, "file_rows_": 50}
    assert fields("BayesianGPLVM", whole) == {"count": 40, "kept": array, "in_files": 50}


def test_steps_change_nothing_that_they_were_given():
    path = OLD / "1_no_gaps" / "model_whole.gplvm"
    content = read_manifest(path).content
    before = json.dumps(content)
    each_node(content, lambda node: node | {"class": "Other"})
    assert json.dumps(content) == before


def test_present_files_pass_through_no_step(model, tmp_path, monkeypatch):
    path = save(model, tmp_path / "model.gplvm")
    monkeypatch.setattr(migrations, "STEPS", (None,) * (SCHEMA - 1))
    assert isinstance(load(path), BayesianGPLVM)
