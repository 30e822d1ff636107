"""Level 10: read untrusted files in a restricted subprocess, with limits on memory and time."""

from gplvm_core.sandbox.reading import FileReading, Reader, Readers
from gplvm_core.sandbox.tasks import TASKS, is_small, perform, places_of

__all__ = ["TASKS", "FileReading", "Reader", "Readers", "is_small", "perform", "places_of"]
