"""The models that an assistant can ask: the ready ones of the gallery, and the user's library."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gplvm_core.models.estimators.with_known import at_value
from gplvm_core.new_rows.table import are_ranked_by_bound, with_scores, without_names
from gplvm_core.readers import Dataset
from gplvm_core.readers.errors import listed
from gplvm_core.readers.names import column_words
from gplvm_core.store import READY, Entry, Library, StoreError, workspace
from gplvm_core.store.ready import ready_recipes
from gplvm_core.training import begin_comparison, comparison_of

GALLERY, OWN = "gallery", "library"
MOST_OPEN = 4  # models in memory
WAIT = 40.0  # seconds that an answer waits for the comparison with the training rows


@dataclass(frozen=True, eq=False)
class Opened:
    """A model with its training rows. mark: changes with the model; at: notes on known factors."""

    entry: Entry
    model: Any
    dataset: Dataset
    mark: str
    at: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        return column_words(self.dataset)

    def numbers_of(self, columns: Sequence[str] | None) -> list[int]:
        """Return the numbers of columns by their names; None: all. ValueError for unknown names."""
        places = {name: d for d, name in enumerate(self.names)}
        unknown = [name for name in columns or () if name not in places]
        if unknown:
            raise ValueError(
                f"The model has no column {listed(unknown)}; it has {listed(list(places), 20)}."
            )
        return list(places.values()) if columns is None else [places[name] for name in columns]

    def scored(self, wait: float = WAIT) -> tuple[Any, str]:
        """Return the model with the scores of its training rows, and why there are none.

        The scores are computed once, in a background thread. Raises ValueError if they are not
        ready in time: the same question succeeds later.
        """

        def task(callback: Callable[[float], None]) -> tuple[Any, str]:
            model, dataset = self.model, self.dataset
            recipe = ready_recipes().get(self.mark.removeprefix(f"{GALLERY}:"))
            by_bound = are_ranked_by_bound(model, dataset)
            return with_scores(model, dataset, by_bound=by_bound, recipe=recipe, callback=callback)

        key = f"assistant|{self.mark}|{self.at}"
        run = comparison_of(key)
        if run is None or run.problem is not None:
            run = begin_comparison(key, task)
        run.wait(wait)
        if run.problem is not None:
            raise ValueError(run.problem)
        if run.result is None:
            raise ValueError(
                "The training rows are being compared with each other, once for this model "
                f"({run.step or 0.0:.0%} done). Ask again in a minute."
            )
        found: tuple[Any, str] = run.result
        return found


@dataclass(frozen=True)
class Shelf:
    """Opens models by their keys, and keeps the last few in memory."""

    _open: OrderedDict[tuple[object, ...], tuple[Any, Dataset]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def libraries(self) -> Mapping[str, Library]:
        """Return the libraries by the first part of their models' keys."""
        own = Library(workspace() / "library", read_only=True)
        return {GALLERY: Library(READY, read_only=True), OWN: own}

    def open(self, key: str, factors: Mapping[str, Any] | None = None) -> Opened:
        """Open a model by its key; a map without known factors at these values of the factors.

        Raises ValueError for an unknown key or value, StoreError for a damaged model.
        """
        place, _, name = key.partition(":")
        library = self.libraries().get(place)
        known = [] if library is None else library.entries()
        entry = next((each for each in known if each.id == name), None)
        if entry is None or library is None:
            raise ValueError(f"There is no model “{key[:80]}”. list_models names the models.")
        if entry.broken is not None:
            raise StoreError(entry.broken)
        if entry.capabilities.predicts:
            raise ValueError(
                f"“{entry.title}” predicts one column and has no map. Open it in the app, on the "
                "page Explore."
            )
        model, dataset = self._loaded(library, key, entry)
        bound = f"{float(model.bound_):.10g}" if hasattr(model, "bound_") else entry.created
        model, at = _at(model, factors)
        model = model if dataset.columns else without_names(model)  # as in `apply`
        return Opened(entry, model, dataset, f"{key}|{bound}", at)

    def _loaded(self, library: Library, key: str, entry: Entry) -> tuple[Any, Dataset]:
        mark = (str(library.root), key, entry.created, entry.bytes)
        with self._lock:
            if mark not in self._open:
                self._open[mark] = library.model(entry.id), library.dataset(entry.id)
            self._open.move_to_end(mark)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
            return self._open[mark]


def _at(model: Any, factors: Mapping[str, Any] | None) -> tuple[Any, tuple[str, ...]]:
    """Return the map at values of its known factors, and a note that names them."""
    known = getattr(model, "known_", None)
    if known is None:
        if factors:
            raise ValueError("This model takes out no known factors: leave known_factors out.")
        return model, ()
    names = listed(list(known.names))
    if not factors:
        level = known.levels[0]
        note = f"Known factors ({names}) are held at a frequent value: {known.words(level)}."
        return at_value(model, level), (note,)
    if set(factors) != set(known.names):
        raise ValueError(f"known_factors need one value for each of {names}.")
    words = listed([str(factors[name]) for name in known.names])
    return model.given(**factors), (f"Known factors ({names}) are held at {words}.",)
