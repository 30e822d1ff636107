"""Tests of several views below a deep model: shared dimensions, and prediction of one view from
another.
"""

import numpy as np
import pytest

from gplvm_core import DeepManifoldRelevance, load
from gplvm_core.datasets import DataError

QUICK = {"max_iter": 8, "random_state": 0}


def circle(n_points: int = 50) -> dict[str, np.ndarray]:
    """Return two views of a circle; the first view also has a private signal."""
    generator = np.random.default_rng(0)
    angle = np.linspace(0.0, 2.0 * np.pi, n_points, endpoint=False)
    shared = np.column_stack([np.tanh(4.0 * np.cos(angle)), np.sin(angle)])
    own = generator.uniform(-1.0, 1.0, (n_points, 1))
    both = np.hstack([shared, own])
    first = np.tanh(both @ generator.normal(size=(3, 6)))
    second = np.tanh(shared @ generator.normal(size=(2, 5)))
    return {
        name: view + 0.03 * generator.normal(size=view.shape)
        for name, view in (("first", first), ("second", second))
    }


@pytest.fixture(scope="module")
def fitted() -> DeepManifoldRelevance:
    return DeepManifoldRelevance((2, 4), 10, max_iter=80, random_state=0).fit(circle())


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_views_share_a_hidden_space(fitted: DeepManifoldRelevance, tmp_path) -> None:
    views, parts = circle(), fitted.segmentation()
    assert parts[frozenset({"first", "second"})]
    assert frozenset({"second"}) not in parts
    (top,) = fitted.layers_
    assert top.latent_mean_.shape == (50, 2) and fitted.latent_mean_.shape == (50, 4)
    assert top.verdict_.startswith("layer 1 of 2 is on")
    told = [layer.verdict_ for layer in fitted.view_layers_.values()]
    assert [each.startswith("layer 2 of 2, view") for each in told] == [True, True]
    # The points of either layer generate the views, and draws have the right mean.
    for layer, points in enumerate((top.latent_mean_, fitted.latent_mean_)):
        for name, found in fitted.generate(points, layer).items():
            assert np.sqrt(np.mean((found - views[name]) ** 2)) < 0.5 * views[name].std()
    drawn = fitted.sample(80, random_state=0)
    assert np.abs(drawn["second"].mean(axis=0) - views["second"].mean(axis=0)).max() < 0.5
    # The other view determines all missing entries of one view.
    gaps = {"first": views["first"][:9], "second": np.full((9, 5), np.nan)}
    found = fitted.complete(gaps)["second"]
    assert np.sqrt(np.mean((found - views["second"][:9]) ** 2)) < 0.5 * views["second"].std()
    np.testing.assert_allclose(fitted.transfer({"first": gaps["first"]}, "second").shape, (9, 5))
    some = {name: view[:4] for name, view in views.items()}
    assert fitted.score(some) > fitted.score(some | {"second": some["second"][::-1]})
    fitted.save(tmp_path / "views.gplvm")
    back = load(tmp_path / "views.gplvm")
    np.testing.assert_array_equal(back.transform(some), fitted.transform(some))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_one_view_is_a_deep_model(fitted: DeepManifoldRelevance) -> None:
    alone, rows = fitted.of_view("first"), circle()["first"][:5]
    assert len(alone.layers_) == 2
    np.testing.assert_allclose(
        alone.generate(alone.latent_mean_[:5]),
        fitted.generate(fitted.layers_[0].latent_mean_[:5])["first"],
    )
    np.testing.assert_allclose(
        alone.score_samples(rows), fitted.score_samples({"first": rows}), atol=0.05
    )


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_views_over_time_and_a_run_that_is_resumed() -> None:
    views, runs = circle(30), []
    model = DeepManifoldRelevance(
        (1, 2), (5, 6), kernel=("rbf", "linear"), time_kernel="rbf", **QUICK
    )
    model.fit(views, times=np.arange(30.0), callback=lambda progress: runs.append(progress.run))
    assert model.capabilities.timed and model.forecast_latent([30.5])[0].shape == (1, 1)
    found = model.transfer({"first": views["first"][:6]}, "second", times=np.arange(6.0))
    assert found.shape == (6, 5) and np.isfinite(found).all()
    again = DeepManifoldRelevance(
        (1, 2), (5, 6), kernel=("rbf", "linear"), time_kernel="rbf", **QUICK
    )
    again.fit(views, times=np.arange(30.0), resume=runs[2])
    assert again.bound_ == model.bound_
    # The bound is the sum of the parts of views, nodes and hidden layers.
    assert sum(model.bounds_.values()) > model.bound_


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_view_of_noise_is_reported_during_training() -> None:
    views, told = circle(30), []
    views["noise"] = np.random.default_rng(3).normal(size=(30, 3))
    DeepManifoldRelevance((2, 3), 8, max_iter=20, random_state=0).fit(views, callback=told.append)
    assert told[-1].verdicts == (
        "layer 1 of 2 is on",
        "layer 2 of 2 is off for 1 of 3 views",
    )


def test_impossible_settings_are_refused() -> None:
    views = circle(12)
    for settings, words in (
        ({"n_components": (2, 0)}, "n_components must be a whole number of at least 1"),
        ({"n_inducing": (5, 5, 5)}, "n_inducing has 3 entries for 2 layers"),
        ({"kernel": ("rbf", {"first": "rbf"})}, "kernel must have an entry for each of first, sec"),
        ({"family": "chained"}, "family must be one of"),
    ):
        with pytest.raises(ValueError, match=words):
            DeepManifoldRelevance((1, 2), 5, **QUICK).set_params(**settings).fit(views)
    with pytest.raises(DataError, match="views must be a dict of named arrays"):
        DeepManifoldRelevance((1, 2)).fit(views["first"])


def test_unknown_layers_are_refused(fitted: DeepManifoldRelevance) -> None:
    with pytest.raises(ValueError, match="layer must be a whole number from 0, the top, to 1"):
        fitted.generate(np.zeros((1, 4)), 2)
    with pytest.raises(DataError, match="there is no view 'third'"):
        fitted.of_view("third")
