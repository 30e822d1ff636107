"""Chemical analyses of wines, from scikit-learn."""

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing


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
