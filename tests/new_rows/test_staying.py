"""Tests of new rows that are added to a data set and to a model's map."""

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, DynamicalGPLVM
from gplvm_core.datasets import Dataset, load_dataset
from gplvm_core.new_rows import added, can_add, with_rows
from gplvm_core.readers import DataError

FLOW = load_dataset("flow").values


@pytest.fixture(scope="module")
def known() -> Dataset:
    flow = load_dataset("flow")
    return Dataset(
        "some flow",
        "Some flow",
        flow.values[:80],
        flow.drawing,
        labels=flow.labels[:80],
        label_names=flow.label_names,
        covariates={"wear": np.arange(80), "plant": np.array(["north"] * 80)},
    )


def test_added_rows_are_last_and_their_facts_unknown(known):
    more = with_rows(known, FLOW[80:90], [f"probe {n}" for n in range(10)])
    np.testing.assert_array_equal(more.values, FLOW[:90])
    assert more.label_names == known.label_names
    assert set(more.labels[80:]) == {-1}
    assert list(more.row_names[79:81]) == ["Row 80", "probe 0"]
    assert np.isnan(more.covariates["wear"][80:]).all()
    assert set(more.covariates["plant"][80:]) == {""}
    np.testing.assert_array_equal(more.covariates["added later"], np.arange(90) >= 80)
    again = with_rows(more, FLOW[90:95])
    np.testing.assert_array_equal(again.covariates["added later"], np.arange(95) >= 80)
    assert again.row_names[-1] == "New row 5"
    with pytest.raises(DataError, match="must have the 12 columns"):
        with_rows(known, FLOW[:4, :3])


def test_bytes_stay_bytes_unless_a_value_is_missing():
    digits = load_dataset("digits")
    assert with_rows(digits, digits.values[:3]).targets.dtype == np.uint8
    gaps = np.where(np.arange(64) > 40, np.nan, digits.values[:3])
    more = with_rows(digits, gaps)
    np.testing.assert_array_equal(more.values[-3:], gaps)


@pytest.mark.slow
def test_a_map_with_added_rows_keeps_its_form(known):
    model = BayesianGPLVM(3, 12, max_iter=40, random_state=0).fit(known.values)
    model.fit_density(known.values)
    before, rows = model.latent_mean_.copy(), FLOW[80:90]
    more = added(model, rows)
    assert can_add(model)
    np.testing.assert_array_equal(more.latent_mean_[:80], before)
    np.testing.assert_allclose(more.latent_mean_[80:], model.transform(rows), atol=0.2)
    assert len(model.latent_mean_) == 80 and model.density_ is not None
    assert more.density_ is None and more.n_effective_ == model.n_effective_
    timed = DynamicalGPLVM(2, 8, max_iter=3).fit(known.values[:20], times=np.arange(20.0))
    assert not can_add(timed)
