"""Expectations of a kernel by Gauss–Hermite quadrature of its values."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from gplvm_core.kernels import Kernel

NODES = 32


@dataclass(frozen=True)
class Moments:
    """For every point x_n: ⟨k(x, x)⟩ (N,), ⟨k(x, Z)⟩ (N, M) and ⟨k(Z, x) k(x, Z)⟩ (N, M, M)."""

    psi0: np.ndarray
    psi1: np.ndarray
    psi2: np.ndarray

    @classmethod
    def of(
        cls, kernel: Kernel, mean: np.ndarray, variance: np.ndarray, inducing: np.ndarray
    ) -> Self:
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        n_latent = mean.shape[1]
        grid = np.stack(np.meshgrid(*[nodes] * n_latent, indexing="ij"), axis=-1)
        weight = np.prod(np.meshgrid(*[weights / weights.sum()] * n_latent), axis=0).ravel()
        psi0, psi1, psi2 = [], [], []
        for center, spread in zip(mean, np.sqrt(variance), strict=True):
            points = center + spread * grid.reshape(-1, n_latent)
            values = kernel.K(points, inducing)
            psi0.append(weight @ kernel.diag(points))
            psi1.append(weight @ values)
            psi2.append((values * weight[:, None]).T @ values)
        return cls(np.array(psi0), np.array(psi1), np.array(psi2))
