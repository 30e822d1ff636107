"""What may be asked of a trained graph, in the user's units and by the names of nodes and data."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.points import checked_levels
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.views import Views, checked_views, given_views
from gplvm_core.models.estimators.timed import Timed
from gplvm_core.numerics import Array
from gplvm_core.prediction import Explained, Network
from gplvm_core.prediction.forward import Moments, with_priors
from gplvm_core.prediction.project import Inputs
from gplvm_core.prediction.sequence import FoundPath, sample_paths
from gplvm_core.priors.temporal import Path
from gplvm_core.readers import DataError

Rows = ArrayLike | Mapping[str, ArrayLike]
Given = Mapping[str, ArrayLike] | None
Answers = dict[str, Float[Array, "N _D"]]


class Questions(Timed):
    """Questions to the trained graph of a `Model`.

    Rows stand alone, with the prior N(0, I) at every top, unless times are given: then they are one
    sequence, and the points of nodes over time lie on a path together. sequence: the trained
    sequence that new rows belong to, None for a new one.
    """

    network_: Network
    beliefs_: dict[str, Belief]
    input_units_: dict[str, Scaling]
    paths_: dict[str, Path]  # of the training rows, at nodes over time
    time_kernels_: dict[str, Kernel]

    @property
    def _network(self) -> Network:
        beliefs = tuple(self.beliefs_[name] for name in self.network_.nodes)
        return replace(self.network_, beliefs=beliefs)

    @property
    def _paths(self) -> dict[int, tuple[Kernel, Path]]:
        # Files of earlier versions have no paths.
        paths: dict[str, Path] = getattr(self, "paths_", {})
        return {
            self.network_.nodes.index(name): (self.time_kernels_[name], path)
            for name, path in paths.items()
        }

    def generate(
        self, points: Mapping[str, ArrayLike], *, noise: bool = False, return_std: bool = False
    ) -> Answers | tuple[Answers, Answers]:
        """Data below nodes whose points are given, {node: N × Q}: means, and with return_std the
        standard deviations, in the user's units.

        Moments are passed from layer to layer. Raises DataError when no data follow from these
        nodes alone.
        """
        given = self._points(points)
        found = self._followed(prediction.moments(self._network, given, noise=noise), points)
        return _answered(found, return_std=return_std)

    def quantiles(
        self,
        points: Mapping[str, ArrayLike],
        quantiles: ArrayLike = (0.05, 0.5, 0.95),
        n_samples: int = 200,
        random_state: int | None = 0,
        *,
        noise: bool = True,
    ) -> dict[str, Float[Array, "K N _D"]]:
        """Quantiles of the data below nodes whose points are given, {name: K × N × D}.

        Over n_samples draws of the hidden nodes, so that skewed distributions and those with two
        peaks are seen as such, where `generate` has mean and standard deviation alone.
        """
        levels, given = checked_levels(quantiles), self._points(points)
        found = prediction.quantiles(
            self._network, given, levels, n_samples, random_state, noise=noise
        )
        return self._followed(found, points)

    def sample(
        self,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        inputs: Given = None,
    ) -> Answers:
        """Draws of rows of all data, noise included, {name: n × D}.

        Points of the tops are drawn from N(0, I); inputs: of `KnownInputs`, n rows each.
        """
        known, generator = self._inputs(inputs, n_samples), np.random.default_rng(random_state)
        return prediction.draw_prior(self._network, n_samples, generator, known)

    def transform(
        self,
        Y: Rows,
        *,
        inputs: Given = None,
        times: ArrayLike | None = None,
        sequence: Any = None,
        return_std: bool = False,
    ) -> Answers | tuple[Answers, Answers]:
        """Points of new rows at every node, {node: N × Q}, from some or all of the data.

        Each row is inferred on its own, at all nodes together. NaN where nothing below a node is
        observed, but with times: there the path says. The training rows' own points are `beliefs_`.
        """
        network, mean, std = self._network, {}, {}
        rows = self._rows(Y, times, sequence)
        if times is not None:
            path = self._path(rows, inputs, times, sequence)
            for at in network.free:
                mean[network.nodes[at]] = path.beliefs[at].mean
                std[network.nodes[at]] = np.sqrt(path.beliefs[at].variance)
            return (mean, std) if return_std else mean
        found = self._explained(rows, inputs)
        for at, each, informed in zip(found.nodes, found.found, found.informed.T, strict=True):
            name, best = network.nodes[at], each.best
            mean[name] = np.where(informed[:, None], best.mean, np.nan)
            std[name] = np.where(informed[:, None], np.sqrt(best.variance), np.nan)
        return (mean, std) if return_std else mean

    def complete(
        self,
        Y: Rows,
        *,
        inputs: Given = None,
        times: ArrayLike | None = None,
        sequence: Any = None,
        return_std: bool = False,
    ) -> Answers | tuple[Answers, Answers]:
        """Whole rows of all data: observed values as given, missing ones at their mean.

        Y: some or all of the data, with NaN for what is missing; what is left out is predicted.
        With times, rows may be missing as a whole. With return_std also the standard deviations,
        noise included, 0 where observed. A row with several explanations gets their mixture.
        """
        rows = self._rows(Y, times, sequence)
        if times is None:
            explained = self._explained(rows, inputs)
            found = prediction.reconstructed(self._network, explained, noise=True)
        else:
            path = self._path(rows, inputs, times, sequence)
            found = prediction.moments(path.network, path.beliefs, noise=True)
        whole = {
            name: prediction.complete(rows.get(name, np.full_like(parts[0], np.nan)), *parts)
            for name, parts in found.items()
        }
        return _answered(whole, return_std=return_std)

    def sample_completions(
        self,
        Y: Rows,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        inputs: Given = None,
    ) -> dict[str, Float[Array, "S N _D"]]:
        """Whole rows whose missing values are drawn, observed ones as given, {name: S × N × D}."""
        rows = self._rows(Y)
        found, generator = self._explained(rows, inputs), np.random.default_rng(random_state)
        drawn = prediction.draw_rows(self._network, found, n_samples, generator)
        return drawn | {
            name: np.where(np.isnan(own), drawn[name], own) for name, own in rows.items()
        }

    def alternatives(
        self, Y: Rows, n_alternatives: int = 3, *, inputs: Given = None
    ) -> tuple[
        Float[Array, "N K"], dict[str, Float[Array, "N K _Q"]], dict[str, Float[Array, "N K _D"]]
    ]:
        """The explanations of ambiguous rows, best first: weights, points by node, completed rows.

        Weights of a row sum to 1; a row with fewer explanations has weight 0 and NaN in their
        place, as has a node with nothing observed below it.
        """
        if n_alternatives < 1:
            raise ValueError(f"n_alternatives must be at least 1; got {n_alternatives}")
        rows, network = self._rows(Y), self._network
        found = self._explained(rows, inputs)
        weights, nodes, whole = prediction.alternatives(network, rows, found, n_alternatives)
        return weights, {network.nodes[at]: own for at, own in nodes.items()}, whole

    def score_samples(
        self,
        Y: Rows,
        *,
        inputs: Given = None,
        n_samples: int = 1000,
        random_state: int | None = 0,
    ) -> Float[Array, " N"]:
        """log p(observed values of each row | training data) in nats, by importance sampling.

        Low on average; the bias shrinks as the number of draws grows. The graph has no statistics
        of its training rows, so there is no difference of bounds as in other models.
        """
        rows = self._rows(Y)
        found = self._explained(rows, inputs)
        return prediction.log_density_sampled(self._network, rows, found, n_samples, random_state)

    def forecast(
        self, times: ArrayLike, *, sequence: Any = None, return_std: bool = False
    ) -> Answers | tuple[Answers, Answers]:
        """Data at times after, between or before those of a trained sequence, noise included.

        Other tops are taken from their prior. Raises DataError when data also need known inputs.
        """
        network = self._network
        given = with_priors(network, self._forecast(times, sequence))
        found = prediction.moments(network, given, noise=True)
        return _answered(self._followed(found, self.paths_), return_std=return_std)

    def sample_sequence(
        self, times: ArrayLike, *, n_samples: int = 1, random_state: int | None = None
    ) -> dict[str, Float[Array, "S n _D"]]:
        """New sequences: paths drawn from the priors over time, other tops from N(0, I), then the
        data that follow from these, without observation noise, {name: S × n × D}.
        """
        prior, network = self._continued(times, None, None), self._network
        drawn = sample_paths(network, prior, n_samples, random_state, tuple(self._paths))[1]
        return self._followed(drawn, self.paths_)

    def _rows(self, Y: Rows, times: ArrayLike | None = None, sequence: Any = None) -> Views:
        """Checked new rows of some or all of the data."""
        check_is_fitted(self)
        if times is None and sequence is not None:
            raise ValueError("sequence is about rows in time: give times, too")
        ends = self.network_.ends
        widths = {name: edge.posterior.n_outputs for name, edge in ends.items()}
        given = Y if isinstance(Y, Mapping) else {next(iter(ends)): Y}
        return given_views(given, widths, empty_rows=times is not None)

    def _explained(self, rows: Views, inputs: Given) -> Explained:
        if not self.network_.free:
            raise DataError("all nodes are known inputs: there is nothing to infer; use generate")
        known = self._inputs(inputs, len(next(iter(rows.values()))))
        return prediction.explain(self._network, rows, known)

    def _path(self, rows: Views, inputs: Given, times: ArrayLike, sequence: Any) -> FoundPath:
        count = len(next(iter(rows.values())))
        prior, known = self._continued(times, count, sequence), self._inputs(inputs, count)
        return self._inferred_path(rows, prior, inputs=known)

    def _inputs(self, inputs: Given, count: int) -> Inputs:
        """Known inputs of new rows in internal units, by the number of their node."""
        check_is_fitted(self)
        given = {} if inputs is None else checked_views(inputs)
        if set(given) != set(self.input_units_):
            raise DataError(
                f"the model needs inputs {', '.join(map(repr, self.input_units_)) or '(none)'}; "
                f"got {', '.join(map(repr, given)) or 'none'}"
            )
        found = {}
        for name, values in given.items():
            units = self.input_units_[name]
            check_inputs(name, values, count, len(units.center))
            found[self.network_.nodes.index(name)] = units.apply(values)
        return found

    def _points(self, points: Mapping[str, ArrayLike]) -> dict[int, Belief]:
        """Points of nodes, inputs in internal units."""
        check_is_fitted(self)
        given = checked_views(points)
        found = {}
        for name, values in given.items():
            if name not in self.beliefs_:
                raise DataError(
                    f"there is no node {name!r}; the nodes are "
                    f"{', '.join(map(repr, self.beliefs_))}"
                )
            count = len(next(iter(given.values())))
            check_inputs(name, values, count, self.beliefs_[name].n_latent)
            units = self.input_units_.get(name)
            found[self.network_.nodes.index(name)] = Belief.certain(
                values if units is None else units.apply(values)
            )
        return found

    def _followed(self, found: dict[str, Any], nodes: Mapping[str, object]) -> dict[str, Any]:
        """What followed from these nodes; DataError for nothing."""
        if not found:
            raise DataError(
                f"no data follow from {', '.join(map(repr, nodes)) or 'no nodes'} alone; give "
                f"points of {', '.join(map(repr, self.network_.nodes))}"
            )
        return found


def _answered(found: Moments, *, return_std: bool) -> Answers | tuple[Answers, Answers]:
    mean = {name: own for name, (own, _) in found.items()}
    std = {name: np.sqrt(variance) for name, (_, variance) in found.items()}
    return (mean, std) if return_std else mean


def check_inputs(
    name: str, values: Float[Array, "N Q"], n_points: int, width: int | None = None
) -> None:
    """Raise DataError unless there is a finite point for every row, of so many dimensions."""
    shape = (n_points, values.shape[1] if width is None else width)
    if values.shape != shape or not np.isfinite(values).all():
        raise DataError(
            f"points of node {name!r} must be {shape[0]} × {shape[1]} finite numbers; got shape "
            f"{values.shape}" + ("" if np.isfinite(values).all() else " with NaN")
        )
