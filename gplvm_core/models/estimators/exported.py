"""A fitted map as labelled arrays of xarray, and as draws for ArviZ."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gplvm_core.numerics import Array
from gplvm_core.readers.packages import not_installed

if TYPE_CHECKING:
    import xarray

CHAINS = 4  # the draws are independent; ArviZ compares several chains


def to_xarray(self: Any) -> "xarray.Dataset":
    """Return the map as a Dataset of xarray, with named dimensions.

    Returns
    -------
    xarray.Dataset
        `latent_mean` and `latent_std` (row, dimension); `information` (dimension), in nats per row;
        `relevance` (dimension), with views (view, dimension). The coordinate `row` has the numbers
        of the rows, from 0. Attributes: the estimator, its settings and its bound in nats. A
        `GPLVM` has no information.

    Raises
    ------
    ImportError
        If xarray is not installed.
    """
    check_is_fitted(self)
    return _dataset(
        self,
        latent_mean=(("row", "dimension"), self.latent_mean_),
        latent_std=(("row", "dimension"), np.sqrt(self.latent_variance_)),
        **_weights(self),
    )


def to_arviz(self: Any, n_draws: int = 1000, random_state: int | None = None) -> "xarray.DataTree":
    """Draw latent points of the training rows, as ArviZ takes draws.

    Each row is drawn from its own marginal of q(X): also over time, draws of neighbours are
    independent.

    Parameters
    ----------
    n_draws : int, default 1000
        The number of independent draws, divided among 4 chains; rounded up to a multiple of 4.

    Returns
    -------
    xarray.DataTree
        The group `posterior` with `latent` (chain, draw, row, dimension), and the group
        `constant_data` with `relevance` and `information`. ArviZ 1 takes it as it is; for earlier
        versions: `arviz.InferenceData.from_datatree(found)`.

    Raises
    ------
    ImportError
        If xarray is not installed.
    ValueError
        If n_draws is below 1, or if the latent points have no distribution (`GPLVM`).
    """
    check_is_fitted(self)
    if not self.latent_variance_.any():
        raise ValueError(
            f"the latent points of {type(self).__name__} have no distribution to draw from"
        )
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, got {n_draws}")
    each = -(-n_draws // CHAINS)
    mean, std = self.latent_mean_, np.sqrt(self.latent_variance_)
    drawn = np.random.default_rng(random_state).standard_normal((CHAINS, each, *mean.shape))
    posterior = _dataset(self, latent=(("chain", "draw", "row", "dimension"), mean + std * drawn))
    import xarray

    groups = {"posterior": posterior, "constant_data": _dataset(self, **_weights(self))}
    return xarray.DataTree.from_dict(groups)


def _weights(model: Any) -> dict[str, tuple[tuple[str, ...], Array]]:
    relevance = model.relevance_
    dims: tuple[str, ...] = ("dimension",)
    if isinstance(relevance, Mapping):
        relevance, dims = np.stack(list(relevance.values())), ("view", "dimension")
    found: dict[str, tuple[tuple[str, ...], Array]] = {"relevance": (dims, relevance)}
    if hasattr(model, "information_"):
        found["information"] = (("dimension",), model.information_)
    return found


def _dataset(model: Any, **variables: tuple[tuple[str, ...], Array]) -> "xarray.Dataset":
    """The variables with numbered rows, dimensions, chains and draws, and with named views."""
    if not_installed(("xarray",)):
        raise ImportError("to_xarray and to_arviz need xarray: pip install xarray")
    import xarray

    sizes = {
        dim: size
        for dims, values in variables.values()
        for dim, size in zip(dims, np.shape(values), strict=True)
    }
    coords: dict[str, Any] = {dim: np.arange(size) for dim, size in sizes.items()}
    kept = getattr(getattr(model, "rows_", None), "kept", None)
    if kept is not None and "row" in coords:
        coords["row"] = kept
    if "view" in coords:
        coords["view"] = list(model.relevance_)
    made = {"estimator": type(model).__name__, "settings": str(model), "bound": model.bound_}
    return xarray.Dataset(variables, coords, made)
