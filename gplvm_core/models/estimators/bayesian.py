"""The Bayesian GP-LVM: latent inputs integrated out, relevant dimensions selected by ARD."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core.kernels import Kernel
from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.data.data_weights import on_paths, weight_in_words, weight_of_rows
from gplvm_core.models.data.rows import TrainingRows
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.timeline import TIMES
from gplvm_core.models.estimators import files, in_time, with_intervals, with_known, words
from gplvm_core.models.estimators.attributes import set_fitted
from gplvm_core.models.estimators.base import NOTHING
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.kinds_trained import kinds_start, settle_kinds
from gplvm_core.models.estimators.second_stage import in_two_stages
from gplvm_core.models.estimators.settings import preset
from gplvm_core.models.estimators.trained import Callback, Ended, take_path, top_node, whole
from gplvm_core.models.problems.edges import to_data
from gplvm_core.models.problems.encoded import AtOutputs, EncodedNode
from gplvm_core.models.problems.graph import Graph
from gplvm_core.models.problems.kinds import KindsSettled, any_kinds
from gplvm_core.models.problems.many_rows import ManyRows, are_many
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.models.problems.starts import Start, beside_known
from gplvm_core.models.training.run import Run
from gplvm_core.numerics import Array
from gplvm_core.readers import RowFiles
from gplvm_core.statistics import Executor


@preset
class BayesianGPLVM(LatentVariableModel):
    """Bayesian Gaussian-process latent variable model (Titsias & Lawrence 2010).

    Outputs are Gaussian-process functions of latent inputs X ~ N(0, I), plus noise. The latent
    inputs are integrated out approximately: `bound_` is a lower bound on log p(Y). `relevance_`
    orders the latent dimensions; `information_` shows which of them the model uses. Training has
    several phases. Every evaluation of the bound computes the best noise variance and the best
    scale of the kernel.

    With a time_kernel every latent dimension is a Gaussian process over time (or over any observed
    inputs), independent between sequences. This model is the variational Gaussian-process dynamical
    system (Damianou, Titsias & Lawrence 2011; Damianou 2015, §3.2.1 and §3.3.6). Even then,
    `transform`, `score_samples`, `denoise`, and `complete` without times treat rows as independent,
    with x ~ N(0, I).

    Without an encoder and a time_kernel, tables of 20,000 rows or more are trained on a growing
    sample (1000, 2500, 10,000 rows). The model then infers the latent points of the other rows, and
    computes the mapping from all rows. From files (`RowFiles`) the same method trains on 20,000
    sampled rows; the rest are streamed once, and only their summed statistics are stored. Tables
    with words, counts or robust numbers, in files or in memory, train on 10,000 sampled rows; the
    rest are streamed. `rows_` and `notes_` report which rows were used.

    Attributes
    ----------
    columns_ : TableColumns or None
        The columns with their kinds and words; None if all columns are numbers.
    fractions_ : Fractions or None
        The columns that are fractions, and their sum; None if no column is a fraction.
    rows_ : TrainingRows
        The rows of the model. `count`: the number of rows that the bound and the mapping use.
        `trained`: the rows that training used (None: all). `kept`: the row number in the files of
        each row of `latent_mean_` (None: all rows). `in_files`: the number of rows in the files, or
        of the table if others were streamed (None: neither).
    known_errors_ : bool
        Whether training had known errors of cells (`errors`).

    Examples
    --------
    Rows on a noisy line have one latent dimension. The other values of a row predict a missing
    value.

    >>> import numpy as np
    >>> from gplvm_core import BayesianGPLVM
    >>> rng = np.random.default_rng(0)
    >>> Y = np.outer(rng.standard_normal(30), [1.0, -2.0, 0.5, 1.0])
    >>> Y += 0.02 * rng.standard_normal((30, 4))
    >>> model = BayesianGPLVM(2, 10, max_iter=50, random_state=0).fit(Y)
    >>> model.n_effective_
    1
    >>> model.complete([[1.0, np.nan, 0.5, 1.0]]).round(1)
    array([[ 1. , -2. ,  0.5,  1. ]])
    """

    n_components: int = 10
    n_inducing: int = 50
    _: KW_ONLY
    kernel: str | Kernel = "rbf"
    time_kernel: str | Kernel | None = None
    path_over: str | Sequence[int] = TIMES
    encoder: Literal["kernel", "network", "outputs"] | None = None
    kinds: str | Sequence[Any] | Mapping[Any, Any] | None = None
    data_weight: str | float = "auto"
    without: str | int | Sequence[str | int] | None = None

    # Defaults for models in files of older versions.
    known_errors_ = False
    columns_ = fractions_ = encoder_ = intervals_ = forecaster_ = known_ = given_ = NOTHING
    times_ = sequences_ = path_ = time_kernel_ = NOTHING
    _attributes: ClassVar[str] = "statistics_"

    class_words, class_probabilities = words.class_words, words.class_probabilities
    class_probabilities_at = words.class_probabilities_at
    count_probabilities, column_quantiles = words.count_probabilities, words.column_quantiles
    forecast, forecast_latent = in_time.forecast, in_time.forecast_latent
    choose_forecaster = in_time.choose_forecaster
    can_choose_forecaster = property(in_time.can_choose_forecaster)
    sample_sequence, transform_sequence = in_time.sample_sequence, in_time.transform_sequence
    calibrate = with_intervals.calibrate
    can_calibrate = property(with_intervals.can_calibrate)
    _to_calibrate, _try = in_time.to_calibrate, in_time.try_in_time
    extend, given, unseen = files.extend, with_known.given, with_known.unseen
    variance_shares = with_known.variance_shares

    @in_two_stages
    @whole
    def fit(  # type: ignore[override]  # rows may be files
        self,
        Y: ArrayLike | RowFiles,
        y: Any = None,
        *,
        known: Any = None,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        errors: ArrayLike | None = None,
        callback: Callback | None = None,
        resume: Run | None = None,
        executor: Executor | None = None,
    ) -> Self:
        """Train the model. After an error the model is unchanged.

        Parameters
        ----------
        Y : array_like of shape (N, D) or RowFiles
            Outputs; NaN marks missing values. Data frames of all libraries, sparse matrices, and
            arrays of PyTorch and CuPy are taken, too (docs/kinds.md).
            Files of at most 20,000 rows are loaded completely. With an encoder or a time_kernel,
            all files are loaded completely.
        known : array_like or DataFrame of shape (N,) or (N, C), optional
            Known factors, such as batches, that the map leaves out, if they are not columns of Y
            (`without`).
        errors : array_like of shape (N, D), optional
            The known standard deviation of each value, in the units of Y; NaN where it is unknown.
            They add to the noise of the column, which is learnt: a value with a large error counts
            little, and 0 means that only the noise of the column remains. The columns of a data
            frame are found by their names, and may be some of the columns of Y. Each column then
            has its own signal and noise variance, so `noise` and `scaling` have no effect. Errors
            that are all 0 or unknown change nothing.
        callback : callable, optional
            Called as callback(progress) after each accepted iteration, and after each part of the
            files. If it raises StopIteration, training and reading end with the best state so far;
            `result_` reports this.
        executor : Executor, optional
            The result of `gplvm_core.cluster(…)`, to read files on a cluster. Default: n_jobs local
            threads.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range, or if an executor is given for a table in memory.
        DataError
            If times, sequences or errors do not match the rows, or if files change during training.
        ClusterError
            If the cluster fails.
        """
        Y = with_known.take_known(self, Y, known, errors)
        files.fit_rows(self, Y, times, sequences, callback, resume, executor, errors)
        return self

    def _table(self, name: str) -> TableColumns:
        """The columns of the table; raises ValueError if all columns are numbers."""
        check_is_fitted(self)
        if self.columns_ is None:
            raise ValueError(
                'all columns of this model are numbers; fit with kinds="auto" or kinds={…} for '
                "columns of other kinds"
            )
        return self.columns_

    def _begin(self, targets: Array) -> Start:
        begin = super()._begin(targets)
        if self.known_ is not None:
            begin = replace(begin, known=self.known_.points)
        return begin if self.columns_ is None else kinds_start(self.columns_, begin, targets)

    def _problem(self, begin: Start, executor: Executor, further: int) -> Graph | ManyRows:
        self.data_weight_ = self._weight(begin)
        outputs = begin.outputs[0]
        node = top_node(self, outputs, self.n_components)
        if begin.mixed:
            graph = any_kinds(node, begin, self.jitter, executor, ("per_output",))
            return beside_known(graph, begin.known)
        if isinstance(node, LatentNode) and are_many(len(outputs)) and begin.known is None:
            return ManyRows(begin, self.jitter, executor, (self._noise,), further)
        layer = to_data(outputs, executor, self._noise, self.data_weight_)
        start: Start | AtOutputs = begin
        if isinstance(node, EncodedNode) and node.at_outputs:
            start = AtOutputs(begin, node, self.kernel, self.n_inducing)
        return beside_known(Graph((node,), (layer,), start, self.jitter), begin.known)

    def _settle(
        self, ended: Ended, targets: Array, scaling: Scaling, offset: float
    ) -> tuple[str, ...]:
        self.rows_ = TrainingRows(len(targets), ended.trained_rows)
        odd, self.encoder_ = take_path(self, ended), ended.encoder
        if self.data_weight == "auto":
            odd += weight_in_words(self.data_weight_, targets.shape[1], "the prior over time")
        learnt = ended.learnt((targets,))
        self.known_errors_ = False
        if isinstance(learnt.layers[0], KindsSettled):
            return odd + ended.notes + settle_kinds(self, learnt, targets, scaling, offset)
        (node, *_), (layer,) = learnt.nodes, learnt.layers
        posterior = with_known.with_linear_part(layer.as_posterior(scaling), self._linear_part)
        bound = learnt.bound + offset
        # Statistics at known factors do not tell how a row changes the bound at other ones.
        statistics = None if self.known_ is not None else layer.statistics
        set_fitted(self, node.belief, node.information, bound, statistics, posterior)
        return odd + ended.notes + learnt.notes

    def _weight(self, begin: Start) -> float:
        """How much the rows count beside the prior of their latent points."""
        numbers, outputs = not begin.mixed, begin.outputs[0]
        automatic = partial(on_paths, outputs, self.n_components, self.times_, self.sequences_)
        linked = self._over_time and numbers
        weight = weight_of_rows(self.data_weight, automatic if linked else lambda: 1.0)
        many = are_many(len(outputs))
        if weight != 1.0 and not (numbers and (self.time_kernel is not None or not many)):
            raise ValueError(
                "data_weight other than 1 needs a table of numbers without known errors of cells, "
                "and a time_kernel or fewer than 20,000 rows"
            )
        return weight


@preset
class DynamicalGPLVM(BayesianGPLVM):
    """Variational Gaussian-process dynamical system (Damianou, Titsias & Lawrence 2011).

    A BayesianGPLVM with smooth latent paths: each dimension is a Gaussian process over time (or
    over any observed inputs), independent between sequences. `transform`, `score_samples`,
    `denoise`, and `complete` without times treat rows as independent, with x ~ N(0, I).
    Source: Damianou (2015), §3.2.1 and §3.3.6.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import DynamicalGPLVM
    >>> times = np.linspace(0.0, 6.0, 30)
    >>> Y = np.outer(np.sin(times), [1.0, 2.0, -1.0])
    >>> Y += 0.05 * np.random.default_rng(0).standard_normal((30, 3))
    >>> model = DynamicalGPLVM(1, 8, max_iter=40, random_state=0).fit(Y, times=times)
    >>> mean, std = model.forecast([6.2, 6.4], return_std=True)
    >>> mean.shape, std.shape
    ((2, 3), (2, 3))
    """

    _: KW_ONLY
    time_kernel: str | Kernel | None = "auto"


@preset
class BayesianPCA(BayesianGPLVM):
    """Bayesian PCA: the Bayesian GP-LVM with a linear ARD kernel (Damianou 2015, §3.2).

    This kernel has rank Q, so the number of inducing inputs is the number of latent dimensions.
    With noise="per_output" the model is Bayesian factor analysis.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import BayesianPCA
    >>> rng = np.random.default_rng(0)
    >>> Y = np.outer(rng.standard_normal(30), [1.0, -2.0, 0.5, 1.0])
    >>> Y += 0.02 * rng.standard_normal((30, 4))
    >>> BayesianPCA(2, max_iter=50, random_state=0).fit(Y).n_effective_
    1
    """

    kernel: ClassVar[str] = "linear"  # type: ignore[misc]
    n_inducing: ClassVar[Any] = property(lambda self: self.n_components)  # type: ignore[misc]
    encoder: ClassVar[None] = None  # type: ignore[misc]
    without: ClassVar[None] = None  # type: ignore[misc]
