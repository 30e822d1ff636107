"""Check user-given labels of some of the rows."""

from typing import Any

import numpy as np
from jaxtyping import Bool, Shaped
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from gplvm_core.numerics import AnyNDArray, BoolArray
from gplvm_core.readers.frames import without_dates
from gplvm_core.readers.missing import without_na

UNLABELLED = -1


def checked_labels(y: Any, name: str) -> Shaped[AnyNDArray, " N"]:
    """Labels as a vector. name: the name of the estimator, for messages.

    Raises ValueError if there are none, and DataTypeError for dates.
    """
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None")
    found = column_or_1d(without_na(without_dates(y, "y")), warn=True)
    return np.asarray(found)


def labelled_rows(
    y: ArrayLike, name: str
) -> tuple[Bool[BoolArray, " N"], Shaped[AnyNDArray, " L"]]:
    """Find the rows with a label, and their labels.

    −1, NaN, None and blank text mark rows without a label. name: the name of the estimator, for
    messages. Raises ValueError if no row has a label, or if labels mix types.
    """
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        known = np.ma.getdata(y).astype(object)
        known[np.ma.getmaskarray(y)] = None
        y = known
    given = checked_labels(y, name)
    if given.dtype.kind in "US":
        words = {str(UNLABELLED), "nan", "None"}.intersection(given.tolist())
        if words:
            raise ValueError(
                f"y is an array of strings, so {sorted(words)[0]!r} in it is a class like any "
                f"other; use dtype=object, and {UNLABELLED}, NaN or None for rows without label"
            )
        given = given.astype(object)
    if given.dtype.kind == "f" and np.isinf(given).any():
        raise ValueError("Input y contains infinity; labels must be finite, or NaN for none")
    labelled = ~np.array([_is_none(each) for each in given.tolist()], dtype=bool)
    if not labelled.any():
        raise ValueError(
            f"none of the {len(given)} rows has a label (other than {UNLABELLED}, NaN, None or "
            "blank): give at least one row of each of two classes"
        )
    labels = given[labelled]
    if labels.dtype == object:
        labels = np.array(labels.tolist())
        if len({type(each) for each in given[labelled].tolist()}) > 1:
            raise ValueError("labels must be of one kind: all strings or all numbers")
    check_classification_targets(labels)
    return labelled, labels


def _is_none(label: Any) -> bool:
    """Whether a value marks a row without a label."""
    if isinstance(label, str):
        return not label.strip()
    # Only NaN differs from itself.
    return label is None or bool(label != label) or bool(label == UNLABELLED)
