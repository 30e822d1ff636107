"""The deep GP-LVM: a chain of Gaussian-process layers below latent inputs."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.rows import TrainingRows
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.timeline import TIMES
from gplvm_core.models.estimators import in_time, with_intervals
from gplvm_core.models.estimators.base import NOTHING, Capabilities
from gplvm_core.models.estimators.deep import (
    chain_of,
    for_layers,
    one_noise,
    outputs_from,
    widths,
)
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.settings import preset
from gplvm_core.models.estimators.trained import Ended, take_path, top_node
from gplvm_core.models.problems.deep import Family
from gplvm_core.models.problems.deep_latent import GROWN, LatentChain
from gplvm_core.models.problems.deep_many_rows import all_trained
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.doctor import DeepLayer, doubts, examined
from gplvm_core.models.problems.graph import Graph
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA, Network
from gplvm_core.statistics import Executor, Statistics


@preset
class DeepGPLVM(LatentVariableModel):
    """Deep Gaussian-process latent variable model (Damianou 2015, ch. 6).

    Latent inputs X ~ N(0, I) are at the top, and the data are at the bottom. Between them are
    layers of Gaussian-process functions with noise. Latent inputs and functions are integrated out
    approximately, so `bound_` is a lower bound on log p(Y). The latent attributes of the model
    (`latent_mean_`, `information_`, …) belong to the top; `kernel_`, `noise_std_`, … belong to the
    last layer. Training fixes the noise of the hidden layers until the layers below depend on them;
    otherwise the hidden layers could become pure noise.

    For 20,000 rows or more, training uses 10,000 of them, and the model then infers the points of
    the other rows in all layers. Training on a sample needs the family "marginalised" or
    "mean_field", no time_kernel and no encoder.

    Parameters
    ----------
    n_components
        The dimensions of the layers' inputs, the top first; one number gives the shallow model.
    n_inducing
        The number of inducing inputs, one number for all layers, or a tuple, the top first.
    kernel
        The kernel of all layers, or a tuple with one kernel for each layer, the top first.
    init
        The initial means of the lowest hidden layer: "pca", "isomap", "random", or an array. The
        layers above start as principal components.
    time_kernel
        None, or the kernel over time of the latent inputs at the top, as for BayesianGPLVM.
        `forecast`, `sample_sequence`, `complete` and `transform_sequence` propagate the paths
        through all layers.
    grow
        Whether to try a further start that trains a shallow model first and adds the layers above
        it one by one. The model uses the start with the best bound, and `notes_` reports its kind.

    Attributes
    ----------
    statistics_ : Statistics
        The sums over the rows that determine q(u) of the last layer.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import DeepGPLVM
    >>> rng = np.random.default_rng(0)
    >>> Y = np.outer(rng.standard_normal(30), [1.0, -2.0, 0.5, 1.0])
    >>> Y += 0.02 * rng.standard_normal((30, 4))
    >>> model = DeepGPLVM((1, 2), 8, max_iter=20, random_state=0).fit(Y)
    >>> len(model.layers_)
    2
    >>> model.generate([[0.0, 0.0]], layer=1).shape  # from the inputs of the lower layer
    (1, 4)
    """

    n_components: int | tuple[int, ...] = (5, 10)
    n_inducing: int | tuple[int, ...] = 50
    _: KW_ONLY
    kernel: str | Kernel | tuple[str | Kernel, ...] = "rbf"
    family: Family = "marginalised"
    max_iter: int = 800
    time_kernel: str | Kernel | None = None
    path_over: str | Sequence[int] = TIMES
    encoder: Literal["kernel", "network", "outputs"] | None = None
    grow: bool = False

    _can = Capabilities(layers=True)
    _ranks_sound, _one_noise = True, property(one_noise)
    _attributes: ClassVar[str] = "layers_ rows_"
    # Defaults for models in files of older versions.
    encoder_ = family_ = intervals_ = forecaster_ = NOTHING
    times_ = sequences_ = path_ = time_kernel_ = NOTHING

    forecast, forecast_latent = in_time.forecast, in_time.forecast_latent
    choose_forecaster = in_time.choose_forecaster
    can_choose_forecaster = property(in_time.can_choose_forecaster)
    sample_sequence, transform_sequence = in_time.sample_sequence, in_time.transform_sequence
    calibrate = with_intervals.calibrate
    can_calibrate = property(with_intervals.can_calibrate)
    _to_calibrate, _try = in_time.to_calibrate, in_time.try_in_time

    @property
    def statistics_(self) -> Statistics:
        """The statistics of the last layer."""
        return self.layers_[-1].statistics_

    @property
    def _network(self) -> Network:
        return chain_of(self)

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
            Inputs of the layer.
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
        given = H, H_variance, layer, len(self.layers_)
        mean, variance = outputs_from(self, *given, noise=noise)[DATA]
        return (mean, np.sqrt(variance)) if return_std else mean

    def _begin(self, targets: Float[Array, "N D"]) -> Embedded:
        wide = widths(self.n_components)
        n_inducing = for_layers("n_inducing", self.n_inducing, len(wide))
        kernels: tuple[str | Kernel, ...] = for_layers("kernel", self.kernel, len(wide))
        return Embedded(targets, wide, n_inducing, kernels, self.init)

    def _problem(self, begin: Embedded, executor: Executor, further: int) -> Graph:
        deep = LatentChain(
            partial(top_node, self),
            self.family,
            (self._noise,),
            self.jitter,
            executor,
            grow=self.max_iter if self.grow else None,
        )
        return deep.graph(begin, alone=self.time_kernel is None and self.encoder is None)

    def _settle(
        self, ended: Ended, targets: Array, scaling: Scaling, offset: float
    ) -> tuple[str, ...]:
        self.rows_ = TrainingRows(len(targets), ended.trained_rows)
        odd = take_path(self, ended)
        notes = (
            all_trained(len(targets), self.family) if ended.trained_rows is None else ended.notes
        )
        learnt = ended.learnt((targets,))
        self._set_layers(examined(ended.problem, learnt, scaling))
        self.bound_, self.encoder_ = learnt.bound + offset, ended.encoder
        self.family_ = "marginalised" if learnt.marginalised else None
        return notes + odd + self._growth_notes(ended.problem) + learnt.notes + doubts(self.layers_)

    def _growth_notes(self, problem: Graph) -> tuple[str, ...]:
        """A note on which kind of start was used, if there were two kinds."""
        if GROWN not in problem.recipes:
            return ()
        grown = [each for each in self.restarts_ if each.recipe == GROWN]
        together = [each for each in self.restarts_ if each.recipe != GROWN]
        if not grown:
            return ("training was stopped before the start with a grown top",)
        of_grown, of_others = (max(e.bound for e in kind) for kind in (grown, together))
        kept = "was" if any(each.result is self.result_ for each in grown) else "was not"
        return (
            f"the start with a grown top {kept} used: its bound is {of_grown:.1f} nats; with "
            f"layers trained jointly, the bound is {of_others:.1f} nats",
        )

    def _set_layers(self, layers: tuple[DeepLayer, ...]) -> None:
        """Set the fitted attributes of the layers, the top and the last layer."""
        self.layers_, top = layers, layers[0]
        self.latent_mean_, self.latent_variance_ = top.latent_mean_, top.latent_variance_
        self.information_, self.relevance_ = top.information_, top.relevance_
        self.posterior_ = layers[-1].posterior_
