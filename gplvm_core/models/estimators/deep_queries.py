"""Methods of a fitted deep GP-LVM: the methods of all latent models, and outputs from any layer."""

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.data.points import checked_points, checked_variance
from gplvm_core.models.estimators.deep import Layered, checked_layer
from gplvm_core.models.estimators.sequences import SequenceQueries
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA, Network
from gplvm_core.priors.encoder import Encoder
from gplvm_core.statistics import Statistics


class DeepQueries(Layered, SequenceQueries):
    """Methods for outputs from any layer, and for sequences of a model with a time_kernel.

    Attributes
    ----------
    statistics_ : Statistics
        The sums over the rows that determine q(u) of the last layer.
    """

    encoder_: Encoder | None

    @property
    def statistics_(self) -> Statistics:
        """The statistics of the last layer."""
        return self.layers_[-1].statistics_

    @property
    def _network(self) -> Network:
        return Network.chain(
            self._posteriors,
            [Belief(each.latent_mean_, each.latent_variance_) for each in self.layers_],
            [*map(self._known, self.layers_[:-1]), self.statistics_],
            mean_field=self._mean_field,
        )

    def generate(
        self,
        H: ArrayLike,
        layer: int = 0,
        *,
        H_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Predict the outputs at inputs of a layer.

        Means and variances are propagated from layer to layer.

        Parameters
        ----------
        H : array_like of shape (n, Q)
            Inputs of the layer. With the input_connections of a DeepGP, the inputs of a layer
            below the first are its own inputs, followed by those of the regression.
        layer : int, default 0
            The number of the layer in `layers_`; 0 is the top.
        H_variance : array_like of shape (n, Q), optional
            Variances of the inputs; None for exact inputs.

        Returns
        -------
        ndarray of shape (n, D), or two of them
            The means, and with return_std the standard deviations, in the units of the outputs.

        Raises
        ------
        ValueError
            If there is no such layer.
        """
        check_is_fitted(self)
        edge = self._network.edges[checked_layer(layer, len(self.layers_))]
        points = checked_points(H, edge.posterior.n_latent)
        spread = checked_variance(H_variance, points)
        whole = Belief(points, np.zeros_like(points) if spread is None else spread)
        parts = whole.split([self._network.width(at) for at in edge.sources])
        given = dict(zip(edge.sources, parts, strict=True))
        mean, variance = prediction.moments(self._network, given, noise=noise)[DATA]
        return (mean, np.sqrt(variance)) if return_std else mean
