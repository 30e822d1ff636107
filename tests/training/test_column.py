"""Tests of trainings for one column: paused, tested on held-out rows, stored and read again."""

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, DeepGP, SparseGPRegression, load_dataset
from gplvm_core.comparison.one_column import predicted_by, task_of
from gplvm_core.readers import ask_column
from gplvm_core.store import Library, StoreError
from gplvm_core.store.trial import check_usable
from gplvm_core.training import Queue
from gplvm_core.training.comparing import present_predictions


@pytest.fixture(scope="module")
def asked():
    return ask_column(load_dataset("diabetes"), "progression", ["body mass index", "HDL"])


@pytest.mark.parametrize(
    "model",
    [
        SparseGPRegression(10, max_iter=15, random_state=0),
        pytest.param(DeepGP((1,), 8, max_iter=5, random_state=0), marks=pytest.mark.slow),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_regression_trains_as_a_job_and_is_stored(tmp_path, asked, model):
    queue = Queue(tmp_path)
    job = queue.wait(queue.submit(model, asked, "Progression"), 300)
    assert job.status == "finished", job.error
    library = Library(tmp_path / "library")
    entry = library.entry(job.entry)
    assert entry.capabilities.predicts and entry.n_latent == 0
    stored, data = library.model(job.entry), library.dataset(job.entry)
    assert data.task == asked.task
    check_usable(stored, data)
    found = predicted_by(stored, task_of(data)[2])
    # The job's last test on held-out rows shows the predictions of the stored model.
    last = present_predictions(job, asked)
    np.testing.assert_allclose(last.mean, found.mean, rtol=0.05)
    assert found.error < 77  # 77 is the error if the mean is predicted
    queue.close()


@pytest.mark.filterwarnings("ignore")
def test_a_map_does_not_answer_a_question(tmp_path, asked):
    queue = Queue(tmp_path)
    job = queue.wait(queue.submit(BayesianGPLVM(1, 5, max_iter=2), asked, "Map"), 300)
    assert job.status == "failed" and "asks for “progression”" in job.error
    queue.close()


@pytest.mark.filterwarnings("ignore")
def test_a_model_of_other_inputs_is_refused(asked):
    model = SparseGPRegression(3, max_iter=2).fit(np.arange(12.0)[:, None], np.arange(12.0))
    with pytest.raises(StoreError, match="asks for “progression”"):
        check_usable(model, asked)
