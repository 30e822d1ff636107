"""Small data of several views for the tests of the Views page."""

import warnings
from dataclasses import replace

import numpy as np

from gplvm_core import ManifoldRelevance, load_dataset
from gplvm_core.datasets import Dataset, Drawing, View, label_view
from gplvm_core.readers.divided import with_labels


def some_pairs() -> Dataset:
    """Return 96 pairs of heads under 32 lights, 12 × 12 pixels."""
    whole = load_dataset("lit_pairs")
    small = Drawing("image", (12, 12), (0.0, 255.0))
    views = {}
    for view in whole.views:
        images = whole.view(view.name).targets[:96].reshape(-1, 48, 48)
        views[view.name] = (images[:, ::4, ::4].reshape(96, -1), small)
    return Dataset.of_views(
        "some-pairs",
        "Some pairs",
        views,
        labels=whole.labels[:96],
        label_names=whole.label_names,
        source="made for a test",
    )


def model_of_pairs(pairs: Dataset) -> ManifoldRelevance:
    """Train a model of the pairs: three dimensions are shared, one is private to the left, two to
    the right.
    """
    model = ManifoldRelevance(6, n_inducing=20, max_iter=120, random_state=0)
    with warnings.catch_warnings(action="ignore"):  # pixels that are always dark cause warnings
        return model.fit(pairs.view_values)


def digits_and_names() -> Dataset:
    """Return 60 digits with two views: the pixels, and the class as ±1, as in old models."""
    digits = load_dataset("digits")
    classes = Dataset(
        "digit",
        "Digit",
        label_view(digits.labels[:60], 10),
        Drawing.of_vector(10),
        column_names=tuple(map(str, range(10))),
    )
    return Dataset.of_views(
        "named-digits",
        "Named digits",
        {"image": (digits.targets[:60].astype(float), digits.drawing), "digit": classes},
        labels=digits.labels[:60],
        label_names=digits.label_names,
    )


def partly_labelled_digits() -> Dataset:
    """Return 90 digits 0, 1 and 2 with a view of their labels, which every third row lacks."""
    digits = load_dataset("digits")
    some = np.flatnonzero(digits.labels < 3)[:90]
    labels = np.where(np.arange(90) % 3 == 0, -1, digits.labels[some])
    return with_labels(replace(digits, targets=digits.targets[some], labels=labels))


def body_of_joints() -> Dataset:
    """Return 40 poses with one view per joint, and a little noise, as no view may be constant."""
    poses = load_dataset("poses")
    targets = poses.targets[::15][:40]
    targets = targets + 1e-3 * np.random.default_rng(0).standard_normal(targets.shape)
    assert poses.drawing.skeleton is not None
    return Dataset(
        "joints",
        "Joints",
        targets,
        poses.drawing,
        views=tuple(
            View(name, Drawing.of_vector(3), ("x", "y", "z"))
            for name in poses.drawing.skeleton.joint_names
        ),
    )
