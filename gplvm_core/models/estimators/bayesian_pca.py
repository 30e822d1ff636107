"""Bayesian PCA: the Bayesian GP-LVM whose kernel is linear."""

from typing import Literal

from numpy.typing import ArrayLike

from gplvm_core.models.data.scaling import Noise
from gplvm_core.models.estimators.bayesian import BayesianGPLVM


class BayesianPCA(BayesianGPLVM):
    """Bayesian PCA: the Bayesian GP-LVM with a linear ARD kernel (Damianou 2015, §3.2).

    That kernel has rank Q, so it gets as many inducing inputs as latent dimensions. With
    noise="per_output" it is Bayesian factor analysis.
    """

    def __init__(
        self,
        n_components: int = 10,
        init: str | ArrayLike = "pca",
        scaling: Literal["global", "columns", "none"] = "global",
        max_iter: int = 500,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
        noise: Noise = "shared",
    ) -> None:
        super().__init__(
            n_components=n_components,
            n_inducing=n_components,
            kernel="linear",
            init=init,
            scaling=scaling,
            max_iter=max_iter,
            n_restarts=n_restarts,
            jitter=jitter,
            optimiser=optimiser,
            random_state=random_state,
            n_jobs=n_jobs,
            noise=noise,
        )

    def _n_inducing(self, n_points: int) -> int:
        return self.n_components
