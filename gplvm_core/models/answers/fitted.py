"""A fitted model as one value, and its answers about rows and points, for all estimators.

Rows are a dict by data; a table has the name `DATA`. Data with words or counts are encoded as the
outputs of a layer; answers about them are in the columns' own values.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.answers.over_time import Paths, States
from gplvm_core.models.data.kinds import Parts, Tables
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA, DerivedDensity, Explained, Network, Projection
from gplvm_core.prediction.columns import Expected, expected_at, expected_of, expected_of_others
from gplvm_core.prediction.factors import FACTORS, AskedFactors
from gplvm_core.prediction.forward import Moments
from gplvm_core.prediction.intervals import Intervals
from gplvm_core.prediction.linear_gaussian import (
    draw_rows,
    inferred_rows,
    reconstruct,
    reconstruct_jointly,
)
from gplvm_core.prediction.network import Outputs
from gplvm_core.priors.encoder import Encoder

# Values, standard deviations (NaN for words) and probabilities (NaN for numbers) of some data.
Found = tuple[Any, Array, Array | None]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained graph, the columns of its data, and what was learnt after training.

    node: the node of the map. tables: the columns of data with words or counts. fractions: the
    columns of data with fractions, whose outputs are coordinates. over_time: the
    paths or states of the training rows; None for independent rows. density: the density of rows.
    widths: the factors of standard deviations. encoder: infers rows without gaps. linear: rows have
    posteriors in closed form (probabilistic PCA). factors: the known factors that the map leaves
    out.
    """

    network: Network
    node: int = 0
    tables: Tables = field(default_factory=dict)
    fractions: Parts = field(default_factory=dict)
    over_time: Paths | States | None = None
    density: DerivedDensity | None = None
    widths: Intervals | None = None
    encoder: Encoder | None = None
    linear: bool = False
    factors: AskedFactors | None = None

    def numbers(self, rows: Outputs) -> dict[str, Array]:
        """The rows of the data without words and counts."""
        return {name: own for name, own in rows.items() if name not in self.tables}

    def with_errors(self, errors: Outputs | None) -> "Fitted":
        """The same for rows with known errors, in the user's units; None: no errors.

        The map answers, because a density and an encoder take no errors. Raises ValueError if the
        map takes none, either.
        """
        if errors is None:
            return self
        if self.linear or any(belief.known for belief in self.network.beliefs):
            raise ValueError(
                "known errors of new rows need a model whose latent points are distributions, "
                "such as BayesianGPLVM: leave out errors"
            )
        network = self.network.with_errors(errors)
        return replace(self, network=network, density=None, encoder=None)

    @property
    def has_errors(self) -> bool:
        """Whether the rows that are asked about have known errors."""
        return any(edge.posterior.errors is not None for edge in self.network.edges)

    def explained(self, rows: Outputs, inputs: Mapping[int, Array] | None = None) -> Explained:
        """The posteriors of rows (NaN: missing) at every node; a row may have several."""
        if self.linear:
            inferred = inferred_rows(self.network.ends[DATA].posterior, rows[DATA])
            mean, variance = inferred.mean[:, None], inferred.variance[:, None]
            return Explained.at(0, Projection(mean, variance, np.zeros(mean.shape[:2])))
        if self.factors is not None:
            return self.factors.explained(self.network, rows)
        return prediction.explain(self.network, rows, inputs)

    def placed(self, rows: Outputs) -> Projection:
        """The posteriors of rows on the map; an encoder infers rows without gaps."""
        if self.encoder is None:
            return self.explained(rows)[self.node]
        outputs = rows[DATA]
        posterior, whole = self.network.ends[DATA].posterior, ~np.isnan(outputs).any(axis=1)
        if not whole.any():
            return self.explained(rows)[0]
        encoded = self.encoder.belief(posterior.to_internal(outputs[whole]))
        found = None if whole.all() else self.explained({DATA: outputs[~whole]})[0]
        # The encoder gives one explanation; inference may give several.
        shape = (len(outputs), 1 if found is None else found.bound.shape[1])
        bound = np.full(shape, -np.inf)
        mean = np.zeros((*shape, encoded.n_latent))
        variance = np.ones_like(mean)
        if found is not None:
            mean[~whole], variance[~whole], bound[~whole] = found.mean, found.variance, found.bound
        mean[whole, 0], variance[whole, 0], bound[whole, 0] = encoded.mean, encoded.variance, 0.0
        return Projection(mean, variance, bound)

    def for_filling(self, rows: Outputs) -> Explained:
        """The posteriors of rows, as completions and draws use them.

        In a model of one layer with an encoder, the encoder infers rows without gaps.
        """
        if self.encoder is None or len(self.network.nodes) > 1:
            return self.explained(rows)
        return Explained.at(0, self.placed(rows))

    def reconstructed(
        self,
        rows: Outputs,
        explained: Explained | None = None,
        *,
        noise: bool = True,
        ends: Collection[str] | None = None,
    ) -> Moments:
        """Mean and variance of the data of rows, given their observed values."""
        if self.linear:
            posterior = self.network.ends[DATA].posterior
            return {DATA: reconstruct(posterior, rows[DATA], noise=noise)}
        found = explained or self.for_filling(rows)
        return prediction.reconstructed(self.network, found, noise=noise, ends=ends)

    def reconstructed_jointly(
        self, rows: Outputs
    ) -> tuple[Float[Array, "N D"], Float[Array, "N D D"]]:
        """Mean and covariance of the outputs of each row of a table, with noise."""
        if self.linear:
            return reconstruct_jointly(self.network.ends[DATA].posterior, rows[DATA])
        return prediction.reconstructed_jointly(self.network, self.for_filling(rows), DATA)

    def drawn(
        self, rows: Outputs, n_samples: int, generator: np.random.Generator
    ) -> dict[str, Float[Array, "S N _D"]]:
        """Draw all data of rows, given their observed values."""
        if self.linear:
            posterior = self.network.ends[DATA].posterior
            return {DATA: draw_rows(posterior, rows[DATA], n_samples, generator)}
        found = self.for_filling(rows)
        return prediction.draw_rows(self.network, found, n_samples, generator, rows)

    def drawn_rows(self, count: int, random_state: Any) -> dict[str, Float[Array, "S _D"]]:
        """Draw rows of all data from the prior, with known factors as in the training rows."""
        generator = np.random.default_rng(random_state)
        known = None if self.factors is None else {FACTORS: self.factors.drawn(count, generator)}
        return prediction.draw_prior(self.network, count, generator, known)

    def expected(
        self, rows: Outputs, explained: Explained | None = None, name: str = DATA
    ) -> Expected:
        """Predictions of data with words or counts from the observed values of rows."""
        found = explained or self.explained(rows)
        return expected_of(self.network, self.tables[name], name, found, rows.get(name))

    def expected_without(self, name: str, rows: Outputs, column: int) -> Expected:
        """The same without the rows' own values in one column."""
        return expected_of_others(self.network, self.tables[name], name, rows, column, self.factors)

    def expected_at(self, name: str, given: Mapping[int, Belief]) -> Expected:
        """Predictions of data with words or counts at points of nodes."""
        if self.factors is not None:
            return self.expected({}, self.factors.at(given[0]), name)
        return expected_at(self.network, self.tables[name], name, given)

    def at(self, given: Mapping[int, Belief], *, noise: bool = False) -> dict[str, Found]:
        """Predict all data at points of nodes."""
        ends = self.network.ends
        numbers = [name for name in ends if name not in self.tables] if self.tables else None
        if self.factors is not None:
            explained = self.factors.at(given[0])
            found = prediction.reconstructed(self.network, explained, noise=noise, ends=numbers)
        else:
            found = prediction.moments(self.network, given, noise=noise, ends=numbers)
        values: dict[str, Found] = {
            name: (mean, np.sqrt(variance), None) for name, (mean, variance) in found.items()
        }
        for name in self.tables:
            values[name] = (*self.expected_at(name, given).values(), None)
        return {name: values[name] for name in ends if name in values}

    def decoded(self, name: str, drawn: Float[Array, "*S D"]) -> Any:
        """Draws of some data in the values of their columns."""
        if name in self.fractions:
            return self.fractions[name].decoded(drawn)
        if name not in self.tables:
            return drawn
        columns: TableColumns = self.tables[name]
        if drawn.ndim == 2:
            return columns.decoded(drawn)
        return np.stack([columns.decoded(each) for each in drawn])
