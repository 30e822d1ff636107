from .entry import Entry, checked_own_labels
from .errors import ChangedError, StoreError
from .file import load, read_manifest, save
from .library import DiskUse, Library
from .manifest import SUFFIX, Manifest
from .model_card import model_card
from .ready import READY, ready_model
from .workspace import workspace, workspace_problem

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
