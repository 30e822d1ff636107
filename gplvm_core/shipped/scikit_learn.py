"""Data sets of scikit-learn: analyses of wines, measurements of patients with diabetes, and
handwritten digits.
"""

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


def load_wine() -> Dataset:
    """Load 13 measurements of 178 wines of one region, in different units, with cultivars."""
    from sklearn import datasets

    wine = datasets.load_wine()
    return Dataset(
        name="wine",
        title="Wines",
        targets=np.asarray(wine.data, dtype=np.float64),
        drawing=Drawing.of_vector(wine.data.shape[1]),
        labels=wine.target.astype(np.int64),
        label_names=("first cultivar", "second cultivar", "third cultivar"),
        column_names=tuple(name.replace("_", " ") for name in wine.feature_names),
        source=(
            "Wine recognition data, S. Aeberhard and M. Forina, UCI Machine Learning Repository "
            "(CC BY 4.0), as shipped by scikit-learn."
        ),
        notes=("Measurements in their original units: percentages, grams and ratios.",),
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


def load_digits() -> Dataset:
    """Load 1797 grey images, 8 × 8, ink from 0 to 16, labelled by digit."""
    from sklearn import datasets

    digits = datasets.load_digits()
    return Dataset(
        name="digits",
        title="Handwritten digits",
        targets=digits.data.astype(np.uint8),  # whole numbers, 0 to 16
        drawing=Drawing("image", (8, 8), (0.0, 16.0)),
        labels=digits.target.astype(np.int64),
        label_names=tuple(str(name) for name in digits.target_names),
        source=(
            "Optical Recognition of Handwritten Digits (test part), E. Alpaydin and C. Kaynak, "
            "UCI Machine Learning Repository (CC BY 4.0), as shipped by scikit-learn."
        ),
        notes=("Ink counts from 0 (none, drawn black) to 16, as scikit-learn gives them.",),
    )
