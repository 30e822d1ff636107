"""Mixtures of Gaussians: densities of rows and latent points, derived from a map or from data."""

from gplvm_core.mixtures.conditionals import Conditionals
from gplvm_core.mixtures.coordinates import Coordinates
from gplvm_core.mixtures.derived import LocalGaussians, clustered, fitted, joined, residual
from gplvm_core.mixtures.gaussians import Gaussians, latent_density

__all__ = [
    "Conditionals",
    "Coordinates",
    "Gaussians",
    "LocalGaussians",
    "clustered",
    "fitted",
    "joined",
    "latent_density",
    "residual",
]
