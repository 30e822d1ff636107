"""The answers about new rows, computed in steps: first positions and gaps, then typicality."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import streamlit as st

from gplvm_core.models.estimators.with_known import can_ask_training
from gplvm_core.new_rows import Answers, answers_of, prepare
from gplvm_core.numerics import Array
from gplvm_core.readers.errors import plural
from gplvm_core.readers.new_rows import NewRows
from gplvm_core.training import begin_comparison, comparison_of
from pages.ui.shared.catalogue import Item
from pages.ui.shared.density import can_learn, density_of, stored_recipe

SPELL = 0.8  # seconds of work between two updates of the page
FIRST, LATER = 20, 100  # rows in the first step, and in each further step
BY_ARRAY = tuple(
    each.name for each in fields(Answers) if each.name not in ("reasons", "known", "held_out")
)


@dataclass(frozen=True)
class Step:
    """The progress of the comparison with the training rows."""

    share: float
    message: str = "Measuring how odd the training rows are, once for this model"


@dataclass
class Work:
    """The finished parts, without (False) or with (True) a comparison; whether work was stopped."""

    parts: dict[bool, list[Answers]]
    stopped: bool = False
    problem: str = ""
    scored: dict[bytes, Array] = field(default_factory=dict)  # see `answers_of`

    @property
    def halted(self) -> bool:
        """Whether the visitor stopped the work, or it failed."""
        return self.stopped or bool(self.problem)

    def done(self, compared: bool) -> int:
        return sum(len(part.places) for part in self.parts[compared])

    def answers(self) -> Answers | None:
        """Return the answers so far: first the compared rows, then the other rows."""
        best, plain = self.parts[True], self.parts[False]
        if not best:
            return Answers.joined(plain) if plain else None
        done = Answers.joined(best)
        if self.done(False) <= len(done.places):
            return done
        return replace(Answers.joined([done, rest(plain, len(done.places))]), known=done.known)


def rest(parts: list[Answers], start: int) -> Answers:
    """Return the answers from row `start` on."""
    whole = Answers.joined(parts)
    arrays = {name: getattr(whole, name)[start:] for name in BY_ARRAY}
    return replace(whole, reasons=whole.reasons[start:], **arrays)


def work_on(name: str, own: NewRows) -> Work:
    """Return the session's work on these rows; a model's older rows are removed."""
    kept = f"rows_work|{name}"
    parts = (own.values, *(() if own.errors is None else (own.errors,)))
    sums = (f"{part.shape}|{np.nansum(part):.12g}|{np.isnan(part).sum()}" for part in parts)
    mark = "|".join((own.mark, *sums))
    known = st.session_state.get(kept)
    if known is None or known[0] != mark:
        known = st.session_state[kept] = (mark, Work({False: [], True: []}))
    work: Work = known[1]
    return work


def key_of(name: str) -> str:
    """Return the key of the comparison with a model's training rows."""
    return f"new rows|{name}"


def prepared(item: Item, name: str) -> Any:
    """Return the model with its density and its training rows' scores; None if not ready."""
    if not can_learn(item.model):
        # Tables with words and counts, and maps without known factors, use the model's bound, which
        # needs no preparation.
        ranked = bool(item.dataset.columns) or item.at is not None
        return item.model if ranked and can_ask_training(item.model) else None
    density = density_of(item.model)
    if density is not None and density.typicality is not None:
        return item.model
    run = comparison_of(key_of(name))
    return None if run is None else run.result


def begin(item: Item, name: str) -> None:
    """Start a thread that scores the training rows."""

    def task(callback: Callable[[Step], None]) -> Any:
        recipe = stored_recipe(name)
        return prepare(item.model, item.dataset, lambda share: callback(Step(share)), recipe)

    begin_comparison(key_of(name), task)


def step(
    item: Item, name: str, own: NewRows, work: Work, say: Callable[[float, str], object]
) -> bool:
    """Work for a moment; return whether more work remains.

    say(share, words) shows the progress. Any other action of the visitor interrupts the step; the
    finished parts are kept.
    """
    model = prepared(item, name)
    # Without a density a comparison takes long, so the first rows are placed and shown before it.
    slow = model is not None and not can_learn(item.model)
    compared = model is not None and not (slow and work.answers() is None)
    count, began = len(own.values), time.monotonic()
    words = "Comparing" if compared else "Placing"
    while (done := work.done(compared)) < count:
        if done and time.monotonic() - began > SPELL:
            return True
        say(done / count, f"{words} rows: {done:,} of {plural(count, 'row')} …")
        many = LATER if done else FIRST
        at = slice(done, done + many)
        asked = answers_of(
            model if compared else item.model,
            item.dataset,
            own.values[at],
            batch=LATER,
            ranked=compared,
            errors=None if own.errors is None else own.errors[at],
            trained=None if own.trained is None else own.trained[at],
            scored=work.scored,
        )
        work.parts[compared].append(Answers.joined(list(asked)))
        if done == 0 and count > FIRST:
            return True  # the first rows are shown at once
    return False


def texts(own: NewRows) -> list[str]:
    """Return the titles of the rows: their numbers in the file, and their names."""
    numbers = [own.number(n) for n in range(len(own.values))]
    if own.row_names is None:
        return [f"Row {number}" for number in numbers]
    return [f"Row {number}, {word}" for number, word in zip(numbers, own.row_names, strict=True)]
