"""What every model that is trained iteratively shares: settings, fit, restarts, results."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Self

from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.models.data.scaling import (
    Noise,
    Scaling,
    gaps_in_words,
    observed_counts,
    units_for,
)
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.problems.many_rows import Sampled
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.training.run import Problem, Run, Trained, seeds_for
from gplvm_core.models.training.schedule import STOPPED, Training, check_settings
from gplvm_core.models.training.watched import Watched
from gplvm_core.models.training.work import EVEN
from gplvm_core.numerics import Array, Place
from gplvm_core.optimise import Progress
from gplvm_core.statistics import Executor, executor


class Trainable:
    """An estimator that is trained from one or several starts."""

    max_iter: int
    n_restarts: int
    jitter: float
    optimiser: Literal["lbfgs", "scg"]
    random_state: int | None

    def _train(
        self,
        problem: Problem,
        offset: float,
        callback: Callable[[Progress], None] | None,
        resume: Run | None,
        views: tuple[str, ...] = (),
    ) -> tuple[Any, int]:
        """Parameters of the best start (of many rows completed), and the first start's seed.

        offset, views: see Training. A stop while rows are placed is one of training.
        """
        seeds = self._seeds(problem) if resume is None else resume.seeds

        def worth(each: Trained) -> Any:
            return self._worth(problem, each)

        settings = self.optimiser, self.max_iter, self.jitter, offset, views
        watched = callback if isinstance(callback, Watched) else Watched(callback)
        sampled = problem if isinstance(problem, Sampled) else None
        work = sampled.work(self.max_iter) if sampled else EVEN
        watched.share, watched.ahead = work.training(len(seeds), self.max_iter), work.after
        training = Training(problem, *settings, worth, work)
        trained = training.run(seeds, callback and watched, resume)
        best = max(trained, key=worth)
        self.restarts_ = tuple(each.restart for each in trained)
        self.result_, self.trace_ = best.restart.result, best.trace.arrays()
        if sampled is None:
            return best.parameters, seeds[0]
        completed = sampled.completed(best.parameters, watched.rows)
        if watched.stopped:
            self._stopped()
        return completed, seeds[0]

    def _stopped(self) -> None:
        """Training was stopped by the caller, if only while rows followed it."""
        before, (status, reason) = self.result_, STOPPED
        self.result_ = replace(before, status=status, reason=reason)
        self.restarts_ = tuple(
            replace(each, result=self.result_) if each.result is before else each
            for each in self.restarts_
        )

    def _seeds(self, problem: Any) -> tuple[int, ...]:
        """One for each start."""
        return seeds_for(self.random_state, self.n_restarts, len(problem.recipes))

    def _worth(self, problem: Any, trained: Trained) -> Any:
        """By what the best of several starts is chosen."""
        return trained.restart.bound


class TrainedModel(Trainable, LatentVariableModel):
    """A model with latent points, and one layer or several (_layered: settings with one each)."""

    _layered: tuple[str, ...] = ()
    n_components: Any
    n_inducing: Any
    kernel: Any
    init: str | ArrayLike
    scaling: Literal["global", "columns", "none"]
    n_jobs: int | None
    noise: Noise

    def fit(
        self,
        Y: ArrayLike,
        y: Any = None,
        *,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train on outputs Y (N × D), NaN for missing ones. `y` is ignored.

        callback(progress) is called after every accepted iteration; StopIteration raised in it
        ends training with the best state so far. resume: a `progress.run` to go on from, with
        the same data and settings (a larger max_iter goes on for longer).
        Y may be an array of PyTorch or CuPy: the sums over its rows are made there, on its device,
        which must have float64; what is found is NumPy's.
        """
        check_settings(self, layered=self._layered)
        place = Place.of(Y)
        targets, scaling = self._training_data(Y, units_for(self.scaling, self.noise))
        begin = self._begin(targets)
        with executor(self.n_jobs, place) as run:
            problem = self._problem(begin, run)
            offset = scaling.log_jacobian(observed_counts(targets))
            parameters, seed = self._train(problem, offset, callback, resume)
            notes = self._settle(problem, parameters, targets, scaling)
        self._note(scaling.notes + problem.notes(seed) + notes)
        self.notes_ += gaps_in_words(targets)
        return self

    def _begin(self, targets: Float[Array, "N D"]) -> Any:
        """Where training starts."""
        n_inducing = self._n_inducing(len(targets))
        return Start((targets,), self.n_components, n_inducing, (self.kernel,), self.init)

    def _n_inducing(self, n_points: int) -> int:
        """How many inducing inputs to start with."""
        return n_points if self.n_inducing is None else self.n_inducing

    def _problem(self, begin: Any, run: Executor) -> Any:
        """What training is to maximise: a graph, or another problem with notes on its start."""
        raise NotImplementedError

    def _settle(
        self, problem: Any, parameters: Any, targets: Float[Array, "N D"], scaling: Scaling
    ) -> tuple[str, ...]:
        """Fitted attributes from the parameters that training ended with; notes on them."""
        raise NotImplementedError
