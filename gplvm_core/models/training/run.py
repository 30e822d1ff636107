"""The parts of a training run: phases, a problem, the run's state and the results of its starts.

All are immutable values, independent of the model and the optimiser.

Also here: the total work of a training, from which progress computes the fraction done.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float
from sklearn.utils import check_random_state

from gplvm_core.numerics import Array, NotPositiveDefiniteError
from gplvm_core.optimise import LBFGSState, Result
from gplvm_core.parameters import Layout

# n_restarts="auto": a table of at most FEW_ROWS rows has STARTS starts, each with the fraction HEAT
# of the iterations; the best start continues.
FEW_ROWS, STARTS, HEAT = 1000, 4, 0.25
# time_kernel="auto": every start has this fraction of the iterations, and at least this number; the
# best one continues.
KERNEL_HEAT, LEAST_HEAT = 0.15, 20
# Problems raise these errors at parameters where the bound cannot be computed.
NUMERICAL = NotPositiveDefiniteError, np.linalg.LinAlgError, FloatingPointError


@dataclass(frozen=True)
class Phase:
    """A part of training with fixed scales.

    most: the largest number of iterations. share: the largest fraction of max_iter. ratio: fixes
    σ_f²/σ² of the layers that end in data; None: free. hidden_noise_held: hidden layers do not
    change their noise variance.
    """

    name: str
    most: int
    share: float = 1.0
    ratio: float | None = None
    hidden_noise_held: bool = False

    @property
    def held(self) -> tuple[float | None, bool]:
        """What the phase holds fixed; phases that hold the same parameters fixed have the same
        objective.
        """
        return self.ratio, self.hidden_noise_held


@dataclass(frozen=True)
class Evaluated:
    """A bound in internal units (nats), its gradient in the shape of the parameters, the noise,
    and the marginals of q at the nodes of a graph.
    """

    bound: float
    gradient: Any
    noise_variance: float
    nodes: tuple[Any, ...] = ()


class Problem(Protocol):
    """The interface of a model's training problem."""

    @property
    def phases(self) -> Sequence[Phase]:
        """The phases in order. The last phase is repeated, with new scales, until the bound no
        longer improves.
        """

    @property
    def recipes(self) -> tuple[str, ...]:
        """Names of the recipes, which consecutive starts use in turn; ("",) if there is
        only one.
        """

    def start(self, seed: int, recipe: str = "") -> Any:
        """Parameters (a tree) to start from; "": the first recipe."""

    def entering(self, parameters: Any, phase: Phase, ask: Callable[[], None] | None = None) -> Any:
        """The parameters at the start of a phase, made from those at the end of the last phase.

        ask: called before every evaluation; an exception that it raises ends the work.
        """

    def layout(self, anchor: Any, phase: Phase) -> Layout:
        """The free parameters of a phase that starts at the anchor, with their scales."""

    def evaluate(self, parameters: Any, phase: Phase) -> Evaluated:
        """Bound and gradient; raises NotPositiveDefiniteError if they cannot be computed."""

    @property
    def n_rows(self) -> int:
        """The number of rows of the data."""

    def describe(self, parameters: Any, at: Evaluated) -> tuple[Array, Array, Array]:
        """(relevance, information, latent mean) of evaluated parameters, for progress."""

    def notes(self, seed: int) -> tuple[str, ...]:
        """Notes for the user on automatic choices at the start."""

    def verdicts(self, parameters: Any) -> tuple[str, ...]:
        """The state of each of several layers, in words, for progress reports; costs an
        evaluation.
        """


@dataclass(frozen=True)
class Trace:
    """The course of training, with one entry per accepted iteration; bounds are in nats, for the
    data in their original units.
    """

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
    """The result of a start: its seed, bound, reason for stopping, and recipe.

    The recipe is "" if there is only one way to start.
    """

    seed: int
    bound: float
    result: Result
    recipe: str = ""


@dataclass(frozen=True)
class Trained:
    """A completely trained start, with its parameters and trace."""

    restart: Restart
    parameters: Any
    trace: Trace


# The settings on which the parameters depend: names and values in words.
Settings = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Run:
    """The state of training; resuming from equal states gives equal numbers."""

    seeds: tuple[int, ...]
    phase: int
    anchor: Any  # parameters at the start of the phase, which determine its scales
    optimiser: LBFGSState
    iterations: int  # seconds of this start before the present optimiser state
    evaluations: int
    rejected: int
    entered: int  # iterations of this start before this phase
    entry_bound: float  # at the start of the phase
    seconds: float
    trace: Trace
    budget: int  # the max_iter of this run
    done: tuple[Trained, ...] = ()
    views: tuple[str, ...] = ()  # names of the data's views; (): one table
    recipes: tuple[str, ...] = ()  # one for each seed
    limit: int = 0  # every start pauses after this number of iterations; 0: no start pauses
    leader: "Run | None" = None  # the best of the paused starts, without the results before it
    failure: str = ""  # the numerical error that ended this start; "": none
    n_rows: int = 0  # of the data; 0: unknown
    settings: Settings = ()  # of the model; (): unknown
    # A digest of the map and of the files whose rows are streamed after training, and their sums.
    streamed: tuple[str, Any] | None = None

    @property
    def total_iterations(self) -> int:
        return self.iterations + self.optimiser.iteration

    def check(self, views: tuple[str, ...], n_rows: int, settings: Settings) -> None:
        """Raise ValueError unless the data have the run's views in the same order, and as many
        rows, and the model has the run's settings.
        """
        if self.n_rows and n_rows and self.n_rows != n_rows:
            raise ValueError(
                f"the run to resume was of {self.n_rows:,} rows; got {n_rows:,}. Pass the same "
                "data as in that run, or train without resume"
            )
        if self.views != views:
            raise ValueError(
                f"the run to resume was of {_in_words(self.views)}; got {_in_words(views)}. "
                "Pass the same data as in that run, or train without resume"
            )
        own = dict(settings)
        for name, before in self.settings:
            if own.get(name, before) != before:
                raise ValueError(
                    f"the run to resume was of a model with {name}={before}; this one has "
                    f"{name}={own[name]}. Use the same settings and data as in that run, or train "
                    "without resume"
                )


def _in_words(views: tuple[str, ...]) -> str:
    return f"the views {', '.join(views)} in this order" if views else "one table"


def failures_in_words(restarts: Sequence[Restart]) -> tuple[str, ...]:
    """Notes on the starts that a numerical error ended."""
    return tuple(
        f"{f'start {at} of {len(restarts)}: ' if len(restarts) > 1 else ''}{each.result.reason}; "
        + (
            f"its last good state, after {each.result.iterations} iterations, is kept"
            if each.result.iterations
            else "it made no iteration"
        )
        for at, each in enumerate(restarts, 1)
        if each.result.failure
    )


def seeds_for(random_state: Any, n_restarts: int, n_recipes: int = 1) -> tuple[int, ...]:
    """One seed per start, so that every recipe has `n_restarts` starts.

    n_restarts numbers are drawn with random_state. Each is rounded down to a multiple of n_recipes,
    and starts a block of consecutive seeds, one for each recipe.
    """
    if n_restarts < 1:
        raise ValueError(f"n_restarts must be at least 1; got {n_restarts}")
    drawn = as_random_state(random_state).randint(2**31 - 1, size=n_restarts)
    firsts = (int(seed) // n_recipes * n_recipes for seed in drawn)
    return tuple(first + at for first in firsts for at in range(n_recipes))


def as_random_state(random_state: Any) -> np.random.RandomState:
    """A RandomState from scikit-learn's options (None, a seed, a RandomState) or a Generator."""
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(int(random_state.integers(2**31)))
    return check_random_state(random_state)


# The approximate cost of placing a row, in training steps of one row. While rows are placed, the
# remaining time is estimated from the speed of placing.
PLACING = 12.0


@dataclass(frozen=True)
class Work:
    """The work of a training, in steps of one row.

    stretches: the consecutive parts of a start, as pairs (last iteration, rows per step). after:
    rows to place or stream after all starts have ended. costs: of a step of each start, if they
    differ; (): 1. If starts are short, the dearest one is expected to continue.
    """

    stretches: tuple[tuple[float, float], ...] = ((float("inf"), 1.0),)
    after: int = 0
    costs: tuple[float, ...] = ()

    def steps(self, iterations: int) -> float:
        """The work of the first iterations of a start."""
        found, before = 0.0, 0.0
        for until, rows in self.stretches:
            found += rows * max(0.0, min(iterations, until) - before)
            before = until
        return found

    def training(self, starts: int, max_iter: int, heat: int = 0) -> float:
        """Training's fraction of the total work."""
        return self.share(starts, max_iter, starts - 1, max_iter, heat)

    def share(
        self, starts: int, max_iter: int, ended: int, iterations: int, heat: int = 0
    ) -> float:
        """The fraction done after `ended` starts and `iterations` of the next one.

        heat: if positive, every start makes this number of iterations, and only one start
        continues.
        """
        longest = self.steps(max_iter)
        short = self.steps(min(heat, max_iter)) if heat else longest
        costs = ((self.costs or (1.0,)) * starts)[:starts]
        most = max(costs) * (longest - short)  # of the start that continues
        own = self.steps(iterations)
        done = sum(costs[:ended]) * short + costs[ended] * min(own, short)
        done += max(costs) * max(own - short, 0.0)
        return min(1.0, done / (sum(costs) * short + most + PLACING * self.after))


# The work if every step costs the same and no rows are placed afterwards.
EVEN = Work()
