"""The deep GP-LVM: Gaussian-process layers on top of each other, above them latent inputs."""

from dataclasses import KW_ONLY
from typing import Literal

from jaxtyping import Float

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.training_rows import TrainingRows
from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.models.estimators.deep import for_layers, widths
from gplvm_core.models.estimators.deep_queries import DeepQueries
from gplvm_core.models.estimators.settings import LatentSettings, preset
from gplvm_core.models.estimators.trained import Ended, TimedModel
from gplvm_core.models.problems.deep import Family
from gplvm_core.models.problems.deep_latent import GROWN, LatentChain
from gplvm_core.models.problems.deep_many_rows import all_trained
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.doctor import DeepLayer, doubts, examined
from gplvm_core.models.problems.graph import Graph
from gplvm_core.numerics import Array
from gplvm_core.statistics import Executor


@preset
class DeepGPLVM(LatentSettings, DeepQueries, TimedModel):
    """Deep Gaussian-process latent variable model (Damianou 2015, ch. 6).

    Latent inputs X ~ N(0, I) at the top, layers of Gaussian-process functions with noise below
    each other, the data at the bottom; all of it integrated out approximately, so that `bound_` is
    a lower bound on log p(Y) in nats, for the data as given. `layers_` holds every layer, the top
    first, with the belief about its inputs (`latent_mean_`, `latent_variance_`, `information_`,
    `relevance_`) and a verdict on it in words (`verdict_`); `latent_mean_` and the like of the
    model are the top's, `kernel_`, `noise_std_` and the like the last layer's. Trained with the
    noise of the hidden layers held until the layers below depend on them, since a free one would
    explain itself as noise.

    Of 20,000 rows or more, without time_kernel and encoder and with the family "marginalised" or
    "mean_field", 10,000 are trained and the others placed in all layers where those say;
    `rows_.trained` says which were trained (None: all).

    Parameters
    ----------
    n_components
        The widths of the layers' inputs, the top first; one number is the shallow model.
    n_inducing
        The number of inducing inputs: one for all layers, or a tuple with one for each, the top
        first.
    kernel
        One for all layers, or a tuple with one for each, the top first.
    init
        The means of the lowest hidden layer, or their recipe; those above are principal
        components.
    time_kernel
        None, or a kernel over time as for BayesianGPLVM: the top then lies on smooth paths, which
        `forecast`, `sample_sequence`, `complete` and `transform_sequence` continue through all
        layers. With the outputs themselves as times it is an autoencoder, whose prior ties the
        top to them (Damianou 2015, §6.2.5): `bound_` is then one on log p(Y | Y).
    grow
        Also start from a new top on a shallow model that was trained first (layer by layer where
        there are more), and use what ends with the better bound; notes_ say which.
    mean
        The mean of the hidden layers: "zero", or "linear", linear maps of their inputs that are
        held from the start (RBF kernels; the family "marginalised" or "mean_field").
    """

    n_components: int | tuple[int, ...] = (5, 10)
    n_inducing: int | tuple[int, ...] = 50
    _: KW_ONLY
    kernel: str | Kernel | tuple[str | Kernel, ...] = "rbf"
    family: Family = "marginalised"
    max_iter: int = 800
    time_kernel: str | Kernel | None = None
    encoder: Literal["kernel", "network"] | None = None
    grow: bool = False
    mean: Literal["zero", "linear"] = "zero"
    input_connections: bool = False

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(timed=self.time_kernel is not None, layers=True)

    def _begin(self, targets: Float[Array, "N D"]) -> Embedded:
        wide = widths(self.n_components)
        n_inducing = for_layers("n_inducing", self.n_inducing, len(wide))
        kernels: tuple[str | Kernel, ...] = for_layers("kernel", self.kernel, len(wide))
        return Embedded(targets, wide, n_inducing, kernels, self.init)

    def _problem(self, begin: Embedded, executor: Executor, further: int) -> Graph:
        deep = LatentChain(
            self._top,
            self.family,
            self.noise,
            self.jitter,
            executor,
            linear=self.mean == "linear",
            grow=self.max_iter if self.grow else None,
            connected=self.input_connections,
        )
        return deep.graph(begin, alone=self.time_kernel is None and self.encoder is None)

    def _settle(
        self, ended: Ended, targets: Array, scaling: Scaling, offset: float
    ) -> tuple[str, ...]:
        self.rows_ = TrainingRows(len(targets), ended.trained_rows)
        odd = self._take_path(ended)
        said = all_trained(len(targets), self.family) if ended.trained_rows is None else ended.notes
        learnt = ended.learnt((targets,))
        self._keep_layers(examined(ended.problem, learnt, scaling))
        self.bound_, self.encoder_ = learnt.bound + offset, ended.encoder
        self.family_ = "marginalised" if learnt.marginalised else None
        return said + odd + self._kept(ended.problem) + learnt.notes + doubts(self.layers_)

    def _kept(self, problem: Graph) -> tuple[str, ...]:
        """Which kind of start was kept, in words."""
        if GROWN not in problem.recipes:
            return ()
        grown = [each for each in self.restarts_ if each.recipe == GROWN]
        together = [each for each in self.restarts_ if each.recipe != GROWN]
        if not grown:
            return ("training was stopped before the start with a grown top had its turn",)
        of_grown, of_others = (max(e.bound for e in kind) for kind in (grown, together))
        kept = "was" if any(each.result is self.result_ for each in grown) else "was not"
        return (
            f"the start with a grown top {kept} kept: bound {of_grown:.1f} nats, of layers trained "
            f"together from the first {of_others:.1f}",
        )

    def _keep_layers(self, layers: tuple[DeepLayer, ...]) -> None:
        """What fitting leaves behind: the layers, and what is said of the top and of the last."""
        self.layers_, top = layers, layers[0]
        self.latent_mean_, self.latent_variance_ = top.latent_mean_, top.latent_variance_
        self.information_, self.relevance_ = top.information_, top.relevance_
        self.posterior_ = layers[-1].posterior_
