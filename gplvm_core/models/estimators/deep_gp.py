"""Deep Gaussian-process regression: layers between the inputs and the outputs."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Any, ClassVar, Literal, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.data.rows import TrainingRows, capped_notes, inducing_count
from gplvm_core.models.data.scaling import gaps_in_words, noise_in_words, observed_counts
from gplvm_core.models.estimators.base import NOTHING
from gplvm_core.models.estimators.deep import for_layers, widths
from gplvm_core.models.estimators.regression_model import RegressionModel
from gplvm_core.models.estimators.settings import check_settings, preset
from gplvm_core.models.estimators.trained import train, whole
from gplvm_core.models.problems.deep import REGRESSION_PHASES, Family, chain
from gplvm_core.models.problems.deep_many_rows import (
    SampledRegression,
    all_trained,
    sample_of,
    together,
)
from gplvm_core.models.problems.deep_regression_starts import Mean, regression_starts
from gplvm_core.models.problems.doctor import doubts, examined
from gplvm_core.models.problems.edges import targets_for
from gplvm_core.models.problems.graph import Graph
from gplvm_core.models.problems.many_rows import Rows, are_many
from gplvm_core.models.problems.nodes import InputNode
from gplvm_core.models.problems.shallow import Shallow, imputed, rows_with_inputs
from gplvm_core.models.training.run import Run
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.prediction import Network
from gplvm_core.statistics import Executor, executor_for

# Twice as many as for more rows: lower errors for 2.1 to 2.7 times the time
# (`benchmarks/README.md`).
MANY_A_LAYER = 100


@preset
class DeepGP(RegressionModel):
    """Deep Gaussian-process regression (Damianou 2015, ch. 6).

    The model is a chain of Gaussian-process functions with noise, the inputs at the top and the
    outputs at the bottom. It suits functions whose smoothness changes, such as steps. For functions
    of constant smoothness SparseGPRegression is better; the bounds of the two models can be
    compared. `bound_` is a lower bound on log p(Y | X).

    Unlike in the source (§6.2.4), the first layer has inducing inputs like all other layers, and q
    of the hidden points factorises over the rows. The cost is therefore linear in the number of
    rows.

    Training compares several starts. Hidden layers start as the inputs (if there are at most three
    columns), or as the prediction of the shallow regression. For exact inputs there are also starts
    in which the first hidden layer, or every hidden layer, has a fixed linear mean function. With
    these starts, and as many hidden dimensions as inputs, a deep model is hardly worse than a
    shallow model on data that do not need depth. The model uses the start with the best bound. A
    start that fits a hidden layer to single points is used only if there is no other start.

    For 20,000 rows or more, training uses 10,000 of them. Training on a sample needs exact inputs,
    the family "marginalised" or "mean_field", and no input_connections. The model then infers the
    hidden points of the other rows, and computes q(u) of every layer from all rows.

    Parameters
    ----------
    n_components
        The dimensions of the hidden layers, one number or a tuple, the top first.
    n_inducing
        The number of inducing inputs, one number for all layers, or a tuple with one more entry
        than n_components. "auto": 100 below 2,000 rows, otherwise 50, for each layer.
    kernel
        The kernel of all layers, or a tuple with one more entry than n_components. With exact
        inputs the first layer allows every kernel, as in SparseGPRegression. Hidden layers need a
        kernel with expectations under Gaussian inputs ("rbf", "linear", and sums).
    n_restarts
        The number of starts of every kind.
    mean
        The mean function of the hidden layers: "zero"; "linear", fixed linear maps, which need
        exact inputs; or "compared", starts of both kinds. The first hidden layer has a linear map.
        For the family "marginalised" or "mean_field", further starts have linear maps in all
        hidden layers with an RBF kernel.
    input_connections
        Whether every layer also has the observed inputs as inputs (Duvenaud et al. 2014). Deep
        models then do not lose information about the observed inputs.
    kinds
        The kind of each input, as in SparseGPRegression.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import DeepGP
    >>> X = np.linspace(0.0, 6.0, 30)[:, None]
    >>> y = np.where(X[:, 0] < 3.0, 0.0, 1.0)
    >>> y += 0.05 * np.random.default_rng(0).standard_normal(30)
    >>> model = DeepGP(1, 8, max_iter=20, random_state=0).fit(X, y)
    >>> abs(model.predict([[1.0], [5.0]])).round(1)
    array([0., 1.])
    """

    n_components: int | tuple[int, ...] = (2,)
    n_inducing: int | tuple[int, ...] | Literal["auto"] = "auto"
    _: KW_ONLY
    kernel: str | Kernel | tuple[str | Kernel, ...] = "rbf"
    family: Family = "marginalised"
    mean: Mean = "compared"
    input_connections: bool = False

    _ranks_sound = True
    _attributes: ClassVar[str] = "layers_ more_inducing_ rows_"
    # A default for models in files of older versions.
    family_ = NOTHING

    @property
    def _network(self) -> Network:
        return Network.chain([layer.posterior_ for layer in self.layers_], known=(0,))

    @whole
    def fit(
        self,
        X: ArrayLike,
        Y: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train the regression.

        A shallow regression on the complete rows imputes the starting values of missing inputs
        (Damianou 2015, Algorithm 1). The prior of a missing input is N(0, 1) in standardised units.

        Parameters
        ----------
        X : array_like of shape (N, Q)
            Inputs; NaN marks missing values.
        Y : array_like of shape (N,) or (N, D)
            Outputs; NaN marks missing values.
        X_variance : float or array_like of shape (Q,) or (N, Q), optional
            The variances of the input noise in squared units of X; None for exact inputs.
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
            If a setting is out of range, or if a kernel does not suit its layer.
        DataError
            If X or Y is not suitable for training.
        """
        check_settings(self)
        given, outputs, units, scaling = self._given(X, Y, X_variance)
        kept, odd = rows_with_inputs(given)
        inputs, targets = given.rows(kept), outputs[kept]
        offset = scaling.log_jacobian(observed_counts(targets))
        with executor_for(self.n_jobs) as executor:
            ended = train(self, self._problem(inputs, targets, executor), offset, callback, resume)
            learnt = ended.learnt((targets,))
        notes, trained = ended.notes, None
        if ended.trained_rows is None:
            notes = all_trained(len(targets), self.family, self._joined(inputs))
        else:
            trained = np.flatnonzero(kept)[ended.trained_rows]
        self.rows_ = TrainingRows(len(targets), trained)
        self.layers_ = examined(ended.problem, learnt, scaling)
        self.posterior_ = self.layers_[-1].posterior_
        self.bound_ = learnt.bound + offset
        self.family_ = "marginalised" if learnt.marginalised else None
        self.input_center_, self.input_scale_ = units.center, units.scale
        most = max(len(layer.posterior_.inducing) for layer in self.layers_)
        requested = max(self._counts(len(targets)))
        capped = capped_notes(requested, len(targets)) if most < requested else ()
        notes = units.notes + scaling.notes + capped + odd + notes
        self._note(notes + learnt.notes + doubts(self.layers_))
        self.notes_ += gaps_in_words(targets) + noise_in_words("shared", scaling)
        return self

    def _counts(self, n_points: int) -> tuple[int, ...]:
        """The number of inducing inputs of every layer."""
        n_layers = len(widths(self.n_components)) + 1
        given: tuple[int | str, ...] = for_layers("n_inducing", self.n_inducing, n_layers)
        return tuple(inducing_count(each, n_points, MANY_A_LAYER) for each in given)

    def _problem(self, inputs: Inputs, targets: Float[Array, "N D"], executor: Executor) -> Graph:
        hidden = widths(self.n_components)
        n_inducing = self._counts(len(targets))
        kernels: tuple[str | Kernel, ...] = for_layers("kernel", self.kernel, len(hidden) + 1)
        joined = self._joined(inputs) or together(self.family)
        sampled = are_many(len(targets)) and not joined
        rows = sample_of(len(targets)) if sampled else np.arange(len(targets))
        inputs = imputed(inputs, targets, n_inducing[0], self.jitter, executor, self.max_iter)
        seen = inputs.rows(rows), targets[rows]
        shallow = Shallow.of(*seen, n_inducing[0], self.jitter, executor, self.max_iter)
        begin = regression_starts(
            shallow,
            hidden,
            n_inducing,
            kernels,
            mean=self.mean,
            connected=self.input_connections,
            everywhere=not together(self.family),
        )

        def of(rows: Rows) -> Graph:
            return chain(
                InputNode(inputs.rows(rows)),
                targets_for(targets[rows], self.noise),
                begin,
                len(hidden),
                family=self.family,
                jitter=self.jitter,
                executor=executor,
                top_held=bool(inputs.exact.all()) and n_inducing[0] >= len(targets),
                per_output=self.noise == "per_output",
                connected=self.input_connections,
                phases=REGRESSION_PHASES,
            )

        return SampledRegression.of(of, targets) if sampled else of(rows)

    def _joined(self, inputs: Inputs) -> str | None:
        """The reason why no family can train on a sample of the rows; None if at least one can."""
        if not inputs.exact.all():
            return "some inputs are missing or noisy"
        if self.input_connections:
            return "every layer also has the observed inputs as inputs"
        return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
