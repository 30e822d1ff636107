"""Families for small models, whose hidden dimensions or inducing outputs hang together."""

import importlib.util

import numpy as np
import pytest

from gplvm_core import RBF, DeepGP, DeepGPLVM, Linear, load, save
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.models.families import together
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.graph import Begun, Given, Graph
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.training.run import Run
from gplvm_core.optimise import Progress
from gplvm_core.parameters import leaves, replace_leaves
from gplvm_core.statistics import Targets
from gplvm_core.statistics.executors import serial

FAMILIES = ["joint", "full", "chain", "low_rank_chain"]
pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.usefixtures("quick_starts"),
]


def rows(n_rows: int = 16) -> np.ndarray:
    t = np.sort(np.random.default_rng(0).uniform(-1.0, 1.0, n_rows))
    noise = 0.05 * np.random.default_rng(1).normal(size=(n_rows, 3))
    return np.column_stack([np.sign(t), t, np.cos(3.0 * t)]) + noise


@pytest.mark.parametrize("family", ["full", "low_rank_chain"])
def test_a_latent_chain(family: str, tmp_path) -> None:
    """Trained, paused and resumed, saved and loaded with the same numbers."""
    y, max_iter = rows(10), 16
    settings = {"family": family, "max_iter": max_iter, "random_state": 0}
    runs = list[Run]()

    def keep(progress: Progress) -> None:
        runs.append(progress.run)

    whole = DeepGPLVM((1, 2), 4, **settings).fit(y, callback=keep)
    assert whole.trace_["phase"][-1] == "hidden layers conditioned"
    if whole.family_ is None:
        assert whole.bound_ == pytest.approx(whole.trace_["bound"][-1], rel=1e-6)
    else:
        assert any(f"({family}) ended with a lower bound" in note for note in whole.notes_)
    # As it stood in the last phase, where the belief has other parameters.
    save(runs[-2], tmp_path / "run")
    again = DeepGPLVM((1, 2), 4, **settings).fit(y, resume=load(tmp_path / "run"))
    assert again.bound_ == whole.bound_
    whole.save(tmp_path / "model.gplvm")
    back = load(tmp_path / "model.gplvm")
    gaps = np.where([True, False, True], y[:2], np.nan)
    np.testing.assert_array_equal(back.complete(gaps), whole.complete(gaps))
    np.testing.assert_array_equal(back.score_samples(y[:2]), whole.score_samples(y[:2]))


def small(family: str, y: np.ndarray, n_hidden: int = 1, **settings) -> Graph:
    """A chain of one dimension above two, and so on, at beliefs near the rows."""
    n_rows = len(y)
    generator = np.random.default_rng(0)
    beliefs, layers = [], []
    for _ in range(n_hidden + 1):
        mean = np.nan_to_num(y[:, :2]) + 0.2 * generator.normal(size=(n_rows, 2))
        beliefs.append(Belief(mean, np.full((n_rows, 2), 0.1)))
        layers.append(Layer(RBF(1.0, np.ones(2)), mean[:4], 0.1))
    begun = Given(Begun(tuple(beliefs), tuple(layers)))
    given = {"family": family, "jitter": 1e-6, "run": serial} | settings
    return chain(LatentNode(), Targets.whole(y), begun, n_hidden, **given)


@pytest.mark.parametrize("family", FAMILIES)
def test_they_begin_at_mean_field_and_training_raises_the_bound(family: str) -> None:
    y = rows(10)
    problem, plain = small(family, y, 2), small("mean_field", y, 2)
    begun = problem.entering(problem.start(0), problem.phases[0])
    started = problem.conditioned(begun)
    mean_field = plain.evaluate(plain.start(0), FREE).bound
    # Scales that are no longer at their optimum were best for the marginalised bound.
    begun_at = problem.evaluate(started, FREE).bound
    assert begun_at <= mean_field + 1e-6 * abs(mean_field)
    assert family != "full" or begun_at == pytest.approx(mean_field, rel=1e-8)
    last = problem.phases[-1]
    layout = problem.layout(started, last)
    at = problem.evaluate(started, last)
    slope, x = layout.chain(started, at.gradient), layout.pack(started)
    moved = layout.unpack(x + 1e-3 * slope / np.linalg.norm(slope))
    assert problem.evaluate(moved, last).bound > at.bound


@pytest.mark.parametrize("family", FAMILIES[:3])
def test_beliefs_that_follow_badly_are_kept_as_they_are(family: str) -> None:
    """What is kept then is marginalised: its bound at the same marginals, in a plain chain."""
    y = rows(10)
    problem = small(family, y)
    begun = problem.entering(problem.start(0), problem.phases[-1])
    generator = np.random.default_rng(0)
    follows = "follows" if family == "full" else "gate"
    bad = replace_leaves(
        begun,
        {
            path: generator.normal(2.0, 3.0, value.shape)
            for path, value in leaves(begun).items()
            if path.endswith(follows)
        },
    )
    kept = problem.learnt(bad, (y,))
    assert kept.marginalised and f"({family}) ended with a lower bound" in kept.notes[0]
    assert kept.bound > problem.evaluate(bad, FREE).bound


def test_regression(tmp_path) -> None:
    """Of inputs known exactly, in a chain."""
    y = rows()
    settings = {"family": "chain", "max_iter": 10, "mean": "zero", "random_state": 0}
    model = DeepGP((2,), 4, **settings).fit(y[:, 1:2], y[:, :1])
    assert model.trace_["phase"][-1] == "hidden layers conditioned"
    model.save(tmp_path / "model.gplvm")
    mean, std = load(tmp_path / "model.gplvm").predict(y[:, 1:2], return_std=True)
    np.testing.assert_array_equal(mean, model.predict(y[:, 1:2]))
    assert np.sqrt(np.mean((np.ravel(mean) - y[:, 0]) ** 2)) < 0.6 and (std > 0.0).all()


def test_missing_outputs() -> None:
    """Two families take them; a chain says which."""
    y = rows(10)
    y[1:3, 0] = np.nan
    for family in ("joint", "full"):
        problem = small(family, y)
        problem.entering(problem.start(0), problem.phases[-1])
    with pytest.raises(ValueError, match=r"'chain' is for outputs without missing.*'joint'"):
        small("chain", y).start(0)


def test_what_they_cannot_have_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    y = rows(10)
    with pytest.raises(ValueError, match=r"noise='per_output' is not for family='joint'"):
        small("joint", y, per_output=True)
    with pytest.raises(ValueError, match="input connections are for the families mean_field"):
        small("full", y, connected=True)
    with pytest.raises(ValueError, match="known for RBF alone, got Sum"):
        DeepGPLVM((1, 2), 4, ("rbf", RBF() + Linear()), family="joint", max_iter=3).fit(y)
    monkeypatch.setattr(together, "MOST_NUMBERS", 300)
    for family, instead in (("joint", "gated"), ("low_rank_chain", "gated")):
        with pytest.raises(ValueError, match=rf"{family}.*small models: 10 rows × 4² .*{instead}"):
            small(family, y).start(0)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"need the package autograd .*: pip install autograd"):
        small("joint", y).start(0)
