"""Level 3: priors over latent inputs."""

from gplvm_core.priors.standard import StandardNormal, UncertainInputs

__all__ = ["StandardNormal", "UncertainInputs"]
