"""Weights of views: a view of dependent columns counts as fewer columns."""

import numpy as np
import pytest

from gplvm_core import ManifoldRelevance, load
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import evaluate_bound
from gplvm_core.models.data.data_weights import balanced, effective_columns
from gplvm_core.prediction.adapted import adapted_terms
from gplvm_core.prediction.row_bound import RowBound
from gplvm_core.readers import DataError
from tests.models.row_slopes import check_slopes

COPIES = 8
TIMES = np.tile(np.arange(20.0), 2)
SEQUENCES = np.repeat([0, 1], 20)


def two_views(seed: int = 0) -> dict[str, np.ndarray]:
    """Return two views (40 × 3 and 40 × 4) of one smooth movement."""
    generator = np.random.default_rng(seed)
    angle = 0.3 * TIMES + SEQUENCES
    path = np.column_stack([np.sin(angle), np.cos(angle)])
    return {
        "left": path @ generator.standard_normal((2, 3)) + 0.1 * generator.standard_normal((40, 3)),
        "right": np.tanh(path) @ generator.standard_normal((2, 4))
        + 0.1 * generator.standard_normal((40, 4)),
    }


def copied(views: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the views with every column of "right" repeated."""
    return views | {"right": np.repeat(views["right"], COPIES, axis=1)}


def fitted(views: dict[str, np.ndarray], **settings: object) -> ManifoldRelevance:
    usual: dict[str, object] = {"time_kernel": "matern32", "max_iter": 40, "random_state": 0}
    return ManifoldRelevance(2, 12, **(usual | settings)).fit(
        views, times=TIMES, sequences=SEQUENCES
    )


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["shared", "per_output"])
def test_copies_of_columns_with_a_weight_change_nothing(noise: str) -> None:
    """k copies of every column with weight 1/k are the same evidence as the columns themselves."""
    views, new = two_views(), two_views(1)
    once = fitted(views, view_weights={}, noise=noise)
    often = fitted(copied(views), view_weights={"right": 1 / COPIES}, noise=noise)
    assert not any("count less" in note for note in once.notes_)
    np.testing.assert_allclose(often.latent_mean_, once.latent_mean_, atol=1e-5)
    np.testing.assert_allclose(often.latent_variance_, once.latent_variance_, rtol=1e-4)
    right, times = new["right"][:15], TIMES[:15]
    wide = np.repeat(right, COPIES, axis=1)
    for adapt in (False, True):
        one = once.transfer({"right": right}, "left", times=times, adapt=adapt, return_std=True)
        many = often.transfer({"right": wide}, "left", times=times, adapt=adapt, return_std=True)
        np.testing.assert_allclose(many[0], one[0], atol=1e-3)
        np.testing.assert_allclose(many[1], one[1], rtol=1e-2)
    separate = often.transform({"right": wide})
    np.testing.assert_allclose(separate, once.transform({"right": right}), atol=1e-3)
    unweighted = fitted(copied(views), view_weights={}, noise=noise)
    assert np.abs(unweighted.transform({"right": wide}) - separate).max() > 0.01


def test_new_rows_count_as_much_as_their_columns_without_copies() -> None:
    """F of new rows, its gradients, and F with q(u) at its optimum for the new rows too."""
    views, right = two_views(), two_views(1)["right"][:6]
    once = fitted(views, view_weights={})
    often = fitted(copied(views), view_weights={"right": 1 / COPIES})
    belief = Belief(once.latent_mean_[:6] + 0.1, np.full((6, 2), 0.02))
    wide = np.repeat(right, COPIES, axis=1)
    bounds = [
        RowBound.of(model._network, {"right": rows})
        for model, rows in ((once, right), (often, wide))
    ]
    check_slopes(bounds[1], [belief], 0)
    one, many = (bound.data([belief], np.arange(6))[0] for bound in bounds)
    np.testing.assert_allclose(many, one, rtol=1e-2)
    changes = []
    for model, rows in ((once, right), (often, wide)):
        (terms,) = adapted_terms([model._network.ends["right"]], [rows])
        farther = Belief(belief.mean + 0.1, belief.variance)
        changes.append(terms.data(belief)[0] - terms.data(farther)[0])
    assert changes[1] == pytest.approx(changes[0], rel=1e-2)


def test_the_bound_does_not_contain_the_weights() -> None:
    """`bound_` is the sum of the views' own bounds and of −KL, and stays a bound on log p(Y)."""
    views = two_views()
    model = fitted(views, view_weights={"right": 0.2}, scaling="none", time_kernel=None)
    total = 0.0
    for name, own in model.posteriors_.items():
        value, _ = evaluate_bound(
            views[name] - views[name].mean(axis=0),
            model.latent_mean_,
            model.latent_variance_,
            own.inducing,
            own.kernel,
            own.noise_variance,
            own.jitter,
        )
        total += value
    mean, variance = model.latent_mean_, model.latent_variance_
    kl = 0.5 * np.sum(mean**2 + variance - np.log(variance) - 1.0)
    # Each of the two evaluations subtracts the KL; the model has it once.
    assert model.bound_ == pytest.approx(total + kl, rel=1e-9)


def test_effective_columns_of_known_covariances() -> None:
    generator = np.random.default_rng(0)
    independent = generator.standard_normal((4000, 12))
    assert effective_columns(independent, 0) == pytest.approx(12.0, rel=0.03)
    assert effective_columns(np.repeat(independent, 5, axis=1), 0) == pytest.approx(12.0, rel=0.03)
    # One strong component is removed; the others are independent.
    strong = independent + 20.0 * generator.standard_normal((4000, 1))
    assert effective_columns(strong, 0) < 1.1
    assert effective_columns(strong, 1) == pytest.approx(11.0, rel=0.03)
    # Few rows: without the correction, 86 columns would be found.
    few = [
        1 / effective_columns(np.tile(generator.standard_normal((200, 150)), 2), 0)
        for _ in range(40)
    ]
    assert np.mean(few) == pytest.approx(1 / 150, rel=0.012)
    # Components that explain everything leave nothing to count.
    assert effective_columns(np.outer(np.arange(9.0), np.ones(5)), 1) == 5.0


def test_no_view_counts_for_more_than_the_narrowest() -> None:
    generator = np.random.default_rng(0)
    base = generator.standard_normal((500, 30))
    views = {"small": base[:, :6], "wide": base, "copies": np.repeat(base[:, :4], 10, axis=1)}
    found = balanced(views, 0)
    assert found["small"] == 1.0
    assert found["wide"] == pytest.approx(6 / 30)
    assert found["copies"] == pytest.approx(4 / 40, rel=0.1)


def test_weights_by_default_only_over_time() -> None:
    views = copied(two_views())
    still = ManifoldRelevance(2, 12, max_iter=5, random_state=0).fit(views)
    assert set(still.view_weights_.values()) == {1.0}
    assert not any("count less" in note for note in still.notes_)
    moving = fitted(views, max_iter=5)
    assert moving.view_weights_["left"] == 1.0
    assert 0.0 < moving.view_weights_["right"] <= 3 / (4 * COPIES)
    assert any("count less" in note and "right" in note for note in moving.notes_)


def test_saved_models_keep_their_weights(tmp_path) -> None:
    views, right = copied(two_views()), copied(two_views(1))["right"][:15]
    model = fitted(views, max_iter=10)
    model.save(tmp_path / "model.gplvm")
    again = load(tmp_path / "model.gplvm")
    assert again.view_weights_ == model.view_weights_
    asked = {"right": right}, "left"
    np.testing.assert_array_equal(
        again.transfer(*asked, times=TIMES[:15], adapt=False),
        model.transfer(*asked, times=TIMES[:15], adapt=False),
    )


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("heavy", "auto"),
        ({"middle": 0.5}, "no view 'middle'"),
        ({"left": 0.0}, "above 0"),
        ({"left": 1.5}, "at most 1"),
        ({"left": True}, "above 0"),
        ({"left": float("nan")}, "above 0"),
    ],
)
def test_wrong_weights_are_refused(weights: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fitted(two_views(), view_weights=weights)


def test_weights_of_words_are_refused() -> None:
    views = two_views()
    labels = {"label": np.where(TIMES < 10, "early", "late")[:, None], "left": views["left"]}
    model = ManifoldRelevance(
        2, 12, kinds={"label": ["category"]}, view_weights={"left": 0.5}, max_iter=5
    )
    with pytest.raises((ValueError, DataError), match="views of numbers"):
        model.fit(labels)
