"""Conditional families as a user meets them: trained in turn, told, saved, paused and resumed."""

import numpy as np
import pytest

from gplvm_core import RBF, DeepGP, DeepGPLVM, Linear, load, save
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.models.families import FAMILIES as FAMILIES_BESIDE
from gplvm_core.models.problems import deep
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.edges import FREE
from gplvm_core.models.problems.graph import Begun, Given, Graph
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.problems.variational import PLAIN, family_named
from gplvm_core.models.training.run import Run
from gplvm_core.optimise import Progress
from gplvm_core.parameters import leaves, replace_leaves
from gplvm_core.statistics import Targets
from gplvm_core.statistics.executors import serial

FAMILIES = ["gated", "free", "diagonal"]
pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.usefixtures("quick_starts"),
]


def step(n_points: int = 24) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    x = np.sort(generator.uniform(-1.0, 1.0, n_points))[:, None]
    y = np.sign(x[:, 0]) + 0.05 * generator.normal(size=n_points)
    return x, np.column_stack([y, x[:, 0], np.cos(3.0 * x[:, 0])])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_latent_chain(family: str, tmp_path) -> None:
    """Bound of what is kept, rows explained, files and resumed runs alike."""
    _, rows = step()
    widths, n_inducing, max_iter = ((1, 1), 8, 60) if family == "diagonal" else ((1, 2), 5, 24)
    settings = {"family": family, "max_iter": max_iter, "random_state": 0}
    stopped = list[Run]()

    def stop(progress: Progress) -> None:
        # In the last phase, where the belief has other parameters.
        stopped.append(progress.run)
        if progress.iteration == max_iter - 4:
            raise StopIteration

    whole = DeepGPLVM(widths, n_inducing, **settings).fit(rows)
    assert whole.trace_["phase"][-1] == "hidden layers conditioned"
    trained = whole.trace_["bound"][-1]
    if family == "free":
        assert whole.family_ == "marginalised" and whole.bound_ > trained
        assert any("(free) ended with a lower bound" in note for note in whole.notes_)
    else:
        assert whole.family_ is None and whole.bound_ == pytest.approx(trained, rel=1e-6)
        assert not any("lower bound" in note for note in whole.notes_)
    DeepGPLVM(widths, n_inducing, **settings).fit(rows, callback=stop)
    save(stopped[-1], tmp_path / "run")
    again = DeepGPLVM(widths, n_inducing, **settings).fit(rows, resume=load(tmp_path / "run"))
    assert again.bound_ == whole.bound_
    whole.save(tmp_path / "model.gplvm")
    back = load(tmp_path / "model.gplvm")
    gaps = rows.copy()
    gaps[::2, 0] = np.nan
    np.testing.assert_array_equal(back.complete(gaps), whole.complete(gaps))
    np.testing.assert_array_equal(back.score_samples(rows[:4]), whole.score_samples(rows[:4]))
    found = whole.generate(whole.layers_[1].latent_mean_, 1)
    assert np.sqrt(np.mean((found - rows) ** 2)) < 0.5 * rows.std()
    assert whole.sample(3, random_state=0).shape == (3, 3)


@pytest.mark.parametrize("family", FAMILIES)
def test_beliefs_that_follow_badly_are_kept_as_they_are(family: str) -> None:
    """What is kept then is marginalised: its bound at the same marginals, in a plain chain."""
    _, rows = step(12)
    generator = np.random.default_rng(0)
    beliefs = tuple(Belief(rows[:, :1] + each, np.full((12, 1), 0.1)) for each in (0.0, 0.2))
    layers = tuple(Layer(RBF(1.0, np.ones(1)), rows[:5, :1], 0.1) for _ in beliefs)
    settings = {"jitter": 1e-6, "run": serial}

    def graph(begun: Begun, family: str) -> Graph:
        return chain(LatentNode(), Targets.whole(rows), Given(begun), 1, family=family, **settings)

    problem = graph(Begun(beliefs, layers), family)
    begun = problem.entering(problem.start(0), problem.phases[-1])
    follows = {"gated": "gate", "free": "transfer", "diagonal": "follows"}[family]
    path = next(path for path in leaves(begun) if path.endswith(follows))
    bad = replace_leaves(begun, {path: generator.normal(2.0, 3.0, leaves(begun)[path].shape)})
    kept = problem.learnt(bad, (rows,))
    assert kept.marginalised and f"({family}) ended with a lower bound" in kept.notes[0]
    assert kept.bound > problem.evaluate(bad, FREE).bound
    handed = tuple(node.belief for node in problem.believed(bad))
    plain = graph(Begun(handed, bad.layers), "marginalised")
    assert kept.bound == pytest.approx(plain.evaluate(plain.start(0), FREE).bound, rel=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_regression(family: str, tmp_path) -> None:
    x, rows = step()
    settings = {"family": family, "max_iter": 30, "mean": "zero", "random_state": 0}
    model = DeepGP((1, 1), 6, **settings).fit(x, rows[:, 0])
    assert model.trace_["phase"][-1] == "hidden layers conditioned"
    model.save(tmp_path / "model.gplvm")
    mean, std = load(tmp_path / "model.gplvm").predict(x, return_std=True)
    np.testing.assert_array_equal(mean, model.predict(x))
    assert np.sqrt(np.mean((mean - rows[:, 0]) ** 2)) < 0.5 and (std > 0.0).all()
    draws = model.sample(x, 200, random_state=0, noise=False)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=5.0 * std.max() / np.sqrt(200))


def test_too_short_a_training_says_what_came_of_it() -> None:
    _, rows = step()
    model = DeepGPLVM((1, 2), 5, family="gated", max_iter=3, random_state=0).fit(rows)
    assert any("before hidden layers were conditioned (gated)" in n for n in model.notes_)


def test_every_family_has_a_name_that_is_offered() -> None:
    assert {name: family_named(name).name for name in deep.FAMILIES} == {
        n: n for n in deep.FAMILIES
    }
    assert {*PLAIN, *FAMILIES_BESIDE} == {*deep.FAMILIES}
    with pytest.raises(ValueError, match=r"family must be one of mean_field, .*; got 'gate'"):
        family_named("gate")


def test_only_rbf_kernels_tilt_their_inputs() -> None:
    _, rows = step()
    model = DeepGPLVM((1, 2), 5, (RBF() + Linear(), "rbf"), family="diagonal", max_iter=3)
    with pytest.raises(ValueError, match="tilted by the kernel are known for RBF alone, got Sum"):
        model.fit(rows)
