"""Deep models of many rows: a sample is trained, the others are placed at every node."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.problems.many_rows import (
    SAMPLES,
    Completed,
    Rows,
    left_over,
    sampled_in_words,
    spread_over,
    telling,
)
from gplvm_core.models.training.work import Work
from gplvm_core.numerics import Array
from gplvm_core.prediction import Evidence
from gplvm_core.prediction.place import place_nodes


@dataclass(frozen=True, kw_only=True)
class SampledGraph(Graph):
    """The chain of a sample's rows, and that of all.

    Its nodes have a belief about every point of its own.
    """

    whole: Graph
    rows: Rows  # the sample's
    outputs: Float[Array, "N D"]

    @classmethod
    def of(cls, build: Callable[[Rows], Graph], outputs: Float[Array, "N D"]) -> Self:
        """build: the chain of some of the rows."""
        order = np.random.default_rng(0).permutation(len(outputs))
        rows = np.sort(order[: SAMPLES[-1]])
        sample = build(rows)
        own = {each.name: getattr(sample, each.name) for each in fields(Graph)}
        return cls(**own, whole=build(np.arange(len(outputs))), rows=rows, outputs=outputs)

    def describe(self, parameters: Parameters) -> tuple[Array, Array, Array]:
        """Rows beyond the sample stand where a straight line from their outputs says."""
        relevance, information, mean = super().describe(parameters)
        return relevance, information, spread_over((self.outputs,), self.rows, mean)

    def work(self, max_iter: int) -> Work:
        return Work(((math.inf, float(len(self.rows))),), len(self.outputs) - len(self.rows))

    def completed(self, parameters: Parameters, tell: Callable[[str, int], bool]) -> Completed:
        """All rows, placed at every node where the sample says. tell: see `telling`."""
        learnt = self.learnt(parameters, (self.outputs[self.rows],))
        posteriors = [
            layer.as_posterior(Scaling.none(layer.posterior.weights.shape[1]))
            for layer in learnt.layers
        ]
        total = len(self.outputs)
        others = np.setdiff1d(np.arange(total), self.rows)
        evidence = (Evidence(posteriors[-1], self.outputs[others]),)
        training: Sequence[Belief] = parameters.nodes
        found, placed = place_nodes(
            evidence, posteriors[:-1], training, self.run, telling(tell, len(others))
        )
        back = np.argsort(np.concatenate([self.rows, others]))
        nodes = tuple(
            Belief(
                np.concatenate([own.mean, new.mean])[back],
                np.concatenate([own.variance, new.variance])[back],
            )
            for own, new in zip(training, found, strict=True)
        )
        said = sampled_in_words(len(self.rows), total)
        notes = (said, *left_over(len(others) - placed))
        return Completed(self.whole, Parameters(nodes, parameters.layers), self.rows, notes)
