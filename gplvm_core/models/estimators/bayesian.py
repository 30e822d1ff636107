"""The Bayesian GP-LVM: latent inputs integrated out, dimensions switched off by ARD."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from gplvm_core.beliefs import Belief
from gplvm_core.datasets import RowFiles
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Noise, Scaling, observed_counts
from gplvm_core.models.estimators.trained import TrainedModel
from gplvm_core.models.problems.edges import relevance_of, to_data
from gplvm_core.models.problems.encoded import EncodedNode
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.problems.many_rows import MANY, Completed, ManyRows
from gplvm_core.models.problems.nodes import LatentNode, Node
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.problems.stochastic import Stochastic, check_batches
from gplvm_core.models.training.run import Run
from gplvm_core.models.training.watched import Watched
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.prediction import (
    Evidence,
    Posterior,
    Projection,
    log_density,
    log_density_sampled,
    project,
)
from gplvm_core.prediction.added import Added, Sums, pass_by
from gplvm_core.prediction.encoded import project_encoded
from gplvm_core.prediction.place import place
from gplvm_core.priors.encoder import Encoder
from gplvm_core.statistics import Executor, Statistics
from gplvm_core.statistics import executor as threads


class BayesianGPLVM(TrainedModel):
    """Bayesian Gaussian-process latent variable model (Titsias & Lawrence 2010).

    Outputs are Gaussian-process functions, plus noise, of latent inputs X ~ N(0, I) that are
    integrated out approximately: `bound_` is a lower bound on log p(Y) in nats, for the data as
    given. `relevance_` orders the latent dimensions, `information_` (nats per point) says which
    are on. Trained by phases with the noise variance and the kernel's scale at their optimum.

    kernel : "rbf", "linear", "periodic", or a kernel object with expectations under Gaussian
        inputs: RBF, Linear, Periodic, Bias, White, products of RBF kernels with at most one
        Periodic, and sums.
    encoder : None, or q(X) as a function of the outputs, learnt together with the layer, so that
        transform of a whole row needs no inference: "kernel", a linear map and an RBF expansion
        (Lawrence & Quiñonero-Candela 2006), or "network", a linear map and a hidden layer
        (Damianou 2015, §6.2.5). `bound_` stays a lower bound, over fewer beliefs. The encoder
        answers in transform and denoise; new rows with gaps, and score_samples, are inferred
        iteratively as without it.
    Of 20,000 rows or more, without an encoder, a growing sample is trained (1000, 2500, 10,000
    rows); the others are then placed where the mapping says, and the mapping is found from all
    rows. `trained_rows_` says which were trained (None: all), and so does `notes_`. Of files
    (`RowFiles`) 20,000 rows are drawn and learnt from so; all others pass by once, and only their
    sums are kept: `kept_rows_` says which rows `latent_mean_` is of (None: all).

    batch_size : None, or train by batches of so many rows drawn at random (stochastic variational
        inference; Damianou 2015, §3.3.3): after a sample of 2500 rows q(u) goes by its natural
        gradient and the other parameters by Adam, ten batches an iteration. With an encoder the
        batches' beliefs are its answers, else each row's own.
    noise : "shared", one variance for all outputs in their internal units; or "per_output": every
        output has a signal and a noise variance of its own (`noise_std_`), so that its scale does
        not matter, whatever `scaling` says.
    """

    encoder_: Encoder | None
    trained_rows_: Int[NDArray[np.intp], " T"] | None = None
    kept_rows_: Int[NDArray[np.intp], " K"] | None = None
    n_rows_: int | None = None
    file_rows_: int | None = None
    statistics_: Statistics
    _further = 0  # rows of files that pass by after training

    def __init__(
        self,
        n_components: int = 10,
        n_inducing: int = 50,
        kernel: str | Kernel = "rbf",
        init: str | ArrayLike = "pca",
        scaling: Literal["global", "columns", "none"] = "global",
        max_iter: int = 500,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
        encoder: Literal["kernel", "network"] | None = None,
        noise: Noise = "shared",
        batch_size: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_inducing = n_inducing
        self.kernel = kernel
        self.init = init
        self.scaling = scaling
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.jitter = jitter
        self.optimiser = optimiser
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.encoder = encoder
        self.noise = noise
        self.batch_size = batch_size

    def _problem(self, begin: Start, run: Executor) -> Graph | ManyRows | Stochastic:
        node, count = self._node(begin), len(begin.outputs[0])
        many = ManyRows(begin, self.jitter, run, self.noise, self._further)
        if self.batch_size is not None:
            check_batches(self.batch_size, count, self.noise)
            encoder = node if isinstance(node, EncodedNode) else None
            return Stochastic(many, self.batch_size, self.max_iter, encoder)
        if isinstance(node, LatentNode) and count >= MANY:
            return many
        layer = to_data(begin.outputs[0], run, self.noise)
        return Graph((node,), (layer,), begin, self.jitter)

    def _node(self, begin: Start) -> Node:
        """What is believed about the latent points."""
        if self.encoder is None:
            return LatentNode()
        return EncodedNode.of(begin.outputs[0], self.n_components, self.encoder)

    def _settle(
        self, problem: Any, parameters: Parameters, targets: Array, scaling: Scaling
    ) -> tuple[str, ...]:
        said: tuple[str, ...] = ()
        self.trained_rows_ = self.kept_rows_ = self.n_rows_ = self.file_rows_ = None
        if isinstance(parameters, Completed):
            self.trained_rows_, said = parameters.trained, parameters.notes
            problem, parameters = parameters.problem, parameters.parameters
        learnt = problem.learnt(parameters, (targets,))
        (node,), (layer,), (kind,) = learnt.nodes, learnt.layers, problem.nodes
        own = parameters.nodes[0]
        self.encoder_ = kind.encoder(own) if isinstance(kind, EncodedNode) else None
        self._keep(
            node.belief,
            node.information,
            learnt.bound + scaling.log_jacobian(observed_counts(targets)),
            layer.statistics,
            layer.as_posterior(scaling),
        )
        return said + learnt.notes

    def _keep(
        self,
        belief: Belief,
        information: Float[Array, " Q"],
        bound: float,
        statistics: Statistics,
        posterior: Posterior,
    ) -> None:
        """What fitting leaves behind, in one step."""
        self.latent_mean_, self.latent_variance_ = belief.mean, belief.variance
        self.information_, self.bound_ = information, bound
        self.relevance_ = relevance_of(posterior.kernel, belief.n_latent)
        self.statistics_, self.posterior_ = statistics, posterior

    def fit(
        self,
        Y: ArrayLike | RowFiles,
        y: Any = None,
        *,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
        executor: Executor | None = None,
    ) -> Self:
        """Train on outputs Y (N × D), NaN for missing ones, or on `RowFiles`. `y` is ignored.

        callback(progress) is called after every accepted iteration, and of files after every part
        that passed by; StopIteration raised in it, once, ends all of it with the best state so far:
        no row is placed or passes by any more, and `result_` says so. resume:
        a `progress.run` to go on from, with the same data and settings (a larger max_iter goes on
        for longer). executor: where rows of files pass by, `gplvm_core.cluster(…)`; None: n_jobs
        threads here. Files of at most 20,000 rows, and all files where there is an encoder, are
        read whole, and nothing passes by. Raises DataError for files that change while they are
        read, and ClusterError for a cluster that fails; the model is then as it was before.
        """
        if executor is not None and not isinstance(Y, RowFiles):
            raise ValueError(
                "an executor works on rows of files: save the table with numpy.save, where all "
                "workers see it, and fit RowFiles.of(path)"
            )
        apart = self.encoder is None and not self.capabilities.timed
        if not isinstance(Y, RowFiles) or len(Y) <= MANY or not apart:
            whole = np.asarray(Y) if isinstance(Y, RowFiles) else Y
            super().fit(whole, y, callback=callback, resume=resume)
            if executor is not None:
                self.notes_ += (
                    "the executor was not used: these rows were read whole, since "
                    + ("they are few" if apart else "each hangs on an encoder or on its time")
                    + ", so none passed by",
                )
            return self
        kept = np.sort(np.random.default_rng(0).permutation(len(Y))[:MANY])
        model, seen = clone(self), Watched(callback)
        model._further = len(Y) - MANY
        model.fit(Y.take(kept), callback=seen if callback else None, resume=resume)
        model._pass_by(Y, kept, seen, executor)
        for name, found in vars(model).items():
            if name.endswith("_"):
                setattr(self, name, found)
        return self

    def _pass_by(
        self,
        files: RowFiles,
        kept: Int[NDArray[np.intp], " K"],
        seen: Watched,
        given: Executor | None,
    ) -> None:
        """Add all rows of files but those that were drawn."""
        new: Sums | None = None
        ahead, placed = len(files) - len(kept), len(kept)
        if self.trained_rows_ is not None:
            placed -= len(self.trained_rows_)

        def goes_on() -> bool:
            done = 0 if new is None else new.count
            return seen.rows(f"rows that pass by: {done:,} of {ahead:,}", placed + done)

        with nullcontext(given) if given else threads(self.n_jobs) as run:
            if goes_on():
                for sums in pass_by(files, self.posterior_, self._belief, kept, run):
                    new = sums if new is None else new + sums
                    if not goes_on():
                        break
        self.trained_rows_ = kept if self.trained_rows_ is None else kept[self.trained_rows_]
        self.kept_rows_, self.n_rows_, self.file_rows_ = kept, len(kept), len(files)
        if new is not None:
            self._add(new, None)
        passed = self.n_rows_ - len(kept)
        note = f"{passed:,} of {len(files):,} rows only passed by: their sums were kept alone"
        if passed != ahead:
            note += f"; {ahead - passed:,} were not read, since it was stopped"
            self._stopped()
        self.notes_ += (note,)

    def extend(self, Y: ArrayLike) -> Self:
        """Add new rows (NaN: missing) to a trained model, without training again.

        Each is placed where the mapping says (as `transform` places it, from one start), and the
        mapping is then found from all rows; kernel, noise and inducing inputs stay. `bound_`,
        `information_`, `latent_mean_` and `latent_variance_` are of all rows, the new ones last.
        After training from files `kept_rows_` counts the new ones on from the files' last.
        Raises ValueError for other columns than those of the training rows, and for a model over
        time, whose rows hang together.
        """
        if self.capabilities.timed:
            raise ValueError(
                f"{type(self).__name__} joins its rows by their times, so none can be added alone: "
                "fit it to all rows, or ask forecast for new times"
            )
        outputs = self._outputs(Y)
        with threads(self.n_jobs) as run:
            belief, _ = place((Evidence(self.posterior_, outputs),), self._belief, run)
            new = Sums.of(self.posterior_, outputs, belief, run)
        if self.trained_rows_ is None:
            self.trained_rows_ = np.arange(len(self.latent_mean_))
        before = self.n_rows_ or len(self.latent_mean_)
        if self.kept_rows_ is not None:
            # Also of those that were added before, and of rows that a stop left unread.
            first = max(self.file_rows_ or before, int(self.kept_rows_[-1]) + 1)
            self.kept_rows_ = np.append(self.kept_rows_, first + np.arange(len(outputs)))
        self._add(new, belief)
        self.notes_ += (f"{len(outputs):,} rows were added without training again",)
        return self

    def _add(self, new: Sums, kept: Belief | None) -> None:
        """Take rows in, with their beliefs or without."""
        added = Added.of(self.posterior_, self.statistics_, new)
        before = self.n_rows_ or len(self.latent_mean_)
        self.n_rows_ = before + new.count
        information = (before * self.information_ + new.divergence) / self.n_rows_
        belief = self._belief
        if kept is not None:
            belief = Belief(
                np.concatenate([belief.mean, kept.mean]),
                np.concatenate([belief.variance, kept.variance]),
            )
        bound = self.bound_ + added.gained
        self._keep(belief, information, bound, added.statistics, added.posterior)

    def score_samples(
        self, Y: ArrayLike, n_samples: int | None = None, random_state: int | None = 0
    ) -> Float[Array, " N"]:
        """log p(observed entries of y | training data) of each row in nats, approximately.

        The difference of the bounds with and without the row: each is a lower bound, their
        difference bounds nothing (Damianou 2015, §3.4). With n_samples by importance sampling over
        the row's latent point: low on average, the more draws the less.
        """
        outputs = self._outputs(Y)
        found = self._inferred(outputs)
        if n_samples is not None:
            return log_density_sampled([self.posterior_], outputs, [found], n_samples, random_state)
        return log_density((Evidence(self.posterior_, outputs),), (self.statistics_,), found)

    def _project(self, outputs: Array) -> Projection:
        if self.encoder is None or self.encoder_ is None:
            return self._inferred(outputs)
        return project_encoded(self.encoder_, self.posterior_, outputs, self._inferred)

    def _inferred(self, outputs: Array) -> Projection:
        return project((Evidence(self.posterior_, outputs),), self._belief)
