"""Floor 5: from latent points to data and back, as functions of frozen posteriors and a belief."""

from gplvm_core.prediction.complete import (
    alternatives,
    complete,
    mixed,
    mixed_covariance,
    sample_mixed,
)
from gplvm_core.prediction.deep import (
    log_density_through,
    quantiles_through,
    sample_prior_through,
    sample_through,
    through,
)
from gplvm_core.prediction.density import log_density, log_density_at
from gplvm_core.prediction.generate import (
    predict,
    predict_at,
    predict_covariance,
    predict_uncertain,
    sample,
    sample_prior,
)
from gplvm_core.prediction.network import log_density_sampled
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Projection, project, project_certain
from gplvm_core.prediction.project_deep import log_density_deep
from gplvm_core.prediction.row_terms import Evidence
from gplvm_core.prediction.transfer import correspond, transfer

__all__ = [
    "Evidence",
    "Posterior",
    "Projection",
    "alternatives",
    "complete",
    "correspond",
    "log_density",
    "log_density_at",
    "log_density_deep",
    "log_density_sampled",
    "log_density_through",
    "mixed",
    "mixed_covariance",
    "predict",
    "predict_at",
    "predict_covariance",
    "predict_uncertain",
    "project",
    "project_certain",
    "quantiles_through",
    "sample",
    "sample_mixed",
    "sample_prior",
    "sample_prior_through",
    "sample_through",
    "through",
    "transfer",
]
