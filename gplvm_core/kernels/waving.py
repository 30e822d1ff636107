"""Expectations of kernels that are products of RBF and periodic kernels."""

from typing import Any

import numpy as np

from gplvm_core.kernels.cross_waves import cross_waves
from gplvm_core.kernels.gradients import CrossBuilder, Gradients, Kept, Pullback, WeightedPsi2
from gplvm_core.kernels.kernel import Kernel
from gplvm_core.kernels.pairs import to_each
from gplvm_core.kernels.wave_pairs import WavePairs
from gplvm_core.kernels.waves import Waves
from gplvm_core.numerics import Array, fold_upper, mirror_upper, upper_pairs
from gplvm_core.parameters import add


class Waving(Kernel):
    """A kernel with expectations under Gaussian inputs, computed from its `waves`."""

    def psi1(self, mean: Array, variance: Array, inducing: Array) -> tuple[Array, Pullback]:
        if not variance.any():
            return super().psi1(mean, variance, inducing)
        pairs = WavePairs.of((self._waves(), Waves(1.0)), mean, variance, (inducing, inducing))
        value = np.empty((len(mean), len(inducing)))
        for rows, columns, block in pairs.blocks():
            value[rows, columns] = block

        def pullback(adjoint: Array) -> Gradients:
            found = pairs.pullback(lambda rows, columns: adjoint[rows, columns])
            own = self.from_waves(found.first)
            return Gradients(found.mean, found.variance, found.one + found.other, own)

        return value, pullback

    def grouped_psi2(
        self,
        mean: Array,
        variance: Array,
        inducing: Array,
        rows: Array,
        keep: Kept | None = None,
    ) -> tuple[Array, Pullback]:
        if not variance.any():
            return super().grouped_psi2(mean, variance, inducing, rows, keep)
        value, size = self._square(mean, variance, inducing).summed(rows), len(inducing)
        whole = mirror_upper(value, *upper_pairs(size), size)
        return whole, lambda adjoint: self.psi2_pullback(mean, variance, inducing, adjoint, rows)

    def psi2_pullback(
        self,
        mean: Array,
        variance: Array,
        inducing: Array,
        adjoint: Array,
        rows: Array | None = None,
        kept: Kept | None = None,
    ) -> Gradients:
        if not variance.any():
            return super().psi2_pullback(mean, variance, inducing, adjoint, rows, kept)
        if rows is None:
            rows, adjoint = np.ones((len(mean), 1)), adjoint[None]
        found = self._square(mean, variance, inducing).pulled(fold_upper(adjoint), rows)
        own = self.from_waves(add(found.first, found.second))
        return Gradients(found.mean, found.variance, to_each(found.one, found.other), own)

    def weighted_psi2(self, inducing: Array) -> WeightedPsi2:
        def weighted(mean: Array, variance: Array, weights: Array) -> tuple[Array, Array, Array]:
            found = self._square(mean, variance, inducing).pulled(weights)
            return found.level, found.mean, found.variance

        self._waves()
        return weighted

    def cross_with(self, carrier: Kernel) -> CrossBuilder | None:
        return cross_waves(carrier, self)

    def browser_form(self) -> list[dict[str, Any]]:
        waves = self.waves
        if waves is None:
            return super().browser_form()
        waves = waves.over(len(waves.relevance))
        form = {"variance": float(waves.variance), "precision": np.asarray(waves.weight).tolist()}
        if not np.any(waves.sharpness):
            return [{"kind": "rbf", **form}]
        sharpness, frequency = np.asarray(waves.sharpness), np.asarray(waves.frequency)
        both = {"sharpness": sharpness.tolist(), "frequency": frequency.tolist()}
        return [{"kind": "waves", **form, **both}]

    def check(self, *, exact: bool = False) -> None:
        self.check_parameters()
        if not exact:
            waves = self._waves()
            waves.over(len(waves.relevance))

    def _waves(self) -> Waves:
        if self.waves is None:
            raise self._without_expectations()
        return self.waves

    def _square(self, mean: Array, variance: Array, inducing: Array) -> WavePairs:
        rows, columns = upper_pairs(len(inducing))
        waves = self._waves()
        return WavePairs.of((waves, waves), mean, variance, (inducing[rows], inducing[columns]))
