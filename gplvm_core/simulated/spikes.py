"""Simulated spike counts of neurons that follow a path in two dimensions."""

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError
from gplvm_core.readers.kinds import TableColumn

WINDOW = 0.1  # seconds of one count
N_PLACES = 60  # number of bumps whose sum is a rate
REACH = 1.2  # lengthscale of the bumps


def load_spikes(
    n_points: int = 400, n_neurons: int = 50, mean_count: float = 1.0, seed: int = 0
) -> Dataset:
    """Simulate spike counts of neurons in short time windows along a known two-dimensional path.

    Each neuron's log rate is a smooth random function of the position; counts are Poisson with
    these rates. `covariates` hold the path ("x" and "y") and, as "rates" (N × neurons), the
    expected counts. The path is two sums of sines, so it crosses itself and nearly closes.

    n_points: time windows. mean_count: the mean of every neuron's expected count in a window.
    Raises DataError for fewer than 8 windows or 2 neurons, and for a mean count that is not
    positive.
    """
    if n_points < 8 or n_neurons < 2 or not 0.0 < mean_count < np.inf:
        raise DataError(
            "Simulated spikes need at least 8 windows, 2 neurons and a positive mean count; got "
            f"{n_points} windows, {n_neurons} neurons, mean count {mean_count}."
        )
    # RandomState never changes its stream, and stored models refer to these data by name.
    random = np.random.RandomState(seed)
    phase = np.linspace(0.0, 12.0, n_points)
    path = np.column_stack([np.sin(phase) + 0.3 * np.sin(2.7 * phase), np.cos(1.3 * phase)])
    path /= path.std(axis=0)
    places = random.standard_normal((N_PLACES, 2))
    squares = np.sum((path[:, None] - places) ** 2, axis=2)
    bumps = np.exp(-0.5 * squares / REACH**2)
    log_rates = bumps @ random.standard_normal((N_PLACES, n_neurons)) / np.sqrt(6.0)
    rates = np.exp(log_rates - log_rates.mean(axis=0))
    rates *= mean_count / rates.mean(axis=0)
    counts = random.poisson(rates)
    times = WINDOW * np.arange(n_points)
    return Dataset(
        name="spikes",
        title="Spike counts (simulated)",
        targets=counts.astype(np.float64),
        drawing=Drawing.of_vector(n_neurons),
        columns=tuple(TableColumn(f"neuron {number + 1}", "count") for number in range(n_neurons)),
        times=times,
        sequences=np.zeros(n_points, dtype=np.int64),
        source="Simulated here.",
        notes=(
            f"{n_points} windows of {WINDOW} s, {n_neurons} neurons, {mean_count:g} spikes a "
            f"window on average; seed {seed}.",
            "Every neuron's rate depends on a position that moves along a path in two dimensions.",
        ),
        covariates={"x": path[:, 0], "y": path[:, 1], "rates": rates},
    )
