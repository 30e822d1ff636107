"""Tests that the browser gets a table without exposures, and counts at a typical exposure."""

import numpy as np
import pandas as pd
import pytest

from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset
from gplvm_core.wire.frame import unframe
from gplvm_core.wire.model import Chart, pack_model


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_exposures_are_not_drawn() -> None:
    generator = np.random.default_rng(0)
    counts = generator.poisson(4.0, (30, 3))
    table = pd.DataFrame({"size": generator.uniform(1.0, 9.0, 30)}).join(
        pd.DataFrame(counts, columns=["a", "b", "c"])
    )
    kinds = {"size": "exposure"} | dict.fromkeys("abc", "count")
    dataset = Dataset.of_table("cells", "Cells", table, kinds)
    model = BayesianGPLVM(2, 8, kinds=kinds, max_iter=5).fit(dataset.in_own_values())
    header, arrays = unframe(pack_model(Chart.of_top(model, dataset), "store"))
    drawing, links = header["drawing"], header["links"]
    assert drawing["columns"] == [each["name"] for each in drawing["table"]] == ["a", "b", "c"]
    assert [each["start"] for each in links["columns"]] == [1, 2, 3]
    np.testing.assert_array_equal(np.reshape(arrays["items"], (30, -1)), counts)
