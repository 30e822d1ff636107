"""Deep Gaussian-process regression: layers between the inputs and the outputs."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.inputs import Inputs
from gplvm_core.models.data.rows import capped_notes
from gplvm_core.models.data.scaling import gaps_in_words, observed_counts
from gplvm_core.models.data.training_rows import TrainingRows
from gplvm_core.models.estimators.deep import Layered, for_layers, widths
from gplvm_core.models.estimators.regression_questions import RegressionQuestions
from gplvm_core.models.estimators.settings import Scale, Scaled, check_settings, preset
from gplvm_core.models.estimators.trained import Trainable, whole
from gplvm_core.models.estimators.trained_regression import FromInputs
from gplvm_core.models.problems.deep import REGRESSION_PHASES, Family, chain
from gplvm_core.models.problems.deep_inputs import imputed, rows_with_inputs
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
from gplvm_core.models.problems.inputs import InputNode
from gplvm_core.models.problems.many_rows import Rows, are_many
from gplvm_core.models.problems.shallow import Shallow
from gplvm_core.models.training.run import Run
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.statistics import Executor, executor_for


@preset
class DeepGP(Scaled, FromInputs, Layered, Trainable, RegressionQuestions):
    """Deep Gaussian-process regression (Damianou 2015, ch. 6).

    Layers of Gaussian-process functions with noise, the inputs at the top and the outputs at the
    bottom: for functions whose smoothness changes, such as steps, which one Gaussian process of
    one lengthscale fits badly. `bound_` is a lower bound on log p(Y | X) in nats, for the data as
    given; `layers_` holds every layer, the top first, with a verdict on it in words. A function
    of one smoothness everywhere is better served by SparseGPRegression, whose bound compares.

    Unlike the source (§6.2.4), the first layer has inducing inputs like all others, and q of the
    hidden points factorises over the rows, so that the cost is linear in the rows.

    Trained from several starts: hidden layers that begin as the inputs (of at most three), or with
    the answer of the shallow regression, or, of inputs known exactly, a first hidden layer, or all
    of them, that hand them on by linear maps that stay, so that with as many hidden dimensions as
    inputs depth costs little where it gives nothing. The start with the best bound is kept, but one
    that fits a hidden layer to single points only when there is no other.

    Of 20,000 rows or more, of inputs known exactly, with the family "marginalised" or "mean_field"
    and without input_connections, 10,000 are trained; the hidden points of the others are placed
    where those say, and every q(u) is found from all rows. `rows_.trained` says which were trained
    (None: all).

    Parameters
    ----------
    n_components
        The widths of the hidden layers, one number or a tuple, from the top.
    n_inducing
        The number of inducing inputs: one for all layers, or a tuple with one for each, one more
        than widths.
    kernel
        One for all layers, or a tuple with one for each, one more than widths. At inputs known
        exactly the first layer can have every kernel, as in SparseGPRegression; hidden layers
        need one with expectations under Gaussian inputs ("rbf", "linear", and sums).
    n_restarts
        How many times every kind of start is made.
    mean
        The mean of the hidden layers: "zero", "linear" (linear maps that start as the inputs and
        are held, at inputs known exactly; in all layers with RBF kernels and the family
        "marginalised" or "mean_field"), or "compared", starts with either.
    input_connections
        Every layer sees the inputs beside the outputs of the layer above (Duvenaud et al. 2014),
        so that deep models forget none of them.
    """

    n_components: int | tuple[int, ...] = (2,)
    n_inducing: int | tuple[int, ...] = 50
    _: KW_ONLY
    kernel: str | Kernel | tuple[str | Kernel, ...] = "rbf"
    family: Family = "marginalised"
    scaling: Scale = "columns"
    mean: Mean = "compared"
    input_connections: bool = False

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
        """Train on inputs X (N × Q) and outputs Y (N or N × D); NaN is missing, in both.

        Missing inputs start as a regression of the rows without any imputes them (Damianou 2015,
        Algorithm 1), under N(0, 1) in units of their column. X_variance: None for exact inputs, or
        the variances of their noise in squared units of X, one number, (Q,) or (N, Q). callback,
        resume: as for BayesianGPLVM.
        """
        check_settings(self)
        data = self._given(X, Y, X_variance)
        units, scaling = data.units, data.scaling
        kept, odd = rows_with_inputs(data.inputs)
        inputs, targets = data.inputs.rows(kept), data.targets[kept]
        offset = scaling.log_jacobian(observed_counts(targets))
        with executor_for(self.n_jobs) as executor:
            ended = self._train(self._problem(inputs, targets, executor), offset, callback, resume)
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
        asked = max(for_layers("n_inducing", self.n_inducing, len(self.layers_)))
        capped = capped_notes(asked, len(targets)) if most < asked else ()
        notes = units.notes + scaling.notes + capped + odd + notes
        self._note(notes + learnt.notes + doubts(self.layers_))
        self.notes_ += gaps_in_words(targets)
        return self

    def _problem(self, inputs: Inputs, targets: Float[Array, "N D"], executor: Executor) -> Graph:
        hidden = widths(self.n_components)
        n_inducing = for_layers("n_inducing", self.n_inducing, len(hidden) + 1)
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
        """Why hidden points cannot be placed, whatever the family; None: they can."""
        if not inputs.exact.all():
            return "some inputs are missing or noisy"
        if self.input_connections:
            return "every layer sees the inputs"
        return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.input_tags.allow_nan = True
        return tags
