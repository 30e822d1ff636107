"""Factors of standard deviations that make 95 % intervals hold, learnt from held-out rows.

A question has one factor for every output, shrunk to the factor of all outputs:
(n_d f_d + 20 f) / (n_d + 20). A factor f is the 95 % quantile of |error| / std, divided by the same
quantile of a normal distribution. Rows that belong together, such as the rows of a sequence, count
as one row in n_d. A few sequences cannot show that intervals are too wide: their factors are at
least 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from jaxtyping import Bool, Float, Shaped
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from gplvm_core.numerics import AnyNDArray, Array, BoolArray
from gplvm_core.prediction.network import DATA

COVERED = 0.95
SURE = 0.9  # the level of the test that decides whether new sequences update the mapping
NORMAL = 1.959964  # the quantile of a standard normal distribution for COVERED
LEAST = 1e-12
SHRUNK = 20.0  # the weight of the common factor, as a number of rows
LEAST_PARTS = 20  # with at least this many sequences or groups, intervals may become narrower
GAPS = 2  # patterns of gaps that are tried on every held-out sequence
PARTS = 5  # the number of parts that are held out, one after the other
MOST_ROWS = 60  # questions about independent rows of one part
MOST_FRAMES = 80  # frames of a held-out sequence

Rows = NDArray[np.intp]


def widened(away: Float[Array, "..."]) -> float:
    """The factor for which 95 % of the values are inside; away: |error| / std, NaN: unknown."""
    return max(float(np.nanquantile(away, COVERED)) / NORMAL, LEAST)


def crps(wrong: Float[Array, "..."], std: Float[Array, "..."]) -> Float[Array, "..."]:
    """Return the continuous ranked probability scores of Gaussians; smaller is better.

    wrong: the errors of the means. Source: Gneiting & Raftery (2007), eq. 21.
    """
    z = wrong / std
    density = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
    return np.asarray(std * (z * (2.0 * ndtr(z) - 1.0) + 2.0 * density - 1.0 / np.sqrt(np.pi)))


def inside(away: Float[Array, "..."]) -> float:
    """The share of the values inside their 95 % intervals."""
    return float(np.mean(away[~np.isnan(away)] <= NORMAL))


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of predicted values, and predicted standard deviations, in units of columns' spread.

    All tests on held-out values judge predictions by these numbers.
    """

    error: Float[Array, " V"]
    std: Float[Array, " V"]

    @classmethod
    def of(
        cls,
        mean: Float[Array, "n D"],
        std: Float[Array, "n D"],
        truth: Float[Array, "n D"],
        spread: Float[Array, " D"],
        *,
        judged: Bool[BoolArray, "n D"],
    ) -> "Errors":
        """The errors of the judged values; columns without spread are left out."""
        judged = judged & (spread > 0.0)
        unit = np.broadcast_to(spread, truth.shape)[judged]
        return Errors((mean - truth)[judged] / unit, np.maximum(std[judged] / unit, LEAST))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The errors of all parts, of which there is at least one."""
        each = [part._arrays for part in parts]
        return replace(
            parts[0], **{name: np.concatenate([own[name] for own in each]) for name in each[0]}
        )

    def only(self, chosen: Bool[BoolArray, " V"]) -> Self:
        return replace(self, **{name: own[chosen] for name, own in self._arrays.items()})

    @property
    def _arrays(self) -> dict[str, Any]:
        return {name: own for name, own in vars(self).items() if isinstance(own, np.ndarray)}

    @property
    def size(self) -> float:
        """The root mean square error."""
        return float(np.sqrt(np.mean(self.error**2)))

    @property
    def away(self) -> Float[Array, " V"]:
        return np.abs(self.error) / self.std

    def inside(self, share: float = COVERED) -> float:
        """The share of the values inside their intervals, which should hold this share."""
        return float(np.mean(self.away <= (NORMAL if share == COVERED else ndtri(0.5 + share / 2))))

    def scores(self, factors: float | Float[Array, " V"] = 1.0) -> Float[Array, " V"]:
        """The ranked probability scores if the standard deviations are multiplied by factors."""
        return crps(self.error, factors * self.std)


@dataclass(frozen=True)
class Asked:
    """A kind of question with intervals.

    what: "transfer", "frames" (complete frames of a sequence are missing), "values" (some values of
    its frames) or "forecast". to: the predicted data. given, timed: the given views of a transfer,
    and whether times are given. how: the treatment of private dimensions in a transfer, or of
    uncertainty in the forecast of a series. adapted: whether the rows also update the mapping.
    """

    what: str
    to: str = DATA
    given: tuple[str, ...] = ()
    how: str = ""
    timed: bool = False
    adapted: bool = False


@dataclass(frozen=True, eq=False)
class Widening:
    """The factors of one question, and how well they hold.

    widened: the factor of every output, corrected for parts of the data from which it was not
    learnt. before: the share of held-out values inside 95 % intervals without factors. inside: the
    same share with factors learnt from the other parts, without the correction. values: the number
    of held-out values. parts: the number of sequences, groups or rows that were held out.
    """

    asked: Asked
    widened: Float[Array, " D"]
    before: float
    inside: float
    values: int
    parts: int

    @classmethod
    def of(cls, asked: Asked, away: Float[Array, "n D"], groups: Shaped[AnyNDArray, " n"]) -> Self:
        """away: |error| / std of held-out values, NaN: not judged. groups: rows that belong
        together have the same label.
        """
        number = np.unique(groups, return_inverse=True)[1]
        parts, calibrated = int(number.max() + 1), np.full_like(away, np.nan)
        least = 1.0 if parts < LEAST_PARTS else LEAST
        for part in range(min(PARTS, parts)):
            own = number % PARTS == part
            if own.all() or np.isnan(away[~own]).all():
                continue
            factors = np.maximum(_shrunk(away[~own], number[~own]), least)
            calibrated[own] = away[own] / factors
        judged = not np.isnan(calibrated).all()
        # Parts differ, so factors that were learnt from the other parts may be too small or too
        # large.
        again = widened(calibrated) if judged else 1.0
        return cls(
            asked,
            np.maximum(again * _shrunk(away, number), least),
            inside(away),
            inside(calibrated) if judged else np.nan,
            int(np.sum(~np.isnan(away))),
            parts,
        )


@dataclass(frozen=True, eq=False)
class Intervals:
    """The factors of all questions that held-out rows could answer.

    adapting: the questions whose answers are better if the rows also update the mapping.
    """

    factors: tuple[Widening, ...]
    adapting: tuple[Asked, ...] = ()

    def decided(self, asked: Asked) -> Asked:
        """Return the question with the way of answering that was better for held-out rows."""
        return replace(asked, adapted=asked in self.adapting)

    def of(self, asked: Asked) -> Widening | None:
        """Return the factors of a question, or None if the question was not tried.

        If the given views of a transfer were not tried together, the factors of the largest subset
        that was tried are used. A view that is itself given has no factors.
        """
        alike = [
            each
            for each in self.factors
            if (each.asked.what, each.asked.to) == (asked.what, asked.to)
            and (each.asked.how, each.asked.timed) == (asked.how, asked.timed)
            and each.asked.adapted == asked.adapted
            and set(each.asked.given) <= set(asked.given)
            and asked.to not in asked.given
        ]
        return max(alike, key=lambda each: len(each.asked.given), default=None)

    def widen(self, asked: Asked, variance: Float[Array, "*N D"]) -> Float[Array, "*N D"]:
        """Calibrated variances; unchanged if the question was not tried."""
        found = self.of(asked)
        return variance if found is None else variance * found.widened**2


@dataclass(frozen=True, eq=False)
class Part:
    """Rows that are held out together, and the rows among them that are predicted.

    groups: a label for each predicted row; rows with the same label are not independent.
    """

    aside: Rows
    asked: Rows
    groups: Shaped[AnyNDArray, " r"]


def parts_of_rows(
    count: int, groups: Shaped[AnyNDArray, " N"] | None, generator: np.random.Generator
) -> list[Part]:
    """Random rows, or random groups of rows, in at most PARTS parts."""
    labels = np.arange(count) if groups is None else np.unique(groups, return_inverse=True)[1]
    order = generator.permutation(labels.max() + 1)
    found = []
    for own in np.array_split(order, min(PARTS, len(order))):
        aside = np.flatnonzero(np.isin(labels, own))
        asked = np.sort(generator.permutation(aside)[:MOST_ROWS])
        found.append(Part(aside, asked, labels[asked]))
    return found


def in_order(sequences: Shaped[AnyNDArray, " N"], times: Float[Array, "N P"]) -> dict[Any, Rows]:
    """The rows of every sequence, in the order of time, by the sequence's label."""
    found = {}
    for label in np.unique(sequences).tolist():
        rows = np.flatnonzero(sequences == label)
        found[label] = rows[np.argsort(times[rows, 0], kind="stable")]
    return found


def parts_of_sequences(
    sequences: Shaped[AnyNDArray, " N"],
    times: Float[Array, "N P"],
    generator: np.random.Generator,
) -> list[Part]:
    """PARTS sequences, or stretches if there are fewer, with at most MOST_FRAMES frames each."""
    series = in_order(sequences, times)
    stretches = -(-PARTS // len(series))
    whole = []
    for rows in series.values():
        whole += [part for part in np.array_split(rows, stretches) if len(part) > 1]
    found = []
    for number in generator.permutation(len(whole))[:PARTS]:
        rows = whole[number]
        first = generator.integers(max(1, len(rows) - MOST_FRAMES + 1))
        asked = rows[first : first + MOST_FRAMES]
        found.append(Part(rows, asked, np.full(len(asked), number)))
    return found


def hidden_in_time(
    shape: tuple[int, int], generator: np.random.Generator
) -> Shaped[BoolArray, "n D"]:
    """A stretch of frames without any value, and a longer one without a block of columns."""
    frames, columns = shape
    hidden = np.zeros(shape, dtype=bool)
    first = int(generator.integers(frames))
    at = (np.arange(frames) - first) % frames
    width = max(1, columns // 3) if columns > 1 else 0
    block = (np.arange(columns) - generator.integers(columns)) % columns < width
    hidden[(at >= 0.5 * frames) & (at < 0.9 * frames)] = block
    hidden[at < max(1.0, 0.15 * frames)] = True
    return hidden


def away(
    mean: Float[Array, "n D"],
    variance: Float[Array, "n D"],
    truth: Float[Array, "n D"],
    spread: Float[Array, " D"],
) -> Float[Array, "n D"]:
    """|error| / std; NaN where the truth is missing, and in columns without spread."""
    std = np.sqrt(np.maximum(variance, (LEAST * spread) ** 2))
    std = np.where(spread > 0.0, std, np.nan)
    return np.asarray(np.abs(mean - truth) / std)


def error_in_spreads(
    mean: Float[Array, "n D"], truth: Float[Array, "n D"], spread: Float[Array, " D"]
) -> float:
    """The root mean square error in standard deviations of the columns.

    Values whose truth is NaN, and columns without spread, are left out; NaN if nothing remains.
    """
    judged = ~np.isnan(truth) & (spread > 0.0)
    wrong = (mean - truth)[judged] / np.broadcast_to(spread, truth.shape)[judged]
    return float(np.sqrt(np.mean(wrong**2))) if len(wrong) else np.nan


class Tries:
    """Collects held-out errors by question."""

    def __init__(self) -> None:
        self._tried: dict[Asked, list[tuple[Array, NDArray[np.generic]]]] = {}
        self._gains: dict[tuple[Asked, ...], list[float]] = {}

    def add(
        self,
        asked: Asked,
        found: Float[Array, "n D"],
        groups: Shaped[AnyNDArray, " n"],
    ) -> None:
        known = ~np.isnan(found).all(axis=1)
        if known.any():
            self._tried.setdefault(asked, []).append((found[known], groups[known]))

    def compare(self, asked: Sequence[Asked], errors: Sequence[Sequence[float]]) -> None:
        """Note the errors of one held-out part; these questions are decided together.

        errors: pairs, with a fixed and with an updated mapping; only the first if there is no
        second. NaN: unknown.
        """
        pairs = np.array([np.maximum(each, LEAST) for each in errors if len(each) == 2])
        known = pairs[~np.isnan(pairs).any(axis=1)] if len(pairs) else pairs
        if len(known):
            gain = np.mean(np.log(known[:, 0] / known[:, 1]))
            self._gains.setdefault(tuple(asked), []).append(float(gain))

    def intervals(self) -> Intervals:
        """The factors of all questions, and which of them are answered with an updated mapping."""
        better = [asked for asked, gains in self._gains.items() if _are_gains(gains)]
        return Intervals(tuple(self._factors()), tuple(each for some in better for each in some))

    def _factors(self) -> Iterator[Widening]:
        for asked, tried in self._tried.items():
            errors, groups = zip(*tried, strict=True)
            yield Widening.of(asked, np.concatenate(errors), np.concatenate(groups))


def questions(views: Sequence[str]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Pairs (given views, views to predict): given is each single view, then all views but one."""
    given = [(view,) for view in views] + [
        tuple(other for other in views if other != view) for view in views
    ]
    return [
        (some, tuple(view for view in views if view not in some)) for some in dict.fromkeys(given)
    ]


def _are_gains(gains: Sequence[float]) -> bool:
    """Whether the mean of the gains, one for each part, is clearly above 0 (one-sided t test)."""
    count = len(gains)
    if count < 2:
        return False
    error = np.std(gains, ddof=1) / np.sqrt(count)
    return bool(np.mean(gains) > stdtrit(count - 1, SURE) * error)


def _shrunk(away: Float[Array, "n D"], number: Rows) -> Float[Array, " D"]:
    """Factors of all outputs; number: the number of each row's group."""
    known = ~np.isnan(away)
    pooled = widened(away)
    judged = known.any(axis=0)
    own = np.full(away.shape[1], pooled)
    own[judged] = np.maximum(np.nanquantile(away[:, judged], COVERED, axis=0) / NORMAL, LEAST)
    counts = sum(known[number == each].any(axis=0) for each in np.unique(number))
    return np.asarray((counts * own + SHRUNK * pooled) / (counts + SHRUNK))
