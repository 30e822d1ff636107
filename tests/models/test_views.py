"""Tests of manifold relevance determination: segmentation, predictions, refusals."""

import numpy as np
import pytest
from sklearn.base import clone

from gplvm_core import RBF, BayesianGPLVM, ManifoldRelevance, evaluate_bound, label_view, load
from gplvm_core.beliefs import Belief
from gplvm_core.datasets import DataError, toy_views
from tests.until import Until

SETTINGS = {"n_components": 4, "n_inducing": 20, "max_iter": 150, "random_state": 0}


@pytest.fixture(scope="module")
def planted() -> dict[str, np.ndarray]:
    """Return a shared signal s in five columns of each view, and a signal p only in "body".

    p takes two values; values between them are no valid body.
    """
    generator = np.random.default_rng(0)
    s, p = generator.uniform(-1.5, 1.5, 120), np.repeat([-1.0, 1.0], 60)
    outline = np.column_stack([np.sin(s), np.cos(s), s, s**2, np.tanh(s)])
    body = np.column_stack([np.sin(2 * s), s, np.cos(s), p, p + 0.3 * s])
    noise = 0.03 * generator.normal(size=(120, 10))
    return {"outline": outline + noise[:, :5], "body": body + noise[:, 5:], "s": s, "p": p}


@pytest.fixture(scope="module")
def views(planted) -> dict[str, np.ndarray]:
    return {name: planted[name] for name in ("outline", "body")}


@pytest.fixture(scope="module")
def model(views) -> ManifoldRelevance:
    return ManifoldRelevance(**SETTINGS).fit(views)


@pytest.mark.slow
def test_the_toy_signals_are_recovered() -> None:
    """The simulation of Damianou (2015), §5.3.1, has two private signals and a shared one; the
    model starts with eight dimensions.
    """
    data = toy_views(100, 0)
    model = ManifoldRelevance(8, 8, kernel="linear", random_state=0).fit(data.view_values)
    first, second = data.views[0].name, data.views[1].name
    found = model.segmentation()
    assert {users: len(dims) for users, dims in found.items()} == {
        frozenset({first}): 1,
        frozenset({second}): 1,
        frozenset({first, second}): 1,
        frozenset(): 5,
    }
    assert model.segmentation_by_weight() == found
    assert model.agreement() == 1.0
    whose = {"sin": {first}, "cos": {second}, "cos_squared": {first, second}}
    for signal, users in whose.items():
        latent = model.latent_mean_[:, found[frozenset(users)][0]]
        assert abs(np.corrcoef(latent, data.covariates[signal])[0, 1]) > 0.99


def test_simulated_parts_are_separated(model, planted) -> None:
    found = model.segmentation()
    shared, private = found[frozenset({"outline", "body"})], found[frozenset({"body"})]
    assert frozenset({"outline"}) not in found
    assert max(abs(np.corrcoef(model.latent_mean_[:, q], planted["s"])[0, 1]) for q in shared) > 0.9
    assert (
        max(abs(np.corrcoef(model.latent_mean_[:, q], planted["p"])[0, 1]) for q in private) > 0.9
    )


def test_a_threshold_above_every_drop_leaves_nothing_used(model) -> None:
    highest = max(drops.max() for drops in model.drops_.values())
    assert model.segmentation(highest + 1.0) == {frozenset(): (0, 1, 2, 3)}


def test_a_private_dimension_is_borrowed_or_integrated_out(model, views, planted) -> None:
    """The outline does not determine p: a neighbour's value is a valid body, the average is not."""
    new = {"outline": views["outline"][::7] + 0.01}
    s = planted["s"][::7]
    nearest = model.transfer(new, "body")
    prior, spread = model.transfer(new, "body", private="prior", return_std=True)
    np.testing.assert_allclose(nearest[:, 1], s, atol=0.25)
    np.testing.assert_allclose(prior[:, 1], s, atol=0.25)
    assert (np.abs(nearest[:, 3]) > 0.8).all()
    assert (np.abs(prior[:, 3]) < 0.5).all()
    assert (spread[:, 3] > 0.5).all() and (spread[:, 1] < 0.3).all()


def test_alternatives_show_both_private_values(model, views) -> None:
    several, spread = model.transfer(
        {"outline": views["outline"][::7]}, "body", n_alternatives=3, return_std=True
    )
    assert several.shape == (len(views["outline"][::7]), 3, 5)
    signs = np.sign(several[:, :, 3])
    assert ((signs.min(axis=1) == -1) & (signs.max(axis=1) == 1)).mean() > 0.9
    assert np.isfinite(spread).all()
    best = model.transfer({"outline": views["outline"][::7]}, "body")
    np.testing.assert_allclose(several[:, 0], best)
    # If nothing is uncertain, there are fewer alternatives than requested.
    known = model.transfer({n: v[:3] for n, v in views.items()}, "body", n_alternatives=9)
    assert known.shape == (3, 9, 5)
    assert np.isfinite(known[:, 0]).all() and np.isnan(known[:, 8]).all()


@pytest.mark.slow
def test_an_ambiguous_view_has_both_explanations() -> None:
    """x² does not determine the sign of x."""
    generator = np.random.default_rng(1)
    x = generator.uniform(0.5, 1.5, 100) * generator.choice([-1.0, 1.0], 100)
    square = np.column_stack([x**2, np.sqrt(np.abs(x)), np.abs(x)])
    line = np.column_stack([x, 2.0 * x, np.sin(x)])
    noise = 0.02 * generator.normal(size=(100, 6))
    views = {"square": square + noise[:, :3], "line": line + noise[:, 3:]}
    model = ManifoldRelevance(3, 20, max_iter=200, random_state=0).fit(views)
    rows = model.transfer({"square": views["square"][:20]}, "line", n_alternatives=2)
    found = np.sort(rows[:, :, 0], axis=1)
    size = np.abs(x[:20])
    both = np.abs(found - np.column_stack([-size, size])).max(axis=1) < 0.2
    assert both.mean() > 0.8


def test_correspondences_share_the_signal(model, views, planted) -> None:
    rows, distance = model.correspondences({"outline": views["outline"]}, "body", 3)
    assert rows.shape == distance.shape == (120, 3)
    assert (np.diff(distance, axis=1) >= 0).all()
    assert np.median(np.abs(planted["s"][rows[:, 0]] - planted["s"])) < 0.05


@pytest.mark.slow
def test_rows_and_gaps_of_one_view_are_completed_from_the_other(views) -> None:
    """Training rows may lack a view, and new rows may lack entries of any view."""
    holed = {name: values.copy() for name, values in views.items()}
    holed["outline"][:10] = np.nan
    holed["body"][10:20, 1] = np.nan
    model = ManifoldRelevance(**SETTINGS).fit(holed)
    assert any("missing" in note for note in model.notes_)
    rows, _ = model.correspondences({"body": views["body"][:5]}, "outline", 4)
    assert rows.min() >= 10  # the first ten rows have no outline
    gaps = {"outline": np.full((5, 5), np.nan), "body": views["body"][:5]}
    whole, spread = model.complete(gaps, return_std=True)
    assert np.median(np.abs(whole["outline"] - views["outline"][:5])) < 0.15
    np.testing.assert_array_equal(whole["body"], views["body"][:5])
    assert (spread["body"] == 0).all() and (spread["outline"] > 0).all()


def test_every_view_counts_in_the_density(model, views) -> None:
    given = {name: values[:20] for name, values in views.items()}
    mixed_up = {"outline": given["outline"], "body": given["body"][::-1]}
    assert model.score(given) > model.score(mixed_up)
    assert model.transform(given).shape == (20, 4)
    mean, spread = model.transform({"outline": given["outline"]}, return_std=True)
    private = list(model.segmentation()[frozenset({"body"})])
    # Dimensions that the outline hardly determines stay near the prior.
    assert np.abs(mean[:, private]).max() < 0.5
    np.testing.assert_allclose(spread[:, private], 1.0, atol=0.1)


def test_varying_a_private_dimension_does_not_change_the_other_view(model) -> None:
    start = model.latent_mean_[:3]
    private = model.segmentation()[frozenset({"body"})]
    drawn = model.vary(start, private, n_samples=20, random_state=0)
    assert drawn.shape == (20, 3, 4)
    before, after = model.inverse_transform(start), model.inverse_transform(drawn[:, 0])
    np.testing.assert_allclose(after["outline"], before["outline"][[0] * 20], atol=0.02)
    assert np.ptp(after["body"][:, 3]) > 1.0
    kept = [q for q in range(4) if q not in private]
    np.testing.assert_array_equal(drawn[:, :, kept], np.repeat(start[None, :, kept], 20, axis=0))


@pytest.mark.slow
def test_a_view_of_few_rows_may_still_use_a_dimension(views) -> None:
    """The drop of a dimension is averaged over the rows that have the view."""
    few = {"outline": views["outline"], "body": views["body"].copy()}
    few["body"][np.arange(120) % 6 > 0] = np.nan
    model = ManifoldRelevance(**SETTINGS).fit(few)
    given = {"body": few["body"][::6]}
    alone = model.of_view("body")
    assert np.isfinite(alone.score_samples(given["body"])).all()
    drawn = alone.score_samples(given["body"], 300)
    np.testing.assert_allclose(model.score_samples(given, 300), drawn, atol=0.05)
    q = int(np.argmax(model.drops_["body"]))
    posterior, belief = (
        model.posteriors_["body"],
        Belief(model.latent_mean_[::6], model.latent_variance_[::6]),
    )
    length = np.array(posterior.kernel.lengthscale)
    length[q] = 1e9
    blind = RBF(posterior.kernel.variance, length)
    values = [
        evaluate_bound(
            posterior.to_internal(given["body"]),
            belief.mean,
            belief.variance,
            posterior.inducing,
            kernel,
            posterior.noise_variance,
            posterior.jitter,
        )[0]
        for kernel in (posterior.kernel, blind)
    ]
    assert model.drops_["body"][q] == pytest.approx((values[0] - values[1]) / 20, rel=1e-6)


def test_interpolating_the_shared_part_keeps_the_private_one(model) -> None:
    shared = model.segmentation()[frozenset({"outline", "body"})]
    path = model.interpolate(model.latent_mean_[0], model.latent_mean_[-1], shared, steps=7)
    assert path.shape == (7, 4)
    np.testing.assert_array_equal(path[0], model.latent_mean_[0])
    np.testing.assert_allclose(path[-1, list(shared)], model.latent_mean_[-1, list(shared)])
    kept = [q for q in range(4) if q not in shared]
    np.testing.assert_array_equal(path[:, kept], np.repeat(path[:1, kept], 7, axis=0))


@pytest.mark.slow
def test_labels_as_a_view_classify() -> None:
    """The rows form three groups around different centres, with a common variation."""
    generator = np.random.default_rng(2)
    classes, s = np.arange(120) % 3, generator.uniform(-1.0, 1.0, 120)
    body = 2.0 * generator.normal(size=(3, 6))[classes] + np.outer(s, generator.normal(size=6))
    views = {"body": body + 0.05 * generator.normal(size=body.shape)}
    views["label"] = label_view(classes, 3)
    train = {name: values[:60] for name, values in views.items()}
    model = ManifoldRelevance(**SETTINGS).fit(train)
    assert frozenset({"label"}) not in model.segmentation()
    said = model.transfer({"body": views["body"][60:]}, "label")
    assert (said.argmax(axis=1) == classes[60:]).mean() > 0.95


@pytest.mark.slow
def test_exact_labels_leave_next_to_no_noise(planted) -> None:
    """A view without noise is fitted to the last digit, and the model still finds its used
    dimensions.
    """
    classes = (planted["p"] > 0).astype(int)
    views = {"body": planted["body"][::4], "label": label_view(classes[::4], 2)}
    with pytest.warns(UserWarning, match="view 'label': fitted without error"):
        model = ManifoldRelevance(6, 30, max_iter=300, random_state=0).fit(views)
    assert model.posteriors_["label"].noise_variance < 1e-4
    assert all(np.isfinite(drops).all() for drops in model.drops_.values())
    assert max(model.drops_["label"]) > 1.0


@pytest.mark.slow
def test_a_sequence_is_inferred_together() -> None:
    """The given view has no velocity: only its path determines how the clock turns."""
    time = np.arange(80) * 0.15
    height = np.column_stack([np.sin(time), np.sin(time) ** 3, np.sin(time) * 2])
    place = np.column_stack([np.cos(time), np.sin(time), np.cos(time) * 1.5])
    noise = 0.02 * np.random.default_rng(0).normal(size=(80, 6))
    views = {"height": height + noise[:, :3], "place": place + noise[:, 3:]}
    model = ManifoldRelevance(4, 25, time_kernel="matern52", max_iter=200, random_state=0)
    model.fit(views, times=time)
    later = np.arange(30) * 0.15 + 0.3
    given = {"height": np.column_stack([np.sin(later), np.sin(later) ** 3, np.sin(later) * 2])}
    steps: list[int] = []
    found, spread, path, path_std = model.transfer(
        given,
        "place",
        times=later,
        return_std=True,
        return_latent=True,
        callback=lambda step, bound: steps.append(step),
    )
    assert found.shape == spread.shape == (30, 3)
    assert path.shape == path_std.shape == (30, 4)
    assert len(steps) > 1 and steps == sorted(steps)
    # Paths do not jump, although two positions explain every value of the sine.
    assert np.abs(np.diff(found[:, 0])).max() < 0.6
    np.testing.assert_allclose(found[:, 1], np.sin(later), atol=0.2)
    # The times determine the order of the rows.
    mixed_up = np.random.default_rng(0).permutation(30)
    again = model.transfer({"height": given["height"][mixed_up]}, "place", times=later[mixed_up])
    np.testing.assert_allclose(again, found[mixed_up], atol=1e-3)
    # The new rows may also update the mapping.
    adapted = model.transfer(given, "place", times=later, adapt=True)
    assert 0.0 < np.abs(adapted - found).max() < 0.2
    np.testing.assert_allclose(adapted[:, 1], np.sin(later), atol=0.2)
    with pytest.raises(ValueError, match="callback need rows in time: give times"):
        model.transfer(given, "place", adapt=True)
    forecast = model.transfer(
        {"height": np.full((5, 3), np.nan)}, "place", times=time[-1] + later[:5], sequence=0
    )
    assert np.isfinite(forecast).all()


@pytest.mark.parametrize("variance", [1e-4, 1e4])
def test_the_variance_of_a_kernel_object_does_not_matter(variance: float, views) -> None:
    """The overall scale is set to its optimum, so its initial value must not matter."""
    usual = ManifoldRelevance(3, 10, kernel=RBF(1.0, 0.9), max_iter=30, random_state=0).fit(views)
    other = ManifoldRelevance(3, 10, kernel=RBF(variance, 0.9), max_iter=30, random_state=0)
    assert other.fit(views).bound_ == pytest.approx(usual.bound_, rel=1e-3)


def test_samples_have_the_spread_of_the_data(model, views) -> None:
    drawn = model.sample(300, random_state=0)
    for name, values in views.items():
        assert drawn[name].shape == (300, 5)
        ratio = drawn[name].std(axis=0) / values.std(axis=0)
        assert ((ratio > 0.4) & (ratio < 2.0)).all()


def test_save_load_clone_and_of_view(model, views, tmp_path) -> None:
    model.save(tmp_path / "views.npz")
    back = load(tmp_path / "views.npz")
    assert back.segmentation() == model.segmentation()
    given = {"outline": views["outline"][:4]}
    np.testing.assert_array_equal(back.transfer(given, "body"), model.transfer(given, "body"))
    assert clone(model).get_params() == model.get_params()
    alone = model.of_view("body")
    points = model.latent_mean_[:4]
    np.testing.assert_array_equal(
        alone.inverse_transform(points), model.inverse_transform(points)["body"]
    )
    assert alone.transform(views["body"][:4]).shape == (4, 4)


def test_training_continues_from_where_it_stopped(views) -> None:
    settings = SETTINGS | {"max_iter": 40}

    runs = Until(lambda progress: progress.iteration == 15)
    ManifoldRelevance(**settings).fit(views, callback=runs)
    whole = ManifoldRelevance(**settings).fit(views)
    resumed = ManifoldRelevance(**settings).fit(views, resume=runs.last.run)
    assert resumed.bound_ == whole.bound_


def test_a_run_continues_only_with_its_own_views_in_its_own_order(views) -> None:
    runs = []
    settings = SETTINGS | {"max_iter": 3}
    ManifoldRelevance(**settings).fit(views, callback=lambda progress: runs.append(progress.run))
    first, second = views
    turned = {second: views[second], first: views[first]}
    had = f"was of the views {first}, {second} in this order"
    with pytest.raises(ValueError, match=f"{had}; got the views {second}, {first}.*without resume"):
        ManifoldRelevance(**settings).fit(turned, resume=runs[-1])
    with pytest.raises(ValueError, match=f"{had}; got the views {first}, other"):
        renamed = {first: views[first], "other": views[second]}
        ManifoldRelevance(**settings).fit(renamed, resume=runs[-1])
    of_one = {"n_components": 3, "n_inducing": 10, "max_iter": 3, "random_state": 0}
    with pytest.raises(ValueError, match=f"{had}; got one table"):
        BayesianGPLVM(**of_one).fit(views[first], resume=runs[-1])
    BayesianGPLVM(**of_one).fit(views[first], callback=lambda progress: runs.append(progress.run))
    with pytest.raises(ValueError, match=f"was of one table; got the views {first}, {second}"):
        ManifoldRelevance(**settings).fit(views, resume=runs[-1])


def test_views_can_have_different_kernels(views) -> None:
    kernel = {"outline": "linear", "body": RBF(1.0, 0.8)}
    model = ManifoldRelevance(3, 10, kernel=kernel, max_iter=10, random_state=0).fit(views)
    assert type(model.posteriors_["outline"].kernel).__name__ == "Linear"
    with pytest.raises(
        ValueError,
        match="kernel must have an entry for each of outline, body; got entries for face",
    ):
        ManifoldRelevance(3, 10, kernel={"face": "rbf"}).fit(views)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"body": np.zeros((119, 5))}, "outline has 120, body has 119"),
        ({"body": np.ones((120, 5))}, "view 'body'.*constant"),
        ({"body": np.ones(120)}, "view 'body' must be a matrix"),
        ({"body": np.full((120, 2), np.inf)}, "view 'body', row 0, column 0 .* is infinite"),
        ({"body": np.array([["a"] * 2] * 120)}, "view 'body' must be numbers"),
    ],
)
def test_views_that_cannot_be_trained_on(change, message: str, views) -> None:
    with pytest.raises(DataError, match=message):
        ManifoldRelevance(2, 8, max_iter=5).fit({**views, **change})


def test_unsupported_predictions_are_refused(model, views) -> None:
    rows = views["outline"][:3]
    with pytest.raises(DataError, match="no view 'face'; the model has outline, body"):
        model.transform({"face": rows})
    with pytest.raises(DataError, match="no view 'face'"):
        model.transfer({"outline": rows}, "face")
    with pytest.raises(DataError, match="nothing is observed in any view of row 2"):
        model.transform({"outline": np.vstack([rows[:1], np.full((1, 5), np.nan)])})
    with pytest.raises(DataError, match="no views"):
        model.transform({})
    with pytest.raises(DataError, match="dict of named arrays"):
        model.transform(rows)
    with pytest.raises(DataError, match="4 columns, but was trained with 5"):
        model.transform({"outline": rows[:, :4]})
    with pytest.raises(DataError, match="named by strings; got 1"):
        ManifoldRelevance(2, 8).fit({1: rows, "1": rows})
    with pytest.raises(ValueError, match="whole numbers among 0 … 3"):
        model.vary(model.latent_mean_[:1], [True, False, False, True])
    with pytest.raises(ValueError, match="none may be negative"):
        model.inverse_transform(model.latent_mean_[:1], X_variance=-1.0)
    with pytest.raises(ValueError, match="give times, too"):
        model.transfer({"outline": rows}, "body", sequence=0)
    with pytest.raises(DataError, match="without a kernel over time"):
        model.transfer({"outline": rows}, "body", times=np.arange(3))
    with pytest.raises(DataError, match="nothing is observed in row"):
        ManifoldRelevance(2, 8).fit({n: np.vstack([v, v[:1] * np.nan]) for n, v in views.items()})
    with pytest.raises(DataError, match="one row"):
        ManifoldRelevance(2, 8).fit({"outline": rows[:1]})


def test_views_that_share_nothing_are_reported() -> None:
    generator = np.random.default_rng(3)
    signals, noise = generator.normal(size=(120, 2)), 0.01 * generator.normal(size=(120, 6))
    views = {
        "signal": signals[:, [0, 0, 0]] + noise[:, :3],
        "alone": signals[:, [1, 1, 1]] + noise[:, 3:],
    }
    model = ManifoldRelevance(2, 2, kernel="linear", init=signals, max_iter=50, random_state=0)
    model.fit(views)
    with pytest.warns(UserWarning, match="share no latent dimension"):
        model.transfer({"signal": views["signal"][:2]}, "alone")


def test_times_without_a_kernel_over_time_are_reported(views) -> None:
    model = ManifoldRelevance(2, 8, max_iter=5, random_state=0).fit(views, times=np.arange(120))
    assert "times and sequences are not used: the model has no time_kernel" in model.notes_


@pytest.fixture(scope="module")
def rotated() -> ManifoldRelevance:
    """A model of two shared causes and a private one of each view, whose axes mix them."""
    generator = np.random.default_rng(2)
    causes = generator.standard_normal((120, 4))

    def view(own: list[int], width: int) -> np.ndarray:
        clean = causes[:, own] @ generator.standard_normal((3, width))
        return clean + 0.2 * generator.standard_normal(clean.shape)

    both = {"blood": view([0, 1, 2], 6), "tests": view([0, 1, 3], 5)}
    settings = {"max_iter": 150, "second_stage": "off", "random_state": 0}
    return ManifoldRelevance(6, 30, **settings).fit(both)


def test_parts_are_counted_whatever_the_axes(rotated: ManifoldRelevance) -> None:
    blood, tests = frozenset({"blood"}), frozenset({"tests"})
    assert rotated.count_parts() == {blood | tests: 2, blood: 1, tests: 1}
    # The axes mix a private part with the shared ones.
    assert len(rotated.segmentation()[blood | tests]) == 3


def test_parts_are_ranks_of_the_slopes_of_the_views(rotated: ManifoldRelevance) -> None:
    step, rows = 1e-4, rotated.latent_mean_[::2]
    ranks, total = {}, 0.0
    for name, own in rotated.posteriors_.items():
        view = rotated.of_view(name)
        sides = (
            [view.inverse_transform(rows + sign * step * axis) for axis in np.eye(rows.shape[1])]
            for sign in (1.0, -1.0)
        )
        slopes = np.stack([(up - down) / (2.0 * step) for up, down in zip(*sides, strict=True)], -1)
        units = np.sqrt(np.broadcast_to(own.noise_variance, slopes.shape[1])) * own.scale
        metric = np.mean(
            [(each / units[:, None]).T @ (each / units[:, None]) for each in slopes], axis=0
        )
        ranks[name], total = metric, total + metric

    def rank(metric: np.ndarray) -> int:
        return int(np.sum(0.5 * np.log1p(np.linalg.eigvalsh(metric).clip(0.0)) > 0.05))

    every, counts = rank(total), rotated.count_parts()
    assert every == sum(counts.values())
    for name, other in (("blood", "tests"), ("tests", "blood")):
        assert counts[frozenset({name})] == every - rank(ranks[other])


def test_parts_of_words_are_not_counted(views) -> None:
    words = np.array(["old", "new"] * 60, dtype=object)[:, None]
    model = ManifoldRelevance(2, 8, max_iter=3, kinds={"words": "auto"}, random_state=0)
    model.fit({"outline": views["outline"], "words": words})
    assert not model.can_count_parts
    with pytest.raises(DataError, match="views of numbers"):
        model.count_parts()
