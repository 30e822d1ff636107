"""Conditional families as a user meets them: trained in turn, told, saved, paused and resumed."""

import numpy as np
import pytest

from gplvm_core import RBF, DeepGP, DeepGPLVM, Linear, load, save
from gplvm_core.models.problems import regression
from gplvm_core.models.training.run import Run
from gplvm_core.optimise import Progress

FAMILIES = ["gated", "free", "diagonal"]
pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning")]


@pytest.fixture(autouse=True)
def quick_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shallow regression that training starts from need not be a good one."""
    monkeypatch.setattr(regression, "SUBSET_ITERATIONS", 1)
    monkeypatch.setattr(regression, "SUBSET", 10)


def step(n_points: int = 24) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    x = np.sort(generator.uniform(-1.0, 1.0, n_points))[:, None]
    y = np.sign(x[:, 0]) + 0.05 * generator.normal(size=n_points)
    return x, np.column_stack([y, x[:, 0], np.cos(3.0 * x[:, 0])])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_latent_chain(family: str, tmp_path) -> None:
    """Bound of the last phase, rows explained, files and resumed runs alike."""
    _, rows = step()
    settings = {"family": family, "max_iter": 24, "random_state": 0}
    stopped = list[Run]()

    def stop(progress: Progress) -> None:
        # In the last phase, where the belief has other parameters.
        stopped.append(progress.run)
        if progress.iteration == 20:
            raise StopIteration

    whole = DeepGPLVM((1, 2), 5, **settings).fit(rows)
    assert whole.trace_["phase"][-1] == "hidden layers conditioned"
    assert whole.bound_ == pytest.approx(whole.trace_["bound"][-1], rel=1e-6)
    DeepGPLVM((1, 2), 5, **settings).fit(rows, callback=stop)
    save(stopped[-1], tmp_path / "run")
    again = DeepGPLVM((1, 2), 5, **settings).fit(rows, resume=load(tmp_path / "run"))
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
def test_regression(family: str, tmp_path) -> None:
    x, rows = step()
    model = DeepGP((1, 1), 6, family=family, max_iter=30, random_state=0).fit(x, rows[:, 0])
    assert model.trace_["phase"][-1] == "hidden layers conditioned"
    model.save(tmp_path / "model.gplvm")
    mean, std = load(tmp_path / "model.gplvm").predict(x, return_std=True)
    np.testing.assert_array_equal(mean, model.predict(x))
    assert np.sqrt(np.mean((mean - rows[:, 0]) ** 2)) < 0.5 and (std > 0.0).all()
    draws = model.sample(x, 400, random_state=0, noise=False)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=5.0 * std.max() / np.sqrt(400))


def test_too_short_a_training_says_what_came_of_it() -> None:
    _, rows = step()
    model = DeepGPLVM((1, 2), 5, family="gated", max_iter=3, random_state=0).fit(rows)
    assert any("before the hidden layers were conditioned (gated)" in n for n in model.notes_)


def test_only_rbf_kernels_tilt_their_inputs() -> None:
    _, rows = step()
    model = DeepGPLVM((1, 2), 5, (RBF() + Linear(), "rbf"), family="diagonal", max_iter=3)
    with pytest.raises(ValueError, match="tilted by the kernel are known for RBF alone, got Sum"):
        model.fit(rows)
