"""Tests that the pages open a map while its second stage follows, and say so."""

import time

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, DynamicalGPLVM, training
from gplvm_core.datasets import Dataset
from gplvm_core.models.estimators import with_density
from gplvm_core.models.estimators.second_stage import steps_of
from gplvm_core.store import Library, workspace
from pages.ui.shared import second_stage
from tests.app.apptest import finished, query, run_page, said

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def job(flow: Dataset, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the id of a job whose map is ready, and whose second stage takes very long."""
    monkeypatch.setattr(with_density, "SIZES", (1,) * 10_000)
    model = BayesianGPLVM(2, 8, max_iter=5, random_state=0, second_stage="auto")
    id, end = training.here().submit(model, flow, "My flow"), time.monotonic() + 300.0
    while not (now := training.here().snapshot(id).progress) or now.phase not in second_stage.STEPS:
        assert time.monotonic() < end
        time.sleep(0.01)
    return id


def test_the_map_opens_while_its_second_stage_follows(job: str, monkeypatch: pytest.MonkeyPatch):
    at = run_page("train", job=job)
    assert not at.exception
    assert "Explore" in [button.label for button in at.button]
    key = f"library:{training.here().snapshot(job).entry}"
    for tab in ("explore", "fill", "rows"):
        at = run_page(tab, model=key)
        assert not at.exception
        assert "Intervals and odd rows follow: learning how typical rows are" in said(at)
    at = run_page("mine")
    assert not at.exception
    assert "My flow" in said(at)
    at = run_page("explore", model=key)
    training.here().pause(job)
    training.here().wait(job, 300)
    at.run()
    assert "Intervals and odd rows follow when the training continues." in said(at)
    at.button(key="second_stage_watch").click().run()
    assert query(at, "job") == job
    monkeypatch.setattr(with_density, "SIZES", (1,))
    training.here().resume(job)
    entry = finished(job).entry
    assert Library(workspace() / "library").model(entry).density_ is not None
    at = run_page("fill", model=key)
    assert not at.exception
    assert "Intervals and odd rows follow" not in said(at)


def test_every_step_of_the_second_stage_has_words():
    """A step without words would be announced as the time until the map opens."""
    rows = np.sin(np.outer(np.arange(30.0), [0.2, 0.3, 0.5]))
    model = DynamicalGPLVM(1, 5, time_kernel="matern32", max_iter=3, random_state=0).fit(rows)
    words = [[number, "up" if number > 0.0 else "down"] for number in rows[:, 0]]
    table = BayesianGPLVM(1, 5, kinds="auto", max_iter=3, random_state=0).fit(words)
    names = {step.name for step in (*steps_of(model, rows), *steps_of(table, words))}
    assert len(names) == 4 and names == set(second_stage.STEPS)
