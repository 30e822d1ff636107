"""Sparse Gaussian-process regression, with inputs that may be known exactly or with noise."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from typing import Literal, Self

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.data.rows import capped_notes, inducing_count
from gplvm_core.models.data.scaling import Scaling, noise_in_words, observed_counts
from gplvm_core.models.estimators.regression_model import RegressionModel
from gplvm_core.models.estimators.settings import check_settings, preset
from gplvm_core.models.estimators.trained import settings_of, whole
from gplvm_core.models.problems.edges import relevance_of, targets_for
from gplvm_core.models.problems.graph import Beginning, Graph
from gplvm_core.models.problems.nodes import InputNode
from gplvm_core.models.problems.regression import PHASES, RegressionStart, check_kernel, regression
from gplvm_core.models.training.run import Phase, Run, Trained, failures_in_words, seeds_for
from gplvm_core.models.training.schedule import Training
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.optimise import Progress
from gplvm_core.statistics import Executor, Targets, executor_for


@preset
class SparseGPRegression(RegressionModel):
    """Gaussian-process regression through inducing inputs, at exact or uncertain inputs.

    Training maximises the collapsed bound of Titsias (2009). It learns ARD lengthscales and
    inducing inputs; the noise and the kernel variance are always optimal. With as many inducing
    inputs as points, the model is exact Gaussian-process regression. Several outputs share one
    kernel and one noise variance; with noise="per_output" each output has a signal and a noise
    variance. The model standardises the columns of the inputs; methods take and return the user's
    units.

    The inputs may be noisy observations z of x, with the prior x ~ N(z, X_variance). Training then
    learns q(x_n) = N(μ_n, S_n) under this prior (Damianou 2015, eq. 4.1). With `constrained`, q is
    centred on z_n, with the given or a learnt variance (§4.2.1).

    Parameters
    ----------
    n_inducing
        The number of inducing inputs, at most one for each row; with one for each row, exact inputs
        have an exact Gaussian process. "auto": 200 for fewer than 2,000 rows, 50 for more. The cost
        of an iteration grows with the square of their number.
    kernel
        "rbf", "linear", "periodic", "matern12", "matern32", "matern52", or a kernel object in
        units of the standardised inputs. Exact inputs allow every kernel, including sums and
        products such as RBF() + Periodic() or Linear() * Matern32(). Uncertain inputs (X_variance,
        missing values) need a kernel with expectations under Gaussian inputs.
    kinds
        The kind of each input. None: all inputs are numbers. "auto": the values of the columns
        decide. A list or dict gives the kind of each column, and a dict may leave out columns:
        "number", "count", "yes/no", "category", "grade", or a list of words for a grade in that
        order. Each word of a category or yes/no column is an input of zeros and ones, a grade is
        the number of its word. New rows of a data frame are found by their names.

    Attributes
    ----------
    input_mean_ : ndarray of shape (N, Q)
        The posterior means of the training inputs, in the user's units.
    input_variance_ : ndarray of shape (N, Q)
        The posterior variances of the training inputs; 0 for exact inputs.
    input_noise_variance_ : ndarray of shape (N, Q)
        The variances of the input noise, given or learnt, in squared user's units.
    relevance_ : ndarray of shape (Q,)
        The ARD weight of each standardised input, an inverse squared lengthscale.
    information_ : ndarray of shape (Q,)
        The information that training added about each input, in nats per row.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import SparseGPRegression
    >>> X = np.linspace(0.0, 6.0, 30)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.05 * np.random.default_rng(0).standard_normal(30)
    >>> model = SparseGPRegression(10, max_iter=50, random_state=0).fit(X, y)
    >>> mean, std = model.predict([[1.5]], return_std=True)
    >>> mean.round(1)
    array([1.])
    """

    n_inducing: int | Literal["auto"] = "auto"
    kernel: str | Kernel = "rbf"
    _: KW_ONLY
    constrained: bool = False

    @whole
    def fit(
        self,
        X: ArrayLike,
        Y: ArrayLike,
        *,
        X_variance: ArrayLike | Literal["learned"] | None = None,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train the regression.

        Parameters
        ----------
        X : array_like of shape (N, Q)
            Inputs. Only SemiDescribedGPRegression accepts missing inputs (NaN).
        Y : array_like of shape (N,) or (N, D)
            Outputs; NaN marks missing values.
        X_variance : float, array_like of shape (Q,) or (N, Q), or "learned", optional
            The variances of the input noise in squared units of X; 0 marks an exact value.
            "learned" learns a variance for each column, or with `constrained` for each value.
            None: exact inputs.
        callback : callable, optional
            Called as callback(progress) after each accepted iteration. If it raises StopIteration,
            training ends with the best state so far.
        resume : Run, optional
            A `progress.run` to continue, with the same data and settings; max_iter may be larger.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range, or if the kernel does not allow uncertain inputs.
        DataError
            If X or Y is not suitable for training.
        """
        check_settings(self)
        given = self._given(X, Y, X_variance, constrained=self.constrained)
        inputs, outputs, units, scaling = given
        check_kernel(self.kernel, inputs)
        priors, (kept, odd) = inputs.prior, self._kept(inputs)
        inputs, targets = inputs.rows(kept), outputs[kept]
        with executor_for(self.n_jobs) as executor:
            problem, trained = self._staged(inputs, targets, scaling, executor, callback, resume)
            best = max(trained, key=lambda each: each.restart.bound)
            learnt = problem.learnt(best.parameters, (targets,))
        (node,), (layer,), (known,) = learnt.nodes, learnt.layers, problem.nodes
        assert isinstance(known, InputNode)
        belief, self.information_ = node.belief, node.information
        self.posterior_ = layer.as_posterior(scaling)
        self.bound_ = learnt.bound + scaling.log_jacobian(observed_counts(targets))
        self.relevance_ = relevance_of(self.kernel_, belief.n_latent)
        self.input_center_, self.input_scale_ = units.center, units.scale
        prior = known.prior(belief)
        # The inputs of rows that training left out keep their prior mean and variance.
        mean, spread, noise = (
            priors.center.copy(),
            priors.variance.copy(),
            priors.variance.copy(),
        )
        mean[kept], spread[kept], noise[kept] = belief.mean, belief.variance, prior.variance
        self.input_mean_ = units.center + units.scale * mean
        self.input_variance_ = units.scale**2 * spread
        self.input_noise_variance_ = units.scale**2 * noise
        self.restarts_ = tuple(each.restart for each in trained)
        self.result_, self.trace_ = best.restart.result, best.trace.arrays()
        notes = (
            units.notes
            + scaling.notes
            + capped_notes(inducing_count(self.n_inducing, len(targets)), len(targets))
        )
        notes += failures_in_words(self.restarts_)
        self._note(notes + odd)
        self.notes_ += noise_in_words("shared", scaling)
        return self

    def _staged(
        self,
        inputs: Inputs,
        targets: Float[Array, "N D"],
        scaling: Scaling,
        executor: Executor,
        callback: Callable[[Progress], None] | None,
        resume: Run | None,
    ) -> tuple[Graph, tuple[Trained, ...]]:
        """Train all stages; returns the problem of the last stage, and the end of every start."""
        problem = self._problem(inputs, targets, executor)
        return problem, self._run(problem, targets, scaling, callback, resume)

    def _run(
        self,
        problem: Graph,
        targets: Array,
        scaling: Scaling,
        callback: Callable[[Progress], None] | None,
        resume: Run | None,
        seeds: tuple[int, ...] | None = None,
    ) -> tuple[Trained, ...]:
        if seeds is None:
            seeds = seeds_for(self.random_state, self.n_restarts)
        offset = scaling.log_jacobian(observed_counts(targets))
        own = settings_of(self)
        training = Training(problem, self.max_iter, self.jitter, offset, settings=own)
        return training.run(seeds if resume is None else resume.seeds, callback, resume)

    def _problem(
        self,
        inputs: Inputs,
        targets: Array,
        executor: Executor,
        begin: Beginning | None = None,
        *,
        kernel_held: bool = False,
        phases: Sequence[Phase] = PHASES,
    ) -> Graph:
        """The training problem; begin: a start that replaces the default start."""
        seen = Targets.of(targets)
        n_inducing = inducing_count(self.n_inducing, len(targets))
        # Training starts from a shared noise variance, with a kernel for all outputs jointly.
        start = RegressionStart(inputs, seen, self.kernel, n_inducing, self.jitter, executor)
        return regression(
            inputs,
            targets_for(targets, self.noise),
            begin or start,
            n_inducing=n_inducing,
            jitter=self.jitter,
            executor=executor,
            kernel_held=kernel_held,
            per_output=self.noise == "per_output",
            phases=phases,
        )

    def _kept(self, inputs: Inputs) -> tuple[Bool[BoolArray, " N"], tuple[str, ...]]:
        """The rows to train on, and notes on the other rows."""
        return np.ones(inputs.belief.n_points, dtype=bool), ()
