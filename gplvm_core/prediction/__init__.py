"""Floor 5: from latent points to data and back, as functions of a frozen posterior."""

from gplvm_core.prediction.complete import (
    complete,
    complete_covariance,
    mixed,
    sample_completions,
)
from gplvm_core.prediction.density import log_density
from gplvm_core.prediction.generate import predict, predict_covariance, predict_uncertain, sample
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Projection, project, project_certain
from gplvm_core.prediction.row_terms import Evidence

__all__ = [
    "Evidence",
    "Posterior",
    "Projection",
    "complete",
    "complete_covariance",
    "log_density",
    "mixed",
    "predict",
    "predict_covariance",
    "predict_uncertain",
    "project",
    "project_certain",
    "sample",
    "sample_completions",
]
