"""Handwritten digits, 8 × 8, from scikit-learn."""

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing


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
