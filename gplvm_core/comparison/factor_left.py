"""Is the batch still there? Whether a known factor can be read from the rows' places on a map."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from sklearn.utils.validation import check_is_fitted

from gplvm_core.models.data.known import TakenOut
from gplvm_core.models.data.rows import as_floats
from gplvm_core.numerics import Array
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import plural

NEIGHBOURS = 10
SHUFFLES = 50
TOP = 0.95  # the quantile of shuffled factors that counts as chance


@dataclass(frozen=True)
class FactorLeft:
    """How well a row's neighbours on the map predict its known factor.

    score: for words, the fraction of rows whose value is the most frequent one among their ten
    nearest neighbours; for numbers, R² of the neighbours' mean. chance: the mean score of shuffled
    factors. most: their 95 % quantile.
    """

    name: str
    score: float
    chance: float
    most: float

    @property
    def found(self) -> bool:
        """Whether the factor is still there: neighbours predict it better than by chance."""
        return self.score > self.most

    @property
    def words(self) -> str:
        """The answer as a sentence."""
        begin = f"{self.name} is still there" if self.found else f"{self.name} is not on the map"
        return (
            f"{begin}: the ten nearest rows predict it with a score of {self.score:.2f} "
            f"({self.chance:.2f} if its values are shuffled, at most {self.most:.2f})"
        )


def is_factor_left(model: Any, factors: Any = None, *, random_state: int = 0) -> list[FactorLeft]:
    """Test whether known factors can be read from the neighbours of rows on a map.

    Parameters
    ----------
    model : estimator
        A fitted map.
    factors : array_like or DataFrame of shape (N,) or (N, C), optional
        The factors of the training rows; default: those that the map leaves out.

    Returns
    -------
    list of FactorLeft
        A score for each factor, beside its level by chance.

    Raises
    ------
    DataError
        If there are no factors, or not one value for every training row.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import BayesianGPLVM, is_factor_left
    >>> rng = np.random.default_rng(0)
    >>> batch = np.repeat(["first", "second"], 20)
    >>> Y = np.outer(rng.standard_normal(40), [1.0, -2.0, 0.5, 1.0])
    >>> Y += 3.0 * (batch == "second")[:, None] + 0.1 * rng.standard_normal((40, 4))
    >>> plain = BayesianGPLVM(2, 15, max_iter=50, random_state=0, second_stage="off").fit(Y)
    >>> is_factor_left(plain, batch)[0].found
    True
    """
    check_is_fitted(model)
    known = getattr(model, "known_", None)
    if factors is not None:
        known = TakenOut.learnt(factors)
    if known is None:
        raise DataError("no known factor was taken out of this map: give the factors of its rows")
    points = as_floats(model.latent_mean_ * model.latent_scale_, "the points of the map")
    if len(known.points) != len(points):
        raise DataError(
            f"the map has {plural(len(points), 'row')}, and the factors have "
            f"{len(known.points):,}: give one value for each training row"
        )
    return predicted_by_neighbours(points, known, random_state)


def predicted_by_neighbours(
    places: Float[Array, "N Q"], known: TakenOut, random_state: int = 0
) -> list[FactorLeft]:
    """How well the neighbours of these places predict each factor; the places have equal units."""
    from sklearn.neighbors import NearestNeighbors  # takes long to import

    count = min(NEIGHBOURS, len(places) - 1)
    near = NearestNeighbors(n_neighbors=count).fit(places).kneighbors(return_distance=False)
    generator, found, first = np.random.default_rng(random_state), [], 0
    for factor in known.factors:
        own = known.points[:, first : first + factor.width]
        first += factor.width
        shuffled = [_score(own[generator.permutation(len(own))], near) for _ in range(SHUFFLES)]
        most = float(np.quantile(shuffled, TOP))
        found.append(FactorLeft(factor.name, _score(own, near), float(np.mean(shuffled)), most))
    return found


def _score(own: Array, near: Array) -> float:
    """The fraction of rows whose neighbours predict their value, or R² for a factor of numbers."""
    found = own[near].mean(axis=1)
    if own.shape[1] > 1:
        return float(np.mean(found.argmax(axis=1) == own.argmax(axis=1)))
    return float(1.0 - np.sum((own - found) ** 2) / np.sum((own - own.mean(axis=0)) ** 2))
