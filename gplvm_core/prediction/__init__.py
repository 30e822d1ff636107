"""Layer 5: from latent points to data and back, as functions of a trained graph."""

from gplvm_core.prediction.complete import (
    alternatives,
    complete,
    draw_rows,
    reconstructed,
    reconstructed_jointly,
)
from gplvm_core.prediction.density import log_density, log_density_at, log_density_sampled
from gplvm_core.prediction.derivation import derived
from gplvm_core.prediction.derived import Clusters, DerivedDensity, Recipe, refuse_density
from gplvm_core.prediction.fills import Fill
from gplvm_core.prediction.forward import (
    draw_jointly,
    draw_prior,
    draws,
    log_density_below,
    moments,
    quantiles,
)
from gplvm_core.prediction.generate import (
    predict,
    predict_covariance,
    predict_uncertain,
    sample,
)
from gplvm_core.prediction.network import DATA, Network, TrainedEdge
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Explained, Projection, explain
from gplvm_core.prediction.transfer import correspond, transfer

__all__ = [
    "DATA",
    "Clusters",
    "DerivedDensity",
    "Explained",
    "Fill",
    "Network",
    "Posterior",
    "Projection",
    "Recipe",
    "TrainedEdge",
    "alternatives",
    "complete",
    "correspond",
    "derived",
    "draw_jointly",
    "draw_prior",
    "draw_rows",
    "draws",
    "explain",
    "log_density",
    "log_density_at",
    "log_density_below",
    "log_density_sampled",
    "moments",
    "predict",
    "predict_covariance",
    "predict_uncertain",
    "quantiles",
    "reconstructed",
    "reconstructed_jointly",
    "refuse_density",
    "sample",
    "transfer",
]
