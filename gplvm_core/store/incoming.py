"""Check an uploaded model file, and convert it to the files of a library entry.

This module does not need the library, so uploads are prepared in a subprocess.
"""

from pathlib import Path

from sklearn.base import BaseEstimator

from gplvm_core.readers.limits import MODEL_FREE, MODEL_GROWTH, MOST_MODEL
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.store.entry import checked_of_user, clean_tags, clean_title
from gplvm_core.store.errors import StoreError, reading
from gplvm_core.store.file import Source, load
from gplvm_core.store.manifest import Manifest, human
from gplvm_core.store.shelf import put_new
from gplvm_core.store.trial import check_usable


def prepare(source: Source, folder: Path, *, max_bytes: int) -> None:
    """Write the files of an entry to a folder: the card, the model and, if needed, the data set.

    ``source`` is a file written by `Library.export_file`. Raises StoreError for other files, for a
    model that cannot be used with its data set, and for a model that needs more than ``max_bytes``
    of memory.
    """
    bundle = load(source, max_bytes=max_bytes)
    if isinstance(bundle, BaseEstimator):
        raise StoreError(
            "This file contains a model without its data set, as save(path) writes it. Open it "
            "with gplvm_core.load, or export the model from a library to include the data set."
        )
    if not isinstance(bundle, dict) or not {"title", "tags", "model", "dataset"} <= set(bundle):
        raise StoreError(
            f"This file contains a {type(bundle).__name__}, not a model exported from a library."
        )
    check_usable(bundle["model"], bundle["dataset"])
    if isinstance(bundle["dataset"], TableDataset):  # it names a file, which another training reads
        raise StoreError("This file names a table of another machine. Export the model again.")
    with reading("The file's title, tags, names of dimensions or labels"):
        title, tags = clean_title(bundle["title"]), clean_tags(bundle["tags"])
        of_user = checked_of_user(bundle)
    put_new(folder, bundle["model"], bundle["dataset"], title, tags, **of_user)


def check_growth(manifest: Manifest, file_bytes: int, name: str) -> None:
    """Raise a StoreError if an uploaded model needs far more memory than its file's size."""
    most = min(MOST_MODEL, MODEL_FREE + MODEL_GROWTH * file_bytes)
    if manifest.array_bytes > most:
        raise StoreError(
            f"{name} has {human(file_bytes)} and would need {human(manifest.array_bytes)} of "
            f"memory; a file of this size may need {human(most)}. Export the model again, or train "
            "it on fewer rows or columns."
        )
