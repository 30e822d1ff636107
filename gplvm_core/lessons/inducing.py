"""A sparse Gaussian process beside the exact one; a visitor drags the inducing inputs."""

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer
from gplvm_core.kernels import RBF
from gplvm_core.lessons.functions import GRID, INSIDE, conditioned
from gplvm_core.lessons.picture import (
    Hand,
    LessonPicture,
    Panel,
    band,
    dots,
    line,
    number,
)
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.edges import Settled
from gplvm_core.numerics import Array
from gplvm_core.prediction import predict
from gplvm_core.statistics import Targets

LOW = -2.7  # the height at which inducing inputs are drawn
UP = (-3.0, 3.0)
MOST = 15
JITTER = 1e-6


def observed(n_points: int, noise: float, seed: int) -> Float[Array, "N 2"]:
    """Draw noisy values of a wave with rising frequency, with a gap in the middle of the axis."""
    draw = np.random.default_rng(seed)
    left = n_points // 2
    x = np.append(draw.uniform(-2.9, -0.4, left), draw.uniform(0.5, 2.9, n_points - left))
    wave = 1.4 * np.sin(2.2 * x + 0.25 * x**2)
    return np.column_stack([x, wave + noise * draw.standard_normal(n_points)])


def sparse(
    data: Float[Array, "N 2"], inducing: Float[Array, " M"], lengthscale: float, noise: float
) -> tuple[float, Float[Array, " G"], Float[Array, " G"], Float[Array, " M"]]:
    """Return Titsias' bound in nats, the function's mean and standard deviation on the grid, and
    ∂bound/∂inducing.
    """
    layer = Layer(RBF(1.0, lengthscale), inducing[:, None], noise**2)
    at = evaluate_layer(
        layer, Belief.certain(data[:, :1]), Targets.of(data[:, 1:]), jitter=JITTER, relative=False
    )
    settled = Settled(at.layer, at.statistics, at.posterior, at.jitter)
    mean, variance = predict(settled.as_posterior(Scaling.none(1)), GRID[:, None])
    deviation = np.sqrt(np.maximum(variance[:, 0], 0.0))
    return at.value, mean[:, 0], deviation, at.gradients.inducing[:, 0]


def inducing(
    places: Float[Array, "M 2"], lengthscale: float, noise: float, n_points: int, seed: int = 0
) -> LessonPicture:
    """Draw the sparse process with inducing inputs at these positions, beside the exact process."""
    data = observed(n_points, noise, seed)
    exact = conditioned(RBF(1.0, lengthscale), data[:, 0], data[:, 1], noise, seed)
    assert exact.evidence is not None
    # Without inducing inputs, the process is the prior. An inducing input far away also gives the
    # prior.
    at = places[:, 0] if len(places) else np.array([1e3])
    bound, mean, deviation, uphill = sparse(data, at, lengthscale, noise)
    low, high = (mean + side * INSIDE * deviation for side in (-1.0, 1.0))
    exact_edges = np.array([exact.mean + side * INSIDE * exact.deviation for side in (-1, 1)])
    gap = exact.evidence - bound
    count = f"{len(places)} inducing input{'' if len(places) == 1 else 's'}"
    panel = Panel(
        f"{count} instead of {n_points} points",
        (-3.0, 3.0),
        UP,
        (
            band(GRID, low, high, title="sparse: 95 % of the function"),
            line(GRID, mean, title="sparse: mean"),
            line(GRID, exact.mean, "green", width=1.8, title="exact: mean"),
            line(GRID, exact_edges, "green", width=1.4, dashed=True, title="exact: 95 %"),
            dots(data[:, 0], data[:, 1], radius=3, title="points"),
        ),
        f"The sparse process with {count} and the exact process, fitted to {n_points} points.",
        hand=Hand("places", "inducing inputs: drag, click to add or remove", True, LOW, MOST),
        tall=1.35,
    )
    words = (
        f"The bound is {number(bound, 1)} nats and the log evidence is "
        f"{number(exact.evidence, 1)} nats: the gap is {number(gap, 1)} nats."
    )
    if not len(places):
        return LessonPicture((panel,), (words, "Without inducing inputs the model learns nothing."))
    best = int(np.argmax(np.abs(uphill)))
    way = "right" if uphill[best] > 0 else "left"
    return LessonPicture(
        (panel,),
        (
            words,
            f"To raise the bound, first move the inducing input at {number(places[best, 0])} to "
            f"the {way}.",
        ),
    )
