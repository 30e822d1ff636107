"""Models of one table whose latent points may have a kernel over time, or an encoder."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.models.data.timeline import TIMES, inputs_from, over_times
from gplvm_core.models.estimators.second_stage import in_two_stages
from gplvm_core.models.estimators.sequences import SequenceQueries
from gplvm_core.models.estimators.trained import Callback, TrainedModel
from gplvm_core.models.problems.encoded import EncodedNode
from gplvm_core.models.problems.nodes import LatentNode, Node
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.training.run import Run
from gplvm_core.numerics import Array
from gplvm_core.priors.encoder import Encoder


class TimedModel(TrainedModel, SequenceQueries):
    """A model of one table whose latent points may have a kernel over time, or an encoder.

    Attributes
    ----------
    encoder_ : Encoder or None
        The trained encoder, or None.
    """

    encoder: Any
    path_over: str | Sequence[int] = TIMES
    encoder_: Encoder | None = None

    @in_two_stages
    def fit(
        self,
        Y: ArrayLike,
        y: Any = None,
        *,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        callback: Callback | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train the model.

        Parameters
        ----------
        Y : array_like of shape (N, D)
            Outputs; NaN marks missing values. Arrays of PyTorch and CuPy are converted to NumPy.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range.
        DataError
            If Y is not suitable for training, or if times or sequences do not match its rows.
        """
        return self._fit(Y, times, sequences, callback, resume)

    @property
    def _over_time(self) -> bool:
        """Whether the latent points are on paths over time."""
        return self.time_kernel is not None and bool(np.array_equal(self.path_over, TIMES))

    def _path_inputs(
        self, times: ArrayLike | None, sequences: ArrayLike | None, targets: Float[Array, "N D"]
    ) -> tuple[ArrayLike | None, ArrayLike | None, tuple[str, ...]]:
        if over_times(self.path_over):
            return times, sequences, ()
        if self.time_kernel is None:
            raise ValueError('path_over needs a time_kernel, such as "rbf"')
        ignored = "times and sequences are not used: the paths follow the rows' own values"
        notes = () if times is None and sequences is None else (ignored,)
        return inputs_from(targets, self.path_over), None, notes

    def _top(self, outputs: Float[Array, "N D"], n_latent: int) -> Node:
        """The node of the latent points."""
        if self.time_kernel is not None:
            if self.encoder is not None:
                raise ValueError(
                    "a time_kernel and an encoder cannot be combined: leave one of them out"
                )
            return PathNode(self._timeline(), self.time_kernel)
        if self.encoder is None:
            return LatentNode()
        return EncodedNode.of(outputs, n_latent, self.encoder)
