"""The entry of a model in a library, stored on a small JSON card beside the model's file.

A card is sealed with the SHA-256 of its content, so that changes are detected.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator

from gplvm_core import models
from gplvm_core.models import Capabilities
from gplvm_core.readers import Dataset
from gplvm_core.readers.errors import in_digits
from gplvm_core.store.atomic import write_atomically
from gplvm_core.store.errors import StoreError, reading
from gplvm_core.store.manifest import SUFFIX, changed, digest_of

Names = tuple[tuple[str, tuple[str, ...]], ...]  # names of dimensions, by map
OwnLabels = tuple[tuple[str, tuple[int, ...]], ...]  # the name of a label, and its rows
GivenLabels = tuple[tuple[int, int], ...]  # row and label, in the order in which they were given

CARD = "entry.json"
MODEL = f"model{SUFFIX}"
DATA = f"data{SUFFIX}"
_SEAL = "sha256"  # the key of a card's seal
_MODEL_FILE = re.compile(rf"model(-[0-9a-f]{{8}})?\{SUFFIX}")
_MAX_CARD = 2**20
_MAX_TITLE = 120
# maximum length of a dimension's name; assets/canvas/map/names.js has the same number
MOST_LETTERS = 40
_MAX_ID = 48
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# What the user added to a model, which an updated model keeps.
OF_USER = ("dimension_names", "given_labels", "own_labels")
# Fields that are determined from the files when an entry is read; the card does not store them.
_OF_THE_DISK = ("bytes", "broken", "changed", "capabilities")
_PLAIN = {str, int, float, bool, NoneType}
# Relative tolerance, because scaled images and simulations may differ in the last digits between
# machines.
_SAME_DATA = 1e-3


@dataclass(frozen=True)
class Entry:
    """Facts about one model of a library, available without opening it.

    ``bound`` is in nats (None for models without one), ``created`` in UTC (ISO 8601), ``bytes`` the
    size on disk, ``capabilities`` what the model can do. ``dimension_names`` are the user's names
    of latent dimensions, in their order, for each map with names ("" is the map of a model with one
    map); an empty name means no name. ``given_labels`` are labels that the user gave to rows of the
    data set that have none, as pairs of row and label. ``own_labels`` are the user's own
    labels, each a name and its rows. ``broken`` is None, or the reason why the entry cannot be
    opened; ``changed`` is True if the reason is that files were changed.
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
    given_labels: GivenLabels = ()
    own_labels: OwnLabels = ()
    bytes: int = 0
    broken: str | None = None
    changed: bool = False
    capabilities: Capabilities = field(default_factory=Capabilities)


@dataclass(frozen=True)
class Card:
    """An entry and the location of its model and data set.

    ``by_name``: the data set comes with the project; otherwise it is a file. ``level`` and
    ``spread`` are the targets' mean and standard deviation, to recognise the data set. ``model`` is
    the model's file; every update writes a new file, so that card and model change in one step. The
    digests are those of the files' manifests (None on older cards); ``job`` is the training that
    made the model.
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
        """Return the data set if it belongs to this card; raise StoreError otherwise."""
        level, spread = moments(dataset)
        tolerance = _SAME_DATA * max(self.spread, abs(self.level))
        shape = (self.entry.n_points, self.entry.n_outputs)
        close = abs(level - self.level) <= tolerance and abs(spread - self.spread) <= tolerance
        if dataset.targets.shape != shape or not close:
            raise StoreError(
                f"The data set {dataset.name!r} of this installation (shape "
                f"{dataset.targets.shape}, mean {in_digits(level)}) is not the one that "
                f"{self.entry.title!r} was trained on (shape {shape}, mean "
                f"{in_digits(self.level)}). "
                "Train again, or install the version of Manifolio that made the model."
            )
        return dataset


def card_of(model: Any, dataset: Dataset, id: str, title: str, tags: Iterable[str]) -> Card:
    """Create the card of a fitted model whose data set is stored as a file."""
    latent = getattr(model, "latent_mean_", None)
    width = getattr(model, "n_components", None) if latent is None else latent.shape[1]
    if dataset.task is not None:
        width = 0  # a regression has no map
    if not isinstance(width, int):
        raise StoreError(
            f"A library stores models that place rows on a map, which a {type(model).__name__} "
            "does not. Save it to a separate file (gplvm_core.save), or store it with a data set "
            "that has a task (gplvm_core.readers.ask_column)."
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
    """Return the capabilities of a stored model, from the settings in its manifest, without reading
    arrays.

    Settings are not decoded: a setting that is not a plain value remains as it is in the manifest.
    Raises StoreError for content other than a model.
    """
    kind: Any = getattr(models, class_name, None)
    if not isinstance(kind, type) or not issubclass(kind, BaseEstimator):
        raise StoreError(
            f"The file contains a {class_name} in place of the model. Import it again."
        )
    with reading("The model's file"):
        usual = kind().get_params(deep=False)
        settings = {
            name: content["parameters"][name] for name in usual.keys() & content["parameters"]
        }
        stated: Capabilities = kind(**settings).capabilities
        return stated


def moments(dataset: Dataset) -> tuple[float, float]:
    """Return mean and standard deviation of all observed targets."""
    return float(np.nanmean(dataset.targets)), float(np.nanstd(dataset.targets))


def write_card(folder: Path, card: Card) -> None:
    """Write a folder's card with its seal, atomically.

    Size, state and capabilities are not stored: they are determined from the files.
    """
    record = asdict(card)
    for name in _OF_THE_DISK:
        del record["entry"][name]
    sealed = record | {_SEAL: _seal_of(record)}
    text = json.dumps(sealed, indent=1, ensure_ascii=False).encode("utf-8", "replace")
    write_atomically(folder / CARD, lambda file: file.write(text))


def read_card(folder: Path, *, trusted: bool = False) -> Card:
    """Read a folder's card; StoreError if it is missing or damaged.

    Raises ChangedError if the card was changed after it was written, unless `trusted`. Older cards
    without a seal are read without this check.
    """
    path = folder / CARD
    with reading(f"Its {CARD}"):
        if path.stat().st_size > _MAX_CARD:
            raise StoreError(f"Its {CARD} is too large for an entry.")
        raw = json.loads(path.read_text(encoding="utf-8"))
        known = {field.name for field in fields(Entry)} - set(_OF_THE_DISK)
        values = {name: value for name, value in raw["entry"].items() if name in known}
        own = {"id": folder.name, "tags": tuple(values.get("tags", ()))}
        entry = Entry(**values | own | checked_of_user(values))
        of_card = {field.name for field in fields(Card)} - {"entry"}
        card = Card(entry=entry, **{name: raw[name] for name in of_card & raw.keys()})
        for record in (entry, card):
            if name := mistyped(record):
                raise StoreError(
                    f"Its {CARD} is damaged ({name} is {getattr(record, name)!r:.80})."
                )
        if not all(isinstance(tag, str) for tag in entry.tags):
            raise StoreError(f"Its {CARD} is damaged (tags are {entry.tags!r}).")
        if not _MODEL_FILE.fullmatch(card.model):
            raise StoreError(f"Its {CARD} is damaged (its model is {card.model!r}).")
        # This check comes last, so that a card that is reported as changed is known to be readable.
        if not trusted and not _is_sealed(raw):
            raise changed(f"Its {CARD}")
        return replace(card, entry=_printable(entry))


def _is_sealed(raw: dict[str, Any]) -> bool:
    """Whether a card has the right seal, or is an older one without a seal."""
    record = {name: value for name, value in raw.items() if name != _SEAL}
    if _SEAL in raw:
        return bool(raw[_SEAL] == _seal_of(record))
    # If the seal's key itself is damaged, the record has an unknown key.
    return record.keys() <= {field.name for field in fields(Card)}


def _seal_of(record: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a card's content, independent of the JSON's layout."""
    plain = json.dumps(record, sort_keys=True, ensure_ascii=False)
    return digest_of(plain.encode("utf-8", "replace"))


def mistyped(record: object) -> str:
    """Return the first field of a record whose value has another type than the field, "" if none
    has. Only fields of text, numbers and truth values are looked at, which may also be None.
    """
    for name, hint in get_type_hints(type(record)).items():
        kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        if not _PLAIN.issuperset(kinds):
            continue
        value = getattr(record, name)
        if type(value) not in kinds and not (float in kinds and type(value) is int):
            return name
    return ""


def _printable(entry: Entry) -> Entry:
    """Return the entry with texts that pages can show, without control characters."""
    return replace(
        entry,
        title=clean_title(entry.title),
        dataset_name=_one_line(entry.dataset_name),
        tags=clean_tags(entry.tags),
    )


def clean_title(title: str) -> str:
    """Return a title as one line of at most 120 printable characters, or "Untitled" if empty."""
    return _one_line(title) or "Untitled"


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags as single lines in their order, without empty and repeated tags."""
    given = (tags,) if isinstance(tags, str) else tags
    return tuple(dict.fromkeys(line for line in map(_one_line, given) if line))


def clean_names(names: Mapping[str, Iterable[object]]) -> Names:
    """Return dimension names as single lines of at most 40 characters, without unnamed maps.

    Raises StoreError if two dimensions of a map have the same name.
    """
    known = []
    for space, given in names.items():
        cleaned = tuple(_one_line(name)[:MOST_LETTERS].strip() for name in given)
        used = [name for name in cleaned if name]
        twice = next((name for name in used if used.count(name) > 1), None)
        if twice is not None:
            raise StoreError(
                f"Two dimensions have the name {twice!r}. Give every dimension a different name."
            )
        if used:
            known.append((str(space), cleaned))
    return tuple(known)


def checked_of_user(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields in `OF_USER`, empty if they are not given. Raises StoreError if one is
    wrong.
    """
    return {
        "dimension_names": clean_names(dict(given.get("dimension_names", ()))),
        "given_labels": checked_labels(given.get("given_labels", ())),
        "own_labels": checked_own_labels(given.get("own_labels", ())),
    }


def checked_labels(given: Iterable[Any]) -> GivenLabels:
    """Return pairs of row and label. Raises StoreError for anything else."""
    found = tuple(tuple(pair) for pair in given)
    if not all(len(pair) == 2 and all(type(n) is int and n >= 0 for n in pair) for pair in found):
        raise StoreError("Labels are stored as pairs of row and label, two whole numbers each.")
    return tuple((row, label) for row, label in found)


def checked_own_labels(given: Iterable[Any]) -> OwnLabels:
    """Return names of labels with their rows. Raises StoreError for anything else."""
    found = tuple((_one_line(name)[:MOST_LETTERS].strip(), tuple(rows)) for name, rows in given)
    if not all(name and all(type(n) is int and n >= 0 for n in rows) for name, rows in found):
        raise StoreError("Own labels are stored as pairs of a name and row numbers.")
    if len({name for name, _ in found}) < len(found):
        raise StoreError("Two own labels have the same name.")
    return found


def _one_line(words: object) -> str:
    printable = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in str(words))
    return " ".join(printable.split())[:_MAX_TITLE].strip()


def slug(title: str) -> str:
    """Return an id made from a title: lower-case ASCII letters and digits joined by hyphens."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_MAX_ID].strip("-") or "model"


def is_id(name: object) -> bool:
    """Whether a name can be the id of a model; excludes paths and hidden files."""
    return isinstance(name, str) and len(name) <= _MAX_ID + 16 and bool(_ID.fullmatch(name))


def check_id(id: str) -> str:
    """Return the id if it is valid; raise StoreError otherwise."""
    if not is_id(id):
        raise StoreError(
            f"{id!r} is not the id of a model: ids are lower-case letters, digits and hyphens. "
            "entries() lists the ids."
        )
    return id
