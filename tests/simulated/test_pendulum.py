"""The simulated pendulum: its energy, its period, and its pictures."""

import numpy as np
from scipy.special import ellipk

from gplvm_core.simulated.pendulum import (
    BEGINS,
    LENGTH,
    N_FRAMES,
    PIVOT,
    SIDE,
    STEP,
    STIFFNESS,
    load_pendulum,
    pictures,
    swing,
)


def test_the_energy_stays_and_the_period_is_the_elliptic_integral() -> None:
    for begin in BEGINS:
        angle, speed = swing(float(begin), 400)
        energy = 0.5 * speed**2 - STIFFNESS * np.cos(angle)
        assert np.ptp(energy) < 0.02 * STIFFNESS
        crossings = np.flatnonzero(np.diff(np.sign(angle)) > 0)
        share = -angle[crossings] / np.diff(angle)[crossings]
        period = np.mean(np.diff(crossings + share)) * STEP
        expected = 4.0 * ellipk(np.sin(begin / 2.0) ** 2) / np.sqrt(STIFFNESS)
        np.testing.assert_allclose(period, expected, rtol=0.005)


def test_a_picture_shows_the_bob_at_its_angle() -> None:
    angles = np.array([-1.2, 0.0, 0.7])
    shown = pictures(angles).reshape(-1, SIDE, SIDE)
    assert shown.min() >= 0.0 and shown.max() <= 1.0
    for angle, picture in zip(angles, shown, strict=True):
        dark = picture > 0.7
        down, across = (each[dark] / (SIDE - 1) for each in np.mgrid[0:SIDE, 0:SIDE])
        place = PIVOT[0] + LENGTH * np.sin(angle), PIVOT[1] + LENGTH * np.cos(angle)
        np.testing.assert_allclose((across.mean(), down.mean()), place, atol=0.02)


def test_equal_angles_have_equal_pictures_at_opposite_speeds() -> None:
    data = load_pendulum()
    assert data.sequences.shape == data.times.shape == (5 * N_FRAMES,)
    angle, speed = (data.covariates[name] for name in ("angle", "speed"))
    near = np.abs(angle[:, None] - angle) < 0.01
    opposite = near & (speed[:, None] * speed < -0.25)
    first, second = np.nonzero(opposite)
    assert len(first) > 20
    apart = np.abs(pictures(angle)[first] - pictures(angle)[second])
    assert apart.max() < 0.15
