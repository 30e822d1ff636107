"""Coordinates that a table already has, such as an embedding by UMAP: found by name, taken out."""

import re
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from gplvm_core.numerics import Array
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.errors import DataError, listed, plural
from gplvm_core.readers.kinds import QUANTITIES
from gplvm_core.readers.names import column_words

PAIRS = "x y|longitude latitude|lon lat|lng lat|easting northing"
METHODS = (
    "umap|t_?sne|pca?|mds|isomap|phate|lle|diffmap|emb|embedding|latent|coord|coordinate|map|"
    "trimap|pacmap"
)
# With x and y, the further words may also be measurements, such as "dim_x" for the width of a box.
NUMBERED = rf"(?:x_)?(?:{METHODS}|principal_component|component|dim|dimension)_?"


def coordinate_columns(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the names of two columns that seem to be coordinates of a map; None without a pair.

    These are x and y, longitude and latitude, or two components of a known method.
    """
    plain = {re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_"): name for name in names}
    for pair in PAIRS.split("|"):
        first, second = pair.split()
        if first in plain and second in plain:
            return plain[first], plain[second]
    for start, after in ((0, 1), (1, 2)):
        for name, own in plain.items():
            found = re.fullmatch(rf"({NUMBERED}){start}", name)
            if found and f"{found[1]}{after}" in plain:
                return own, plain[f"{found[1]}{after}"]
    for name, own in plain.items():
        found = re.fullmatch(rf"((?:{METHODS})_?)x|x(_?(?:{METHODS}))", name)
        if found:
            other = f"{found[1]}y" if found[1] else f"y{found[2]}"
            if other in plain:
                return own, plain[other]
    return None


def at_coordinates(dataset: Dataset, across: str, up: str) -> tuple[Dataset, Float[Array, "N 2"]]:
    """Return the other columns that are numbers, and the rows' positions.

    The positions have mean 0, and their larger standard deviation is 1, as a model expects of
    latent points; the covariates of the data have the coordinates in the units of the file.
    Without another column of numbers, the data keep the coordinates. Notes list columns and rows
    that are left out.

    Raises
    ------
    DataError
        If fewer than three rows have both coordinates, or if a coordinate does not vary.
    """
    names = column_words(dataset)
    pair = [names.index(across), names.index(up)]
    kinds = {d: column.kind for d, column in enumerate(dataset.columns)}
    others = [d for d in range(len(names)) if d not in pair]
    numbers = [d for d in others if kinds.get(d, "number") in QUANTITIES]
    words = [names[d] for d in others if d not in numbers]
    kept = numbers or pair
    given = np.asarray(dataset.values[:, pair], dtype=float)
    known = np.isfinite(given).all(axis=1)
    rows = np.flatnonzero(known & np.isfinite(dataset.values[:, kept]).any(axis=1))
    if len(rows) < 3 or not np.ptp(given[rows], axis=0).all():
        raise DataError(
            f"{across} and {up} are no coordinates of a map: {plural(len(rows), 'row')} of "
            f"{dataset.n_points:,} have both, and both must vary. Choose other columns."
        )
    notes = [f"The positions are the columns {across} and {up}, with mean 0 and one common scale."]
    if words:
        notes.append(f"Columns that are no numbers, not drawn: {listed(words, 12)}.")
    if left := dataset.n_points - len(rows):
        notes.append(
            f"Rows without coordinates or without other numbers, left out: {left:,} of "
            f"{dataset.n_points:,}."
        )
    some = dataset.taken(rows)
    table = some.with_columns(
        kept,
        names,
        columns=(),
        covariates={**some.covariates, across: given[rows, 0], up: given[rows, 1]},
        notes=(*dataset.notes, *notes),
    )
    places = given[rows] - given[rows].mean(axis=0)
    return table, places / places.std(axis=0).max()
