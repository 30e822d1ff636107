"""What deep models with latent points at the top share: beliefs about new rows at every node."""

from collections.abc import Sequence

from jaxtyping import Float

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.estimators.deep import Layered
from gplvm_core.models.problems.doctor import DeepLayer
from gplvm_core.models.problems.variational import family_named
from gplvm_core.numerics import Array
from gplvm_core.prediction import Evidence, Posterior, Projection
from gplvm_core.prediction.path_deep import infer_deep_sequence
from gplvm_core.prediction.paths import Continued, FoundPath, StepCallback
from gplvm_core.prediction.project_deep import Nodes, beliefs_at, project_nodes
from gplvm_core.statistics import Statistics


class DeepLatent(Layered):
    """Inference of new rows in all layers together, one by one or along a path of the top."""

    @property
    def _hidden(self) -> tuple[DeepLayer, ...]:
        """The layers whose outputs are hidden, the top first."""
        raise NotImplementedError

    @property
    def _beliefs(self) -> list[Belief]:
        """What is believed of the training rows at every node, the top first."""
        raise NotImplementedError

    @property
    def _above(self) -> tuple[Posterior, ...]:
        return tuple(layer.posterior_ for layer in self._hidden)

    def _at_all_nodes(self, evidence: Sequence[Evidence]) -> Projection:
        """The explanations of rows at all nodes side by side; evidence: of the last layers."""
        return project_nodes(evidence, self._above, self._beliefs)

    def _explained(self, evidence: Sequence[Evidence]) -> tuple[Projection, ...]:
        """The explanations of rows at every node, the top first."""
        nodes = Nodes.of(beliefs_at(evidence, self._beliefs))
        return nodes.split(self._at_all_nodes(evidence))

    def _log_density(
        self,
        evidence: Sequence[Evidence],
        known: Sequence[Statistics],
        found: Sequence[Projection],
    ) -> Float[Array, " N"]:
        """The difference of the bounds with and without each row; known: of the last layers.

        A hidden layer whose q(u) is no function of its statistics has none.
        """
        family = family_named(self.family_ or self.family)
        known_above = [layer.statistics_ if family.summarised else None for layer in self._hidden]
        return prediction.log_density_deep(
            evidence, known, self._above, known_above, found, mean_field=family.independent
        )

    def _infer(
        self,
        evidence: Sequence[Evidence],
        prior: Continued,
        callback: StepCallback | None,
        statistics: Sequence[Statistics] | None,
    ) -> FoundPath:
        if statistics is not None:
            raise ValueError("adapt=True is for models of one layer: leave it out")
        settings = self._at_all_nodes, self._beliefs, callback
        return infer_deep_sequence(evidence, self._above, prior, *settings)
