"""The folders of a library. Folders are read separately, so a broken one does not hide others.

Also here: whether a data set comes with the project, so that a library stores only its name.
"""

import contextlib
import io
import itertools
import os
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from operator import methodcaller
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from gplvm_core.datasets import list_datasets, load_dataset
from gplvm_core.readers import Dataset
from gplvm_core.store.atomic import clear_temporary, private_folder, sync_folder, write_atomically
from gplvm_core.store.entry import (
    CARD,
    DATA,
    MODEL,
    OF_USER,
    Card,
    Entry,
    capabilities_of,
    card_of,
    is_id,
    read_card,
    slug,
    write_card,
)
from gplvm_core.store.errors import ChangedError, StoreError, reading
from gplvm_core.store.file import read, read_manifest, write_sealed
from gplvm_core.store.holding import writing
from gplvm_core.store.manifest import SUFFIX, Manifest, changed
from gplvm_core.store.model_card import CARD_TEXT, model_card


def is_own(dataset: Dataset) -> bool:
    """Whether `load_dataset` returns exactly this data set for its name."""
    if dataset.name not in list_datasets():
        return False
    try:
        own = load_dataset(dataset.name)
    except (OSError, ImportError, ValueError, MemoryError):
        # If the data set cannot be loaded, it cannot be compared; it is then stored as a file.
        return False
    return same(dataset, own)


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal in all parts; dataclasses are compared field by field."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(
            one, other, equal_nan=one.dtype.kind == "f"
        )
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if is_dataclass(one):
        names = [field.name for field in fields(one)]
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    return bool(one == other)


TRASH = ".trash"
NEW = ".new-"
EMPTIED = ".emptied-"
Found = TypeVar("Found")


def entries_of(root: Path) -> tuple[Entry, ...]:
    """Return all models below a folder, oldest first; models deleted meanwhile are left out."""
    found = (entry_of(folder) for folder in folders(root))
    present = [entry for entry in found if entry is not None]
    return tuple(sorted(present, key=lambda entry: (entry.created, entry.id)))


def folders(root: Path) -> list[Path]:
    """Return the folders of models; the trash and other programs' folders are ignored."""
    with reading(f"The folder {root}"):
        try:
            inside = list(root.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [path for path in inside if is_id(path.name) and path.is_dir()]


def entry_of(folder: Path) -> Entry | None:
    """Return the entry on a card, checked against the manifests of the files beside it.

    The entry of a broken model contains the reason. Returns None if the folder does not exist, or
    no longer exists.
    """
    entry = Entry(id=folder.name, title=folder.name)
    try:
        entry = read_card(folder).entry
        entry = settled(folder, _checked)
    except StoreError as error:
        if not folder.is_dir():
            return None
        entry = replace(entry, broken=str(error), changed=isinstance(error, ChangedError))
    return replace(entry, bytes=_size(folder))


def settled(folder: Path, look: Callable[[Path, Card], Found]) -> Found:
    """Call `look` with a folder's card; repeat this if another process replaced the model
    meanwhile.
    """
    card = card_in(folder)
    try:
        return look(folder, card)
    except StoreError:
        newer = card_in(folder)
        if newer == card:
            raise
        return look(folder, newer)


def card_in(folder: Path, *, trusted: bool = False) -> Card:
    """Read a folder's card; raises the errors of `read_card`, with the model's name."""
    try:
        return read_card(folder, trusted=trusted)
    except StoreError as error:
        raise type(error)(f"The model {folder.name!r} is broken. {error}") from error


def model_in(folder: Path, card: Card, *, trusted: bool = False) -> Any:
    """Read the model of a card; raise ChangedError if it was replaced, unless `trusted`."""
    model, manifest = read(folder / card.model, trusted=trusted)
    _check_kind(model, BaseEstimator, "model")
    if not trusted:
        check_digest(manifest, card.model_digest, card.model)
    return model


def data_in(folder: Path, card: Card, *, trusted: bool = False) -> Dataset:
    """Read the data set that the model was trained on; raises the errors of `model_in`."""
    if card.by_name:
        dataset = load_dataset(card.entry.dataset_name)
        return dataset if trusted else card.check(dataset)
    found, manifest = read(folder / DATA, trusted=trusted)
    _check_kind(found, Dataset, "data set")
    if not trusted:
        check_digest(manifest, card.data_digest, DATA)
    return cast(Dataset, found)


def place(folder: Path, root: Path, wanted: str) -> str:
    """Move a folder to the first free name, even if two processes do this at the same time."""
    names = itertools.chain([wanted], (f"{wanted}-{n}" for n in itertools.count(2)))
    for name in names:
        if (root / name).exists():
            continue
        try:
            # The rename fails if another process took the name in the meantime, because its folder
            # is not empty.
            os.rename(folder, root / name)
        except OSError:
            if not (root / name).exists():
                raise
        else:
            return name
    raise AssertionError("there are infinitely many names")


def fill_new(root: Path, wanted: str | None, fill: Callable[[Path], None]) -> str:
    """Fill a hidden folder, then rename it to the first free name; after a failure nothing remains.

    Without `wanted`, the name is made from the title.
    """
    private_folder(root)
    with writing(root):
        folder = root / f"{NEW}{secrets.token_hex(6)}"
        private_folder(folder)
        try:
            fill(folder)
            name = place(folder, root, wanted or slug(read_card(folder).entry.title))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        sync_folder(root)
        return name


def put_new(
    folder: Path,
    model: BaseEstimator,
    dataset: Dataset,
    title: str,
    tags: Iterable[str],
    job: str | None = None,
    **of_user: Any,
) -> None:
    """Write all files of an entry; a data set that comes with the project is stored by name.

    of_user: the fields of the entry in `OF_USER`.
    """
    card = card_of(model, dataset, folder.name, title, tags)
    card = replace(card, entry=replace(card.entry, **of_user), job=job)
    card = replace(card, model_digest=write_sealed(model, folder / MODEL))
    if is_own(dataset):
        card = replace(card, by_name=True)
    else:
        card = replace(card, data_digest=write_sealed(dataset, folder / DATA))
    _describe(folder, model, dataset)
    write_card(folder, card)


def _describe(folder: Path, model: BaseEstimator, dataset: Dataset) -> None:
    try:
        text = model_card(model, dataset)
    except Exception as error:  # a model that cannot be described is stored all the same
        text = f"This model could not be described: {error}\n"
    write_atomically(folder / CARD_TEXT, methodcaller("write", text.encode(errors="replace")))


def put_files(folder: Path, files: Mapping[str, bytes | NDArray[np.uint8]]) -> None:
    """Write the files of an entry that `put_new` made in another folder; no array is read.

    Raises StoreError for other file names, or files that do not belong together.
    """
    for name, content in files.items():
        if name not in (CARD, MODEL, DATA, CARD_TEXT):
            raise StoreError(f"{name!r} is not a file of a model in a library.")
        write_atomically(folder / name, methodcaller("write", content))
    _checked(folder, read_card(folder))


def same_as(folder: Path) -> str | None:
    """Return the id of a model beside this folder with equal contents; None if there is none.

    Digests of whole files differ whenever a file is written, because they contain its time.
    """
    own = _facts(folder)
    for other in folders(folder.parent):
        with contextlib.suppress(StoreError):
            if _facts(other) == own:
                return other.name
    return None


def _facts(folder: Path) -> tuple[object, ...]:
    card = read_card(folder)
    files = [read_manifest(folder / card.model)]
    files += [] if card.by_name else [read_manifest(folder / DATA)]
    contents = [(repr(each.content), *each.digests.items()) for each in files]
    return card.entry.model_class, card.entry.dataset_name, *contents


def put_model(folder: Path, old: Card, model: BaseEstimator, dataset: Dataset) -> None:
    """Write the model to a new file, then replace the card by one with the new file's name."""
    name = f"model-{secrets.token_hex(4)}{SUFFIX}"
    new = card_of(model, dataset, folder.name, old.entry.title, old.entry.tags)
    digest = write_sealed(model, folder / name)
    entry = replace(new.entry, **{each: getattr(old.entry, each) for each in OF_USER})
    card = replace(old, entry=entry, model=name, model_digest=digest)
    _describe(folder, model, dataset)
    write_card(folder, replace(card, level=new.level, spread=new.spread))
    clear_models(folder, card)


def discard(folder: Path) -> bool:
    """Move a model to the trash; False if the trash or the model was removed meanwhile."""
    trash = folder.parent / TRASH
    private_folder(trash)
    try:
        # Undo restores the model that was deleted last, so an older model of that name in the trash
        # is renamed.
        if (trash / folder.name).exists():
            place(trash / folder.name, trash, f"{folder.name}-older")
        os.rename(folder, trash / folder.name)
    except FileNotFoundError:
        return False
    return True


def empty(root: Path) -> None:
    """Rename the trash, then remove it, so that a model that is restored meanwhile remains
    complete.
    """
    doomed = root / f"{EMPTIED}{secrets.token_hex(6)}"
    with contextlib.suppress(FileNotFoundError):
        os.rename(root / TRASH, doomed)
        shutil.rmtree(doomed)


def of_job(root: Path, job: str) -> str | None:
    """Return the id of the readable model that a training has added; None if there is none."""
    for folder in folders(root):
        with contextlib.suppress(StoreError):
            entry = entry_of(folder) if card_in(folder).job == job else None
            if entry is not None and entry.broken is None:
                return entry.id
    return None


def clear(root: Path) -> None:
    """Remove the remains of killed processes below a library; call this only while no process
    writes.
    """
    for path in (*root.glob(f"{NEW}*"), *root.glob(f"{EMPTIED}*")):
        shutil.rmtree(path, ignore_errors=True)
    for folder in (*folders(root), *folders(root / TRASH)):
        clear_temporary(folder)
        with contextlib.suppress(StoreError):
            clear_models(folder, read_card(folder))


def clear_models(folder: Path, card: Card) -> None:
    """Remove model files that the card no longer names, after an update."""
    for path in folder.glob(f"model*{SUFFIX}"):
        if path.name != card.model:
            with contextlib.suppress(OSError):
                path.unlink()


def packed(folder: Path) -> bytes:
    """Return a zip of a folder's unchanged files, without temporary files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path in sorted(folder.iterdir()):
            if path.is_file() and not path.name.startswith("."):
                archive.writestr(path.name, path.read_bytes())
    return data.getvalue()


def _checked(folder: Path, card: Card) -> Entry:
    model = read_manifest(folder / card.model)
    check_digest(model, card.model_digest, card.model)
    capabilities = capabilities_of(model.class_name, model.content)
    if not card.by_name:
        data = read_manifest(folder / DATA)
        check_digest(data, card.data_digest, DATA)
        if data.class_name != Dataset.__name__:
            raise StoreError(f"The file contains a {data.class_name} in place of the data set.")
    return replace(card.entry, capabilities=capabilities)


def check_digest(manifest: Manifest, digest: str | None, name: str) -> None:
    """Raise ChangedError if a file has another manifest than the one with this digest."""
    if digest is not None and manifest.digest != digest:
        raise changed(f"The file {name}")


def _check_kind(value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise StoreError(
            f"The file contains a {type(value).__name__} in place of the {what}. Import it again."
        )


def _size(folder: Path) -> int:
    total = 0
    # Another process may remove files or the folder meanwhile.
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            with contextlib.suppress(OSError):
                total += path.stat().st_size
    return total
