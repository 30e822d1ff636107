"""Level 7: models on disk, one file per model, without pickle; a library is a folder of models."""

from gplvm_core.store.entry import Entry, checked_own_labels
from gplvm_core.store.errors import ChangedError, StoreError
from gplvm_core.store.file import load, read_manifest, save
from gplvm_core.store.library import DiskUse, Library
from gplvm_core.store.manifest import SUFFIX, Manifest
from gplvm_core.store.model_card import model_card
from gplvm_core.store.ready import READY, ready_model
from gplvm_core.store.workspace import workspace, workspace_problem

__all__ = [
    "READY",
    "SUFFIX",
    "ChangedError",
    "DiskUse",
    "Entry",
    "Library",
    "Manifest",
    "StoreError",
    "checked_own_labels",
    "load",
    "model_card",
    "read_manifest",
    "ready_model",
    "save",
    "workspace",
    "workspace_problem",
]
