"""The deep GP-LVM: Gaussian-process layers on top of each other, above them latent inputs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import RBF, Kernel
from gplvm_core.models.data.scaling import Noise, Scaling, observed_counts
from gplvm_core.models.data.timeline import checked_timeline, timeline_notes
from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.models.estimators.deep import LAYERED, for_layers, widths
from gplvm_core.models.estimators.deep_queries import DeepQueries
from gplvm_core.models.estimators.trained import TrainedModel
from gplvm_core.models.problems.deep import PHASES, Family, chain
from gplvm_core.models.problems.deep_growing import Grown
from gplvm_core.models.problems.deep_many_rows import SampledGraph, all_trained, together
from gplvm_core.models.problems.deep_starts import Connected, Embedded, Sloped
from gplvm_core.models.problems.doctor import DeepLayer, doubts, examined
from gplvm_core.models.problems.edges import targets_for
from gplvm_core.models.problems.encoded import EncodedNode
from gplvm_core.models.problems.graph import Beginning, Graph, Recipes
from gplvm_core.models.problems.many_rows import MANY, Completed, Rows
from gplvm_core.models.problems.nodes import LatentNode, Node
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.training.run import Phase, Run
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.statistics import Executor

# Recipes of starts: all layers together from the first, or a new top on layers trained before.
TOGETHER, GROWN = "all layers together", "a grown top"


class DeepGPLVM(DeepQueries, TrainedModel):
    """Deep Gaussian-process latent variable model (Damianou 2015, ch. 6).

    Latent inputs X ~ N(0, I) at the top, layers of Gaussian-process functions with noise below
    each other, the data at the bottom; all of it integrated out approximately, so that `bound_` is
    a lower bound on log p(Y) in nats, for the data as given. `layers_` holds every layer, the top
    first, with the belief about its inputs (`latent_mean_`, `latent_variance_`, `information_`,
    `relevance_`) and a verdict on it in words (`verdict_`); `latent_mean_` and the like of the
    model are the top's, `kernel_`, `noise_std_` and the like the last layer's. Trained with the
    noise of the hidden layers held until the layers below depend on them, since a free one would
    explain itself as noise.

    n_components : widths of the layers' inputs, the top first; one number is the shallow model.
    n_inducing, kernel : one for all layers, or a tuple with one for each, the top first.
    family : q of the hidden layers: "marginalised" (inducing outputs integrated out given the
        hidden layers) or "mean_field" (independent of them, never higher); or conditional ones,
        which a last phase of training turns a marginalised one into: "gated" and "free" (hidden
        outputs that follow the inducing outputs, by one gate a dimension or at will), "diagonal"
        (outputs that follow the inputs; RBF kernels), Chamberlin (2016). For small models, with RBF
        kernels and the package autograd: "joint" (gated, all dimensions of a layer together),
        "full" (every output follows all inputs), "chain" (joint, and the inducing outputs follow
        those of the layer above; no missing values) and "low_rank_chain" (by a matrix of low rank).
        Where such a bound ends lower than that of "marginalised" at the same beliefs, this is kept,
        and notes_ say so.
    init : means of the lowest hidden layer, or their recipe; those above are principal components.
    noise : of the data, "shared" or "per_output", as in BayesianGPLVM.
    time_kernel : None, or a kernel over time as for DynamicalGPLVM: the top then lies on smooth
        paths, which `forecast`, `sample_sequence`, `complete` and `transform_sequence` continue
        through all layers. With the outputs themselves as times it is an autoencoder, whose prior
        ties the top to them (Damianou 2015, §6.2.5): `bound_` is then one on log p(Y | Y).
    encoder : None, or q(X) of the top as a function of the outputs, "kernel" or "network", as for
        BayesianGPLVM (the autoencoder by a back-constraint, §6.2.5); transform of whole rows is its
        answer.
    grow : also starts from a new top on a shallow model that was trained first (layer by layer
        where there are more), and keeps what ends with the better bound; notes_ say which.
    mean : of the hidden layers, "zero", or "linear": they hand on what of their outputs is linear
        in their inputs at the start, by maps that stay, and learn the rest (RBF kernels; the family
        "marginalised" or "mean_field").
    input_connections : every layer sees the top beside what the layer above hands on (Duvenaud et
        al. 2014), so that deep models forget none of it; the same two families.

    Of 20,000 rows or more, without time_kernel and encoder and with the family "marginalised" or
    "mean_field", 10,000 are trained and the others placed in all layers where those say;
    `trained_rows_` says which were trained (None: all).
    """

    trained_rows_: Rows | None
    _layered = LAYERED

    def __init__(
        self,
        n_components: int | tuple[int, ...] = (5, 10),
        n_inducing: int | tuple[int, ...] = 50,
        kernel: str | Kernel | tuple[str | Kernel, ...] = "rbf",
        family: Family = "marginalised",
        init: str | ArrayLike = "pca",
        scaling: Literal["global", "columns", "none"] = "global",
        max_iter: int = 800,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
        noise: Noise = "shared",
        time_kernel: str | Kernel | None = None,
        encoder: Literal["kernel", "network"] | None = None,
        grow: bool = False,
        mean: Literal["zero", "linear"] = "zero",
        input_connections: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_inducing = n_inducing
        self.kernel = kernel
        self.family = family
        self.init = init
        self.scaling = scaling
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.jitter = jitter
        self.optimiser = optimiser
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.noise = noise
        self.time_kernel = time_kernel
        self.encoder = encoder
        self.grow = grow
        self.mean = mean
        self.input_connections = input_connections

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(timed=self.time_kernel is not None, layers=True)

    def fit(
        self,
        Y: ArrayLike,
        y: Any = None,
        *,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train on outputs Y (N × D), NaN for missing ones. `y` is ignored.

        times and sequences, with a time_kernel, as for DynamicalGPLVM; callback and resume as for
        BayesianGPLVM.
        """
        if self.time_kernel is not None and self.encoder is not None:
            raise ValueError("the top follows time_kernel or an encoder, not both: leave one out")
        self.times_ = self.sequences_ = self.path_ = self.time_kernel_ = None
        if self.time_kernel is not None:
            shape = np.shape(Y)
            count = shape[0] if shape else 0
            self.times_, self.sequences_ = checked_timeline(times, sequences, count)
        super().fit(Y, callback=callback, resume=resume)
        if self.time_kernel is None and not (times is None and sequences is None):
            self.notes_ += ("times and sequences are not used: the model has no time_kernel",)
        return self

    def _begin(self, targets: Float[Array, "N D"]) -> Embedded:
        wide = widths(self.n_components)
        n_inducing = for_layers("n_inducing", self.n_inducing, len(wide))
        kernels = for_layers("kernel", self.kernel, len(wide))
        return Embedded(targets, wide, n_inducing, kernels, self.init)

    def _problem(self, begin: Embedded, run: Executor) -> Graph:
        outputs = begin.outputs
        assert not isinstance(outputs, tuple)
        # Where q is one of every point's own, others can be placed.
        apart = self.time_kernel is None and self.encoder is None
        if len(outputs) < MANY or not apart or together(self.family):
            return self._chain(begin, run)

        def some(rows: Rows) -> Graph:
            init = begin.init if isinstance(begin.init, str) else np.asarray(begin.init)[rows]
            return self._chain(replace(begin, outputs=outputs[rows], init=init), run)

        return SampledGraph.of(some, outputs)

    def _chain(self, begin: Embedded, run: Executor) -> Graph:
        assert not isinstance(begin.outputs, tuple)
        targets = targets_for(begin.outputs, self.noise)

        def below(
            top: Node,
            family: Family,
            begin: Beginning,
            n_hidden: int,
            phases: Sequence[Phase] = PHASES,
            *,
            connected: bool = False,
        ) -> Graph:
            return chain(
                top,
                targets,
                begin,
                n_hidden,
                family=family,
                jitter=self.jitter,
                run=run,
                per_output=self.noise == "per_output",
                connected=connected,
                phases=phases,
            )

        starts: dict[str, Beginning] = {"": begin}
        if self.grow and len(begin.n_latent) > 1:
            # Every family starts from what the default one finds.
            grown = Grown(begin, partial(below, LatentNode(), "marginalised"), self.max_iter)
            starts = {TOGETHER: begin, GROWN: grown}
        if self.input_connections:
            starts = {name: Connected(each, begin.kernels) for name, each in starts.items()}
        if self._linear(begin.kernels[:-1]):
            starts = {name: Sloped(each) for name, each in starts.items()}
        top = self._top(begin.outputs, begin.n_latent[0])
        connected, start = self.input_connections, Recipes(starts)
        return below(top, self.family, start, len(begin.n_latent) - 1, connected=connected)

    def _linear(self, above: Sequence[Any]) -> bool:
        """Whether the hidden layers, of these kernels, have a linear mean. Raises ValueError where
        they cannot.
        """
        if self.mean not in ("zero", "linear"):
            raise ValueError(f"mean must be 'zero' or 'linear'; got {self.mean!r}")
        if self.mean == "zero":
            return False
        if why := together(self.family):
            raise ValueError(f"mean='linear' is for marginalised and mean_field families: {why}")
        if not all(each == "rbf" or isinstance(each, RBF) for each in above):
            raise ValueError("mean='linear' needs RBF kernels in the hidden layers")
        return True

    def _top(self, outputs: Float[Array, "N D"], n_latent: int) -> Node:
        """What is believed about the latent points."""
        if self.time_kernel is not None:
            return PathNode(self._timeline, self.time_kernel)
        if self.encoder is None:
            return LatentNode()
        return EncodedNode.of(outputs, n_latent, self.encoder)

    def _settle(
        self, problem: Graph, parameters: Any, targets: Array, scaling: Scaling
    ) -> tuple[str, ...]:
        said = all_trained(len(targets), self.family)
        self.trained_rows_ = None
        if isinstance(parameters, Completed):
            self.trained_rows_, said = parameters.trained, parameters.notes
            problem, parameters = parameters.problem, parameters.parameters
        learnt = problem.learnt(parameters, (targets,))
        self._keep_layers(examined(problem, learnt, scaling))
        self.bound_ = learnt.bound + scaling.log_jacobian(observed_counts(targets))
        self.family_ = "marginalised" if learnt.marginalised else None
        node, own = problem.nodes[0], parameters.nodes[0]
        self.encoder_ = node.encoder(own) if isinstance(node, EncodedNode) else None
        odd: tuple[str, ...] = ()
        if isinstance(node, PathNode):
            self.path_, self.time_kernel_ = node.path(own), own.kernel
            odd = timeline_notes(self.times_, self.sequences_, own.kernel)
        return said + odd + self._kept(problem) + learnt.notes + doubts(self.layers_)

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
