"""Floor 3: priors over latent inputs."""

from gplvm_core.priors.standard import StandardNormal

__all__ = ["StandardNormal"]
