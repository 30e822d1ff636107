"""What a training run is made of: phases, a problem, where it stands and how its starts ended.

All are values; nothing here knows a particular model or an optimiser's steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float
from sklearn.utils import check_random_state

from gplvm_core.numerics import Array
from gplvm_core.optimise import Optimiser, Result, State
from gplvm_core.parameters import Layout


@dataclass(frozen=True)
class Phase:
    """A stretch of training with the same scales: at most so many iterations, and at most this
    share of max_iter.

    ratio: σ_f²/σ² of the layers that end in data is held there; None: free. hidden_noise_held: the
    layers that end in another's inputs keep the noise variance that they started with. optimiser:
    this one instead of the training's. once: as the last phase it is not entered again.
    """

    name: str
    most: int
    share: float = 1.0
    ratio: float | None = None
    hidden_noise_held: bool = False
    optimiser: Optimiser[Any] | None = None
    once: bool = False

    @property
    def held(self) -> tuple[float | None, bool]:
        """Phases that hold the same have the same objective."""
        return self.ratio, self.hidden_noise_held


@dataclass(frozen=True)
class Evaluated:
    """A bound in internal units (nats), its gradient shaped like the parameters, and the noise."""

    bound: float
    gradient: Any
    noise_variance: float


class Problem(Protocol):
    """What a model is to its training."""

    @property
    def phases(self) -> Sequence[Phase]:
        """In order; the last is entered again, with fresh scales, until nothing is gained."""

    @property
    def recipes(self) -> tuple[str, ...]:
        """Names of the ways to start, of which consecutive starts take the next; ("",): one way."""

    def start(self, seed: int, recipe: str = "") -> Any:
        """Parameters (a tree) to start from; "": by the first recipe."""

    def entering(self, parameters: Any, phase: Phase) -> Any:
        """What a phase starts from, where the last one ended with these parameters."""

    def layout(self, anchor: Any, phase: Phase) -> Layout:
        """Which parameters are free in a phase that starts at the anchor, and their scales."""

    def evaluate(self, parameters: Any, phase: Phase) -> Evaluated:
        """Bound and gradient; raises NotPositiveDefiniteError where there is none."""

    def describe(self, parameters: Any) -> tuple[Array, Array, Array]:
        """(relevance, information, latent mean) of parameters, for progress."""

    def notes(self, seed: int) -> tuple[str, ...]:
        """What had to be decided for the user at the start."""

    def verdicts(self, parameters: Any) -> tuple[str, ...]:
        """How each of several layers is, in words, for progress; it costs an evaluation."""


@dataclass(frozen=True)
class Trace:
    """One entry per accepted iteration; bounds in nats, of the data as given."""

    bound: Float[Array, " T"]
    seconds: Float[Array, " T"]
    evaluations: Float[Array, " T"]
    phase: tuple[str, ...]

    @classmethod
    def empty(cls) -> "Trace":
        return cls(np.empty(0), np.empty(0), np.empty(0), ())

    def then(self, bound: float, seconds: float, evaluations: int, phase: str) -> "Trace":
        return Trace(
            np.append(self.bound, bound),
            np.append(self.seconds, seconds),
            np.append(self.evaluations, float(evaluations)),
            (*self.phase, phase),
        )

    def arrays(self) -> dict[str, Any]:
        """The columns by name."""
        return {
            "bound": self.bound,
            "seconds": self.seconds,
            "evaluations": self.evaluations,
            "phase": np.array(self.phase, dtype=str),
        }


@dataclass(frozen=True)
class Restart:
    """How a start ended: the seed of its inducing inputs, its bound, why it stopped, and by which
    recipe it was made ("" where there is one way alone).
    """

    seed: int
    bound: float
    result: Result
    recipe: str = ""


@dataclass(frozen=True)
class Trained:
    """A start that was trained to its end, with all that was found."""

    restart: Restart
    parameters: Any
    trace: Trace


@dataclass(frozen=True)
class Run:
    """Where training stands: from the same run, the same numbers follow."""

    seeds: tuple[int, ...]
    phase: int
    anchor: Any  # parameters at the start of the phase: they fix its scales
    optimiser: State
    iterations: int  # of this start, before this optimiser's
    evaluations: int
    rejected: int
    entered: int  # iterations of this start, before this phase
    entry_bound: float  # at the start of the phase
    seconds: float
    trace: Trace
    budget: int  # the max_iter it is run under
    done: tuple[Trained, ...] = ()
    views: tuple[str, ...] | None = None  # the data's, () for one table; None: not known
    recipes: tuple[str, ...] = ()  # of the seeds; (): a file of a version without them

    @property
    def total_iterations(self) -> int:
        return self.iterations + self.optimiser.iteration

    def with_recipes(self, names: tuple[str, ...]) -> "Run":
        """The run with the recipe of every start, which older versions chose by the seed."""
        if self.recipes:
            return self
        recipes = {seed: names[seed % len(names)] for seed in self.seeds}
        done = tuple(
            replace(each, restart=replace(each.restart, recipe=recipes[each.restart.seed]))
            for each in self.done
        )
        return replace(self, recipes=tuple(recipes[seed] for seed in self.seeds), done=done)

    def check_views(self, views: tuple[str, ...]) -> None:
        """ValueError unless the data's views are those of the run, in its order (None: unknown)."""
        if self.views is not None and self.views != views:
            raise ValueError(
                f"the run to resume was of {_in_words(self.views)}; got {_in_words(views)}. "
                "Give the data that it was made with, or train without resume"
            )


def _in_words(views: tuple[str, ...]) -> str:
    return f"the views {', '.join(views)} in this order" if views else "one table"


def seeds_for(random_state: Any, n_restarts: int, n_recipes: int = 1) -> tuple[int, ...]:
    """One seed a start, drawn by a random_state: every recipe `n_restarts` times.

    The starts that follow one drawn seed take one recipe each, and consecutive seeds.
    """
    if n_restarts < 1:
        raise ValueError(f"n_restarts must be at least 1; got {n_restarts}")
    drawn = as_random_state(random_state).randint(2**31 - 1, size=n_restarts)
    firsts = (int(seed) // n_recipes * n_recipes for seed in drawn)
    return tuple(first + at for first in firsts for at in range(n_recipes))


def as_random_state(random_state: Any) -> np.random.RandomState:
    """What scikit-learn takes (None, a seed, a RandomState), or a Generator, which seeds one."""
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(int(random_state.integers(2**31)))
    return check_random_state(random_state)
