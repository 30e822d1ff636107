"""Tests of a density per class with Bayes' rule, against dense Gaussians; scikit-learn's
conventions.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.datasets import load_digits

from gplvm_core import BayesianGPLVM, GenerativeClassifier, ProbabilisticPCA
from gplvm_core.store import load, save


@pytest.fixture
def classes() -> tuple[np.ndarray, np.ndarray]:
    """Return two overlapping Gaussians in four dimensions, 60 and 30 rows."""
    generator = np.random.default_rng(0)
    first = generator.normal(size=(60, 2)) @ generator.normal(size=(2, 4))
    second = 1.0 + generator.normal(size=(30, 2)) @ generator.normal(size=(2, 4))
    rows = np.vstack([first, second])
    rows += 0.5 * generator.normal(size=rows.shape)
    return rows, np.repeat(["round", "square"], [60, 30])


def posterior(model: GenerativeClassifier, rows: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Compute the class probabilities by Bayes' rule, with SciPy's Gaussians of each row's observed
    entries.
    """
    joint = np.empty((len(rows), len(model.models_)))
    for k, density in enumerate(model.models_):
        weights = density.posterior_.weights * density.scale_
        covariance = weights.T @ weights + np.diag(density.noise_std_**2)
        for n, row in enumerate(rows):
            o = ~np.isnan(row)
            gaussian = multivariate_normal(density.center_[o], covariance[np.ix_(o, o)])
            joint[n, k] = gaussian.logpdf(row[o]) + np.log(prior[k])
    return softmax(joint, axis=1)


@pytest.mark.parametrize(
    ("prior", "expected"),
    [("empirical", [2 / 3, 1 / 3]), ("uniform", [0.5, 0.5]), ([0.9, 0.1], [0.9, 0.1])],
)
def test_probabilities_are_by_bayes_rule(prior, expected, classes) -> None:
    rows, labels = classes
    model = GenerativeClassifier(ProbabilisticPCA(2), prior=prior).fit(rows, labels)
    np.testing.assert_allclose(model.class_prior_, expected)
    probability = model.predict_proba(rows)
    np.testing.assert_allclose(probability, posterior(model, rows, np.array(expected)), atol=1e-9)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(rows)), probability)
    np.testing.assert_array_equal(
        model.predict(rows), np.array(["round", "square"])[probability.argmax(axis=1)]
    )


def test_rows_with_gaps_are_judged_by_what_is_observed(classes) -> None:
    rows, labels = classes
    model = GenerativeClassifier(ProbabilisticPCA(2)).fit(rows, labels)
    gaps = rows[::7].copy()
    gaps[np.arange(len(gaps)), np.arange(len(gaps)) % 4] = np.nan
    expected = posterior(model, gaps, np.array([2 / 3, 1 / 3]))
    np.testing.assert_allclose(model.predict_proba(gaps), expected, atol=1e-9)


def test_far_away_rows_have_finite_log_probabilities(classes) -> None:
    rows, labels = classes
    model = GenerativeClassifier(ProbabilisticPCA(2)).fit(rows, labels)
    far = 1e6 * rows[:3]
    assert np.isfinite(model.predict_log_proba(far)).all()
    np.testing.assert_allclose(model.predict_proba(far).sum(axis=1), 1.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_digits_are_classified() -> None:
    rows, labels = load_digits(n_class=4, return_X_y=True)
    model = GenerativeClassifier(BayesianGPLVM(3, 10, max_iter=40, random_state=0))
    model.fit(rows[:240], labels[:240])
    assert model.score(rows[240:360], labels[240:360]) > 0.97
    # The lower half of every picture is missing.
    gaps = rows[240:300].copy()
    gaps[:, 32:] = np.nan
    assert model.score(gaps, labels[240:300]) > 0.8


@pytest.mark.parametrize("label", [str, int])
def test_a_stored_classifier_answers_the_same(label: type, classes, tmp_path: Path) -> None:
    rows, labels = classes
    labels = labels if label is str else (labels == "square").astype(int)
    model = GenerativeClassifier(ProbabilisticPCA(2)).fit(rows, labels)
    save(model, tmp_path / "classifier.gplvm")
    again = load(tmp_path / "classifier.gplvm")
    np.testing.assert_array_equal(again.predict_log_proba(rows), model.predict_log_proba(rows))
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    assert again.get_params()["estimator__n_components"] == 2


def test_every_class_has_a_separate_model(classes) -> None:
    rows, labels = classes
    base = ProbabilisticPCA(2)
    model = clone(GenerativeClassifier(base)).fit(rows, labels)
    assert len(model.models_) == 2 and not hasattr(base, "posterior_")
    alone = ProbabilisticPCA(2).fit(rows[labels == "square"])
    np.testing.assert_array_equal(model.models_[1].latent_mean_, alone.latent_mean_)


def test_labels_that_cannot_be_used(classes) -> None:
    rows, labels = classes
    model = GenerativeClassifier(ProbabilisticPCA(1))
    with pytest.raises(ValueError, match="needs at least two classes; got 1 class, 'round'"):
        model.fit(rows[:20], labels[:20])
    with pytest.raises(ValueError, match="class 'square' has 1"):
        model.fit(rows[:61], labels[:61])
    with pytest.raises(ValueError, match="prior must be 2 positive probabilities"):
        clone(model).set_params(prior=[0.5, 0.2, 0.3]).fit(rows, labels)
    with pytest.raises(ValueError, match="prior must be empirical, uniform or an array"):
        clone(model).set_params(prior="flat").fit(rows, labels)
    constant = rows.copy()
    constant[60:] = 1.0
    with pytest.raises(ValueError, match=r"class 'square' \(30 rows\): every column .* constant"):
        model.fit(constant, labels)
