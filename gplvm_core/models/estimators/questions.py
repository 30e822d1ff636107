"""What may be asked of a trained graph, in the user's units and by the names of nodes and data."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.views import Views, checked_views, given_views
from gplvm_core.numerics import Array
from gplvm_core.prediction import network as questions
from gplvm_core.prediction.network import Network
from gplvm_core.readers import DataError

Answers = dict[str, Float[Array, "N _D"]]


class Questions:
    """Questions to `network_`: moments, draws, points of new rows, completions, densities."""

    network_: Network
    beliefs_: dict[str, Belief]
    input_units_: dict[str, Scaling]
    times_: Array | None  # of the training rows, where a node is over time

    def generate(
        self, points: Mapping[str, ArrayLike], *, noise: bool = False, return_std: bool = False
    ) -> Answers | tuple[Answers, Answers]:
        """Data below nodes whose points are given, {node: N × Q}: means, and with return_std the
        standard deviations, in the user's units.

        Moments are passed from layer to layer. Raises DataError when no data follow from these
        nodes alone.
        """
        given = self._points(points)
        found = questions.moments(self.network_, given, noise=noise)
        if not found:
            raise DataError(
                f"no data follow from {', '.join(map(repr, points)) or 'no nodes'} alone; give "
                f"points of {', '.join(map(repr, self.network_.nodes))}"
            )
        mean = {name: own for name, (own, _) in found.items()}
        std = {name: np.sqrt(variance) for name, (_, variance) in found.items()}
        return (mean, std) if return_std else mean

    def sample(
        self,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
    ) -> Answers:
        """Draws of rows of all data, noise included, {name: n × D}.

        Points of the tops are drawn from N(0, I); inputs: of `KnownInputs`, n rows each.
        """
        self._refuse_time("sample")
        known, generator = self._inputs(inputs, n_samples), np.random.default_rng(random_state)
        given = {at: values[None] for at, values in known.items()}
        for root in self.network_.roots:
            width = self.beliefs_[self.network_.nodes[root]].n_latent
            given[root] = generator.standard_normal((1, n_samples, width))
        drawn = questions.draws(self.network_, given, generator)
        return {name: values[0] for name, values in drawn.items()}

    def transform(
        self,
        Y: ArrayLike | Mapping[str, ArrayLike],
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
        return_std: bool = False,
    ) -> Answers | tuple[Answers, Answers]:
        """Points of new rows at every node, {node: N × Q}, from some or all of the data.

        Each row is inferred on its own, at all nodes together. NaN where nothing below a node is
        observed. The training rows' own points are `beliefs_`.
        """
        found = self._explained(self._rows(Y), inputs)
        mean, std = {}, {}
        for at, each, informed in zip(found.nodes, found.found, found.informed.T, strict=True):
            name, best = self.network_.nodes[at], each.best
            mean[name] = np.where(informed[:, None], best.mean, np.nan)
            std[name] = np.where(informed[:, None], np.sqrt(best.variance), np.nan)
        return (mean, std) if return_std else mean

    def complete(
        self,
        Y: ArrayLike | Mapping[str, ArrayLike],
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
        return_std: bool = False,
    ) -> Answers | tuple[Answers, Answers]:
        """Whole rows of all data: observed values as given, missing ones at their mean.

        Y: some or all of the data, with NaN for what is missing; what is left out is predicted.
        With return_std also the standard deviations, noise included, 0 where observed. A row with
        several explanations gets their mixture.
        """
        rows = self._rows(Y)
        found = questions.reconstructed(
            self.network_, self._explained(rows, inputs), self._known(rows, inputs)
        )
        mean, std = {}, {}
        for name, (own, variance) in found.items():
            given = rows.get(name, np.full_like(own, np.nan))
            missing = np.isnan(given)
            mean[name] = np.where(missing, own, given)
            std[name] = np.where(missing, np.sqrt(variance), 0.0)
        return (mean, std) if return_std else mean

    def score_samples(
        self,
        Y: ArrayLike | Mapping[str, ArrayLike],
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
        n_samples: int = 1000,
        random_state: int | None = 0,
    ) -> Float[Array, " N"]:
        """log p(observed values of each row | training data) in nats, by importance sampling.

        Low on average; the bias shrinks as the number of draws grows.
        """
        rows = self._rows(Y)
        found, known = self._explained(rows, inputs), self._known(rows, inputs)
        return questions.log_density(self.network_, rows, found, known, n_samples, random_state)

    def _rows(self, Y: ArrayLike | Mapping[str, ArrayLike]) -> Views:
        """Checked new rows of some or all of the data."""
        check_is_fitted(self)
        self._refuse_time("transform, complete and score_samples")
        ends = self.network_.ends
        widths = {name: edge.posterior.n_outputs for name, edge in ends.items()}
        return given_views(Y if isinstance(Y, Mapping) else {next(iter(ends)): Y}, widths)

    def _known(
        self, rows: Views, inputs: Mapping[str, ArrayLike] | None
    ) -> dict[int, Float[Array, "N _Q"]]:
        return self._inputs(inputs, len(next(iter(rows.values()))))

    def _explained(
        self, rows: Views, inputs: Mapping[str, ArrayLike] | None
    ) -> questions.Explained:
        if len(self.network_.known) == len(self.network_.nodes):
            raise DataError("all nodes are known inputs: there is nothing to infer; use generate")
        training = [self.beliefs_[name] for name in self.network_.nodes]
        return questions.explain(self.network_, rows, training, self._known(rows, inputs))

    def _inputs(
        self, inputs: Mapping[str, ArrayLike] | None, count: int
    ) -> dict[int, Float[Array, "N _Q"]]:
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

    def _refuse_time(self, what: str) -> None:
        check_is_fitted(self)
        if self.times_ is not None:
            raise DataError(
                f"{what} are for rows without times: use generate with points of the nodes, or "
                "DynamicalGPLVM for new sequences"
            )


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
