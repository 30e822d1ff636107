"""Level 3: priors over latent inputs."""

from gplvm_core.priors.standard import StandardNormal
from gplvm_core.priors.uncertain import UncertainInputs

__all__ = ["StandardNormal", "UncertainInputs"]
