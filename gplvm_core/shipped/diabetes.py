"""Measurements of patients with diabetes, from scikit-learn."""

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing

COLUMNS = (
    "age",
    "sex",
    "body mass index",
    "blood pressure",
    "total cholesterol",
    "LDL",
    "HDL",
    "cholesterol / HDL",
    "log triglycerides",
    "blood sugar",
    "progression",
)


def load_diabetes() -> Dataset:
    """Load ten measurements of 442 patients, and how far their diabetes progressed in a year.

    The last column, "progression", is the one that the source predicts from the other columns.
    """
    from sklearn import datasets

    patients = datasets.load_diabetes(scaled=False)
    return Dataset(
        name="diabetes",
        title="Diabetes",
        targets=np.column_stack([patients.data, patients.target]).astype(np.float64),
        drawing=Drawing.of_vector(len(COLUMNS)),
        column_names=COLUMNS,
        source=(
            "B. Efron, T. Hastie, I. Johnstone and R. Tibshirani (2004), Least angle regression, "
            "Annals of Statistics 32, as shipped by scikit-learn."
        ),
        notes=(
            "Measurements in their original units; sex is 1 or 2 as in the source. Progression is "
            "the source's measure of the disease one year later.",
        ),
    )
