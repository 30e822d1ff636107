"""Iterative training, shared by the estimators: starts, and `fit` of models of one table."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import Any, TypeVar, cast

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.kinds import missing_in_words
from gplvm_core.models.data.scaling import (
    AUTO,
    gaps_in_words,
    noise_for,
    noise_in_words,
    observed_counts,
    units_for,
)
from gplvm_core.models.data.timeline import (
    TIMES,
    checked_sequences,
    checked_timeline,
    inputs_from,
    over_times,
    timeline_notes,
)
from gplvm_core.models.estimators.kinds_trained import start_with_errors, training_table
from gplvm_core.models.estimators.second_stage import UNUSED
from gplvm_core.models.estimators.settings import check_settings
from gplvm_core.models.estimators.starts import (
    kernels_in_words,
    recipes_of,
    starts_in_words,
    starts_of,
)
from gplvm_core.models.problems.doctor import sound
from gplvm_core.models.problems.encoded import EncodedNode, at_outputs
from gplvm_core.models.problems.graph import Graph, Learnt
from gplvm_core.models.problems.kinds import KindsEdge
from gplvm_core.models.problems.many_rows import Rows, Sampled
from gplvm_core.models.problems.more_inducing import more_inducing
from gplvm_core.models.problems.nodes import LatentNode, Node
from gplvm_core.models.problems.paths import COSTS, PathNode
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.training.run import (
    EVEN,
    FEW_ROWS,
    Problem,
    Run,
    Settings,
    Trained,
    Work,
    failures_in_words,
)
from gplvm_core.models.training.schedule import STOPPED, Training
from gplvm_core.models.training.watched import Watched
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.priors.encoder import Encoder
from gplvm_core.priors.temporal import Timeline
from gplvm_core.statistics import executor_for

# The settings that a resumed run must have; the number of columns is known for a table.
DECISIVE = ("n_components", "n_inducing", "kernel", "time_kernel", "n_features_in_")

Callback = Callable[[Progress], None]
Fit = TypeVar("Fit", bound=Callable[..., Any])


@dataclass(frozen=True)
class Ended:
    """The problem of all rows, and the final parameters of the best start.

    trained_rows: the rows that training used (None: all). notes: sentences about the other rows.
    trained_problem: the problem of the trained rows. seed: the seed of the first start. failures:
    notes on starts that a numerical error ended. told: notes on choices, which need no warning.
    """

    problem: Any
    parameters: Any
    trained_rows: Rows | None
    notes: tuple[str, ...]
    trained_problem: Problem
    seed: int
    failures: tuple[str, ...]
    told: tuple[str, ...] = ()

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


def train(
    model: Any,
    problem: Problem,
    offset: float,
    callback: Callback | None,
    resume: Run | None,
    views: tuple[str, ...] = (),
    further: int = 0,
) -> Ended:
    """Train all starts; return the end of the best start, extended to all rows.

    If the caller stops while rows are placed, training counts as stopped. offset, views: see
    Training. further: the number of rows of files that are streamed afterwards.
    """
    seeds, heat = starts_of(model, problem)
    seeds = seeds if resume is None else resume.seeds

    by_worth = partial(worth, model, problem)
    settings = model.max_iter, model.jitter, offset, views
    watched = callback if isinstance(callback, Watched) else Watched(callback)
    sampled = problem if isinstance(problem, Sampled) else None
    even = Work(((math.inf, float(problem.n_rows)),), further) if further else EVEN
    work = sampled.work(model.max_iter) if sampled else even
    graph = problem if isinstance(problem, Graph) else None
    if graph and graph.time_kernels:
        kernels = map(graph.time_kernel_of, graph.recipes)
        work = replace(work, costs=tuple(COSTS[each] for each in kernels))
    watched.share = work.training(len(seeds), model.max_iter, heat)
    watched.ahead = work.after
    starts = graph.further if graph else lambda done: ()
    # The early end was measured only for maps of one table of numbers.
    rows = 0
    if type(problem) is Graph and len(problem.edges) == 1:
        rows = problem.n_rows if type(problem.nodes[0]) is LatentNode else 0
    edges = graph.edges if graph else ()
    errors = any(isinstance(own, KindsEdge) and own.given.errors is not None for own in edges)
    made = (*settings_of(model), ("errors", str(errors)))
    training = Training(problem, *settings, by_worth, work, heat, starts, rows, made)
    trained = training.run(seeds, callback and watched, resume)
    best = max(trained, key=by_worth)
    model.restarts_ = tuple(each.restart for each in trained)
    model.result_, model.trace_ = best.restart.result, best.trace.arrays()
    failures = failures_in_words(model.restarts_)
    model.more_inducing_ = None
    told: tuple[str, ...] = ()
    if graph:
        failures += starts_in_words(graph, trained, best)
        model.more_inducing_ = more_inducing(graph, best.parameters, best.restart.seed)
        told = kernels_in_words(graph, trained, best)
    whole_run = problem, seeds[0], failures
    if sampled is None:
        return Ended(problem, best.parameters, None, (), *whole_run, told)
    found = sampled.completed(best.parameters, watched.rows)
    if watched.stopped:
        mark_stopped(model)
    return Ended(found.problem, found.parameters, found.trained, found.notes, *whole_run)


def worth(model: Any, problem: Any, trained: Trained) -> Any:
    """The criterion that selects the best start.

    In models with hidden layers, a start that fits one to single points ranks below all others,
    because it may have the highest bound and predict badly.
    """
    bound = trained.restart.bound
    return (sound(problem, trained.parameters), bound) if model._ranks_sound else bound


def settings_of(model: Any) -> Settings:
    """The settings that decide which parameters there are, and the columns of a table, in words."""
    own = {name: getattr(model, name, None) for name in DECISIVE}
    known = getattr(model, "known_", None)
    own["known"] = None if known is None else known.mark
    return tuple((name, _in_words(value)) for name, value in own.items())


def _in_words(value: Any) -> str:
    """The words of a setting; equal settings have equal words, also in another process."""
    if isinstance(value, Mapping):
        return (
            f"{{{', '.join(sorted(f'{name}: {_in_words(own)}' for name, own in value.items()))}}}"
        )
    if isinstance(value, Kernel):
        parts = getattr(value, "parts", ())
        return f"{type(value).__name__.lower()}{_in_words(parts) if parts else ''}"  # as its name
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        return f"({', '.join(map(_in_words, value))})"
    return str(value)


def mark_stopped(model: Any) -> None:
    """Record that the caller stopped training, or stopped the placement of rows."""
    before, (status, reason) = model.result_, STOPPED
    model.result_ = replace(before, status=status, reason=reason)
    model.restarts_ = tuple(
        replace(each, result=model.result_) if each.result is before else each
        for each in model.restarts_
    )


def take_times(
    model: Any, times: ArrayLike | None, sequences: ArrayLike | None, count: int
) -> tuple[str, ...]:
    """Store the times and sequences of the rows if the model has states or a kernel over time.

    Otherwise, the map ignores times and sequences, and a note is returned. The calibration and
    the forecaster of an earlier fit are deleted. Raises DataError for sequences that do not
    match the rows.
    """
    for learnt in ("intervals_", "forecaster_"):
        vars(model).pop(learnt, None)  # the class attribute is None
    model.times_ = model.sequences_ = None
    if not model._can.timed:  # states follow a rule, without a kernel
        model.path_ = model.time_kernel_ = None
    if model._can.timed or getattr(model, "time_kernel", None) is not None:
        model.times_, model.sequences_ = checked_timeline(times, sequences, count)
    elif not (times is None and sequences is None):
        if sequences is not None:
            checked_sequences(sequences, count)
        return (UNUSED,)
    return ()


def take_path(model: Any, ended: Ended) -> tuple[str, ...]:
    """Store the trained path, if any; return notes on problems with its times."""
    node, own = ended.problem.nodes[0], ended.parameters.nodes[0]
    if not isinstance(node, PathNode):
        return ()
    model.path_, model.time_kernel_ = node.path(own), own.kernel
    return timeline_notes(model.times_, model.sequences_, own.kernel)


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


@whole
def fit_table(
    model: Any,
    Y: ArrayLike,
    times: ArrayLike | None,
    sequences: ArrayLike | None,
    callback: Callback | None,
    resume: Run | None,
    further: int = 0,
    errors: ArrayLike | None = None,
) -> None:
    """Train the model.

    further: the number of rows of files that are streamed afterwards. errors: the known errors of
    cells.
    """
    check_settings(model)
    model.density_ = None
    how = units_for(model.scaling, model.noise)
    targets, scaling, known, kinds = training_table(model, Y, how, errors)
    own = "shared" if model.noise == AUTO and model._one_noise else model.noise
    model._noise = noise_for(own, scaling)
    times, sequences, ignored = _path_inputs(model, times, sequences, targets)
    unused = take_times(model, times, sequences, len(targets)) + ignored
    begin = model._begin(targets)
    if known is not None:
        begin = start_with_errors(begin, model._columns, targets, known)
    few = model.n_restarts == "auto" and len(targets) <= FEW_ROWS
    several = few and isinstance(model.init, str) and model.init == "pca"
    with executor_for(model.n_jobs) as executor:
        problem = model._problem(begin, executor, further)
        pca = isinstance(begin, Start)
        if isinstance(problem, Graph) and pca and not at_outputs(problem.nodes):
            # Kernels over time are several starts already.
            several = several and not problem.time_kernels
            problem = replace(problem, begin=recipes_of(model, begin, problem, several))
        offset = scaling.log_jacobian(observed_counts(targets))
        ended = train(model, problem, offset, callback, resume, further=further)
        notes = model._settle(ended, targets, scaling, offset)
    model._note(scaling.notes + ended.start_notes + notes)
    columns = model._columns
    gaps = gaps_in_words(targets) if columns is None else missing_in_words(columns, targets)
    model.notes_ += gaps + kinds + noise_in_words(model._noise, scaling) + unused + ended.told


def _path_inputs(
    model: Any,
    times: ArrayLike | None,
    sequences: ArrayLike | None,
    targets: Float[Array, "N D"],
) -> tuple[ArrayLike | None, ArrayLike | None, tuple[str, ...]]:
    """The inputs of the latent paths, the sequences, and notes on what is not used."""
    over = getattr(model, "path_over", TIMES)
    if over_times(over):
        return times, sequences, ()
    if model.time_kernel is None:
        raise ValueError('path_over needs a time_kernel, such as "rbf"')
    ignored = "times and sequences are not used: the paths follow the rows' own values"
    notes = () if times is None and sequences is None else (ignored,)
    return inputs_from(targets, over), None, notes


def top_node(model: Any, outputs: Float[Array, "N D"] | None, n_latent: int) -> Node:
    """The node of the latent points: on paths over time, encoded, or with the prior N(0, I)."""
    encoder = getattr(model, "encoder", None)
    if model.time_kernel is not None:
        if encoder is not None:
            raise ValueError(
                "a time_kernel and an encoder cannot be combined: leave one of them out"
            )
        numbers = np.unique(model.sequences_, return_inverse=True)[1]
        return PathNode(Timeline.of(model.times_, numbers), model.time_kernel)
    if encoder is None or outputs is None:
        return LatentNode()
    return EncodedNode.of(outputs, n_latent, encoder)
