"""The visitor's own labels of rows, stored with the visitor's models; for a ready model, in the
browser.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from gplvm_core.datasets import Dataset
from gplvm_core.offline.scripts import script
from gplvm_core.readers.errors import plural
from gplvm_core.store import StoreError, checked_own_labels
from pages.ui.shared.catalogue import Item, library_of
from pages.ui.shared.component import sent_by
from pages.ui.shared.plain import plain

KEPT = "own_labels"  # session key: the labels of this visit by model
MOST_STORED = 50_000  # rows whose labels are stored with a model, or in the browser
IN_BROWSER = "in this browser"
REST = "other rows"

_stored_labels = st.components.v2.component(
    "manifolio_own_labels", js=script("streamlit/own_labels.js")
)


@dataclass(frozen=True)
class OwnLabels:
    """Names of labels, and the rows of each, counted from 0; where: where they are stored."""

    names: tuple[str, ...] = ()
    rows: tuple[tuple[int, ...], ...] = ()
    where: str = "until you reload the page"

    @property
    def count(self) -> int:
        return sum(map(len, self.rows))

    def on(self, dataset: Dataset, *, rest: bool = False) -> Dataset:
        """Return the data with these labels; rows without one get −1, or the label `REST`."""
        codes = np.full(dataset.n_points, len(self.names) if rest else -1)
        for code, rows in enumerate(self.rows):
            codes[list(rows)] = code
        names = (*self.names, REST) if rest else self.names
        return replace(dataset, labels=codes, label_names=names)

    def to_data(self) -> dict[str, Any] | None:
        """Return the labels in the canvas's format."""
        return {"names": self.names, "rows": self.rows} if self.names else None


def own_labels(item: Item) -> OwnLabels:
    """Return the visitor's labels of a model's rows, of this visit or stored with the model."""
    here = st.session_state.get(KEPT, {}).get(item.key)
    if here is not None:
        return here if _fit(here, item) else OwnLabels()
    library, identifier = library_of(item.key)
    try:
        stored = () if library.read_only else library.entry(identifier).own_labels
    except StoreError:  # the model was deleted meanwhile; the page reports it
        stored = ()
    found = _of(stored, "with the model")
    return found if _fit(found, item) else OwnLabels()


def keep_own_labels(item: Item, given: Mapping[str, Sequence[int]]) -> None:
    """Store labels with the visitor's own model if they are few, or keep them for this visit.

    Labels without rows are dropped.
    """
    library, identifier = library_of(item.key)
    found = _of(tuple((name, tuple(rows)) for name, rows in given.items() if rows))
    kept = st.session_state.setdefault(KEPT, {})
    if not library.read_only and found.count <= MOST_STORED:
        try:
            library.keep_labels(identifier, zip(found.names, found.rows, strict=True))
            kept.pop(item.key, None)  # another tab may change what is stored
            return
        except (StoreError, OSError) as error:
            st.error(f"The labels were not stored with the model. {plain(error)}")
    few = library.read_only and found.count <= MOST_STORED
    kept[item.key] = replace(found, where=IN_BROWSER) if few else found


def browser_labels(item: Item) -> None:
    """Store the labels of a ready model in the browser, and read those of an earlier visit."""
    if not library_of(item.key)[0].read_only:
        return
    kept = st.session_state.setdefault(KEPT, {})
    here: OwnLabels | None = kept.get(item.key)

    def take() -> None:
        sent = sent_by("browser_labels", "own")
        if not isinstance(sent, Mapping):  # the browser stores nothing
            if here is not None:
                kept[item.key] = replace(here, where=OwnLabels.where)
            return
        try:
            given = zip(sent.get("names", ()), sent.get("rows", ()), strict=True)
            found = _of(checked_own_labels(given), IN_BROWSER)
        except (TypeError, ValueError, StoreError):
            return  # something else wrote to this place
        if here is None and _fit(found, item):
            kept[item.key] = found

    stored = here is not None and here.where == IN_BROWSER
    given = {"names": here.names, "rows": here.rows} if stored and here else None
    _stored_labels(key="browser_labels", data={"of": item.key, "given": given}, on_own_change=take)


def with_label(labels: OwnLabels, name: str, rows: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """Return all labels after rows got a label; a row has one label, so that it leaves others."""
    known = {
        each: set(own) - set(rows) for each, own in zip(labels.names, labels.rows, strict=True)
    }
    known[name] = known.get(name, set()) | set(rows)
    return {each: tuple(sorted(own)) for each, own in known.items()}


def take_own_labels(item: Item, key: str) -> None:
    """Give rows the label that a map sent, beside the labels that are stored by now.

    key: the key of the map's component.
    """
    sent = sent_by(key, "own")
    if not isinstance(sent, Mapping):
        return
    try:
        given = checked_own_labels([(sent.get("name", ""), sent.get("rows", ()))])
    except (TypeError, ValueError, StoreError) as error:
        st.error(f"The label was not kept. {plain(error)}")
        return
    if not _fit(_of(given), item):
        st.error("The label was not kept: the model has fewer rows by now. Reload the page.")
        return
    keep_own_labels(item, with_label(own_labels(item), *given[0]))


def in_words(labels: OwnLabels, n_rows: int) -> str:
    """Describe the labels: how many rows each has, and where they are stored."""
    each = ", ".join(
        f"{name} ({len(rows):,})" for name, rows in zip(labels.names, labels.rows, strict=True)
    )
    return (
        f"{plural(len(labels.names), 'label')} on {labels.count:,} of {n_rows:,} rows: {each}. "
        f"They are stored {labels.where}."
    )


def _of(pairs: tuple[tuple[str, tuple[int, ...]], ...], where: str = OwnLabels.where) -> OwnLabels:
    return OwnLabels(tuple(name for name, _ in pairs), tuple(rows for _, rows in pairs), where)


def _fit(labels: OwnLabels, item: Item) -> bool:
    return all(row < item.dataset.n_points for rows in labels.rows for row in rows)
