"""Manifold relevance determination: several views of the same rows on one latent space."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, replace
from typing import Any

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import MixedOutputs
from gplvm_core.kernels import Kernel
from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.data.data_weights import Weights, balanced, checked_weights
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.views import Views, check_name, kernel_of_view
from gplvm_core.models.estimators import words
from gplvm_core.models.estimators.attributes import set_fitted
from gplvm_core.models.estimators.bayesian import BayesianGPLVM
from gplvm_core.models.estimators.settings import preset
from gplvm_core.models.estimators.trained import Ended, top_node
from gplvm_core.models.estimators.views_model import ViewsModel, take_shared
from gplvm_core.models.estimators.views_transfer import uses
from gplvm_core.models.problems.graph import Graph, Learnt
from gplvm_core.models.problems.kinds import all_rows_in_words, any_kinds
from gplvm_core.models.problems.many_rows import ManyRows, are_many
from gplvm_core.models.problems.several import LEAST_DROP, several_views
from gplvm_core.models.problems.starts import Start, beside_known
from gplvm_core.readers import DataError
from gplvm_core.statistics import Executor


@preset
class ManifoldRelevance(ViewsModel):
    """Manifold relevance determination (Damianou, Ek, Titsias & Lawrence 2012).

    All views share the latent inputs. Each view is a Gaussian-process layer with a separate kernel,
    ARD weights, inducing inputs and noise. The weights divide the latent dimensions softly into
    shared and private ones (`segmentation`). Source: Damianou (2015), ch. 5.

    All methods take and return views as dicts of arrays by name. NaN marks missing values, and a
    row may be missing from some views. Views that were recorded at different rates have the times
    of all rows, and rows of NaN in the slower views. With `kinds`, views may have words and counts,
    and methods return words and counts for them. Labels can be a view with one column of the kind
    "category". Rows with a blank label train only the other views, so the model of partly labelled
    rows is a semi-supervised classifier (`class_probabilities`).

    For 20,000 rows or more, training uses a growing sample, as in BayesianGPLVM, unless there is a
    time_kernel or a view with words or counts. All views are NumPy arrays in memory: `RowFiles` are
    loaded completely, and arrays of other libraries are copied.

    Parameters
    ----------
    kernel
        The covariance function of the mappings, as for BayesianGPLVM: a kernel for all views, or a
        dict by view name.
    init
        The initial latent means. "pca": principal components of the concatenated views, each scaled
        to the same total variance. "pca_each": the concatenated components of each view. "isomap",
        "random", or an array of shape (N, Q).
    kinds
        The kinds of columns. None: all views are numbers. A dict gives the kinds of some views by
        name, in the form of BayesianGPLVM, for example {"label": ["category"]}; the other views are
        numbers. "auto": the data types of the columns decide in all views. {"parts": "fraction"}:
        the columns of a view are fractions of one whole, and so are its predictions. `noise` and
        `scaling` apply to the views that are numbers or fractions.
    noise
        "shared", one noise variance for all columns of a view in internal units; "per_output", a
        signal variance and a noise variance for each column; "auto", "per_output" for the views in
        which scaling="auto" finds columns with different units, otherwise "shared". A dict by view
        name sets some views; the others are "auto".
    view_weights
        How much each view counts when latent points are inferred: a weight above 0 and at most 1
        multiplies the view's term of the bound. "auto": with a time_kernel, wide views of numbers
        count as the number of their independent columns (`view_weights_`), so that the many
        pixels of a picture do not dominate a smaller view and the prior over time; otherwise every
        view has the weight 1. A dict by view name sets weights for fewer than 20,000 rows of
        numbers. `bound_` is a lower bound on log p(Y) with any weights.
    n_jobs
        The number of threads among which the views are divided. None means one thread, −1 all
        processors.

    Examples
    --------
    Both views depend on one shared dimension, so one view predicts the other.

    >>> import numpy as np
    >>> from gplvm_core import ManifoldRelevance
    >>> rng = np.random.default_rng(0)
    >>> Y = np.outer(rng.standard_normal(30), [1.0, -2.0, 0.5, 1.0])
    >>> Y += 0.02 * rng.standard_normal((30, 4))
    >>> views = {"left": Y[:, :2], "right": Y[:, 2:]}
    >>> model = ManifoldRelevance(2, 10, max_iter=50, random_state=0).fit(views)
    >>> model.transfer({"left": [[1.0, -2.0]]}, "right").round(1)
    array([[0.5, 1. ]])
    """

    n_components: int = 10
    n_inducing: int = 50
    _: KW_ONLY
    kernel: str | Kernel | Mapping[str, str | Kernel] = "rbf"
    time_kernel: str | Kernel | None = None
    kinds: str | Mapping[str, Any] | None = None
    noise: str | Mapping[str, str] = "auto"
    view_weights: str | Mapping[str, float] = "auto"

    class_words = words.class_words_of_view
    class_probabilities = words.class_probabilities_of_view
    count_probabilities = words.count_probabilities_of_view
    column_quantiles = words.column_quantiles_of_view

    def of_view(self, name: str) -> BayesianGPLVM:
        """Return the model of one view as a fitted BayesianGPLVM on the shared latent space.

        Parameters
        ----------
        name : str
            The name of the view.

        Returns
        -------
        BayesianGPLVM
            The fitted model.

        Raises
        ------
        DataError
            If there is no such view.
        """
        self._check_fitted()
        check_name(name, self.views_)
        model = BayesianGPLVM(
            n_components=self.n_components,
            n_inducing=self.n_inducing,
            kernel=kernel_of_view(self.kernel, name, self.views_),
            scaling=self.scaling,
            jitter=self.jitter,
            noise="shared" if self.posteriors_[name].each is None else "per_output",
            time_kernel=self.time_kernel,
            kinds=self.kinds.get(name) if isinstance(self.kinds, Mapping) else self.kinds,
        )
        kl = float(self.information_.sum()) * len(self.latent_mean_)
        set_fitted(
            model,
            Belief(self.latent_mean_, self.latent_variance_),
            # Dimensions that the view does not use are off in its model.
            np.where(uses(self, LEAST_DROP)[name], self.information_, 0.0),
            self.bounds_[name] - kl,
            self.statistics_.get(name),
            self.posteriors_[name],
        )
        take_shared(model, self)
        model.known_, model.given_ = self.known_, self.given_
        model.columns_ = columns = self._tables.get(name)
        model.fractions_ = parts = self._fractions.get(name)
        if parts is not None:
            model.n_features_in_ = len(parts.names)
        if columns is not None:
            model.n_features_in_ = len(columns.columns)
            if columns.frame:
                model.feature_names_in_ = np.array(columns.names, dtype=object)
        return model

    def _table(self, name: str) -> TableColumns:
        """The columns of a view; DataError for a view of only numbers."""
        self._check_fitted()
        check_name(name, self.views_)
        if name not in self._tables:
            raise DataError(
                f"all columns of the view {name!r} are numbers; fit with kinds={{{name!r}: …}} for "
                "columns of other kinds"
            )
        return self._tables[name]

    def _problem(self, internal: Views, executor: Executor) -> Graph | ManyRows:
        outputs, tables = tuple(internal.values()), self._tables
        kernels = tuple(kernel_of_view(self.kernel, name, self.views_) for name in internal)
        begun = tuple(
            tables[name].starting(own) if name in tables else own for name, own in internal.items()
        )
        known = None if self.known_ is None else self.known_.points
        begin = Start(begun, self.n_components, self.n_inducing, kernels, self.init, known=known)
        over = self.time_kernel
        self.view_weights_ = self._weights(internal)
        if over is None and not tables and known is None and are_many(len(outputs[0])):
            return ManyRows(begin, self.jitter, executor, self._noises)
        node = top_node(self, None, self.n_components)
        if not tables:
            weights = list(self.view_weights_.values())
            graph = several_views(begin, node, self.jitter, executor, self._noises, weights)
            return beside_known(graph, known)
        mixed = tuple(
            MixedOutputs(own, tables[name].links) if name in tables else None
            for name, own in internal.items()
        )
        started = replace(begin, by_observed=True, mixed=mixed)
        graph = any_kinds(node, started, self.jitter, executor, self._noises)
        return beside_known(graph, known)

    def _weights(self, internal: Views) -> Weights:
        """How much each view counts."""
        given, numbers = self.view_weights, not self._tables
        if given != "auto":
            weights = checked_weights(given, tuple(internal))
            many = self.time_kernel is None and are_many(len(next(iter(internal.values()))))
            if set(weights.values()) != {1.0} and (many or not numbers):
                raise ValueError(
                    "view_weights other than 1 need views of numbers, and fewer than 20,000 rows "
                    "or a time_kernel"
                )
            return weights
        if self.time_kernel is not None and numbers:
            return balanced(internal, self.n_components)
        return dict.fromkeys(internal, 1.0)

    def _examined(
        self, ended: Ended, learnt: Learnt, scalings: Mapping[str, Scaling]
    ) -> tuple[str, ...]:
        sampled = self.time_kernel is None and self._tables
        return all_rows_in_words(len(self.latent_mean_)) if sampled else ()
