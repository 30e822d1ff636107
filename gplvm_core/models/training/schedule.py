"""Training in phases, with restarts, and with runs that can be stopped and resumed.

The scales of the variables are fixed during a phase; the next phase computes new scales. The module
works for any model: a Problem defines the bound and the free parameters.

Also here: the objective of one training phase, as a function of a vector.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Any, Literal

import numpy as np

from gplvm_core.models.training.run import (
    EVEN,
    NUMERICAL,
    Evaluated,
    Phase,
    Problem,
    Restart,
    Run,
    Settings,
    Trace,
    Trained,
    Work,
)
from gplvm_core.models.training.watched import HaltedError, question
from gplvm_core.numerics import Array, one_thread_a_product
from gplvm_core.optimise import LBFGS, LBFGSState, Progress, Result, State


class PhaseObjective:
    """The negative bound as a function of the free vector; also records the evaluations.

    ask: called before every evaluation; an exception that it raises ends the evaluation.
    """

    def __init__(
        self, problem: Problem, anchor: Any, phase: Phase, ask: Callable[[], None] | None = None
    ) -> None:
        self.problem, self.anchor, self.phase, self.ask = problem, anchor, phase, ask
        self.layout = problem.layout(anchor, phase)
        self.trouble = ""
        self._found: dict[float, Evaluated] = {}  # since the last accepted step, by their value

    def parameters(self, x: Array) -> Any:
        return self.layout.unpack(x)

    def __call__(self, x: Array, /) -> tuple[float, Array]:
        return self.negative(x, lambda at: self.problem.evaluate(at, self.phase))

    def negative(self, x: Array, evaluate: Callable[[Any], Evaluated]) -> tuple[float, Array]:
        """Negative value and gradient of the bound; evaluate: a function of the parameters."""
        if self.ask is not None:
            self.ask()
        parameters = self.layout.unpack(x)
        # In a line search, a parameter may overflow: the evaluation is then rejected and counted.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            try:
                at = evaluate(parameters)
            except NUMERICAL as error:
                self.trouble = str(error)
                return np.inf, np.zeros_like(x)
            gradient = -self.layout.chain(parameters, at.gradient)
        self._found[-at.bound] = at
        return -at.bound, gradient

    def evaluated(self, state: State) -> Evaluated:
        """The evaluation that a step accepted; it is computed again only after a resumption."""
        found = self._found.get(state.value)
        if found is None:
            found = self.problem.evaluate(self.layout.unpack(state.x), self.phase)
        self._found = {state.value: found}
        return found


OPTIMISER = LBFGS()
# A start ends when a phase with new scales gains less than this fraction of the bound's size.
LEAST_GAIN = 1e-7
# A phase of a map is done when the bound gains less than this, in nats a row, in LOOKED_BACK
# iterations; `benchmarks/README.md` has what this costs.
LEAST_RISE, LOOKED_BACK = 1e-3, 20
# Iterations between two verdicts on the layers of a model; every verdict costs an evaluation.
EVERY = 20
FLAT = f"the bound rose by less than {LEAST_RISE:g} nats a row in {LOOKED_BACK} iterations"
STOPPED: tuple[Literal["stopped"], str] = ("stopped", "stopped by the caller")


def by_bound(trained: Trained) -> Any:
    """The value by which starts are compared: the bound."""
    return trained.restart.bound


@dataclass(frozen=True)
class Training:
    """A problem with its settings.

    offset: added to internal bounds to get those of the data in their original units. views: the
    names of the data's views in the problem's order; () for one table. worth: the value that ranks
    starts; a run with a larger max_iter continues the best start. work: the total work, for
    progress reports. heat: if positive, every start first makes this many iterations, and only the
    best continues. further: a function from the trained starts to the recipes of further starts.
    rows: the number of rows, if a phase ends when the bound rises too little per row; otherwise 0.
    settings: those on which the parameters depend, which a resumed run must have.
    """

    problem: Problem
    max_iter: int
    jitter: float
    offset: float
    views: tuple[str, ...] = ()
    worth: Callable[[Trained], Any] = by_bound
    work: Work = EVEN
    heat: int = 0
    further: Callable[[tuple[Trained, ...]], tuple[str, ...]] = lambda done: ()
    rows: int = 0
    settings: Settings = ()

    @one_thread_a_product()
    def run(
        self,
        seeds: tuple[int, ...],
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> tuple[Trained, ...]:
        """Train from every seed, or resume a run; returns the starts in the order of training.

        A start that a numerical error ends in a later phase has its last good state as its result.
        A start that cannot begin has the bound −∞; if no start can, ValueError is raised.
        A run with nothing left to train is reported once, so that the callback can stop the steps
        that follow. If the callback has a method ``between``, it is called before every evaluation.
        """
        ask = question(callback)
        run = self._begin(seeds, ()) if resume is None else self._reopened(resume)
        clock = time.perf_counter() - run.seconds
        objective, reported = self._objective(run, ask), False
        while True:
            # The objective is created once per phase, because its scales may cost as much as an
            # evaluation.
            if objective.anchor is not run.anchor:
                objective = self._objective(run, ask)
            reason = self._ended(run)
            if reason is None:
                before = run.total_iterations
                try:
                    run, at = self._step(run, objective, clock)
                except HaltedError:
                    return (*run.done, self._finish(run, *STOPPED))
                moved = run.total_iterations > before
                if moved and callback:
                    reported = True
                    if not self._report(run, objective, at, callback):
                        return (*run.done, self._finish(run, *STOPPED))
            elif isinstance(reason, str):
                try:
                    run = self._next_phase(run, ask)
                except HaltedError:
                    return (*run.done, self._finish(run, *STOPPED))
            else:
                good = np.isfinite(run.optimiser.value)
                if resume is not None and good and callback and not reported:
                    at = objective.evaluated(run.optimiser)
                    if not self._report(run, objective, at, callback):
                        reason = STOPPED
                done = (*run.done, self._finish(run, *reason))
                last = len(done) == len(run.seeds)
                if last and not run.limit and reason is not STOPPED:
                    more = self.further(done)
                    if more and run.recipes[-len(more) :] != more:
                        seeds = (*run.seeds, *run.seeds[:1] * len(more))
                        begun = self._begin(seeds, done, (*run.recipes, *more))
                        run = replace(begun, seconds=run.seconds, limit=0)
                        continue
                if last and not any(np.isfinite(each.restart.bound) for each in done):
                    raise ValueError(
                        f"{reason[1]}. Try fewer inducing inputs, a larger jitter, another init, "
                        "or scaling='columns' when units differ"
                    )
                if reason is STOPPED or (last and not run.limit):
                    return done
                leader = self._leader(run) if run.limit else None
                if last and leader:
                    run = self._only(leader, run, done)
                else:
                    begun = self._begin(run.seeds, done, run.recipes)
                    run = replace(begun, seconds=run.seconds, leader=leader, limit=run.limit)

    def _begin(
        self, seeds: tuple[int, ...], done: tuple[Trained, ...], recipes: tuple[str, ...] = ()
    ) -> Run:
        recipes = recipes or tuple(islice(cycle(self.problem.recipes), len(seeds)))
        anchor = self.problem.start(seeds[len(done)], recipes[len(done)])
        return self._enter(
            Run(
                seeds=seeds,
                phase=0,
                anchor=anchor,
                optimiser=None,  # type: ignore[arg-type]
                iterations=0,
                evaluations=0,
                rejected=0,
                entered=0,
                entry_bound=-np.inf,
                seconds=0.0,
                trace=Trace.empty(),
                budget=self.max_iter,
                done=done,
                views=self.views,
                recipes=recipes,
                limit=min(self.heat, self.max_iter),
                n_rows=self.problem.n_rows,
                settings=self.settings,
            ),
            anchor,
        )

    def _enter(self, run: Run, anchor: Any, before: Run | None = None) -> Run:
        """The run at the first evaluation of its phase.

        If the evaluation fails, the result is `before` with the failure, if it is given.
        """
        objective = PhaseObjective(self.problem, anchor, self._phase(run))
        x = objective.layout.pack(anchor)
        try:
            state = OPTIMISER.start(x, objective)
        except ValueError as error:
            failure = objective.trouble or str(error)
            if before is not None:
                return replace(before, failure=failure)
            run = replace(run, failure=failure)
            none = np.empty((0, x.size))
            state = LBFGSState(
                x, np.inf, np.zeros_like(x), 0, 1, 1, "stalled", failure, none, none, np.empty(0)
            )
        return replace(
            run,
            anchor=anchor,
            optimiser=state,
            entered=run.iterations,
            entry_bound=-state.value,
        )

    def _objective(self, run: Run, ask: Callable[[], None] | None) -> PhaseObjective:
        return PhaseObjective(self.problem, run.anchor, self._phase(run), ask)

    def _step(self, run: Run, objective: PhaseObjective, clock: float) -> tuple[Run, Evaluated]:
        state = OPTIMISER.step(run.optimiser, objective)
        seconds = time.perf_counter() - clock
        at = objective.evaluated(state)
        trace = run.trace
        if state.iteration > run.optimiser.iteration:
            trace = trace.then(
                self.offset - state.value,
                seconds,
                run.evaluations + state.evaluations,
                self._phase(run).name,
            )
        return replace(run, optimiser=state, seconds=seconds, trace=trace), at

    def _ended(self, run: Run) -> str | tuple[Any, str] | None:
        """None to continue, a reason to end the phase, a status and a reason to end the start."""
        if run.failure:
            where = f"training ended after the phase {self._phase(run).name!r}"
            begun = np.isfinite(run.optimiser.value)
            return "stalled", f"{where if begun else 'training cannot start'}: {run.failure}"
        if run.total_iterations >= self.max_iter:
            return "limit", f"reached max_iter = {self.max_iter} iterations"
        if 0 < run.limit <= run.total_iterations:
            return "limit", f"made {run.limit} iterations; only the best start continued"
        last = run.phase >= len(self.problem.phases) - 1
        if run.optimiser.status == "running":
            phase = self._phase(run)
            limit = min(phase.most, np.ceil(phase.share * self.max_iter))
            here = run.total_iterations - run.entered
            if here > LOOKED_BACK:
                rise = run.trace.bound[-1] - run.trace.bound[-1 - LOOKED_BACK]
                if rise < LEAST_RISE * self.rows:
                    return ("converged", FLAT) if last else FLAT
            return None if here < limit else "all iterations of the phase were made"
        gain = -run.optimiser.value - run.entry_bound
        spent = gain <= LEAST_GAIN * max(abs(run.entry_bound), 1.0)
        if last and spent:
            return run.optimiser.status, run.optimiser.reason
        return run.optimiser.reason

    def _next_phase(self, run: Run, ask: Callable[[], None] | None = None) -> Run:
        """Enter the next phase, or repeat the last one with new scales."""
        before = PhaseObjective(self.problem, run.anchor, self._phase(run))
        following = replace(run, phase=run.phase + 1)
        ended = before.parameters(run.optimiser.x)
        try:
            anchor = self.problem.entering(ended, self._phase(following), ask)
        except NUMERICAL as error:
            return replace(run, failure=str(error))
        same = anchor is ended and self._phase(run).held == self._phase(following).held
        if same and run.optimiser.status == "running":
            # The objective is the same, so the optimiser's state only needs rescaling.
            after = PhaseObjective(self.problem, anchor, self._phase(following))
            ratio = before.layout.scales() / after.layout.scales()
            state = OPTIMISER.rescaled(run.optimiser, ratio)
            return replace(
                following,
                anchor=anchor,
                optimiser=state,
                entered=run.total_iterations,
                entry_bound=-state.value,
            )
        return self._enter(
            replace(
                run,
                phase=run.phase + 1,
                iterations=run.total_iterations,
                evaluations=run.evaluations + run.optimiser.evaluations,
                rejected=run.rejected + run.optimiser.rejected,
            ),
            anchor,
            run,
        )

    def _reopened(self, run: Run) -> Run:
        """The run to resume; a finished run starts another phase with new scales."""
        run.check(self.views, self.problem.n_rows, self.settings)
        if self.max_iter > run.budget:
            run = replace(run, budget=self.max_iter) if run.limit else self._best_of_all(run)
        ended = self._ended(run)
        again = isinstance(ended, tuple) and ended[0] != "limit" and not run.limit
        # A run that was paused while rows were streamed keeps its map.
        again = again and (run.streamed is None or self.max_iter > run.budget)
        return self._next_phase(run) if again else run

    def _leader(self, run: Run) -> Run:
        """The best paused start so far: this one, or the best of the earlier ones."""
        ahead, at = run.leader, len(run.done)
        if ahead and self.worth(self._paused(ahead)) >= self.worth(self._paused(run)):
            return ahead
        own = (run.seeds[at],), (run.recipes[at],)
        return replace(run, seeds=own[0], recipes=own[1], done=(), leader=None)

    def _paused(self, run: Run) -> Trained:
        return self._finish(run, run.optimiser.status, run.optimiser.reason)

    def _only(self, leader: Run, run: Run, done: tuple[Trained, ...]) -> Run:
        """Move the best of the paused starts to the end, and continue it without a limit."""
        best = run.seeds.index(leader.seeds[0])
        at = [each for each in range(len(done)) if each != best] + [best]
        return replace(
            leader,
            seeds=tuple(run.seeds[each] for each in at),
            recipes=tuple(run.recipes[each] for each in at),
            done=tuple(done[each] for each in at[:-1]),
            seconds=run.seconds,
            budget=run.budget,
            limit=0,
        )

    def _best_of_all(self, run: Run) -> Run:
        """With a larger max_iter, and after all starts have ended, continue the best start."""
        current = self._paused(run)
        best = max((*run.done, current), key=self.worth)
        over = run.total_iterations >= run.budget or run.optimiser.status != "running"
        run = replace(run, budget=self.max_iter)
        if best is current or not over or len(run.done) + 1 < len(run.seeds):
            return run
        others = (*(each for each in run.done if each is not best), current)
        order, result = (*others, best), best.restart.result
        return self._enter(
            replace(
                run,
                seeds=tuple(each.restart.seed for each in order),
                recipes=tuple(each.restart.recipe for each in order),
                phase=len(self.problem.phases) - 1,
                iterations=result.iterations,
                evaluations=result.evaluations,
                rejected=result.rejected,
                trace=best.trace,
                done=others,
            ),
            self.problem.entering(best.parameters, self.problem.phases[-1]),
            run,
        )

    def _finish(self, run: Run, status: Any, reason: str) -> Trained:
        objective = PhaseObjective(self.problem, run.anchor, self._phase(run))
        result = Result(
            status,
            reason,
            run.total_iterations,
            run.evaluations + run.optimiser.evaluations,
            run.rejected + run.optimiser.rejected,
            self.jitter,
            run.failure,
        )
        parameters = objective.parameters(run.optimiser.x)
        bound = self.offset - run.optimiser.value
        at = len(run.done)
        restart = Restart(run.seeds[at], bound, result, run.recipes[at])
        return Trained(restart, parameters, run.trace)

    def _phase(self, run: Run) -> Phase:
        return self.problem.phases[min(run.phase, len(self.problem.phases) - 1)]

    def _report(
        self,
        run: Run,
        objective: PhaseObjective,
        at: Evaluated,
        callback: Callable[[Progress], None],
    ) -> bool:
        phase, parameters = self._phase(run), objective.parameters(run.optimiser.x)
        relevance, information, latent = self.problem.describe(parameters, at)
        looked = run.total_iterations % EVERY == 0
        starts, ended = len(run.seeds), len(run.done)
        share = self.work.share(starts, self.max_iter, ended, run.total_iterations, self.heat)
        message = phase.name
        if starts > 1:
            message = f"start {ended + 1} of {starts}: {message}"
        try:
            callback(
                Progress(
                    phase=phase.name,
                    iteration=run.total_iterations,
                    evaluations=run.evaluations + run.optimiser.evaluations,
                    bound=self.offset - run.optimiser.value,
                    noise_variance=at.noise_variance,
                    relevance=relevance,
                    information=information,
                    latent_mean=latent,
                    seconds=run.seconds,
                    seconds_left=run.seconds * (1.0 - share) / share if share else None,
                    message=message,
                    run=run,
                    verdicts=self.problem.verdicts(parameters) if looked else (),
                    share=share,
                )
            )
        except StopIteration:
            return False
        return True
