"""The dynamical GP-LVM's training objective against central differences."""

import numpy as np
import pytest

from gplvm_core import RBF, Linear, Periodic, White
from gplvm_core.kernels import Kernel
from gplvm_core.models.dynamical_problem import DynamicalProblem
from gplvm_core.models.layers import OneLayer, Start
from gplvm_core.priors.temporal import Timeline
from gplvm_core.statistics import Targets
from gplvm_core.statistics.executors import serial

KERNELS = {
    "all free": (RBF(1.0, 0.9), RBF(1.0, 0.8) + White(0.05)),
    "some held": (
        RBF(1.0, 0.9) + Linear(0.4).holding(),
        Periodic(1.0, 0.9, 2.0).holding("period") + RBF(0.3, 0.8).holding("variance") + White(0.05),
    ),
}


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
def test_training_objective(gaps: bool, kernels: str, central_difference) -> None:
    kernel: Kernel
    time_kernel: Kernel
    kernel, time_kernel = KERNELS[kernels]
    generator = np.random.default_rng(1)
    targets = generator.normal(size=(9, 3))
    targets -= targets.mean(axis=0)
    if gaps:
        targets[2:4, 0], targets[6, 1] = np.nan, np.nan
    begin = Start(targets, 2, 4, kernel, generator.normal(size=(9, 2)))
    timeline = Timeline.of(np.sort(generator.uniform(0, 4, 9))[:, None], np.repeat([0, 1], [5, 4]))
    data = OneLayer(begin, Targets.of(targets), 1e-6, serial)
    problem = DynamicalProblem(data, timeline, time_kernel)
    anchor = problem.start(0)
    for phase in (problem.phases[0], problem.phases[-1]):
        layout = problem.layout(anchor, phase)
        x = layout.pack(anchor)
        x = x + 0.05 * generator.normal(size=x.size)
        here = layout.unpack(x)
        found = layout.chain(here, problem.evaluate(here, phase).gradient)
        expected = central_difference(
            lambda v, lay=layout, p=phase: problem.evaluate(lay.unpack(v), p).bound, x
        )
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)
