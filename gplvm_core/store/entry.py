"""What a library says about one model, on a small card of JSON beside the model's file.

A card is sealed by the SHA-256 of all that it says: a card that was changed is reported.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from gplvm_core import models
from gplvm_core.models import Capabilities
from gplvm_core.readers import Dataset
from gplvm_core.store.atomic import write_atomically
from gplvm_core.store.errors import StoreError, reading
from gplvm_core.store.manifest import SUFFIX, changed, digest_of

Names = tuple[tuple[str, tuple[str, ...]], ...]  # of dimensions, by the map that they belong to

CARD = "entry.json"
MODEL = f"model{SUFFIX}"
DATA = f"data{SUFFIX}"
_SEAL = "sha256"  # the key of a card's seal
_MODEL_FILE = re.compile(rf"model(-[0-9a-f]{{8}})?\{SUFFIX}")
_MAX_CARD = 2**20
_MAX_TITLE = 120
MOST_LETTERS = 40  # of a dimension's name; assets/canvas/map/names.js says the same
_MAX_ID = 48
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Seen when an entry is read, so that no card can claim it.
_OF_THE_DISK = ("bytes", "broken", "changed", "capabilities")
# Two machines may scale an image or simulate a process with other last digits.
_SAME_DATA = 1e-3


@dataclass(frozen=True)
class Entry:
    """One model of a library, known without opening it.

    ``bound`` in nats (None for models without one), ``created`` in UTC (ISO 8601), ``bytes`` on
    disk, ``capabilities`` what the model can do, by its file. ``dimension_names`` are the user's
    names of latent dimensions, in their order, for each map of the model that has any ("" for the
    map of a model with one); an empty name is a dimension without. ``broken`` is None, or says why
    the entry cannot be opened; ``changed`` if that is because its files are not what was saved.
    """

    id: str
    title: str
    model_class: str = ""
    dataset_name: str = ""
    n_points: int = 0
    n_outputs: int = 0
    n_latent: int = 0
    bound: float | None = None
    created: str = ""
    tags: tuple[str, ...] = ()
    dimension_names: Names = ()
    bytes: int = 0
    broken: str | None = None
    changed: bool = False
    capabilities: Capabilities = field(default_factory=Capabilities)


@dataclass(frozen=True)
class Card:
    """An entry and where its model and data set are found: the one thing that says so.

    ``by_name``: the project has the data set, else it is a file. ``level`` and ``spread`` are the
    targets' mean and standard deviation, to know them again. ``model`` is the model's file: another
    one after every update, so that card and model change in one step. The digests are those of
    the files' manifests (None on older cards); ``job`` is the training that made the model.
    """

    entry: Entry
    by_name: bool
    level: float
    spread: float
    model: str = MODEL
    model_digest: str | None = None
    data_digest: str | None = None
    job: str | None = None

    def check(self, dataset: Dataset) -> Dataset:
        """The data set, if it is the one that this card is about; StoreError otherwise."""
        level, spread = moments(dataset)
        tolerance = _SAME_DATA * max(self.spread, abs(self.level))
        shape = (self.entry.n_points, self.entry.n_outputs)
        close = abs(level - self.level) <= tolerance and abs(spread - self.spread) <= tolerance
        if dataset.targets.shape != shape or not close:
            raise StoreError(
                f"The data set {dataset.name!r} of this installation (shape "
                f"{dataset.targets.shape}, mean {level:.4g}) is not the one that "
                f"{self.entry.title!r} was trained on (shape {shape}, mean {self.level:.4g}). "
                "Train again, or install the version that the model was made with."
            )
        return dataset


def card_of(model: Any, dataset: Dataset, id: str, title: str, tags: Iterable[str]) -> Card:
    """The card of a fitted model; its data set is taken to be stored as a file."""
    latent = getattr(model, "latent_mean_", None)
    width = getattr(model, "n_components", None) if latent is None else latent.shape[1]
    if not isinstance(width, int):
        raise StoreError(
            f"A library keeps models that place rows on a map, and a {type(model).__name__} does "
            "not. Save it as a file of its own (gplvm_core.save)."
        )
    bound = getattr(model, "bound_", None)
    level, spread = moments(dataset)
    entry = Entry(
        id=id,
        title=clean_title(title),
        model_class=type(model).__name__,
        dataset_name=dataset.name,
        n_points=dataset.targets.shape[0],
        n_outputs=dataset.targets.shape[1],
        n_latent=width,
        bound=None if bound is None else float(bound),
        created=datetime.now(UTC).isoformat(timespec="milliseconds"),
        tags=clean_tags(tags),
    )
    return Card(entry, by_name=False, level=level, spread=spread)


def capabilities_of(class_name: str, content: Any) -> Capabilities:
    """What a stored model can do, from the settings in its manifest; its arrays are not read.

    A setting that is no plain value stays as the manifest describes it. Raises StoreError for what
    describes no model.
    """
    kind: Any = getattr(models, class_name, None)
    if not isinstance(kind, type) or not issubclass(kind, BaseEstimator):
        raise StoreError(f"A {class_name} lies where the model should be. Import it again.")
    with reading("The model's file"):
        usual = kind().get_params(deep=False)
        settings = {
            name: content["parameters"][name] for name in usual.keys() & content["parameters"]
        }
        stated: Capabilities = kind(**settings).capabilities
        return stated


def moments(dataset: Dataset) -> tuple[float, float]:
    """Mean and standard deviation of all observed targets."""
    return float(np.nanmean(dataset.targets)), float(np.nanstd(dataset.targets))


def write_card(folder: Path, card: Card) -> None:
    """Write a folder's card with its seal, whole or not at all.

    Size and state are the disk's to say; what the model can do, its own file's.
    """
    record = asdict(card)
    for name in _OF_THE_DISK:
        del record["entry"][name]
    sealed = record | {_SEAL: _seal_of(record)}
    text = json.dumps(sealed, indent=1, ensure_ascii=False).encode("utf-8", "replace")
    write_atomically(folder / CARD, lambda file: file.write(text))


def read_card(folder: Path, *, trusted: bool = False) -> Card:
    """Read a folder's card; StoreError when there is none or it makes no sense.

    ChangedError when it is not the card that was written, unless that is trusted. A card without a
    seal, as older versions wrote it, is read as it is.
    """
    path = folder / CARD
    with reading(f"Its {CARD}"):
        if path.stat().st_size > _MAX_CARD:
            raise StoreError(f"Its {CARD} is too large to be one.")
        raw = json.loads(path.read_text(encoding="utf-8"))
        known = {field.name for field in fields(Entry)} - set(_OF_THE_DISK)
        values = {name: value for name, value in raw["entry"].items() if name in known}
        own = {"id": folder.name, "tags": tuple(values.get("tags", ()))}
        own["dimension_names"] = clean_names(dict(values.get("dimension_names", ())))
        entry = Entry(**values | own)
        of_card = {field.name for field in fields(Card)} - {"entry"}
        card = Card(entry=entry, **{name: raw[name] for name in of_card & raw.keys()})
        _check_types(entry, _ENTRY_TYPES)
        _check_types(card, _CARD_TYPES)
        if not all(isinstance(tag, str) for tag in entry.tags):
            raise StoreError(f"Its {CARD} is damaged (tags are {entry.tags!r}).")
        if not _MODEL_FILE.fullmatch(card.model):
            raise StoreError(f"Its {CARD} is damaged (its model is {card.model!r}).")
        # Last, so that whatever is reported as changed can be read.
        if not trusted and not _is_sealed(raw):
            raise changed(f"Its {CARD}")
        return replace(card, entry=_printable(entry))


def _is_sealed(raw: dict[str, Any]) -> bool:
    """Whether a card has the right seal, or was written before cards had one."""
    record = {name: value for name, value in raw.items() if name != _SEAL}
    if _SEAL in raw:
        return bool(raw[_SEAL] == _seal_of(record))
    # With a damaged name the seal's key is one that no card ever had.
    return record.keys() <= {field.name for field in fields(Card)}


def _seal_of(record: Mapping[str, Any]) -> str:
    """SHA-256 of all that a card says, however its JSON is laid out."""
    plain = json.dumps(record, sort_keys=True, ensure_ascii=False)
    return digest_of(plain.encode("utf-8", "replace"))


_ENTRY_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "title": str,
    "model_class": str,
    "dataset_name": str,
    "n_points": int,
    "n_outputs": int,
    "n_latent": int,
    "bound": (float, int, type(None)),
    "created": str,
}
_CARD_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "by_name": bool,
    "level": (float, int),
    "spread": (float, int),
    "model": str,
    "model_digest": (str, type(None)),
    "data_digest": (str, type(None)),
    "job": (str, type(None)),
}


def _check_types(record: object, expected: Mapping[str, type | tuple[type, ...]]) -> None:
    for name, kind in expected.items():
        value = getattr(record, name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise StoreError(f"Its {CARD} is damaged ({name} is {value!r:.80}).")


def _printable(entry: Entry) -> Entry:
    """The entry with words that every page can show, whoever wrote them."""
    return replace(
        entry,
        title=clean_title(entry.title),
        dataset_name=_one_line(entry.dataset_name),
        tags=clean_tags(entry.tags),
    )


def clean_title(title: str) -> str:
    """One line without control characters, 120 characters at most; "Untitled" when empty."""
    return _one_line(title) or "Untitled"


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags as single lines, without empty ones and repetitions, in their order."""
    given = (tags,) if isinstance(tags, str) else tags
    return tuple(dict.fromkeys(line for line in map(_one_line, given) if line))


def clean_names(names: Mapping[str, Iterable[object]]) -> Names:
    """Names of dimensions as single lines of at most 40 characters; maps without any are left out.

    Raises StoreError when two dimensions of a map have the same name.
    """
    known = []
    for space, given in names.items():
        cleaned = tuple(_one_line(name)[:MOST_LETTERS].strip() for name in given)
        used = [name for name in cleaned if name]
        twice = next((name for name in used if used.count(name) > 1), None)
        if twice is not None:
            raise StoreError(
                f"Two dimensions have the name {twice!r}. Give every dimension a name of its own."
            )
        if used:
            known.append((str(space), cleaned))
    return tuple(known)


def _one_line(words: object) -> str:
    printable = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in str(words))
    return " ".join(printable.split())[:_MAX_TITLE].strip()


def slug(title: str) -> str:
    """A title as an id: lower-case ASCII letters and digits joined by hyphens."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_MAX_ID].strip("-") or "model"


def is_id(name: object) -> bool:
    """Whether a name can be the id of a model: no path, nothing hidden."""
    return isinstance(name, str) and len(name) <= _MAX_ID + 16 and bool(_ID.fullmatch(name))


def check_id(id: str) -> str:
    """The id, if it is one; StoreError otherwise."""
    if not is_id(id):
        raise StoreError(
            f"{id!r} is not the id of a model: ids are lower-case letters, digits and hyphens. "
            "Take one from entries()."
        )
    return id
