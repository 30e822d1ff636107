"""What deep models may be built of: inputs with gaps, and how their starts are chosen."""

import numpy as np
import pytest

from gplvm_core import RBF, DeepGP, SemiDescribedGPRegression
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.problems import regression
from gplvm_core.models.problems.deep import chain
from gplvm_core.models.problems.deep_inputs import imputed
from gplvm_core.models.problems.deep_starts import InTurn
from gplvm_core.models.problems.graph import Begun, Given
from gplvm_core.models.problems.inputs import InputNode
from gplvm_core.models.training.run import Run, Trained
from gplvm_core.models.training.schedule import Training
from gplvm_core.optimise import Progress
from gplvm_core.statistics import Targets
from gplvm_core.statistics.executors import serial

QUICK = {"max_iter": 8, "random_state": 0}


@pytest.fixture
def quick_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shallow regression that training starts from need not be a good one."""
    monkeypatch.setattr(regression, "SUBSET_ITERATIONS", 1)
    monkeypatch.setattr(regression, "SUBSET", 10)


def test_a_longer_run_goes_on_with_a_start_that_is_sound() -> None:
    """Not with the one of the higher bound, whose hidden layer fits single points."""
    points = np.linspace(-1.5, 1.5, 12)[:, None]
    inputs, targets = Inputs.of(points, None), Targets.of(np.sign(np.sin(6.0 * points)))

    def begun(hidden: np.ndarray, lengthscale: float) -> Given:
        layers = tuple(Layer(RBF(1.0, np.full(1, at)), points, 1e-3) for at in (lengthscale, 1.0))
        return Given(Begun((inputs.belief, Belief(hidden, np.full((12, 1), 1e-3))), layers))

    begin = InTurn((begun(points, 2.0), begun(np.sin(6.0 * points), 0.25)))
    settings = {"family": "marginalised", "jitter": 1e-6, "run": serial}
    graph = chain(InputNode(inputs), targets, begin, 1, **settings)
    told = list[Run]()

    def train(max_iter: int, resume: Run | None = None) -> tuple[Trained, ...]:
        def worth(each: Trained):
            return DeepGP()._worth(graph, each)

        def watch(progress: Progress) -> None:
            told.append(progress.run)

        training = Training(graph, "lbfgs", max_iter, 1e-6, 0.0, (), worth)
        return training.run((0, 1), watch, resume)

    tame, wild = (each.restart for each in train(1))
    assert wild.bound > tame.bound
    last, went_on = (each.restart for each in train(2, told[-1]))
    assert (last.seed, went_on.seed) == (wild.seed, tame.seed)
    assert last.result.iterations == 1 and went_on.result.iterations == 2


def gappy(n_points: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, the same with gaps, and outputs that tell both of them."""
    generator = np.random.default_rng(1)
    x = generator.uniform(-1.0, 1.0, (n_points, 2))
    y = np.column_stack([np.tanh(6.0 * x[:, 0]), x[:, 1] + 0.3 * x[:, 0]])
    gaps = x.copy()
    gaps[generator.random(n_points) < 0.5, 1] = np.nan
    gaps[generator.random(n_points) < 0.2, 0] = np.nan
    return x, gaps, y + 0.05 * generator.normal(size=y.shape)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rows_that_miss_inputs_tell_something() -> None:
    x, gaps, y = gappy(30)
    every = DeepGP((2,), 8, max_iter=12, random_state=0).fit(gaps, y)
    assert np.abs(every.predict(x) - y).mean() < 0.2 * y.std()
    # The outputs say where missing inputs lie; inputs that are known stay where they are.
    inputs = every.input_center_ + every.input_scale_ * every.layers_[0].latent_mean_
    seen = ~np.isnan(gaps).all(axis=1)
    missing = np.isnan(gaps[seen])
    np.testing.assert_allclose(inputs[~missing], gaps[seen][~missing])
    assert np.abs(inputs - x[seen])[missing].mean() < 0.5 * x.std()
    assert any("rows have no input: they are left out" in note for note in every.notes_)
    # A new input that is missing is averaged over.
    new = np.array([[0.5, 0.2], [0.5, np.nan]])
    _, std = every.predict(new, return_std=True)
    assert std[1, 1] > 2.0 * std[0, 1]


@pytest.mark.usefixtures("quick_starts")
def test_missing_inputs_as_the_shallow_regression_has_them() -> None:
    """The same rows kept, the same words about them; with nothing missing, nothing is imputed."""
    _, gaps, y = gappy(12)
    for lost in (0, 11):
        gaps[:lost, 1] = np.nan
        with pytest.warns(UserWarning) as ours:
            DeepGP((1,), 5, **QUICK).fit(gaps, y)
        with pytest.warns(UserWarning) as theirs:
            SemiDescribedGPRegression(5, **QUICK).fit(gaps, y)
        for told in theirs:
            assert str(told.message) in [str(each.message) for each in ours]
    known = Inputs.of(np.ones((12, 2)), None)
    assert imputed(known, y, 5, 1e-6, serial) is known
