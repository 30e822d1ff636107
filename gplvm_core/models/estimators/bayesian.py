"""The Bayesian GP-LVM: latent inputs integrated out, dimensions switched off by ARD."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar, Literal

from gplvm_core.kernels import Kernel
from gplvm_core.models.batches import Stochastic, check_batches
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.training_rows import TrainingRows
from gplvm_core.models.estimators.any_kind import AnyKind
from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.models.estimators.settings import LatentSettings, preset
from gplvm_core.models.estimators.trained import Ended
from gplvm_core.models.problems.edges import to_data
from gplvm_core.models.problems.encoded import EncodedNode
from gplvm_core.models.problems.graph import Graph
from gplvm_core.models.problems.kinds import KindsStart
from gplvm_core.models.problems.many_rows import ManyRows, are_many
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.problems.starts import Start
from gplvm_core.numerics import Array
from gplvm_core.statistics import Executor


@preset
class BayesianGPLVM(LatentSettings, AnyKind):
    """Bayesian Gaussian-process latent variable model (Titsias & Lawrence 2010).

    Outputs are Gaussian-process functions, plus noise, of latent inputs X ~ N(0, I) that are
    integrated out approximately: `bound_` is a lower bound on log p(Y) in nats, for the data as
    given. `relevance_` orders the latent dimensions, `information_` (nats per point) says which
    are on. Trained by phases with the noise variance and the kernel's scale at their optimum.

    With a time_kernel every latent dimension is a Gaussian process over time (or over any observed
    inputs), independent between sequences: the variational Gaussian-process dynamical system
    (Damianou, Titsias & Lawrence 2011; Damianou 2015, §3.2.1 and §3.3.6). transform, score_samples,
    denoise, and complete without times then take every row alone, x ~ N(0, I).

    20,000 rows or more, without an encoder and a time_kernel, are trained on a growing sample
    (1000, 2500, 10,000 rows); the others are then placed on the map, and the mapping is found from
    all rows. `rows_.trained` says which were trained (None: all), and so does `notes_`. From files
    (`RowFiles`) 20,000 rows are drawn and learnt from so; all others are read once, and only their
    sums are used: `rows_.kept` says which rows `latent_mean_` is of (None: all).
    """

    n_components: int = 10
    n_inducing: int = 50
    _: KW_ONLY
    kernel: str | Kernel = "rbf"
    time_kernel: str | Kernel | None = None
    encoder: Literal["kernel", "network"] | None = None
    batch_size: int | None = None
    kinds: str | Sequence[Any] | Mapping[Any, Any] | None = None

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(timed=self.time_kernel is not None)

    def _problem(
        self, begin: Start | KindsStart, executor: Executor, further: int
    ) -> Graph | ManyRows | Stochastic:
        if isinstance(begin, KindsStart):
            return self._any_kinds(begin, executor)
        node, count = self._top(begin.outputs[0], self.n_components), len(begin.outputs[0])
        many = ManyRows(begin, self.jitter, executor, self.noise, further)
        if self.batch_size is not None:
            check_batches(self.batch_size, count, self.noise)
            if isinstance(node, PathNode):
                raise ValueError("rows over time depend on each other: leave out batch_size")
            encoder = node if isinstance(node, EncodedNode) else None
            return Stochastic(many, self.batch_size, self.max_iter, encoder)
        if isinstance(node, LatentNode) and are_many(count):
            return many
        layer = to_data(begin.outputs[0], executor, self.noise)
        return Graph((node,), (layer,), begin, self.jitter)

    def _settle(
        self, ended: Ended, targets: Array, scaling: Scaling, offset: float
    ) -> tuple[str, ...]:
        self.rows_ = TrainingRows(len(targets), ended.trained_rows)
        odd, self.encoder_ = self._take_path(ended), ended.encoder
        if self.columns_ is not None:
            return odd + ended.notes + self._settle_kinds(ended, targets, scaling, offset)
        learnt = ended.learnt((targets,))
        (node,), (layer,) = learnt.nodes, learnt.layers
        posterior = layer.as_posterior(scaling)
        bound = learnt.bound + offset
        self._keep(node.belief, node.information, bound, layer.statistics, posterior)
        return odd + ended.notes + learnt.notes


@preset
class DynamicalGPLVM(BayesianGPLVM):
    """Variational Gaussian-process dynamical system (Damianou, Titsias & Lawrence 2011).

    The BayesianGPLVM whose latent points lie on smooth paths over time, each dimension a Gaussian
    process over time (or over any observed inputs), independent between sequences. transform,
    score_samples, denoise, and complete without times take every row alone, x ~ N(0, I).
    Source: Damianou (2015), §3.2.1 and §3.3.6.
    """

    _: KW_ONLY
    time_kernel: str | Kernel | None = "matern32"


@preset
class BayesianPCA(BayesianGPLVM):
    """Bayesian PCA: the Bayesian GP-LVM with a linear ARD kernel (Damianou 2015, §3.2).

    That kernel has rank Q, so it gets as many inducing inputs as latent dimensions. With
    noise="per_output" it is Bayesian factor analysis.
    """

    kernel: ClassVar[str] = "linear"  # type: ignore[misc]
    n_inducing: ClassVar[Any] = property(lambda self: self.n_components)  # type: ignore[misc]
    encoder: ClassVar[None] = None  # type: ignore[misc]
    batch_size: ClassVar[None] = None  # type: ignore[misc]
