"""The map as a Python object in a notebook's page, by anywidget (JupyterLab, marimo, VS Code)."""

import secrets
from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

import anywidget
import numpy as np
import traitlets

from gplvm_core.offline.scripts import script
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.errors import shortened
from gplvm_core.store.entry import MOST_LETTERS
from gplvm_core.wire.frame import unframe

if TYPE_CHECKING:
    from gplvm_core.offline.explorer import OfflineExplorer

# The largest coordinate, and the decimals of a kept point, as in assets/canvas/map/switches.js.
FARTHEST, DECIMALS = 1e6, 4


class _Shared(traitlets.TraitType[Any, Any]):
    """A value that Python and the page share; `check` returns it as a tuple, or raises."""

    def __init__(self, check: Callable[["MapWidget", Any], tuple[Any, ...]]) -> None:
        super().__init__(())
        self.check = check
        self.tag(sync=True)

    def validate(self, obj: Any, value: Any) -> tuple[Any, ...]:
        return self.check(obj, value)


class MapWidget(anywidget.AnyWidget):
    """A map that Python and the visitor of the notebook move together. See `explorer`.

    point: the chosen point, Q coordinates; kept: the point that was kept last, by a click or at the
    end of a drag; rows: the numbers of the selected rows, from 0; dimensions: the numbers of the
    dimensions across and up, from 0; names: the names of all dimensions. `observe` watches each.
    All may be written: rows also as N truth values, dimensions also by name, and an empty name
    restores the original one. A value that the map cannot have raises ValueError and changes
    nothing. file: the map without Python.
    """

    def _checked_point(self, given: Any) -> tuple[float, ...]:
        try:
            point = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            point = np.array(np.nan)
        # A comparison with NaN is false.
        if point.shape != (self._n_latent,) or not np.all(np.abs(point) <= FARTHEST):
            raise ValueError(
                f"A point of this map is {self._n_latent} numbers between −{FARTHEST:,.0f} and "
                f"{FARTHEST:,.0f}, as in a row of latent_mean_; got {_short(given)}."
            )
        return tuple(point.tolist())

    def _checked_kept(self, given: Any) -> tuple[float, ...]:
        point = self._checked_point(given)
        # As on the page, which rounds every point that is kept after the first one.
        return point if point == self._start else tuple(np.round(point, DECIMALS).tolist())

    def _checked_rows(self, given: Any) -> tuple[int, ...]:
        count, rows = self._dataset.n_points, np.asarray(given)
        if rows.dtype == bool and rows.shape == (count,):
            rows = np.flatnonzero(rows)
        whole = rows.dtype.kind in "iu" or rows.size == 0
        if not whole or rows.ndim != 1 or np.any((rows < 0) | (rows >= count)):
            raise ValueError(
                f"rows are numbers from 0 to {count - 1}, or {count} truth values; got "
                f"{_short(given)}."
            )
        return tuple(np.unique(rows.astype(int)).tolist())

    def _checked_names(self, given: Any) -> tuple[str, ...]:
        own, listed = self._own_names, _listed(given)
        if len(listed) != len(own) or not all(isinstance(name, str) for name in listed):
            raise ValueError(f"names are {len(own)} texts, one per dimension; got {_short(given)}.")
        names = tuple(" ".join(name.split()) or own[q] for q, name in enumerate(listed))
        for q, name in enumerate(names):
            # The page also keeps the original names for the dimensions that have another name now.
            others = [*own[:q], *own[q + 1 :], *names[:q], *names[q + 1 :]]
            if len(name) > MOST_LETTERS or name.lower() in map(str.lower, others):
                raise ValueError(
                    f"{_short(name)} cannot be the name of dimension {q}: a name has at most "
                    f"{MOST_LETTERS} letters, and no other dimension has or had it."
                )
        return names

    def _checked_dimensions(self, given: Any) -> tuple[int, ...]:
        count, names = len(self._own_names), list(self.names)
        pair = [names.index(each) if each in names else each for each in _listed(given)]
        known = all(type(each) is not bool and each in range(count) for each in pair)
        if len(pair) != 2 or not known or pair[0] == pair[1]:
            raise ValueError(
                f"dimensions are two of {', '.join(map(repr, names))}, by name or by number from 0 "
                f"to {count - 1}; got {_short(given)}."
            )
        return tuple(map(int, pair))

    _esm = script("offline/notebook.js")
    _id = traitlets.Unicode().tag(sync=True)
    _frame = traitlets.Unicode().tag(sync=True)
    point = _Shared(_checked_point)
    kept = _Shared(_checked_kept)
    rows = _Shared(_checked_rows)
    names = _Shared(_checked_names)
    dimensions = _Shared(_checked_dimensions)

    def __init__(self, file: "OfflineExplorer", dataset: Dataset) -> None:
        self.file, self._dataset = file, dataset
        header, arrays = unframe(file.packed)
        self._n_latent, self._own_names = header["n_latent"], tuple(header["axes"])
        start = arrays["latent"][header["start"], : self._n_latent]
        self._start = tuple(start.tolist())
        own = secrets.token_hex(8)
        super().__init__(
            _id=own,
            _frame=file.frame(f"manifolio {own}"),
            point=start,
            kept=start,
            names=self._own_names,
            dimensions=header["dims"],
        )

    @traitlets.observe("kept")
    def _arrive(self, change: Any) -> None:
        self.point = change.new  # as on the page

    @property
    def selection(self) -> Any:
        """The selected rows as a data frame with the columns of the data; its index is `rows`."""
        rows = np.array(self.rows, dtype=int)
        return self._dataset.in_own_values(self._dataset.values[rows]).set_index(rows)

    def __getattr__(self, name: str) -> Any:
        """Return what the map without Python has, such as `html` and `precision`."""
        if name == "file" or name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        return getattr(self.file, name)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to one file, which any browser opens."""
        self.file.save(path)

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, str]]:
        """Return the frame, which a stored notebook also shows without a kernel.

        The frame and this object find each other by the frame's name. A view of the widget, as
        other widgets return, would be an error message in a notebook that is opened again.
        """
        return {"text/plain": repr(self), "text/html": self._frame}, {}


def _listed(given: Any) -> list[Any]:
    """Return the entries of a list or an array; nothing for text and for anything else."""
    return list(given) if np.iterable(given) and not isinstance(given, str) else []


def _short(given: Any) -> str:
    return shortened(repr(given))
