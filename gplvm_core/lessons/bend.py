"""Fit a Gaussian process and a deep Gaussian process to the same curve, and compare the fits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array
from scipy.special import logsumexp

from gplvm_core.models import DeepGP, SparseGPRegression
from gplvm_core.numerics import factorise
from gplvm_core.optimise import Progress
from gplvm_core.prediction import Posterior, predict
from gplvm_core.wire.frame import Rounded, frame

LEFT, RIGHT = -1.0, 1.0
GRID = np.linspace(LEFT, RIGHT, 121)
N_UNSEEN, UNSEEN_SEED = 200, 10_000
LEAST_POINTS, MOST_POINTS = 3, 60
N_INDUCING, MAX_ITER = 20, 100
N_PATHS, N_FRAMES, N_DRAWS = 3, 36, 1500
BAND = (2.5, 97.5)  # per cent


@dataclass(frozen=True)
class Curve:
    """A function on [−1, 1] with noisy observations; words: a sentence about the curve."""

    title: str
    words: str
    function: Callable[[Array], Array]
    noise: float
    n_points: int
    seed: int

    def drawn(self, n_points: int, seed: int) -> tuple[Float[Array, " N"], Float[Array, " N"]]:
        """Draw sorted inputs and noisy outputs."""
        generator = np.random.default_rng(seed)
        x = np.sort(generator.uniform(LEFT, RIGHT, n_points))
        return x, self.function(x) + self.noise * generator.standard_normal(n_points)

    def points(self) -> tuple[Float[Array, " N"], Float[Array, " N"]]:
        """Return the default training points."""
        return self.drawn(self.n_points, self.seed)

    def unseen(self) -> tuple[Float[Array, " N"], Float[Array, " N"]]:
        """Return points for testing; no model is trained on them."""
        return self.drawn(N_UNSEEN, UNSEEN_SEED)


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model on the grid: mean, 95 % band of a new observation, moving draws, scores.

    bound: in nats. score: the mean log density of an unseen point, in nats. paths: draws of the
    function that form a loop (frames × paths × grid).
    """

    bound: float
    score: float
    mean: Float[Array, " G"]
    low: Float[Array, " G"]
    high: Float[Array, " G"]
    paths: Float[Array, "T S G"]


@dataclass(frozen=True, eq=False)
class BendComparison:
    """The fits of both models to a curve.

    warp, warp_std: mean and standard deviation of the hidden layer's output on the grid. verdicts:
    a sentence about each layer.
    """

    x: Float[Array, " N"]
    y: Float[Array, " N"]
    shallow: Fit
    deep: Fit
    warp: Float[Array, " G"]
    warp_std: Float[Array, " G"]
    verdicts: tuple[str, ...]


def compare(
    curve: Curve,
    x: Float[Array, " N"],
    y: Float[Array, " N"],
    callback: Callable[[Progress], None] | None = None,
) -> BendComparison:
    """Train both models on the points; raises ValueError for fewer than 3 or more than 60 points.

    callback: see DeepGP.fit; if the callback raises an exception, training ends.
    """
    if not LEAST_POINTS <= len(x) <= MOST_POINTS:
        raise ValueError(
            f"The comparison needs {LEAST_POINTS} to {MOST_POINTS} points; got {len(x)}."
        )
    inputs = x[:, None]
    shallow = SparseGPRegression(n_inducing=len(x), random_state=0).fit(inputs, y)
    deep = DeepGP((1,), min(N_INDUCING, len(x)), max_iter=MAX_ITER, random_state=0)
    deep.fit(inputs, y, callback=callback)
    top = deep.layers_[0].posterior_
    at = (GRID[:, None] - deep.input_center_) / deep.input_scale_
    warp, variance = predict(top, at, noise=True)
    # The sign of a hidden dimension is arbitrary; here the warp rises from left to right.
    sign = 1.0 if warp[-1, 0] >= warp[0, 0] else -1.0
    return BendComparison(
        x,
        y,
        _fit(shallow, (shallow.posterior_,), curve),
        _fit(deep, [layer.posterior_ for layer in deep.layers_], curve),
        sign * warp[:, 0],
        np.sqrt(variance[:, 0]),
        tuple(layer.verdict_ for layer in deep.layers_),
    )


def _fit(model: Any, posteriors: Sequence[Posterior], curve: Curve) -> Fit:
    def inside(x: Array) -> Array:
        return (x[:, None] - model.input_center_) / model.input_scale_

    mean, std = marginals(posteriors, inside(GRID))
    drawn = mean + std * np.random.default_rng(1).standard_normal((len(mean), 1))
    low, high = np.percentile(drawn, BAND, axis=0)
    x, y = curve.unseen()
    at, spread = marginals(posteriors, inside(x))
    density = -0.5 * (np.log(2.0 * np.pi * spread**2) + ((y - at) / spread) ** 2)
    score = float(np.mean(logsumexp(density, axis=0) - np.log(len(density))))
    paths = moving_paths(posteriors, inside(GRID))
    return Fit(float(model.bound_), score, mean.mean(axis=0), low, high, paths)


def marginals(
    posteriors: Sequence[Posterior], points: Float[Array, "N Q"]
) -> tuple[Float[Array, "S N"], Float[Array, "S N"]]:
    """Return the first output's mean and standard deviation, with noise, for each draw.

    For each draw, the hidden layers' outputs are drawn. All points share the random numbers of a
    draw, so the results are smooth in the points.
    """
    generator = np.random.default_rng(0)
    hidden = posteriors[:-1]
    at = np.repeat(points[None], N_DRAWS if hidden else 1, axis=0)
    for posterior in hidden:
        mean, variance = predict(posterior, at.reshape(-1, at.shape[2]), noise=True)
        mean, variance = (each.reshape(*at.shape[:2], -1) for each in (mean, variance))
        at = mean + np.sqrt(variance) * generator.standard_normal((N_DRAWS, 1, mean.shape[2]))
    mean, variance = predict(posteriors[-1], at.reshape(-1, at.shape[2]), noise=True)
    mean, variance = (each[:, 0].reshape(at.shape[:2]) for each in (mean, variance))
    if not hidden:  # a single layer has no draws, so its row is repeated
        mean, variance = (np.repeat(each, N_DRAWS, axis=0) for each in (mean, variance))
    return mean, np.sqrt(variance)


def moving_paths(
    posteriors: Sequence[Posterior], points: Float[Array, "N Q"]
) -> Float[Array, "T S N"]:
    """Return a loop of draws of the first output's function, without noise.

    Every frame is a draw, because its random numbers z cos t + z' sin t are standard normal.
    """
    generator = np.random.default_rng(2)
    angles = np.linspace(0.0, 2.0 * np.pi, N_FRAMES, endpoint=False)
    found = np.empty((N_FRAMES, N_PATHS, len(points)))
    for path in range(N_PATHS):
        ends = [
            generator.standard_normal((2, len(points), posterior.n_outputs))
            for posterior in posteriors
        ]
        for frame_, angle in enumerate(angles):
            at = points
            for posterior, (one, other) in zip(posteriors, ends, strict=True):
                at = _drawn(posterior, at, np.cos(angle) * one + np.sin(angle) * other)
            found[frame_, path] = at[:, 0]
    return found


def _drawn(posterior: Posterior, points: Array, normals: Array) -> Float[Array, "N D"]:
    """Draw a layer's function from standard normals (N, D); its outputs share one variance."""
    cross = posterior.kernel.K(points, posterior.inducing)
    prior = posterior.kernel.K(points)
    covariance = prior - cross @ posterior.variances.gap(0) @ cross.T
    level = float(np.mean(np.diagonal(prior)))
    drawn = factorise(covariance, 1e-6 * level).lower @ normals
    return np.asarray(posterior.center + posterior.scale * (posterior.mean(points, cross) + drawn))


def pack_comparison(name: str, found: BendComparison, edit: int) -> bytes:
    """Pack a comparison for the browser.

    name: the name of the curve. edit: the number of the visitor's last edit.
    """
    arrays: dict[str, Any] = {"x": found.x, "y": found.y, "grid": GRID}
    arrays |= {"truth": CURVES[name].function(GRID)}
    arrays |= {"warp": found.warp, "warp_std": found.warp_std}
    header: dict[str, Any] = {
        "curve": name,
        "edit": edit,
        "verdicts": list(found.verdicts),
        "paths": N_PATHS,
        "frames": N_FRAMES,
    }
    for key, fit in (("shallow", found.shallow), ("deep", found.deep)):
        header[key] = {"bound": fit.bound, "score": fit.score}
        arrays |= {f"{key}_mean": fit.mean, f"{key}_low": fit.low, f"{key}_high": fit.high}
        arrays[f"{key}_paths"] = Rounded.of(fit.paths.reshape(-1, len(GRID)))
    return frame(header, arrays)


def _chirp(x: Array) -> Array:
    return np.sin(2.2 / (0.12 + 0.5 * (1.0 - x)))


CURVES: dict[str, Curve] = {
    "step": Curve(
        "Step",
        "A jump between two flat parts: no single smoothness describes this curve.",
        np.sign,
        0.05,
        30,
        1,
    ),
    "chirp": Curve("Chirp", "Slow on the left, fast on the right.", _chirp, 0.05, 40, 1),
    "smooth": Curve(
        "Smooth",
        "Equally smooth everywhere: one layer is enough.",
        lambda x: np.sin(4.0 * x),
        0.1,
        30,
        1,
    ),
}
