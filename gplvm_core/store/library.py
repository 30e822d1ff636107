"""A folder of models: listed without opening them, changed one atomic step at a time.

Each model is a folder named by its id: entry.json (the card), model.gplvm and, unless the data set
is one of the project's own, data.gplvm. Deleted models lie in the folder .trash until restored or
emptied out.
"""

import contextlib
import itertools
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from gplvm_core.datasets import Dataset, load_dataset
from gplvm_core.store.codec import StoreError
from gplvm_core.store.entry import (
    Card,
    Entry,
    capabilities_of,
    card_of,
    check_id,
    clean_tags,
    clean_title,
    is_id,
    is_own,
    read_card,
    slug,
    write_card,
)
from gplvm_core.store.file import SUFFIX, Source, load, read_manifest, save

_MODEL = f"model{SUFFIX}"
_DATA = f"data{SUFFIX}"
_TRASH = ".trash"


@dataclass(frozen=True)
class DiskUse:
    """Bytes on disk: of the models listed, and of the deleted ones that can be restored."""

    models: int
    trash: int


class Library:
    """The models of one folder. Holds no state but the path: every call looks at the disk."""

    def __init__(self, root: str | os.PathLike[str], read_only: bool = False) -> None:
        """A library at ``root``, made when first written to; read_only refuses every change."""
        self.root = Path(root).expanduser()
        self.read_only = read_only

    def __repr__(self) -> str:
        return f"Library({str(self.root)!r}, read_only={self.read_only})"

    def entries(self) -> tuple[Entry, ...]:
        """All models, oldest first; a broken one is listed with the reason. Reads no arrays."""
        return _entries(self.root)

    def entry(self, id: str) -> Entry:
        """One model's entry; StoreError when there is none of that id."""
        return _entry(self._folder(id))

    def add(
        self,
        model: BaseEstimator,
        dataset: Dataset,
        title: str,
        *,
        tags: Iterable[str] = (),
        id: str | None = None,
    ) -> str:
        """Keep a fitted model with its data set; returns its id, made from the title.

        With ``id`` given it gets that one, and StoreError says when it is taken. A data set that
        the project can load by name is kept by name, any other as a file.
        """
        self._check_writable()
        if not isinstance(dataset, Dataset):
            raise StoreError(
                f"A library keeps a model with its Dataset; got a {type(dataset).__name__}. "
                "Make one, as read_table does."
            )
        if id is not None and (self.root / check_id(id)).exists():
            raise StoreError(f"There is already a model {id!r} in this library. Delete it first.")

        def fill(folder: Path) -> None:
            card = card_of(model, dataset, folder.name, title, tags)
            save(model, folder / _MODEL)
            if is_own(dataset):
                card = replace(card, by_name=True)
            else:
                save(dataset, folder / _DATA)
            write_card(folder, card)

        return self._new(slug(title) if id is None else id, fill)

    def update(self, id: str, model: BaseEstimator) -> None:
        """Put a model trained for longer, on the same data set, in the place of the one kept."""
        self._check_writable()
        folder = self._folder(id)
        old = read_card(folder)
        dataset = self.dataset(id)
        new = card_of(model, dataset, id, old.entry.title, old.entry.tags)
        save(model, folder / _MODEL)
        write_card(folder, replace(new, by_name=old.by_name))

    def model(self, id: str) -> Any:
        """The fitted model, as it was added."""
        return load(self._folder(id) / _MODEL)

    def dataset(self, id: str) -> Dataset:
        """The data set that the model was trained on."""
        folder = self._folder(id)
        card = _card(folder)
        if card.by_name:
            return card.check(load_dataset(card.entry.dataset_name))
        return _expect(load(folder / _DATA), Dataset, "data set")

    def rename(self, id: str, title: str) -> None:
        """Give a model another title; its id stays."""
        self._change(id, lambda entry: replace(entry, title=clean_title(title)))

    def tag(self, id: str, tags: Iterable[str]) -> None:
        """Replace a model's tags."""
        self._change(id, lambda entry: replace(entry, tags=clean_tags(tags)))

    def duplicate(self, id: str) -> str:
        """Copy a model; returns the copy's id."""
        self._check_writable()
        source = self._folder(id)
        card = _card(source)
        title = clean_title(f"{card.entry.title} (copy)")

        def fill(folder: Path) -> None:
            for path in source.iterdir():
                if path.is_file() and not path.name.startswith("."):
                    shutil.copy2(path, folder / path.name)
            write_card(folder, replace(card, entry=replace(card.entry, title=title)))

        return self._new(slug(title), fill)

    def export_file(self, id: str, path: str | os.PathLike[str]) -> Path:
        """Write model, data set, title and tags to one file that `import_file` reads."""
        entry = _card(self._folder(id)).entry
        bundle = {
            "title": entry.title,
            "tags": entry.tags,
            "model": self.model(id),
            "dataset": self.dataset(id),
        }
        return save(bundle, path)

    def import_file(self, source: Source, *, max_bytes: int = 2 * 2**30) -> str:
        """Add what `export_file` wrote; returns the new id. Nothing changes when it fails."""
        self._check_writable()
        bundle = load(source, max_bytes=max_bytes)
        if isinstance(bundle, BaseEstimator):
            raise StoreError(
                "This file holds a model without its data set, as save(path) writes it. Open it "
                "with gplvm_core.load, or export it from a library to have both."
            )
        if not isinstance(bundle, dict) or not {"title", "tags", "model", "dataset"} <= set(bundle):
            raise StoreError(
                f"This file holds a {type(bundle).__name__}, not a model exported from a library."
            )
        model = _expect(bundle["model"], BaseEstimator, "model")
        dataset = _expect(bundle["dataset"], Dataset, "data set")
        return self.add(model, dataset, str(bundle["title"]), tags=bundle["tags"])

    def delete(self, id: str) -> None:
        """Move a model to the trash, from which `restore` brings it back."""
        self._check_writable()
        folder = self._folder(id)
        trash = self.root / _TRASH
        with _in_words(f"Cannot delete {id}"):
            trash.mkdir(exist_ok=True)
            # The one deleted last is the one that undo means; an older one makes room for it.
            if (trash / id).exists():
                _place(trash / id, trash, f"{id}-older")
            os.rename(folder, trash / id)

    def restore(self, id: str) -> str:
        """Undo `delete`; returns the id, another one when it was taken meanwhile."""
        self._check_writable()
        folder = self.root / _TRASH / check_id(id)
        if not folder.is_dir():
            raise StoreError(f"There is no deleted model {id!r}. See trash() for those there are.")
        with _in_words(f"Cannot restore {id}"):
            return _place(folder, self.root, id)

    def trash(self) -> tuple[Entry, ...]:
        """The deleted models that can be restored."""
        return _entries(self.root / _TRASH)

    def empty_trash(self) -> None:
        """Remove the deleted models for good."""
        self._check_writable()
        with _in_words("Cannot empty the trash"):
            if (self.root / _TRASH).is_dir():
                shutil.rmtree(self.root / _TRASH)

    def disk_use(self) -> DiskUse:
        """Bytes that the models and the trash take."""
        return DiskUse(
            models=sum(entry.bytes for entry in self.entries()),
            trash=sum(entry.bytes for entry in self.trash()),
        )

    def _check_writable(self) -> None:
        if self.read_only:
            raise StoreError(
                "These models come with the project and cannot be changed. Duplicate or train one "
                "in your own library."
            )

    def _folder(self, id: str) -> Path:
        folder = self.root / check_id(id)
        if not folder.is_dir():
            raise StoreError(f"There is no model {id!r} in {self.root.name}. See entries().")
        return folder

    def _change(self, id: str, change: Callable[[Entry], Entry]) -> None:
        self._check_writable()
        folder = self._folder(id)
        card = _card(folder)
        write_card(folder, replace(card, entry=change(card.entry)))

    def _new(self, wanted: str, fill: Callable[[Path], None]) -> str:
        """Fill a hidden folder, then give it the first free name; nothing stays on failure."""
        with _in_words(f"Cannot write to {self.root}"):
            self.root.mkdir(parents=True, exist_ok=True)
            folder = self.root / f".new-{secrets.token_hex(6)}"
            folder.mkdir()
            try:
                fill(folder)
                return _place(folder, self.root, wanted)
            finally:
                shutil.rmtree(folder, ignore_errors=True)


def _place(folder: Path, root: Path, wanted: str) -> str:
    """Move a folder to the first name that nobody else has, even when two try at once."""
    names = itertools.chain([wanted], (f"{wanted}-{n}" for n in itertools.count(2)))
    for name in names:
        if (root / name).exists():
            continue
        try:
            # Refused when another process took the name meanwhile: its folder is not empty.
            os.rename(folder, root / name)
        except OSError:
            if not (root / name).exists():
                raise
        else:
            return name
    raise AssertionError("names do not end")


def _entries(root: Path) -> tuple[Entry, ...]:
    if not root.is_dir():
        return ()
    # What is not named like a model (the trash, one being written, another program's) is none.
    found = [_entry(folder) for folder in root.iterdir() if folder.is_dir() and is_id(folder.name)]
    return tuple(sorted(found, key=lambda entry: (entry.created, entry.id)))


def _entry(folder: Path) -> Entry:
    """What the card says, checked against the files beside it (their contents' tables only)."""
    size = _size(folder)
    try:
        card = read_card(folder)
    except StoreError as error:
        return Entry(id=folder.name, title=folder.name, bytes=size, broken=f"Broken: {error}.")
    entry = replace(card.entry, bytes=size)
    try:
        model = read_manifest(folder / _MODEL)
        entry = replace(entry, capabilities=capabilities_of(model.class_name, model.content))
        if not card.by_name:
            read_manifest(folder / _DATA)
    except StoreError as error:
        return replace(entry, broken=str(error))
    return entry


def _card(folder: Path) -> Card:
    try:
        return read_card(folder)
    except StoreError as error:
        raise StoreError(f"The model {folder.name!r} is broken: {error}. Delete it.") from error


def _size(folder: Path) -> int:
    total = 0
    for path in folder.iterdir():
        # A file may go while it is looked at: another process works here too.
        with contextlib.suppress(OSError):
            total += path.stat().st_size
    return total


def _expect(thing: Any, kind: type, what: str) -> Any:
    if not isinstance(thing, kind):
        raise StoreError(f"A {type(thing).__name__} lies where the {what} should be. Import again.")
    return thing


@contextlib.contextmanager
def _in_words(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{what}: {error.strerror or error}. Nothing was lost; check the disk's space and "
            "your rights."
        ) from error
