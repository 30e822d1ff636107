"""The training objective of several views against central differences, under every prior."""

import numpy as np
import pytest

from gplvm_core import RBF, Linear, White
from gplvm_core.models.dynamical_problem import DynamicalProblem
from gplvm_core.models.latent import LatentProblem
from gplvm_core.models.layers import OneLayer, Start
from gplvm_core.models.several_layers import SeveralLayers
from gplvm_core.priors.temporal import Timeline
from gplvm_core.statistics import Targets
from gplvm_core.statistics.executors import serial


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
@pytest.mark.parametrize("prior", ["standard", "temporal"])
def test_training_objective(prior: str, gaps: bool, central_difference) -> None:
    generator = np.random.default_rng(2)
    first, second = generator.normal(size=(9, 3)), generator.normal(size=(9, 2))
    if gaps:
        # A row may be missing from one view altogether.
        first[2:4, 0], second[5] = np.nan, np.nan
    mean = generator.normal(size=(9, 2))
    kernels = (RBF(1.0, 0.9), RBF(1.0, 1.4) + Linear(np.array([0.3, 0.2])))
    views = tuple(
        OneLayer(Start(targets, 2, 4, kernel, mean), Targets.of(targets), 1e-6, serial)
        for targets, kernel in zip((first, second), kernels, strict=True)
    )
    data = SeveralLayers(views, serial)
    if prior == "standard":
        problem = LatentProblem(data)
    else:
        timeline = Timeline.of(np.sort(generator.uniform(0, 4, 9))[:, None], np.zeros(9, int))
        problem = DynamicalProblem(data, timeline, RBF(1.0, 0.8) + White(0.05))
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
