"""A small trained model and its data set, shared by the tests of the store."""

import numpy as np
import pytest

from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.models import BayesianGPLVM


@pytest.fixture(scope="session")
def circle() -> Dataset:
    rng = np.random.default_rng(3)
    angle = rng.uniform(0, 2 * np.pi, 40)
    clean = np.column_stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)])
    return Dataset(
        name="circle",
        title="A circle in four dimensions",
        targets=clean + 0.05 * rng.standard_normal(clean.shape),
        drawing=Drawing.of_vector(4),
        labels=(angle > np.pi).astype(int),
        label_names=("first half", "second half"),
        notes=("simulated",),
        covariates={"angle": angle},
    )


@pytest.fixture(scope="session")
def model(circle: Dataset) -> BayesianGPLVM:
    settings = {"n_components": 3, "n_inducing": 10, "max_iter": 20, "random_state": 0}
    return BayesianGPLVM(**settings).fit(circle.values)
