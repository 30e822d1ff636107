"""Tests of features from all rows and a classifier from labelled rows: conventions, notes,
accuracy.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from gplvm_core import GPLVM, BayesianGPLVM, ProbabilisticPCA
from gplvm_core.models.estimators.semi_supervised import SemiSupervisedClassifier
from gplvm_core.readers import DataError


@pytest.fixture(scope="module")
def arcs() -> tuple[np.ndarray, np.ndarray]:
    """Return two interleaved arcs, lifted into eight dimensions: 150 rows and their classes."""
    generator = np.random.default_rng(0)
    side = np.repeat([0, 1], 75)
    angle = generator.uniform(0, np.pi, 150)
    plane = np.where(
        side[:, None] == 0,
        np.stack([np.cos(angle), np.sin(angle)], axis=1),
        np.stack([1.0 - np.cos(angle), 0.3 - np.sin(angle)], axis=1),
    )
    rows = np.tanh(plane @ generator.normal(size=(2, 8))) + 0.03 * generator.normal(size=(150, 8))
    return rows, side


@pytest.fixture(scope="module")
def embedding() -> BayesianGPLVM:
    return BayesianGPLVM(3, 20, max_iter=150, random_state=0)


def some(labels: np.ndarray, count: int, unknown: object = -1) -> np.ndarray:
    """Return `count` labels of each class; the others are unknown."""
    chosen = np.concatenate([np.flatnonzero(labels == each)[:count] for each in np.unique(labels)])
    partly = np.full(len(labels), unknown, dtype=np.asarray(unknown).dtype)
    if partly.dtype.kind in "iuf" and labels.dtype.kind not in "iuf":
        partly = partly.astype(object)
    partly[chosen] = labels[chosen]
    return partly


@pytest.mark.slow
def test_probabilities_are_averages_over_the_belief(arcs, embedding) -> None:
    rows, side = arcs
    model = SemiSupervisedClassifier(embedding, n_samples=4000, random_state=0)
    model.fit(rows, some(side, 6))
    mean, std = model.embedding_.transform(rows[:5], return_std=True)
    generator = np.random.default_rng(7)
    draws = mean + std * generator.standard_normal((4000, *mean.shape))
    relevance = model.embedding_.relevance_
    each = np.stack(
        [
            model.classifier_.predict_proba(points * np.sqrt(relevance / relevance.max()))
            for points in draws
        ]
    )
    error = each.std(axis=0) / np.sqrt(len(each)) + 1e-12
    assert (np.abs(model.predict_proba(rows[:5]) - each.mean(axis=0)) < 5 * error).all()


def test_the_classifier_sees_draws_of_the_labelled_rows(arcs, embedding) -> None:
    rows, side = arcs

    class Recorder(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            self.seen_ = X, y
            return super().fit(X, y, sample_weight)

    partly = some(side, 5)
    model = SemiSupervisedClassifier(embedding, Recorder(), n_samples=2000, random_state=1)
    model.fit(rows, partly)
    points, labels = model.classifier_.seen_
    points = points.reshape(2000, 10, 3) / model.feature_scale_
    labelled = partly != -1
    mean, variance = (
        each[labelled]
        for each in (model.embedding_.latent_mean_, model.embedding_.latent_variance_)
    )
    np.testing.assert_allclose(
        (points.mean(axis=0) - mean) / np.sqrt(variance / 2000), 0.0, atol=4.5
    )
    np.testing.assert_allclose(points.var(axis=0) / variance, 1.0, atol=0.2)
    np.testing.assert_array_equal(labels.reshape(2000, 10)[5], partly[labelled])


@pytest.mark.slow
def test_unlabelled_rows_help(arcs, embedding) -> None:
    rows, side = arcs
    partly = some(side, 8)
    model = SemiSupervisedClassifier(embedding, random_state=0).fit(rows, partly)
    labelled = partly != -1
    alone = PCA(3).fit(rows[labelled])
    linear = LogisticRegression().fit(alone.transform(rows[labelled]), side[labelled])
    baseline = linear.score(alone.transform(rows), side)
    assert model.score(rows, side) > baseline
    np.testing.assert_array_equal(model.classes_, [0, 1])


def test_marks_of_unlabelled_rows_and_blank_text_are_no_class(arcs, embedding) -> None:
    rows, side = arcs
    model = SemiSupervisedClassifier(clone(embedding).set_params(max_iter=5), random_state=0)
    chosen = some(side, 5) != -1
    expected = model.fit(rows, some(side, 5)).predict_proba(rows)
    words = np.array(["in", "out"])
    for unknown in (-1, np.nan, None, " ", ""):
        for names in (side, words[side]):
            marked = np.where(chosen, names.astype(object), unknown)
            if isinstance(unknown, str) and names is side:
                continue
            model.fit(rows, marked)
            np.testing.assert_array_equal(model.classes_, np.unique(names))
            np.testing.assert_array_equal(model.predict_proba(rows), expected)


@pytest.mark.slow
def test_rows_with_words(arcs, embedding) -> None:
    rows, side = arcs
    generator = np.random.default_rng(3)
    words = np.where(generator.random(150) < 0.8, side, 1 - side)
    table = pd.DataFrame(rows[:, :4]).rename(columns=str)
    table = table.assign(word=np.array(["low", "high"])[words], count=generator.poisson(2 + side))
    table.loc[::9, "word"] = None
    settings = {"kinds": "auto", "max_iter": 40}
    embedding = clone(embedding).set_params(**settings)
    model = SemiSupervisedClassifier(embedding, random_state=0).fit(table, some(side, 15))
    assert model.n_features_in_ == 6
    assert model.score(table, side) > 0.75
    new = table[:2].assign(word="middle")
    with pytest.raises(DataError, match=r"'word' .* has 'middle' in row 0"):
        model.predict_proba(new)


def test_all_labelled_is_fine(arcs, embedding) -> None:
    rows, side = arcs
    model = SemiSupervisedClassifier(embedding, random_state=0)
    names = np.array(["in", "out"])[side]
    assert model.fit(rows, names).score(rows, names) > 0.9


@pytest.mark.slow
def test_rows_with_gaps(arcs, embedding) -> None:
    rows, side = arcs
    gaps = rows.copy()
    gaps[np.random.default_rng(0).uniform(size=rows.shape) < 0.1] = np.nan
    model = SemiSupervisedClassifier(embedding, random_state=0).fit(gaps, some(side, 20))
    assert model.score(gaps, side) > 0.8


@pytest.mark.parametrize("base", [GPLVM(2, 8, max_iter=8), ProbabilisticPCA(2)], ids=str)
def test_other_embeddings_and_classifiers(base, arcs) -> None:
    rows, side = arcs
    model = SemiSupervisedClassifier(base, KNeighborsClassifier(1), n_samples=3, random_state=0)
    probability = model.fit(rows, some(side, 30)).predict_proba(rows)
    assert probability.shape == (150, 2)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (np.full(150, -1), "none of the 150 rows has a label"),
        (np.full(150, np.nan), "none of the 150 rows has a label"),
        (some(np.ones(150, int), 5), "at least two classes; the labelled rows have one class, 1"),
        (np.array(["a", "-1"] * 75), "use dtype=object"),
        (np.linspace(0.5, 1, 150), "Unknown label type"),
        (np.array([1, "a"] * 75, dtype=object), "labels must be of one kind"),
        (np.zeros(3, int), "inconsistent"),
    ],
)
def test_labels_that_cannot_be_learnt_from(labels, words: str, arcs, embedding) -> None:
    with pytest.raises(ValueError, match=words):
        SemiSupervisedClassifier(embedding).fit(arcs[0], labels)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_samples": 0}, "n_samples must be at least 1; got 0"),
        ({"classifier": SVC()}, "the classifier must have a method predict_proba"),
    ],
)
def test_settings_out_of_range(settings: dict, words: str, arcs, embedding) -> None:
    rows, side = arcs
    with pytest.raises(ValueError, match=words):
        SemiSupervisedClassifier(embedding).set_params(**settings).fit(rows, some(side, 5))
