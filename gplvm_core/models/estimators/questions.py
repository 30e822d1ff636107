"""Methods of a trained graph; they use the user's units and the names of nodes and data."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.answers.fitted import Fitted
from gplvm_core.models.answers.over_time import Paths
from gplvm_core.models.data.rows import checked_levels
from gplvm_core.models.data.views import Views, checked_views, given_views, named_views
from gplvm_core.models.estimators import attributes, in_time
from gplvm_core.models.estimators.base import NOTHING, GPModel
from gplvm_core.models.estimators.settings import Scale, Seed
from gplvm_core.numerics import Array
from gplvm_core.prediction import Explained, Network
from gplvm_core.prediction.forward import Moments
from gplvm_core.prediction.project import Inputs
from gplvm_core.prediction.sequence import FoundPath
from gplvm_core.readers import DataError

Rows = ArrayLike | Mapping[str, ArrayLike]
Given = Mapping[str, ArrayLike] | None
Answers = dict[str, Float[Array, "N _D"]]


@dataclass(eq=False, repr=False)
class Questions(GPModel):
    """The face of user-defined graphs: settings, and methods by the names of nodes and data.

    Without times, rows are independent, with the prior N(0, I) at every node without incoming
    edges. With times, the rows are one sequence, and the points of nodes over time are on one path.

    Attributes
    ----------
    network_ : Network
        The trained graph: nodes, edges and their posteriors.
    beliefs_ : dict of str to Belief
        The posterior means and variances of the training rows' points by node.
    input_units_ : dict of str to Scaling
        The units of the nodes with `KnownInputs`.
    paths_ : dict of str to Path
        The parameters of the training rows' paths at nodes over time.
    time_kernels_ : dict of str to Kernel
        The trained kernels over time by node.
    path_, time_kernel_ : None
        Always None; see paths_ and time_kernels_.
    times_ : ndarray of shape (N, P) or None
        The times of the training rows; None without nodes over time.
    sequences_ : ndarray of shape (N,) or None
        The labels of the sequences of the training rows; None without nodes over time.
    """

    _: KW_ONLY
    max_iter: int = 800
    n_restarts: int = 1
    jitter: float = 1e-6
    random_state: Seed = None
    n_jobs: int | None = None
    scaling: Scale = "auto"

    _ranks_sound = True
    _attributes: ClassVar[str] = "bound_ notes_ result_ trace_ restarts_ more_inducing_"
    # The nodes have their own paths.
    times_ = sequences_ = path_ = time_kernel_ = NOTHING
    n_iter_, forecast_latent = property(attributes.n_iter), in_time.forecast_latent

    @property
    def fitted_(self) -> Fitted:
        """The trained graph, and its nodes over time."""
        network = self._network
        return Fitted(network, over_time=self._over(network))

    @property
    def _network(self) -> Network:
        trained: Network = self.network_
        beliefs = tuple(self.beliefs_[name] for name in trained.nodes)
        return replace(trained, beliefs=beliefs)

    def _over(self, network: Network) -> Paths | None:
        """The training rows over time; None without nodes over time."""
        nodes = {
            self.network_.nodes.index(name): (self.time_kernels_[name], path)
            for name, path in self.paths_.items()
        }
        return Paths(network, nodes, self.times_, self.sequences_) if nodes else None

    def generate(
        self, points: Mapping[str, ArrayLike], *, noise: bool = False, return_std: bool = False
    ) -> Answers | tuple[Answers, Answers]:
        """Predict the data that depend on the given nodes.

        Means and variances are propagated from layer to layer.

        Parameters
        ----------
        points : dict of str to array_like of shape (n, Q)
            The points of nodes by name.

        Returns
        -------
        dict of str to ndarray of shape (n, D), or two of them
            The means by data, and with return_std the standard deviations, in the user's units.

        Raises
        ------
        DataError
            If there are no data that depend only on these nodes.
        """
        given = self._points(points)
        found = self._followed(prediction.moments(self._network, given, noise=noise), points)
        return _mean_and_std(found, return_std=return_std)

    def quantiles(
        self,
        points: Mapping[str, ArrayLike],
        quantiles: ArrayLike = (0.05, 0.5, 0.95),
        n_samples: int = 200,
        random_state: int | None = 0,
        *,
        noise: bool = True,
    ) -> dict[str, Float[Array, "K N _D"]]:
        """Predict quantiles of the data that depend on the given nodes.

        The quantiles come from draws of the hidden nodes, so they show skewed and two-peaked
        distributions; `generate` returns only means and standard deviations.

        Parameters
        ----------
        points : dict of str to array_like of shape (n, Q)
            The points of nodes by name.
        quantiles : array_like of shape (K,), default (0.05, 0.5, 0.95)
            The probabilities, between 0 and 1.
        n_samples : int, default 200
            The number of draws of the hidden nodes.
        random_state : int or None, default 0
            The seed of the draws.
        noise : bool, default True
            Whether to include observation noise.

        Returns
        -------
        dict of str to ndarray of shape (K, n, D)
            The quantiles by data.

        Raises
        ------
        DataError
            If there are no data that depend only on these nodes.
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
        """Draw rows of all data, with noise.

        The points of nodes without incoming edges are drawn from N(0, I).

        Parameters
        ----------
        n_samples : int, default 1
            The number of rows n.

        Returns
        -------
        dict of str to ndarray of shape (n, D)
            The draws by data.
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
        """Infer the points of new rows at every node, from some or all of the data.

        Without times, each row is inferred separately, at all nodes jointly. A node's point is NaN
        if no data that depend on the node are observed. The points of the training rows are in
        `beliefs_`.

        Parameters
        ----------
        Y : dict of str to array_like of shape (n, D), or array_like
            Some or all of the data by name; NaN marks missing values. A single array means the
            first data.
        times : array_like of shape (n,) or (n, P), optional
            The times of the rows. With times, the rows are one sequence and are inferred jointly.

        Returns
        -------
        dict of str to ndarray of shape (n, Q), or two of them
            The posterior means by node, and with return_std the standard deviations.
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
        """Fill in missing values of all data with their predictive means.

        Data that are left out are predicted. With times, all values of a row may be missing. If
        several points explain a row, the prediction is a mixture of their predictions.

        Parameters
        ----------
        Y : dict of str to array_like of shape (n, D), or array_like
            Some or all of the data by name; NaN marks missing values. A single array means the
            first data.
        times : array_like of shape (n,) or (n, P), optional
            The times of the rows. With times, the rows are one sequence and are inferred jointly.

        Returns
        -------
        dict of str to ndarray of shape (n, D), or two of them
            The filled rows; observed values do not change. With return_std also the standard
            deviations with noise, which are 0 for observed values.
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
        return _mean_and_std(whole, return_std=return_std)

    def sample_completions(
        self,
        Y: Rows,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        inputs: Given = None,
    ) -> dict[str, Float[Array, "S N _D"]]:
        """Fill in missing values of all data with random draws.

        Parameters
        ----------
        Y : dict of str to array_like of shape (n, D), or array_like
            Some or all of the data by name; NaN marks missing values. A single array means the
            first data.
        n_samples : int, default 1
            The number of draws S of each row.

        Returns
        -------
        dict of str to ndarray of shape (S, n, D)
            The rows with observed values unchanged.
        """
        rows = self._rows(Y)
        found, generator = self._explained(rows, inputs), np.random.default_rng(random_state)
        drawn = prediction.draw_rows(self._network, found, n_samples, generator, rows)
        return drawn | {
            name: np.where(np.isnan(own), drawn[name], own) for name, own in rows.items()
        }

    def alternatives(
        self, Y: Rows, n_alternatives: int = 3, *, inputs: Given = None
    ) -> tuple[
        Float[Array, "N K"], dict[str, Float[Array, "N K _Q"]], dict[str, Float[Array, "N K _D"]]
    ]:
        """Return several explanations of ambiguous rows, the best first.

        Parameters
        ----------
        Y : dict of str to array_like of shape (n, D), or array_like
            Some or all of the data by name; NaN marks missing values. A single array means the
            first data.
        n_alternatives : int, default 3
            The largest number of explanations K.

        Returns
        -------
        weights : ndarray of shape (n, K)
            The weights of the explanations. The weights of a row sum to 1; a weight of 0 means that
            the row has fewer explanations.
        points : dict of str to ndarray of shape (n, K, Q)
            The points by node; NaN where a row has fewer explanations, and at nodes on which no
            observed data depend.
        rows : dict of str to ndarray of shape (n, K, D)
            The completed rows by data; NaN where a row has fewer explanations.
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
        """Return log p(observed values | training data) of each row, by importance sampling.

        The estimate is too low on average; the bias shrinks as the number of draws grows. Unlike
        in other models, the estimate is not a difference of bounds.

        Parameters
        ----------
        Y : dict of str to array_like of shape (n, D), or array_like
            Some or all of the data by name; NaN marks missing values. A single array means the
            first data.
        n_samples : int, default 1000
            The number of draws.
        random_state : int or None, default 0
            The seed of the draws.

        Returns
        -------
        ndarray of shape (n,)
            Log densities in nats.
        """
        rows = self._rows(Y)
        found = self._explained(rows, inputs)
        return prediction.log_density_sampled(self._network, rows, found, n_samples, random_state)

    def forecast(
        self, times: ArrayLike, *, sequence: Any = None, return_std: bool = False
    ) -> Answers | tuple[Answers, Answers]:
        """Predict data at new times of a trained sequence.

        The predictions average over the prior of other nodes without incoming edges.

        Parameters
        ----------
        times : array_like of shape (n,) or (n, P)
            New times: after, between or before the times of the sequence.
        sequence : label, optional
            The trained sequence; required if there are several.

        Returns
        -------
        dict of str to ndarray of shape (n, D), or two of them
            The means by data, and with return_std the standard deviations with noise.

        Raises
        ------
        DataError
            If all data also depend on known inputs, or if no node is an `OverTime` node.
        """
        found = in_time.over_time(self.fitted_).moments(times, sequence)
        return _mean_and_std(self._followed(found, self.paths_), return_std=return_std)

    def sample_sequence(
        self, times: ArrayLike, *, n_samples: int = 1, random_state: int | None = None
    ) -> dict[str, Float[Array, "S n _D"]]:
        """Draw new sequences: paths from the priors over time, and the data along them.

        The points of other nodes without incoming edges are drawn from N(0, I).

        Parameters
        ----------
        times : array_like of shape (n,) or (n, P)
            The times of the new rows.
        n_samples : int, default 1
            The number of sequences S.

        Returns
        -------
        dict of str to ndarray of shape (S, n, D)
            The draws by data, without observation noise.
        """
        drawn = in_time.over_time(self.fitted_).draw(times, n_samples, random_state)[1]
        return self._followed(drawn, self.paths_)

    def _rows(self, Y: Rows, times: ArrayLike | None = None, sequence: Any = None) -> Views:
        """Checked new rows of some or all of the data."""
        check_is_fitted(self)
        if times is None and sequence is not None:
            raise ValueError("sequence applies only to rows with times: give times, too")
        ends = self.network_.ends
        widths = {name: edge.posterior.n_outputs for name, edge in ends.items()}
        given = named_views(Y, next(iter(ends)))
        return given_views(given, widths, empty_rows=times is not None)

    def _explained(self, rows: Views, inputs: Given) -> Explained:
        if not self.network_.free:
            raise DataError("all nodes are known inputs: there is nothing to infer; use generate")
        known = self._inputs(inputs, len(next(iter(rows.values()))))
        return prediction.explain(self._network, rows, known)

    def _path(self, rows: Views, inputs: Given, times: ArrayLike, sequence: Any) -> FoundPath:
        count = len(next(iter(rows.values())))
        over: Paths = in_time.over_time(self.fitted_)
        prior, known = over.continued(times, count, sequence), self._inputs(inputs, count)
        return over.infer(rows, prior, inputs=known)

    def _inputs(self, inputs: Given, count: int) -> Inputs:
        """The known inputs of new rows in internal units; keys are the numbers of the nodes."""
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
        """The given points of nodes; known inputs are converted to internal units."""
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
        """Return `found`, the data that depend on these nodes; raises DataError if it is empty."""
        if not found:
            raise DataError(
                f"no data depend only on {', '.join(map(repr, nodes)) or 'no nodes'}; give "
                f"points of {', '.join(map(repr, self.network_.nodes))}"
            )
        return found


def _mean_and_std(found: Moments, *, return_std: bool) -> Answers | tuple[Answers, Answers]:
    mean = {name: own for name, (own, _) in found.items()}
    std = {name: np.sqrt(variance) for name, (_, variance) in found.items()}
    return (mean, std) if return_std else mean


def check_inputs(
    name: str, values: Float[Array, "N Q"], n_points: int, width: int | None = None
) -> None:
    """Raise DataError unless there is a finite point of this width for every row."""
    shape = (n_points, values.shape[1] if width is None else width)
    if values.shape != shape or not np.isfinite(values).all():
        raise DataError(
            f"points of node {name!r} must be {shape[0]} × {shape[1]} finite numbers; got shape "
            f"{values.shape}" + ("" if np.isfinite(values).all() else " with NaN")
        )
