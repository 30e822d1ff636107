"""Iterated forecasts of a chaotic series, with and without propagating their uncertainty."""

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.kernels import RBF
from gplvm_core.lessons.picture import LessonPicture, Panel, band, dots, line, number
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.edges import Settled
from gplvm_core.numerics import Array
from gplvm_core.prediction import Posterior, predict, predict_uncertain
from gplvm_core.statistics import Targets

GROWTH = 3.8  # the factor of the logistic map; with this factor, the map is chaotic
BURN_IN, MOST_AHEAD = 50, 25
LENGTHSCALE, N_INDUCING = 0.4, 12
INSIDE = 1.96
N_DRAWS = 400


def series(n_points: int, noise: float, seed: int) -> Float[Array, " T"]:
    """Return a noisy series of the logistic map x → 3.8 x (1 − x), from a random start."""
    draw = np.random.default_rng(seed)
    x = [float(draw.uniform(0.2, 0.8))]
    for _ in range(BURN_IN + n_points - 1):
        x.append(GROWTH * x[-1] * (1.0 - x[-1]))
    return np.array(x[BURN_IN:]) + noise * draw.standard_normal(n_points)


def learnt(values: Float[Array, " T"]) -> Posterior:
    """Learn the map from a value to the next value; noise and signal variance are optimised."""
    inputs, outputs = values[:-1, None], values[1:, None]
    scaling = Scaling(outputs.mean(axis=0), outputs.std(axis=0))
    layer = Layer(RBF(1.0, LENGTHSCALE), np.linspace(0.0, 1.0, N_INDUCING)[:, None], 0.01)
    targets = Targets.of(scaling.apply(outputs))
    at = evaluate_layer(layer, Belief.certain(inputs), targets, jitter=1e-6, profile=True)
    return Settled(at.layer, at.statistics, at.posterior, at.jitter).as_posterior(scaling)


def iterated(
    posterior: Posterior, start: float, ahead: int, propagated: bool
) -> tuple[Float[Array, " H"], Float[Array, " H"]]:
    """Return means and standard deviations of the next values, predicted one after another.

    propagated: whether a prediction uses the Gaussian of the previous value, or only its mean. The
    Gaussian has the exact mean and variance, but not the exact shape.
    """
    mean, variance = np.array([[start]]), np.zeros((1, 1))
    means, variances = np.empty(ahead), np.empty(ahead)
    for step in range(ahead):
        if propagated and step:
            mean, variance = predict_uncertain(posterior, mean, variance, noise=True)
        else:
            mean, variance = predict(posterior, mean, noise=True)
        means[step], variances[step] = mean[0, 0], variance[0, 0]
    return means, np.sqrt(variances)


def drawn_ahead(posterior: Posterior, start: float, ahead: int) -> Float[Array, "S H"]:
    """Draw series from a start; each value is drawn given the previous value."""
    draw = np.random.default_rng(1)
    at, found = np.full((N_DRAWS, 1), start), np.empty((N_DRAWS, ahead))
    for step in range(ahead):
        mean, variance = predict(posterior, at, noise=True)
        at = mean + np.sqrt(variance) * draw.standard_normal(mean.shape)
        found[:, step] = at[:, 0]
    return found


def forecasts(n_shown: int, noise: float, ahead: int, seed: int = 0) -> LessonPicture:
    """Draw both forecasts beside the actual values, and count the values inside the bands."""
    values = series(n_shown + ahead, noise, seed)
    posterior, start = learnt(values[:n_shown]), float(values[n_shown - 1])
    times, actual = np.arange(1.0, ahead + 1.0), values[n_shown:]
    possible = drawn_ahead(posterior, start, ahead)
    panels, inside, widths = [], {}, {}
    for name, propagated in (("Uncertainty ignored", False), ("Uncertainty passed on", True)):
        mean, deviation = iterated(posterior, start, ahead, propagated)
        low, high = mean - INSIDE * deviation, mean + INSIDE * deviation
        inside[name] = int(np.sum((low <= actual) & (actual <= high)))
        widths[name] = 2 * INSIDE * float(deviation[-1])
        panels.append(
            Panel(
                name,
                (0.5, ahead + 0.5),
                (-0.4, 1.5),
                (
                    line(times, possible[:6], "muted", "possible futures", width=0.8, strength=0.5),
                    band(times, low, high, title="95 %"),
                    line(times, mean, title="forecast"),
                    dots(times, actual, "warm", "actual values", radius=4),
                ),
                f"{name}: {inside[name]} of {ahead} values lie inside the band.",
                axes=("steps ahead", "value"),
                tall=1.1,
            )
        )
    panels.append(_rule_panel(posterior, values[:n_shown]))
    ignored, passed_on = inside.values()
    truth = float(np.diff(np.percentile(possible[:, -1], [2.5, 97.5]))[0])
    last, honest = widths.values()
    return LessonPicture(
        tuple(panels),
        (
            f"Out of {ahead} actual values, {ignored} lie inside the band if uncertainty is "
            f"ignored, and {passed_on} if it is passed on.",
            f"At the last step, the two bands are {number(last)} and {number(honest)} high. For "
            f"comparison: the middle 95 % of {N_DRAWS} possible futures cover a range of "
            f"{number(truth)}.",
        ),
    )


def _rule_panel(posterior: Posterior, values: Float[Array, " T"]) -> Panel:
    """The learnt map from a value to the next one, and the values that it was learnt from."""
    grid = np.linspace(0.0, 1.0, 101)
    mean, variance = (each[:, 0] for each in predict(posterior, grid[:, None], noise=True))
    reach = INSIDE * np.sqrt(variance)
    truth = GROWTH * grid * (1 - grid)
    return Panel(
        "The learnt rule: next value from this one",
        (0.0, 1.0),
        (-0.1, 1.2),
        (
            band(grid, mean - reach, mean + reach, title="95 %"),
            line(grid, mean, title="learnt"),
            line(grid, truth, "green", "the truth", width=1.6, dashed=True),
            dots(values[:-1], values[1:], radius=2.6),
        ),
        f"The map learnt from {len(values)} values.",
        axes=("this value", ""),
        tall=1.1,
    )
