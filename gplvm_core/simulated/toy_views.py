"""Two simulated views with known signals: a private signal for each view, and a shared signal."""

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError

N_PRIVATE, N_SHARED = 10, 5
PERIODS = 2


def toy_views(n_points: int = 100, seed: int = 0, noise: float = 0.1) -> Dataset:
    """Simulate views "first" (sin t and cos² t) and "second" (cos t and cos² t), 15 columns each.

    In each view, random linear maps convert the private signal to 10 columns and the shared signal
    to 5 columns. The 5 columns are the same in both views. Gaussian noise of standard deviation
    `noise` is added to every entry. `covariates` hold the centred signals: "sin", "cos",
    "cos_squared". Raises DataError for fewer than 8 points or a negative noise. Source: Damianou
    (2015), §5.3.1.
    """
    if n_points < 8 or not noise >= 0:
        raise DataError(
            "The toy signals need at least 8 points and a noise of 0 or more; got "
            f"{n_points} points, noise {noise}."
        )
    # RandomState never changes its stream, and stored models refer to these data by name.
    random = np.random.RandomState(seed)
    times = np.linspace(0, 2 * np.pi * PERIODS, n_points, endpoint=False)
    signals = {"sin": np.sin(times), "cos": np.cos(times), "cos_squared": np.cos(times) ** 2}
    signals = {name: signal - signal.mean() for name, signal in signals.items()}
    widths = {"sin": N_PRIVATE, "cos": N_PRIVATE, "cos_squared": N_SHARED}
    mapped = {
        name: np.outer(signal, random.standard_normal(widths[name]))
        for name, signal in signals.items()
    }
    drawing = Drawing.of_vector(N_PRIVATE + N_SHARED)
    views = {
        view: np.hstack([mapped[private], mapped["cos_squared"]])
        + noise * random.standard_normal((n_points, N_PRIVATE + N_SHARED))
        for view, private in (("first", "sin"), ("second", "cos"))
    }
    return Dataset.of_views(
        "toy_views",
        "Toy signals (simulated)",
        {view: (targets, drawing) for view, targets in views.items()},
        times=times,
        sequences=np.zeros(n_points, dtype=np.int64),
        source="Simulated here, after A. Damianou, Deep Gaussian Processes and Variational "
        "Propagation of Uncertainty, 2015, section 5.3.1.",
        notes=(
            f"{n_points} points over {PERIODS} periods, simulated with seed {seed}, noise {noise}.",
            "The first view contains sin t, the second cos t; both contain cos² t.",
        ),
        covariates=signals,
    )
