"""Tests that jobs take out the known factors of their data set."""

from dataclasses import replace

import numpy as np
import pytest

from gplvm_core import GPLVM
from gplvm_core.store import Library


@pytest.fixture
def in_batches(wave):
    batch = np.array(["first", "second"])[np.arange(wave.n_points) % 2]
    targets = wave.targets + 3.0 * (batch == "second")[:, None]
    return replace(wave, targets=targets, known={"batch": batch})


def test_a_job_trains_the_map_of_fit_with_known_factors_and_stores_both(
    jobs, make_model, in_batches
):
    job = jobs.wait(jobs.submit(make_model(), in_batches, "batches"), 300)
    library = Library(jobs.home / "library")
    found, direct = library.model(job.entry), make_model()
    direct.fit(in_batches.values, known=in_batches.known["batch"])
    np.testing.assert_array_equal(found.latent_mean_, direct.latent_mean_)
    points = found.latent_mean_[:5]
    for batch in ("first", "second"):
        np.testing.assert_array_equal(
            found.given(batch).inverse_transform(points),
            direct.given(batch).inverse_transform(points),
        )
    assert found.known_.names == ("batch",)
    assert library.dataset(job.entry).known["batch"].tolist() == in_batches.known["batch"].tolist()


def test_a_paused_job_continues_without_the_factors(jobs, make_model, in_batches, until):
    id = jobs.submit(make_model(200), in_batches, "batches")
    until(lambda: jobs.snapshot(id).progress)
    jobs.pause(id)
    if jobs.wait(id, 300).status == "paused":
        jobs.resume(id)
    model = Library(jobs.home / "library").model(jobs.wait(id, 300).entry)
    whole = make_model(200).fit(in_batches.values, known=in_batches.known["batch"])
    np.testing.assert_array_equal(model.latent_mean_, whole.latent_mean_)


def test_a_model_that_cannot_take_factors_out_fails_in_words(jobs, in_batches):
    failed = jobs.wait(jobs.submit(GPLVM(2), in_batches, "batches"), 300)
    assert failed.status == "failed"
    assert "A GPLVM cannot take out known factors" in failed.error
