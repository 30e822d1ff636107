"""Tests of predicted labels of unlabelled rows, and of the row to label next."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from gplvm_core import BayesianGPLVM
from gplvm_core.new_rows.labels import predict_labels


def mapped(points: np.ndarray, scale: float = 1.0) -> SimpleNamespace:
    """Return a model whose latent positions are these points, known exactly."""
    return SimpleNamespace(
        latent_mean_=points / scale,
        latent_variance_=np.zeros_like(points),
        latent_scale_=np.full(points.shape[1], scale),
    )


def groups(*centres: tuple[float, float], count: int = 15) -> np.ndarray:
    draws = np.random.default_rng(0).normal(scale=0.3, size=(len(centres), count, 2))
    return np.vstack([np.add(draw, centre) for draw, centre in zip(draws, centres, strict=True)])


def partly(count: int, **labels: int) -> np.ndarray:
    found = np.full(count, -1)
    for row, label in labels.items():
        found[int(row[1:])] = label
    return found


def test_probabilities_are_those_of_the_regression_on_the_map():
    points, labels = groups((0, 0), (4, 0)), partly(30, r0=0, r1=0, r15=2, r16=2)
    found = predict_labels(mapped(points, 2.5), labels)
    known = labels >= 0
    expected = LogisticRegression(C=10.0, max_iter=500).fit(points[known], labels[known])
    np.testing.assert_allclose(
        found.probabilities, expected.predict_proba(points[~known]), atol=1e-6
    )
    np.testing.assert_array_equal(found.classes, [0, 2])
    np.testing.assert_array_equal(found.best, np.where(found.rows < 15, 0, 2))
    assert (found.right, found.tried) == (4, 4)


def test_the_uncertainty_of_positions_makes_labels_less_sure():
    points, labels = groups((0, 0), (2, 0)), partly(30, r0=0, r15=1)
    exact = mapped(points)
    vague = SimpleNamespace(**vars(exact) | {"latent_variance_": np.ones_like(points)})
    sure, unsure = (
        predict_labels(model, labels).probabilities.max(axis=1).mean() for model in (exact, vague)
    )
    assert unsure < sure


def test_the_next_row_is_in_the_large_group_that_no_label_explains():
    # Two labelled groups, and an unlabelled third group above the middle between them.
    points = np.vstack([groups((0, 0), (6, 0)), groups((3, 4), count=30)])
    found = predict_labels(mapped(points), partly(60, r0=0, r15=1))
    row = found.next_row()
    assert row is not None and row >= 30
    assert found.far[found.rows >= 30].all() and not found.far[found.rows < 30].any()
    other = found.next_row((row,))
    assert other is not None and other != row
    assert found.next_row(tuple(found.rows.tolist())) is None


def test_the_gain_is_the_loss_of_the_others_variance():
    points, labels = groups((0, 0), (2, 1), count=6), partly(12, r0=0, r6=1)
    found = predict_labels(mapped(points), labels)
    gram = np.exp(-0.5 * np.sum((points[:, None] - points) ** 2, axis=2))

    def variance(given: list[int]) -> np.ndarray:
        cross = gram[given]
        inner = gram[np.ix_(given, given)] + 0.01 * np.eye(len(given))
        return 1.0 - np.sum(cross * np.linalg.solve(inner, cross), axis=0)

    np.testing.assert_allclose(found.variance, variance([0, 6])[found.rows], atol=1e-6)
    for row, gain in zip(found.rows.tolist(), found.gains, strict=True):
        others = np.setdiff1d(found.rows, [row])
        expected = (variance([0, 6]) - variance([0, 6, row]))[others].sum()
        assert gain == pytest.approx(expected, abs=1e-5)


def test_labels_chosen_so_teach_more_than_labels_at_random():
    generator = np.random.default_rng(3)
    points = groups((0, 0), (3, 0), (0, 3), (3, 3), count=20)
    truth = np.repeat([0, 1, 2, 3], 20)
    start = partly(80, r0=0, r20=1)

    def accuracy(chosen: bool) -> float:
        labels = start.copy()
        for _ in range(4):
            row = predict_labels(mapped(points), labels).next_row()
            if not chosen:
                row = int(generator.choice(np.flatnonzero(labels < 0)))
            labels[row] = truth[row]
        found = predict_labels(mapped(points), labels)
        return float(np.mean(found.best == truth[found.rows]))

    assert accuracy(True) > np.mean([accuracy(False) for _ in range(3)])


def test_a_trained_model_predicts_and_refuses_what_it_cannot():
    rows = np.random.default_rng(0).normal(size=(40, 3)) + np.repeat([0.0, 4.0], 20)[:, None]
    model = BayesianGPLVM(2, 8, max_iter=20, random_state=0).fit(rows)
    found = predict_labels(model, partly(40, r0=0, r1=0, r20=1, r21=1))
    truth = np.repeat([0, 1], 20)
    assert np.mean(found.best == truth[found.rows]) > 0.9
    with pytest.raises(ValueError, match="at least two classes"):
        predict_labels(model, partly(40, r0=0))
    with pytest.raises(ValueError, match="one for each row"):
        predict_labels(model, [0, 1])


def test_on_a_map_of_many_dimensions_rows_among_the_labelled_ones_are_near():
    points = 1.5 * np.random.default_rng(0).standard_normal((220, 6))
    points[-1] = 12.0  # far from every other row
    labels = (points[:, 0] > 0.0).astype(int)
    labels[-21:] = -1
    model = SimpleNamespace(
        latent_mean_=points, latent_scale_=np.ones(6), latent_variance_=np.zeros_like(points)
    )
    found = predict_labels(model, labels)
    assert found.far[:-1].mean() < 0.3 and found.far[-1]
