"""Iterative training, shared by the estimators: starts, `fit` and the fitted attributes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Literal, Self, TypeVar, cast

from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.models.data.scaling import (
    AUTO,
    How,
    Noise,
    Scaling,
    gaps_in_words,
    noise_for,
    noise_in_words,
    observed_counts,
    units_for,
)
from gplvm_core.models.data.timeline import (
    checked_sequences,
    checked_timeline,
    timeline_notes,
)
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.second_stage import UNUSED, in_two_stages
from gplvm_core.models.estimators.settings import check_settings
from gplvm_core.models.problems.encoded import EncodedNode, at_outputs
from gplvm_core.models.problems.graph import Graph, Learnt, Recipes
from gplvm_core.models.problems.kinds import KindsStart
from gplvm_core.models.problems.many_rows import Rows, Sampled
from gplvm_core.models.problems.more_inducing import MoreInducing, more_inducing
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.problems.starts import FewDimensions, Start
from gplvm_core.models.training.run import (
    FEW_ROWS,
    HEAT,
    STARTS,
    Problem,
    Run,
    Trained,
    failures_in_words,
    seeds_for,
)
from gplvm_core.models.training.schedule import STOPPED, Training
from gplvm_core.models.training.watched import Watched
from gplvm_core.models.training.work import EVEN
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.prediction.intervals import Intervals
from gplvm_core.priors.encoder import Encoder
from gplvm_core.statistics import Executor, executor_for

# Starts that are easier to train, by name, and the number of dimensions of the first.
TWO, LINEAR, FEW = "two dimensions", "linear kernel", 2
SIMPLE = {TWO: "two dimensions", LINEAR: "a linear kernel"}

Callback = Callable[[Progress], None]
Fit = TypeVar("Fit", bound=Callable[..., Any])


@dataclass(frozen=True)
class Ended:
    """The problem of all rows, and the final parameters of the best start.

    trained_rows: the rows that training used (None: all). notes: sentences about the other rows.
    trained_problem: the problem of the trained rows. seed: the seed of the first start. failures:
    notes on starts that a numerical error ended.
    """

    problem: Any
    parameters: Any
    trained_rows: Rows | None
    notes: tuple[str, ...]
    trained_problem: Problem
    seed: int
    failures: tuple[str, ...]

    @property
    def start_notes(self) -> tuple[str, ...]:
        """Notes on automatic choices at the start of training, and on failed starts."""
        return self.trained_problem.notes(self.seed) + self.failures

    @property
    def encoder(self) -> Encoder | None:
        """The encoder, q(X) as a function of the outputs; None if the model has no encoder."""
        node = self.problem.nodes[0]
        return node.encoder(self.parameters.nodes[0]) if isinstance(node, EncodedNode) else None

    def learnt(self, targets: tuple[Array, ...]) -> Learnt:
        """Posteriors of the nodes and layers at these parameters."""
        found: Learnt = self.problem.learnt(self.parameters, targets)
        return found


class Trainable:
    """An estimator that is trained from one or several starts.

    Attributes
    ----------
    restarts_ : tuple of Restart
        For each start its seed, its final bound in nats, and how its training ended.
    more_inducing_ : MoreInducing or None
        The rise of the bound at once with twice as many inducing inputs (None: not computed).
    """

    max_iter: int
    n_restarts: Any
    jitter: float
    random_state: Any
    time_kernel: Any = None
    times_: Any
    sequences_: Any
    path_: Any
    time_kernel_: Any
    intervals_: Intervals | None
    more_inducing_: MoreInducing | None

    def _train(
        self,
        problem: Problem,
        offset: float,
        callback: Callback | None,
        resume: Run | None,
        views: tuple[str, ...] = (),
    ) -> Ended:
        """Train all starts; return the end of the best start, extended to all rows.

        If the caller stops while rows are placed, training counts as stopped. offset, views: see
        Training.
        """
        seeds, heat = self._starts(problem)
        seeds = seeds if resume is None else resume.seeds

        def worth(each: Trained) -> Any:
            return self._worth(problem, each)

        settings = self.max_iter, self.jitter, offset, views
        watched = callback if isinstance(callback, Watched) else Watched(callback)
        sampled = problem if isinstance(problem, Sampled) else None
        work = sampled.work(self.max_iter) if sampled else EVEN
        watched.share = work.training(len(seeds), self.max_iter, heat)
        watched.ahead = work.after
        further = problem.further if isinstance(problem, Graph) else lambda done: ()
        # The early end was measured only for maps of one table of numbers.
        rows = 0
        if type(problem) is Graph and len(problem.edges) == 1:
            rows = problem.n_rows if type(problem.nodes[0]) is LatentNode else 0
        training = Training(problem, *settings, worth, work, heat, further, rows)
        trained = training.run(seeds, callback and watched, resume)
        best = max(trained, key=worth)
        self.restarts_ = tuple(each.restart for each in trained)
        self.result_, self.trace_ = best.restart.result, best.trace.arrays()
        failures = failures_in_words(self.restarts_)
        if isinstance(problem, Graph):
            failures += starts_in_words(problem, trained, best)
        self.more_inducing_ = (
            more_inducing(problem, best.parameters, best.restart.seed)
            if isinstance(problem, Graph)
            else None
        )
        whole_run = problem, seeds[0], failures
        if sampled is None:
            return Ended(problem, best.parameters, None, (), *whole_run)
        found = sampled.completed(best.parameters, watched.rows)
        if watched.stopped:
            self._stopped()
        return Ended(found.problem, found.parameters, found.trained, found.notes, *whole_run)

    def _stopped(self) -> None:
        """Record that the caller stopped training, or stopped the placement of rows."""
        before, (status, reason) = self.result_, STOPPED
        self.result_ = replace(before, status=status, reason=reason)
        self.restarts_ = tuple(
            replace(each, result=self.result_) if each.result is before else each
            for each in self.restarts_
        )

    def _starts(self, problem: Any) -> tuple[tuple[int, ...], int]:
        """The seeds of the starts, and the number of iterations after which only the best start
        continues.

        This number is 0 if all starts make all iterations.
        """
        recipes = len(problem.recipes)
        if self.n_restarts != "auto":
            return seeds_for(self.random_state, self.n_restarts, recipes), 0
        if not (isinstance(problem, Graph) and problem.n_rows <= FEW_ROWS):
            return seeds_for(self.random_state, 1, recipes), 0
        seeds = seeds_for(self.random_state, max(1, STARTS // recipes), recipes)
        return seeds, math.ceil(HEAT * self.max_iter) if len(seeds) > 1 else 0

    def _worth(self, problem: Any, trained: Trained) -> Any:
        """The criterion that selects the best start."""
        return trained.restart.bound

    def _take_times(
        self, times: ArrayLike | None, sequences: ArrayLike | None, count: int
    ) -> tuple[str, ...]:
        """Store the times and sequences of the rows if the model has a kernel over time.

        Otherwise, the map ignores times and sequences, and a note is returned. The calibration and
        the forecaster of an earlier fit are deleted. Raises DataError for sequences that do not
        match the rows.
        """
        for learnt in ("intervals_", "forecaster_"):
            vars(self).pop(learnt, None)  # the class attribute is None
        self.times_, self.sequences_, self.path_, self.time_kernel_ = None, None, None, None
        if self.time_kernel is not None:
            self.times_, self.sequences_ = checked_timeline(times, sequences, count)
        elif not (times is None and sequences is None):
            if sequences is not None:
                checked_sequences(sequences, count)
            return (UNUSED,)
        return ()

    def _take_path(self, ended: Ended) -> tuple[str, ...]:
        """Store the trained path, if any; return notes on problems with its times."""
        node, own = ended.problem.nodes[0], ended.parameters.nodes[0]
        if not isinstance(node, PathNode):
            return ()
        self.path_, self.time_kernel_ = node.path(own), own.kernel
        return timeline_notes(self.times_, self.sequences_, own.kernel)


def starts_in_words(problem: Graph, trained: Sequence[Trained], best: Trained) -> tuple[str, ...]:
    """A note if a simpler start was taken, or if no start found structure."""
    tried = [SIMPLE[each] for each in SIMPLE if each in {own.restart.recipe for own in trained}]
    if not tried:
        return ()
    if problem.further(trained):
        return (
            f"all latent dimensions are off, also after starts with {' and with '.join(tried)}: "
            "the map shows no structure",
        )
    if best.restart.recipe not in SIMPLE:
        return ()
    usual = max(own.restart.bound for own in trained if own.restart.recipe not in SIMPLE)
    return (
        f"training took the start with {SIMPLE[best.restart.recipe]}: its bound is "
        f"{best.restart.bound:.1f}, that of the usual start {usual:.1f}",
    )


def whole(fit: Fit) -> Fit:
    """Wrap a fit so that an error leaves the model unchanged."""

    @wraps(fit)
    def fit_or_restore(model: Any, *data: Any, **options: Any) -> Any:
        before = dict(vars(model))
        try:
            return fit(model, *data, **options)
        except BaseException:
            vars(model).clear()
            vars(model).update(before)
            raise

    return cast(Fit, fit_or_restore)


class TrainedModel(Trainable, LatentVariableModel):
    """A model of one table with latent points, of one layer or several."""

    n_components: Any
    n_inducing: Any
    kernel: Any
    init: str | ArrayLike
    scaling: How
    n_jobs: int | None
    noise: Noise | Literal["auto"]

    @in_two_stages
    def fit(
        self,
        Y: ArrayLike,
        y: Any = None,
        *,
        callback: Callback | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train the model.

        Parameters
        ----------
        Y : array_like of shape (N, D)
            Outputs; NaN marks missing values. Arrays of PyTorch and CuPy are converted to NumPy.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range.
        DataError
            If Y is not suitable for training, for example because every column is constant.
        """
        return self._fit(Y, None, None, callback, resume)

    @whole
    def _fit(
        self,
        Y: ArrayLike,
        times: ArrayLike | None,
        sequences: ArrayLike | None,
        callback: Callback | None,
        resume: Run | None,
        further: int = 0,
    ) -> Self:
        """Train the model; further: the number of rows of files that are streamed afterwards."""
        check_settings(self)
        self.density_ = None
        targets, scaling = self._training_data(Y, units_for(self.scaling, self.noise))
        own = "shared" if self.noise == AUTO and self._one_noise else self.noise
        self._noise = noise_for(own, scaling)
        times, sequences, ignored = self._path_inputs(times, sequences, targets)
        unused = self._take_times(times, sequences, len(targets)) + ignored
        begin = self._begin(targets)
        few = self.n_restarts == "auto" and len(targets) <= FEW_ROWS
        several = few and isinstance(self.init, str) and self.init == "pca"
        with executor_for(self.n_jobs) as executor:
            problem = self._problem(begin, executor, further)
            pca = isinstance(begin, Start | KindsStart)
            if isinstance(problem, Graph) and pca and not at_outputs(problem.nodes):
                problem = replace(problem, begin=self._recipes(begin, problem, several))
            offset = scaling.log_jacobian(observed_counts(targets))
            ended = self._train(problem, offset, callback, resume)
            notes = self._settle(ended, targets, scaling, offset)
        self._note(scaling.notes + ended.start_notes + notes)
        self.notes_ += self._gaps(targets) + noise_in_words(self._noise, scaling) + unused
        return self

    def _recipes(self, begin: Start | KindsStart, problem: Graph, several: bool) -> Any:
        """The starts to choose from; several: whether there are several short starts.

        A table whose latent dimensions all switch off from the usual start may have structure all
        the same. Two dimensions and a linear kernel are easier to train.
        """
        simple: dict[str, Any] = {}
        if self.kernel == "rbf" and all(type(node) is LatentNode for node in problem.nodes):
            if self.n_components > FEW:
                simple[TWO] = FewDimensions(begin.narrow(FEW), self.n_components)
            simple[LINEAR] = begin.linear()
        if not (several or simple):
            return begin
        usual: dict[str, Any] = {"PCA" if several else "": begin}
        if several:
            usual["Isomap"] = begin.starting("isomap")
        if several and isinstance(begin, KindsStart):
            usual |= simple
        return Recipes(usual, simple)

    @property
    def _one_noise(self) -> bool:
        """Whether the settings require one noise variance for all outputs."""
        return False

    def _path_inputs(
        self, times: ArrayLike | None, sequences: ArrayLike | None, targets: Float[Array, "N D"]
    ) -> tuple[ArrayLike | None, ArrayLike | None, tuple[str, ...]]:
        """The inputs of the latent paths, the sequences, and notes on what is not used."""
        return times, sequences, ()

    def _gaps(self, targets: Float[Array, "N D"]) -> tuple[str, ...]:
        """A note on the treatment of missing outputs."""
        return gaps_in_words(targets)

    def _begin(self, targets: Float[Array, "N D"]) -> Any:
        """The function from a seed to the start of training."""
        count = len(targets) if self.n_inducing is None else self.n_inducing
        return Start((targets,), self.n_components, count, (self.kernel,), self.init)

    def _problem(self, begin: Any, executor: Executor, further: int) -> Any:
        """The training problem: a graph, or another problem with notes on its start."""
        raise NotImplementedError

    def _settle(
        self, ended: Ended, targets: Float[Array, "N D"], scaling: Scaling, offset: float
    ) -> tuple[str, ...]:
        """Set the fitted attributes; return notes. offset: added to the bound, in nats."""
        raise NotImplementedError
