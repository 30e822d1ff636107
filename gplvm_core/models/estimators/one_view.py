"""Convert one view of a fitted model of several views to a separate model."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.views import kernel_of_view
from gplvm_core.models.estimators.attributes import set_fitted
from gplvm_core.models.estimators.bayesian import BayesianGPLVM
from gplvm_core.models.estimators.views_transfer import uses
from gplvm_core.models.problems.segmentation import LEAST_DROP


def one_view(views: Any, name: str) -> BayesianGPLVM:
    """The model of one view of a fitted ManifoldRelevance, with its latent space and its paths."""
    model = BayesianGPLVM(
        n_components=views.n_components,
        n_inducing=views.n_inducing,
        kernel=kernel_of_view(views.kernel, name, views.views_),
        scaling=views.scaling,
        jitter=views.jitter,
        noise="shared" if views.posteriors_[name].each is None else "per_output",
        time_kernel=views.time_kernel,
        kinds=views.kinds.get(name) if isinstance(views.kinds, Mapping) else views.kinds,
    )
    model.time_kernel_, model.path_ = views.time_kernel_, views.path_
    model.times_, model.sequences_ = views.times_, views.sequences_
    kl = float(views.information_.sum()) * len(views.latent_mean_)
    set_fitted(
        model,
        Belief(views.latent_mean_, views.latent_variance_),
        # Dimensions that the view does not use are off in its model.
        np.where(uses(views, LEAST_DROP)[name], views.information_, 0.0),
        views.bounds_[name] - kl,
        views.statistics_.get(name),
        views.posteriors_[name],
    )
    model.encoder_, model.notes_, model.rows_ = None, views.notes_, views.rows_
    model.result_, model.trace_, model.restarts_ = views.result_, views.trace_, views.restarts_
    model.columns_ = columns = views._tables.get(name)
    model.n_features_in_ = model.posterior_.n_outputs
    if columns is not None:
        model.n_features_in_ = len(columns.columns)
        if columns.frame:
            model.feature_names_in_ = np.array(columns.names, dtype=object)
    return model
