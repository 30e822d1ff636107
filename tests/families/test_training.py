"""Tests of conditional families as users see them: training, notes, files, pausing and resuming."""

import importlib.util

import numpy as np
import pytest

from gplvm_core import RBF, DeepGP, DeepGPLVM, Linear, load, save
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.models import families
from gplvm_core.models.families import together
from gplvm_core.models.problems import deep
from gplvm_core.models.problems.deep import PLAIN, chain, family_named
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.graph import Begun, Given, Graph, Parameters
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.training.run import Run
from gplvm_core.optimise import Progress
from gplvm_core.parameters import leaves, replace_leaves
from gplvm_core.statistics import Targets
from gplvm_core.statistics.reduce import serial

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.usefixtures("quick_starts"),
]


def rows(n_rows: int) -> np.ndarray:
    """Return outputs that are a step, a line and a wave."""
    t = np.sort(np.random.default_rng(0).uniform(-1.0, 1.0, n_rows))
    noise = 0.05 * np.random.default_rng(1).normal(size=(n_rows, 3))
    return np.column_stack([np.sign(t), t, np.cos(3.0 * t)]) + noise


def small(family: str, y: np.ndarray, n_hidden: int = 1, **settings) -> Graph:
    """Return layers of two dimensions, at beliefs near the rows."""
    generator = np.random.default_rng(0)
    beliefs, layers = [], []
    for _ in range(n_hidden + 1):
        mean = np.nan_to_num(y[:, :2]) + 0.2 * generator.normal(size=(len(y), 2))
        beliefs.append(Belief(mean, np.full((len(y), 2), 0.1)))
        layers.append(Layer(RBF(1.0, np.ones(2)), mean[:4], 0.1))
    begun = Given(Begun(tuple(beliefs), tuple(layers)))
    given = {"family": family, "jitter": 1e-6, "executor": serial} | settings
    return chain(LatentNode(), Targets.whole(y), begun, n_hidden, **given)


def test_every_family_can_be_chosen_by_name() -> None:
    assert [family_named(name).name for name in deep.FAMILIES] == list(deep.FAMILIES)
    assert {*PLAIN, *families.FAMILIES} == {*deep.FAMILIES}
    with pytest.raises(ValueError, match=r"family must be one of mean_field, .*; got 'gate'"):
        family_named("gate")


@pytest.mark.parametrize(
    ("family", "widths", "n_rows", "max_iter"),
    [
        ("gated", (1, 2), 24, 24),
        pytest.param("free", (1, 2), 24, 24, marks=pytest.mark.slow),
        pytest.param("diagonal", (1, 1), 24, 60, marks=pytest.mark.slow),
        pytest.param("full", (1, 2), 10, 16, marks=pytest.mark.slow),
        pytest.param("low_rank_chain", (1, 2), 10, 16, marks=pytest.mark.slow),
    ],
)
def test_a_latent_chain(family: str, widths, n_rows: int, max_iter: int, tmp_path) -> None:
    """The stored model has the reported bound, and files and resumed runs have the same bound."""
    y, runs = rows(n_rows), list[Run]()
    n_inducing = 8 if family == "diagonal" else 4

    def fit(**how) -> DeepGPLVM:
        settings = {"family": family, "max_iter": max_iter, "random_state": 0}
        return DeepGPLVM(widths, n_inducing, **settings).fit(y, **how)

    def keep(progress: Progress) -> None:
        runs.append(progress.run)

    whole = fit(callback=keep)
    assert whole.trace_["phase"][-1] == "hidden layers conditioned"
    assert whole.more_inducing_ is None  # q(h) has parameters for each inducing input
    trained = whole.trace_["bound"][-1]
    if whole.family_ is None:
        assert whole.bound_ == pytest.approx(trained, rel=1e-6)
    else:
        assert whole.family_ == "marginalised" and whole.bound_ > trained
        assert any(f"(family {family}) ended with a lower bound" in note for note in whole.notes_)
    # This run was stored in the last phase, where q(h) has other parameters.
    save(runs[-3], tmp_path / "run")
    assert fit(resume=load(tmp_path / "run")).bound_ == whole.bound_
    whole.save(tmp_path / "model.gplvm")
    back = load(tmp_path / "model.gplvm")
    gaps = np.where([True, False, True], y[:2], np.nan)
    np.testing.assert_array_equal(back.complete(gaps), whole.complete(gaps))
    np.testing.assert_array_equal(back.score_samples(y[:2]), whole.score_samples(y[:2]))
    found = whole.generate(whole.layers_[1].latent_mean_, 1)
    error = np.sqrt(np.mean((found - y) ** 2))
    # Sixteen iterations explain only a part of the rows.
    assert error < (0.5 if max_iter > 16 else 1.0) * y.std()


@pytest.mark.parametrize("family", families.FAMILIES)
def test_conditioning_begins_at_mean_field_and_training_raises_the_bound(family: str) -> None:
    y = rows(10)
    problem, plain = small(family, y, 2), small("mean_field", y, 2)
    started = problem.conditioned(problem.entering(problem.start(0), problem.phases[0]))
    mean_field = plain.evaluate(plain.start(0), FREE).bound
    # Some scales become parameters in this phase; they start at the marginalised bound's optimum.
    begun_at = problem.evaluate(started, FREE).bound
    assert begun_at <= mean_field + 1e-6 * abs(mean_field)
    if family in ("diagonal", "full"):
        assert begun_at == pytest.approx(mean_field, rel=1e-8)
    last = problem.phases[-1]
    layout = problem.layout(started, last)
    at = problem.evaluate(started, last)
    slope, x = layout.chain(started, at.gradient), layout.pack(started)
    moved = layout.unpack(x + 1e-3 * slope / np.linalg.norm(slope))
    assert problem.evaluate(moved, last).bound > at.bound


@pytest.mark.parametrize(
    ("family", "follows"),
    [
        ("gated", "gate"),
        ("free", "transfer"),
        ("diagonal", "follows"),
        ("joint", "gate"),
        ("full", "follows"),
        ("chain", "gate"),
    ],
)
def test_a_bad_dependence_is_replaced_by_the_marginalised_family(family: str, follows: str) -> None:
    """The result is marginalised: it has the bound of a plain chain at the same marginals."""
    y, generator = rows(10), np.random.default_rng(0)
    problem, plain = small(family, y), small("marginalised", y)
    begun = problem.entering(problem.start(0), problem.phases[-1])
    path = next(path for path in leaves(begun) if path.endswith(follows))
    bad = replace_leaves(begun, {path: generator.normal(2.0, 3.0, leaves(begun)[path].shape)})
    kept = problem.learnt(bad, (y,))
    assert kept.marginalised and f"(family {family}) ended with a lower bound" in kept.notes[0]
    assert kept.bound > problem.evaluate(bad, FREE).bound
    beliefs = tuple(node.belief for node in problem.believed(bad))
    same = Parameters(beliefs, bad.layers)
    assert kept.bound == pytest.approx(plain.evaluate(same, FREE).bound, rel=1e-9)


@pytest.mark.parametrize(
    ("family", "widths"), [("gated", (1, 1)), pytest.param("chain", (2,), marks=pytest.mark.slow)]
)
def test_regression(family: str, widths: tuple[int, ...], tmp_path) -> None:
    """The test covers a deep regression on exactly known inputs."""
    y = rows(16)
    settings = {"family": family, "max_iter": 12, "mean": "zero", "random_state": 0}
    model = DeepGP(widths, 4, **settings).fit(y[:, 1:2], y[:, 0])
    assert model.trace_["phase"][-1] == "hidden layers conditioned"
    model.save(tmp_path / "model.gplvm")
    mean, std = load(tmp_path / "model.gplvm").predict(y[:, 1:2], return_std=True)
    np.testing.assert_array_equal(mean, model.predict(y[:, 1:2]))
    assert np.sqrt(np.mean((mean - y[:, 0]) ** 2)) < 0.6 and (std > 0.0).all()
    draws = model.sample(y[:, 1:2], 200, random_state=0, noise=False)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=5.0 * std.max() / np.sqrt(200))


def test_training_that_ends_before_conditioning_is_noted() -> None:
    model = DeepGPLVM((1, 2), 5, family="gated", max_iter=3, random_state=0).fit(rows(24))
    assert any(
        "before the hidden layers were conditioned (family gated)" in n for n in model.notes_
    )


def test_missing_outputs() -> None:
    """The joint and the full family support missing outputs; the error of a chain recommends one of
    these.
    """
    y = rows(10)
    y[1:3, 0] = np.nan
    for family in ("joint", "full"):
        problem = small(family, y)
        problem.entering(problem.start(0), problem.phases[-1])
    with pytest.raises(ValueError, match=r"'chain' needs outputs without missing.*'joint'"):
        small("chain", y).start(0)


def test_unsupported_settings_raise_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    y, several = rows(10), RBF() + Linear()
    with pytest.raises(ValueError, match=r"family='joint' does not support noise='per_output'"):
        small("joint", y, per_output=True)
    with pytest.raises(ValueError, match="input connections need the family 'mean_field'"):
        small("full", y, connected=True)
    for family, kernels in (("diagonal", (several, "rbf")), ("joint", ("rbf", several))):
        with pytest.raises(ValueError, match="tilted moments are implemented only for RBF, got S"):
            DeepGPLVM((1, 2), 4, kernel=kernels, family=family, max_iter=3).fit(y)
    monkeypatch.setattr(together, "MOST_NUMBERS", 300)
    for family in ("joint", "low_rank_chain"):
        with pytest.raises(ValueError, match=rf"{family}.*small models: 10 rows × 4² .*gated"):
            small(family, y).start(0)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"need the package autograd .*: pip install autograd"):
        small("joint", y).start(0)
