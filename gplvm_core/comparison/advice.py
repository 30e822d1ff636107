"""Recommend models: a result for each purpose, and at most three sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from gplvm_core.comparison.kept_aside import (
    BASE_RATES,
    CHAINED,
    FACTORS,
    FOREST,
    MIXTURE,
    PPCA,
)
from gplvm_core.comparison.measures import AT_ONCE, KEPT_ASIDE, PURPOSES, Measure, Purpose
from gplvm_core.comparison.result import Comparison
from gplvm_core.numerics import Array

NOT_TESTED = "No map is clearly better to look at. Test the models on new rows for the rest."
Looked = Mapping[str, tuple[str, Float[Array, " P"]] | None]
# The names of plain models within a sentence, such as "for filling gaps, … is better".
PLAIN = {
    MIXTURE: "a plain mixture",
    PPCA: "plain PCA",
    BASE_RATES: "the base rate of each column",
    CHAINED: "a chain of regressions",
    FOREST: "a chain of forests",
    FACTORS: "a model of Poisson factors",
}


@dataclass(frozen=True)
class Result:
    """The models' values for one purpose, split by split.

    leading: the best model, and those that are not clearly worse.
    """

    purpose: Purpose
    measure: Measure
    found: Comparison

    @property
    def names(self) -> tuple[str, ...]:
        """The models that have a value of the measure."""
        key = self.measure.key
        return tuple(name for name in self.found.names if np.isfinite(self.found.mean(key, name)))

    @property
    def values(self) -> Float[Array, "S C"]:
        """The values of the models `names` on the splits with a value of the measure."""
        taken = self.found.values[self.measure.key]
        taken = taken[~np.isnan(taken).all(axis=1)]
        return np.asarray(taken[:, [self.found.names.index(name) for name in self.names]])

    @property
    def leading(self) -> tuple[str, ...]:
        return self.found.leading(self.measure)

    @property
    def winner(self) -> str | None:
        """The model that beats all others by more than chance; None if no model does."""
        clear = len(self.leading) == 1 and len(self.names) > 1
        return self.leading[0] if clear else None

    @property
    def plain_wins(self) -> bool:
        """Whether only plain models lead."""
        return bool(self.leading) and set(self.leading) <= set(PLAIN)

    def wins(self, name: str) -> Int[Array, " S"]:
        """Return 1 for each split where this model is the best, else 0."""
        losses = self.measure.loss(self.values)
        return np.asarray(losses[:, self.names.index(name)] <= losses.min(axis=1)).astype(int)


def results(looked: Looked, found: Comparison | None) -> tuple[Result, ...]:
    """Return a result for each purpose that was measured, in the order of `PURPOSES`.

    looked: the result of `looked_at` for each model. found: the comparison on held-out rows, if it
    was run.
    """
    given = []
    for purpose in PURPOSES:
        source = _looks(looked) if purpose.key == "look" else found
        if source is None or source.n_splits < 2:
            continue
        for measure in (*AT_ONCE, *KEPT_ASIDE):
            if measure.key in purpose.deciding and measure.key in source.values:
                result = Result(purpose, measure, source)
                if result.names:
                    given.append(result)
                break
    return tuple(given)


def _looks(looked: Looked) -> Comparison | None:
    known = {name: each for name, each in looked.items() if each is not None}
    if len(known) < 2:
        return None
    key = next(iter(known.values()))[0]
    values = np.column_stack([parts for _, parts in known.values()])
    return Comparison(tuple(known), {key: values}, next(iter(known)), 0.0)


def advice(given: Sequence[Result]) -> tuple[str, ...]:
    """Return at most three sentences.

    They name the model to use for each purpose, the purposes for which a plain model is better, and
    the purposes without a clear winner.
    """
    used: dict[str, list[Result]] = {}
    plain: dict[str, list[str]] = {}
    unsure: dict[str, list[str]] = {}
    for result in given:
        doing = result.purpose.doing
        if result.plain_wins:
            best = " or ".join(PLAIN[name] for name in result.leading)
            plain.setdefault(best, []).append(doing)
        elif result.winner is None:
            unsure.setdefault(_tied(result), []).append(doing)
        else:
            used.setdefault(result.winner, []).append(result)
    words = []
    if used:
        each = [_use(name, of, first=at == 0) for at, (name, of) in enumerate(used.items())]
        words.append(f"{'; '.join(each)}.")
    if plain:
        better = [f"for {joined(doing)}, {best} is better" for best, doing in plain.items()]
        words.append(f"F{joined(better)[1:]}; use the map only for looking.")
    if list(unsure) == [""] and not words:
        tested = any(result.purpose.key != "look" for result in given)
        words.append("No clear winner; the simpler model may do." if tested else NOT_TESTED)
    elif unsure:
        each = [
            f"for {joined(doing)}, {tied} do about equally well"
            if tied
            else f"no clear winner for {joined(doing)}; the simpler model may do"
            for tied, doing in unsure.items()
        ]
        whole = "; ".join(each)
        words.append(f"{whole[0].upper()}{whole[1:]}.")
    return tuple(words)


def _tied(result: Result) -> str:
    """The leading models in words, if several but not all models lead; else ""."""
    leading = result.leading
    if not 1 < len(leading) < len(result.names):
        return ""
    return joined([PLAIN.get(name, name) for name in leading])


def _use(name: str, of: Sequence[Result], *, first: bool) -> str:
    counts = [result.wins(name) for result in of]
    wins = dict.fromkeys(f"{int(each.sum())} of {len(each)}" for each in counts)
    doing = joined([result.purpose.doing for result in of])
    start = "For" if first else "for"
    return f"{start} {doing}, use {name}: it wins on {joined(list(wins))} splits"


def joined(items: Sequence[str]) -> str:
    """Join items with commas and "and"."""
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last
