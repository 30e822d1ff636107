"""Floor 5: from latent points to data and back, as functions of a frozen posterior."""

from gplvm_core.prediction.density import log_density
from gplvm_core.prediction.generate import predict, predict_uncertain, sample
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import project, project_certain

__all__ = [
    "Posterior",
    "log_density",
    "predict",
    "predict_uncertain",
    "project",
    "project_certain",
    "sample",
]
