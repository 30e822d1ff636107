"""A folder of models, listed without opening them and changed in atomic steps.

Each model is a folder named by its id. The folder contains entry.json (the entry), card.md (the
model card) and the model's file, whose name is in the entry. It also contains data.gplvm, unless
the data set comes with the project. Deleted models are in the folder .trash until they are restored
or the trash is emptied. A kill at any moment leaves every model intact; `tidy` removes other
remains.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from gplvm_core.readers import Dataset
from gplvm_core.store.atomic import private_copy, tighten
from gplvm_core.store.entry import (
    DATA,
    Entry,
    check_id,
    checked_labels,
    checked_own_labels,
    clean_names,
    clean_tags,
    clean_title,
    slug,
    write_card,
)
from gplvm_core.store.errors import ChangedError, StoreError, changing, reading
from gplvm_core.store.file import Source, save, write_sealed
from gplvm_core.store.holding import no_writers, one_by_one, writing
from gplvm_core.store.incoming import prepare
from gplvm_core.store.model_card import CARD_TEXT
from gplvm_core.store.shelf import (
    TRASH,
    card_in,
    clear,
    data_in,
    discard,
    empty,
    entries_of,
    entry_of,
    fill_new,
    model_in,
    of_job,
    packed,
    place,
    put_files,
    put_model,
    put_new,
    same_as,
    settled,
)
from gplvm_core.store.trial import check_fits, check_usable


@dataclass(frozen=True)
class DiskUse:
    """Bytes on disk of the listed models, and of the deleted models that can be restored."""

    models: int
    trash: int


class Library:
    """The models in one folder. Every call reads the disk; the only state is the path."""

    def __init__(self, root: str | os.PathLike[str], read_only: bool = False) -> None:
        """Open a library at ``root``; the first write creates it. read_only refuses changes."""
        self.root = Path(root).expanduser()
        self.read_only = read_only

    def __repr__(self) -> str:
        return f"Library({str(self.root)!r}, read_only={self.read_only})"

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries, oldest first; reads no arrays. Broken models have the reason."""
        return entries_of(self.root)

    def entry(self, id: str) -> Entry:
        """Return one model's entry; StoreError for an unknown id."""
        entry = entry_of(self._folder(id))
        return self._missing(id) if entry is None else entry

    def tidy(self) -> None:
        """Remove the remains of killed processes, and make all files accessible only to the user.

        Files that another process may be writing are not touched. Never raises, since remaining
        files do no harm.
        """
        if self.read_only:
            return
        with contextlib.suppress(OSError, StoreError):
            tighten(self.root)
            with no_writers(self.root) as nobody_writes:
                if nobody_writes:
                    clear(self.root)

    def add(
        self,
        model: BaseEstimator,
        dataset: Dataset,
        title: str,
        *,
        tags: Iterable[str] = (),
        id: str | None = None,
        job: str | None = None,
    ) -> str:
        """Add a fitted model with its data set; returns its id, made from the title.

        ``id``: use this id; StoreError if it is taken. ``job``: the id of a training; if this
        training added a model before, that model is replaced (`update`). Adding a model again after
        a kill therefore does not create a second one. A data set that comes with the project is
        stored by name, other data sets as a file.
        """
        self._check_writable()
        if not isinstance(dataset, Dataset):
            raise StoreError(
                f"A library stores a model with its Dataset; got a {type(dataset).__name__}. "
                "Make a Dataset, for example with read_table."
            )
        check_fits(model, dataset)
        if id is not None and os.path.exists(self.root / check_id(id)):
            raise StoreError(f"There is already a model {id!r} in this library. Delete it first.")
        before = None if job is None else of_job(self.root, job)
        if before is not None:
            with self._at_work_on(before) as folder:
                card = card_in(folder)
                if card.job == job:  # checked again, because another model may have the name by now
                    put_model(folder, card, model, data_in(folder, card))
                    return before

        return self._new(
            slug(title) if id is None else id,
            lambda folder: put_new(folder, model, dataset, title, tags, job),
        )

    def update(self, id: str, model: BaseEstimator) -> None:
        """Replace a model by one that was trained for longer on the same data set."""
        with self._at_work_on(id) as folder:
            card = card_in(folder)
            put_model(folder, card, model, data_in(folder, card))

    def accept(self, id: str) -> None:
        """Accept the changed files of a model, if it can still be used.

        Raises StoreError if the files no longer contain a complete model and data set.
        """
        with self._at_work_on(id) as folder:
            card = card_in(folder, trusted=True)
            model = model_in(folder, card, trusted=True)
            dataset = data_in(folder, card, trusted=True)
            check_usable(model, dataset)
            if not card.by_name:
                try:
                    data_in(folder, card)
                except ChangedError:
                    card = replace(card, data_digest=write_sealed(dataset, folder / DATA))
            put_model(folder, card, model, dataset)

    def model(self, id: str) -> Any:
        """Return the fitted model."""
        return settled(self._folder(id), model_in)

    def dataset(self, id: str) -> Dataset:
        """Return the data set that the model was trained on."""
        return settled(self._folder(id), data_in)

    def rename(self, id: str, title: str) -> None:
        """Change a model's title; the id does not change."""
        self._change(id, lambda entry: replace(entry, title=clean_title(title)))

    def tag(self, id: str, tags: Iterable[str]) -> None:
        """Replace a model's tags."""
        self._change(id, lambda entry: replace(entry, tags=clean_tags(tags)))

    def name_dimensions(self, id: str, names: Iterable[str], space: str = "") -> None:
        """Replace the names of a model's latent dimensions, in their order; "" means no name.

        ``space``: the name of the map, such as "layer 1", in a model with several maps. Names are
        cut after 40 characters. Raises StoreError if two dimensions have the same name.
        """
        given = tuple(names)

        def change(entry: Entry) -> Entry:
            known = dict(entry.dimension_names) | {space: given}
            return replace(entry, dimension_names=clean_names(known))

        self._change(id, change)

    def give_labels(self, id: str, labels: Iterable[tuple[int, int]]) -> None:
        """Replace the labels that the user gave to rows without one: pairs of row and label."""
        given = checked_labels(labels)
        self._change(id, lambda entry: replace(entry, given_labels=given))

    def keep_labels(self, id: str, labels: Iterable[tuple[str, Iterable[int]]]) -> None:
        """Replace the user's own labels of rows: the name of each label, and its rows."""
        own = checked_own_labels(labels)
        self._change(id, lambda entry: replace(entry, own_labels=own))

    def duplicate(self, id: str) -> str:
        """Copy a model; returns the copy's id."""
        source = self._folder(id)
        title = clean_title(f"{card_in(source).entry.title} (copy)")

        def fill(folder: Path) -> None:
            with one_by_one(source):
                card = card_in(source)
                for name in (card.model, *(() if card.by_name else (DATA,))):
                    private_copy(source / name, folder / name)
                if (source / CARD_TEXT).is_file():  # models of earlier versions have none
                    private_copy(source / CARD_TEXT, folder / CARD_TEXT)
            # The copy does not have the job, because the job continues to update the original
            # model.
            write_card(folder, replace(card, entry=replace(card.entry, title=title), job=None))

        return self._new(slug(title), fill)

    def export_file(self, id: str, path: str | os.PathLike[str]) -> Path:
        """Write model, data set, title, tags, names of dimensions and labels to one file.

        `import_file` reads it.
        """
        entry = card_in(self._folder(id)).entry
        bundle = {
            "title": entry.title,
            "tags": entry.tags,
            "dimension_names": {space: list(names) for space, names in entry.dimension_names},
            "given_labels": [list(pair) for pair in entry.given_labels],
            "own_labels": [[name, list(rows)] for name, rows in entry.own_labels],
            "model": self.model(id),
            "dataset": self.dataset(id),
        }
        return save(bundle, path)

    def files(self, id: str) -> bytes:
        """Return a zip of a model's unchanged files, to examine a broken model elsewhere."""
        with reading(f"The model {id!r}"):
            return packed(self._folder(id))

    def import_file(self, source: Source, *, max_bytes: int = 2 * 2**30) -> str:
        """Add a file that `export_file` wrote; returns the new id. A failure changes nothing."""
        return self._new(None, lambda folder: prepare(source, folder, max_bytes=max_bytes))

    def take_in(self, files: Mapping[str, bytes | NDArray[np.uint8]]) -> str:
        """Add a model whose files another process prepared; returns the new id.

        ``files``: the bytes of every file, by its name. No array is decoded. Raises StoreError if
        the files are incomplete or do not belong together.
        """
        return self._new(None, lambda folder: put_files(folder, files))

    def take_in_once(self, files: Mapping[str, bytes | NDArray[np.uint8]]) -> str:
        """Add a model as `take_in` does; returns the id of an equal model if there is one."""
        found = dict[str, str]()

        def fill(folder: Path) -> None:
            put_files(folder, files)
            known = same_as(folder)
            if known is not None:
                found["id"] = known
                raise StoreError(f"The library has this model as {known!r}.")

        try:
            return self._new(None, fill)
        except StoreError:
            if found:
                return found["id"]
            raise

    def delete(self, id: str) -> None:
        """Move a model to the trash, from which `restore` brings it back."""
        self._check_writable()
        folder = self._folder(id)
        # Wait for other processes that write or copy the model. After the deletion, the name may
        # belong to another model, which they must not change.
        with changing(f"Cannot delete {id}"), writing(self.root), one_by_one(folder):
            while not discard(folder):
                self._folder(id)  # raises if another process has deleted it meanwhile

    def restore(self, id: str) -> str:
        """Undo `delete`; returns the id, which is a new one if the old one was taken meanwhile."""
        self._check_writable()
        folder = self.root / TRASH / check_id(id)
        with changing(f"Cannot restore {id}"), writing(self.root):
            try:
                return place(folder, self.root, id)
            except FileNotFoundError as error:
                raise StoreError(
                    f"There is no deleted model {id!r}. trash() lists the deleted models."
                ) from error

    def trash(self) -> tuple[Entry, ...]:
        """Return the deleted models that can be restored."""
        return entries_of(self.root / TRASH)

    def empty_trash(self) -> None:
        """Remove the deleted models permanently."""
        self._check_writable()
        with changing("Cannot empty the trash"), writing(self.root):
            empty(self.root)

    def disk_use(self) -> DiskUse:
        """Return the size of the models and of the trash, in bytes."""
        return DiskUse(
            models=sum(entry.bytes for entry in self.entries()),
            trash=sum(entry.bytes for entry in self.trash()),
        )

    def _check_writable(self) -> None:
        if self.read_only:
            raise StoreError(
                "These models come with the project and cannot be changed. Duplicate or train a "
                "model in your own library."
            )

    def _folder(self, id: str) -> Path:
        folder = self.root / check_id(id)
        with reading(f"The model {id!r}"):
            return folder if folder.is_dir() else self._missing(id)

    def _missing(self, id: str) -> Any:
        raise StoreError(
            f"There is no model {id!r} in {self.root.name}. entries() lists the models."
        )

    @contextlib.contextmanager
    def _at_work_on(self, id: str) -> Iterator[Path]:
        """Yield a model's folder, locked so that no other process replaces its card meanwhile."""
        self._check_writable()
        folder = self._folder(id)
        with changing(f"Cannot change {id}"), writing(self.root), one_by_one(folder):
            yield folder

    def _change(self, id: str, change: Callable[[Entry], Entry]) -> None:
        with self._at_work_on(id) as folder:
            card = card_in(folder)
            write_card(folder, replace(card, entry=change(card.entry)))

    def _new(self, wanted: str | None, fill: Callable[[Path], None]) -> str:
        self._check_writable()
        with changing(f"Cannot write to {self.root}"):
            return fill_new(self.root, wanted, fill)
