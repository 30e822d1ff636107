"""A pendulum seen through sensors: a smooth path over time, or a rule from state to state."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core.lessons.legs import in_turn, legs
from gplvm_core.lessons.picture import LessonPicture, Look, Panel, band, dots, line, number, room
from gplvm_core.models import DynamicalGPLVM, StateSpaceGPLVM
from gplvm_core.numerics import Array

N_SENSORS, STEP, PERIOD = 8, 0.1, 2.0  # seconds
N_LATENT, N_INDUCING, MAX_ITER, LEG = 3, 15, 120, 6
INSIDE = 1.96  # half-width of a 95 % interval in standard deviations
NAMES = {"path": "A path over time", "rule": "A rule from state to state"}


def pendulum(seconds: float, friction: float) -> Float[Array, "T S"]:
    """Return what the sensors see without noise, at every tenth of a second."""
    times = np.arange(round(seconds / STEP)) * STEP
    fading = np.exp(-friction * times)[:, None]
    # The angle and the speed of small swings; the sensors bend both.
    state = fading * np.cos(2.0 * np.pi * (times[:, None] / PERIOD - [0.0, 0.25]))
    return np.asarray(np.tanh(state @ np.random.default_rng(1).standard_normal((2, N_SENSORS))))


def path_or_rule(
    shown: float,
    ahead: float,
    noise: float,
    friction: float,
    seed: int,
    look: Look | None = None,
) -> LessonPicture:
    """Train both models on `shown` seconds; without `look`, draw only the recording.

    ahead: the seconds to forecast. noise: the sensors' standard deviation.
    """
    truth = pendulum(shown + ahead, friction)
    count = round(shown / STEP)
    values = truth + noise * np.random.default_rng(seed).standard_normal(truth.shape)
    models: dict[str, Any] = {}
    if look is None:
        return drawn(values, truth, count, models)
    times = np.arange(count) * STEP

    def path() -> DynamicalGPLVM:
        return DynamicalGPLVM(N_LATENT, N_INDUCING, max_iter=MAX_ITER, random_state=0)

    def rule() -> StateSpaceGPLVM:
        return StateSpaceGPLVM(N_LATENT, N_INDUCING, max_iter=MAX_ITER, random_state=0)

    running: dict[str, Iterator[Any]] = {
        "path": legs(path, values[:count], LEG, times=times),
        "rule": legs(rule, values[:count], LEG, times=times),
    }
    for step, trained in in_turn(running, LEG, MAX_ITER):
        models |= trained
        look(drawn(values, truth, count, models), step, MAX_ITER)
    return drawn(values, truth, count, models)


def drawn(
    values: Float[Array, "T S"], truth: Float[Array, "T S"], count: int, models: dict[str, Any]
) -> LessonPicture:
    """Draw the first sensor with both forecasts, and the states of the rule."""
    times = np.asarray(np.arange(len(truth)) * STEP, dtype=np.float64)
    reach, panels, left = 1.25 * float(np.abs(values).max()), [], dict[str, float]()
    for name, title in NAMES.items():
        marks = [line(times, truth[:, 0], "green", "the truth", width=1.6, dashed=True)]
        if name in models:
            mean, std = models[name].forecast(times, return_std=True)
            half = INSIDE * std[:, 0]
            marks = [
                band(times, mean[:, 0] - half, mean[:, 0] + half, title="95 %"),
                *marks,
                line(times, mean[:, 0], title="model"),
            ]
            error, spread = (mean - truth)[count:], truth[count:].std(axis=0)
            left[name] = 100.0 * float(np.sqrt(np.mean(error**2) / np.mean(spread**2)))
        marks.append(dots(times[:count], values[:count, 0], radius=2.6, title="recording"))
        panels.append(
            Panel(
                title,
                (0.0, float(times[-1])),
                (-reach, reach),
                tuple(marks),
                f"The first of {N_SENSORS} sensors over time, recorded for "
                f"{number(times[count - 1], 1)} seconds. {title}.",
                axes=("seconds", "first sensor"),
                tall=1.1,
            )
        )
    panels.append(_states(models.get("rule"), times, count))
    return LessonPicture(tuple(panels), summary(left, STEP * (len(times) - count)))


def _states(model: Any, times: Float[Array, " T"], count: int) -> Panel:
    """Draw the states of the rule, and the states that it forecasts."""
    marks, across, up = [], (-2.0, 2.0), (-2.0, 2.0)
    if model is not None:
        states, _ = model.forecast_latent(times)
        first, second = np.sort(np.argsort(-model.information_)[:2])
        x, y = states[:, first], states[:, second]
        across, up = room(x), room(y)
        marks = [
            line(x[:count], y[:count], "muted", "recording", width=1.4),
            line(x[count - 1 :], y[count - 1 :], "warm", "forecast", width=1.8),
            dots(x[[0]], y[[0]], "text", "first state", radius=6, hollow=True),
        ]
    return Panel(
        "The states of the rule",
        across,
        up,
        tuple(marks),
        "The states that the rule runs through, on its two most informative dimensions.",
        bare=True,
        tall=1.1,
    )


def summary(left: dict[str, float], ahead: float) -> tuple[str, ...]:
    """State the errors of both forecasts, as shares of the sensors' spread."""
    if len(left) < len(NAMES):
        return ("Nothing is trained yet. Eight sensors see a pendulum that no sensor measures.",)
    return (
        f"In the {number(ahead, 1)} seconds after the recording, the error of the path is "
        f"{number(left['path'], 0)} % of the sensors' spread, and that of the rule "
        f"{number(left['rule'], 0)} %.",
    )
