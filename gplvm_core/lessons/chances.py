"""The probability of a word along a one-dimensional map, and how certain this probability is."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import expit, logit, ndtr, ndtri

from gplvm_core.kernels import RBF
from gplvm_core.lessons.picture import Hand, LessonPicture, Panel, band, bars, dots, line, number
from gplvm_core.likelihoods import probability, quadratic
from gplvm_core.numerics import Array, factorise

GRID = np.linspace(-3.0, 3.0, 121)
ACROSS, UP = (-3.0, 3.0), (-0.12, 1.12)
MOST_POINTS = 40
VARIANCE, JITTER, N_UPDATES = 9.0, 1e-6, 60
N_BINS = 10


@dataclass(frozen=True, eq=False)
class Chance:
    """The Gaussian posterior of f at some places; the probability of "yes" is σ(f)."""

    mean: Float[Array, " G"]
    variance: Float[Array, " G"]

    @property
    def of_yes(self) -> Float[Array, " G"]:
        """The probability of "yes", averaged over the possible functions."""
        return probability(self.mean, self.variance)

    def quantile(self, share: float) -> Float[Array, " G"]:
        """Return the quantile of σ(f)."""
        return expit(self.mean + ndtri(share) * np.sqrt(self.variance))


def chance(
    x: Float[Array, " N"], yes: Float[Array, " N"], at: Float[Array, " G"], lengthscale: float
) -> Chance:
    """Infer f at places `at` from answers at x (1: yes, 0: no), with a Gaussian q(f).

    The likelihood is logistic. Its quadratic bound gives every update in closed form. Source:
    Jaakkola and Jordan (2000).
    """
    kernel = RBF(VARIANCE, lengthscale)
    prior = kernel.diag(at[:, None])
    if not len(x):
        return Chance(np.zeros(len(at)), prior)
    known = kernel.K(x[:, None])
    xi = np.ones(len(x))
    for _ in range(N_UPDATES):
        bound = quadratic(yes, 1.0 - yes, xi)
        factor = factorise(known + np.diag(1.0 / bound.weight), JITTER)
        half = factor.solve(known)
        mean = known @ factor.solve((bound.slope / bound.weight)[:, None])[:, 0]
        xi = np.sqrt(mean**2 + np.maximum(np.diagonal(known - known @ half), 0.0))
    cross = kernel.K(at[:, None], x[:, None])
    mean = cross @ factor.solve((bound.slope / bound.weight)[:, None])[:, 0]
    return Chance(mean, np.maximum(prior - np.sum(cross * factor.solve(cross.T).T, axis=1), 0.0))


def chances(points: Float[Array, "N 2"], lengthscale: float, place: float) -> LessonPicture:
    """Draw the probability of "yes" along the map, and its posterior distribution at one place.

    points: positions and heights of the rows; a row in the upper half is a "yes".
    """
    x, yes = points[:, 0], (points[:, 1] > 0.5).astype(np.float64)
    along = chance(x, yes, GRID, lengthscale)
    here = chance(x, yes, np.array([place]), lengthscale)
    low, high = along.quantile(0.05), along.quantile(0.95)
    own = float(here.of_yes[0])
    edges = np.linspace(0.0, 1.0, N_BINS + 1)
    # σ(f) is below an edge if f is below the edge's logit.
    below = ndtr((logit(edges) - here.mean) / np.sqrt(here.variance))
    shares = 100.0 * np.diff(below)
    panels = (
        Panel(
            "The probability of “yes” along the map",
            ACROSS,
            UP,
            (
                band(GRID, low, high, title="90 % of the possible curves"),
                line(GRID, along.of_yes, title="probability of “yes”"),
                line(
                    GRID, expit(along.mean), "muted", "without uncertainty", dashed=True, width=1.6
                ),
                dots([place], [own], "text", radius=8, hollow=True),
            ),
            f"The probability of “yes” over the map. {int(yes.sum())} of {len(x)} rows are “yes”.",
            hand=Hand("points", "rows: above “yes”, below “no”", adds=True, most=MOST_POINTS),
            tall=1.3,
        ),
        Panel(
            f"Possible probabilities at {number(place, 1)}",
            (0.4, N_BINS + 0.6),
            (0.0, 1.1 * float(shares.max())),
            (bars(shares, np.ones(N_BINS, dtype=bool)),),
            "How often each probability occurs among the possible curves, in per cent: "
            + ", ".join(number(share, 0) for share in shares),
            axes=("probability of “yes”", "per cent of the curves"),
            ticks=tuple(f"{100 * edge:.0f} %" for edge in 0.5 * (edges[1:] + edges[:-1])),
            tall=1.3,
        ),
    )
    return LessonPicture(panels, summary(here, own, place))


def summary(here: Chance, own: float, place: float) -> tuple[str, ...]:
    """State the probability, and whether nearby rows determine it."""
    low, high = (100.0 * float(here.quantile(share)[0]) for share in (0.05, 0.95))
    if high - low < 50.0:
        kind = "Rows near this place determine the probability."
    else:
        kind = "No row is near enough to determine the probability: the model does not know."
    return (
        f"At {number(place, 1)} the probability of “yes” is {number(100.0 * own, 0)} %. Among the "
        f"possible curves, 90 % lie between {number(low, 0)} % and {number(high, 0)} %. {kind}",
    )
