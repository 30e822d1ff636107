"""The values of known factors in the browser's bytes: which one each row has, and the first row."""

import numpy as np
import pytest

from gplvm_core import BayesianGPLVM, Dataset, Drawing
from gplvm_core.wire.frame import unframe
from gplvm_core.wire.model import Chart, pack_model


@pytest.mark.parametrize("first", ["a", "b"])
def test_rows_have_the_number_of_their_value_and_the_first_row_has_the_first_value(first):
    generator = np.random.default_rng(0)
    batch = np.where(np.arange(40) % 4 == 0, {"a": "b", "b": "a"}[first], first)
    values = generator.standard_normal((40, 3)) + 2.0 * (batch == "b")[:, None]
    model = BayesianGPLVM(2, 6, max_iter=4, random_state=0).fit(values, known=batch)
    dataset = Dataset("rows", "Rows", values, Drawing.of_vector(3))
    chart = Chart.of(model, dataset)
    header, arrays = unframe(pack_model(chart, "rows"))
    words = np.array(header["levels"]["words"])
    np.testing.assert_array_equal(words[arrays["row_levels"]], batch)
    assert words[header["levels"]["first"]] == first == batch[header["start"]]


def test_rows_between_the_points_of_a_scale_have_none():
    age = np.random.default_rng(1).uniform(20.0, 60.0, 40)
    values = np.random.default_rng(0).standard_normal((40, 3)) + age[:, None] / 10.0
    model = BayesianGPLVM(2, 6, max_iter=4, random_state=0).fit(values, known=age)
    chart = Chart.of(model, Dataset("rows", "Rows", values, Drawing.of_vector(3)))
    assert "row_levels" not in unframe(pack_model(chart, "rows"))[1]
    assert 0 <= chart.middle < 40
