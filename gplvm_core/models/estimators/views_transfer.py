"""View → view: which dimensions views share, and one view from others."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike, NDArray

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.data.views import Views, check_transfer
from gplvm_core.models.estimators.views_queries import ViewsQueries
from gplvm_core.models.problems.segmentation import (
    LEAST_DROP,
    LEAST_WEIGHT,
    Segments,
    segments,
    used_by_weight,
)
from gplvm_core.numerics import Array
from gplvm_core.prediction.paths import Continued
from gplvm_core.prediction.transfer import Private, Roles, Wanted, transfer_path
from gplvm_core.readers import DataError

Flags = NDArray[np.bool_]
Rows = NDArray[np.intp]


class ViewsTransfer(ViewsQueries):
    """Questions to `ManifoldRelevance` about the dimensions that views share, and about one view of
    rows that are given in others.
    """

    seen_: dict[str, Bool[Flags, " N"]]  # rows of which the view has anything
    relevance_: dict[str, Float[Array, " Q"]]
    drops_: dict[str, Float[Array, " Q"]]  # of F_v in nats a row, without the dimension

    def segmentation(self, threshold: float = LEAST_DROP) -> Segments:
        """The latent dimensions that each set of views uses, and no other; frozenset(): none.

        A view uses a dimension when setting its weight to 0 lowers F_v by more than the
        threshold, in nats a row.
        """
        return segments(self._uses(threshold))

    def segmentation_by_weight(self, delta: float = LEAST_WEIGHT) -> Segments:
        """The same by the sources' rule: w/max w > δ (Damianou 2015, §5.2.1)."""
        self._check_fitted()
        return segments(used_by_weight(self.relevance_, delta))

    def agreement(self, threshold: float = LEAST_DROP, delta: float = LEAST_WEIGHT) -> float:
        """The share of pairs of view and dimension on which the two rules agree."""
        by_drop, by_weight = self._uses(threshold), used_by_weight(self.relevance_, delta)
        return float(np.mean([by_drop[name] == by_weight[name] for name in self.views_]))

    def _uses(self, threshold: float) -> dict[str, Bool[NDArray[np.bool_], " Q"]]:
        self._check_fitted()
        return {name: self.drops_[name] > threshold for name in self.views_}

    def transfer(
        self,
        views: Mapping[str, ArrayLike],
        to: str,
        *,
        n_alternatives: int = 1,
        private: Private = "nearest",
        return_std: bool = False,
        times: ArrayLike | None = None,
        sequence: Any = None,
        adapt: bool = False,
    ) -> Float[Array, "..."] | tuple[Float[Array, "..."], Float[Array, "..."]]:
        """The view `to` of rows that are given in other views: N × D, in the user's units.

        private: "nearest" takes the dimensions that only `to` uses from the training points that
        are nearest in the shared ones (Damianou 2015, Algorithm 2); "prior" integrates them out,
        with all explanations of the row. n_alternatives > 1: N × K × D, the best first, NaN where
        a row has fewer. return_std adds standard deviations, noise included. times: the rows are
        one sequence and are inferred together (a model with a time_kernel), sequence as for
        DynamicalGPLVM.complete; so is adapt: the given views' mappings take the rows in as well.
        """
        self._check_fitted()
        check_transfer(to, self.views_, n_alternatives, private, timed=times is not None)
        if times is None and (adapt or sequence is not None):
            raise ValueError("sequence and adapt are about rows in time: give times, too")
        given = self._given(views, empty_rows=times is not None)
        wanted = self._wanted(given, to)
        if times is None:
            found = self._explained(given)[self._shared_node]
            mean, variance = prediction.transfer(wanted, found, n_alternatives, private)
        else:
            belief, prior = self._path_of(given, times, sequence, adapt)
            mean, variance = transfer_path(wanted, belief, prior, private)
        return (mean, np.sqrt(variance)) if return_std else mean

    def correspondences(
        self, views: Mapping[str, ArrayLike], to: str, n_matches: int = 5
    ) -> tuple[Int[Rows, "N K"], Float[Array, "N K"]]:
        """The training rows whose view `to` matches rows given in other views best.

        Row numbers and distances in the dimensions that both use, in lengthscales of `to`, nearest
        first; fewer where fewer rows have that view. Source: Damianou (2015), §5.3.2.
        """
        self._check_fitted()
        check_transfer(to, self.views_, n_matches)
        given = self._given(views)
        points = self._explained(given)[self._shared_node].best.mean
        rows, distance = prediction.correspond(self._wanted(given, to), points, n_matches)
        return np.flatnonzero(self.seen_[to])[rows], distance

    def _path_of(
        self, given: Views, times: ArrayLike, sequence: Any, adapt: bool
    ) -> tuple[Belief, Continued]:
        """q of the points that views share, of the rows of a sequence inferred together, and their
        prior.
        """
        if self.time_kernel_ is None:
            raise DataError("the model was trained without a kernel over time: leave out times")
        prior = self._continued(times, len(next(iter(given.values()))), sequence)
        found = self._inferred_path(given, prior, adapt=adapt).beliefs[self._shared_node]
        if self._shared_node == 0:
            return found, prior
        # The path is at the top; below it rows depend on each other only through what is known.
        spread = np.stack([np.diag(column) for column in found.variance.T])
        return found, Continued(found.mean, spread, order=prior.order)

    def _wanted(self, given: Views, to: str) -> Wanted:
        """Warns when the given views share no dimension with the wanted one."""
        uses = self._uses(LEAST_DROP)
        known = np.any([uses[name] for name in given], axis=0)
        roles, there = Roles.of(known, uses[to], self.relevance_[to]), self.seen_[to]
        if not roles.shared.any():
            warnings.warn(
                f"{', '.join(given)} and {to} share no latent dimension: what is said about {to} "
                "does not depend on what was given",
                UserWarning,
                stacklevel=3,
            )
        lenders = Belief(self.latent_mean_[there], self.latent_variance_[there])
        return Wanted(self._network, to, self._shared_node, lenders, roles)
