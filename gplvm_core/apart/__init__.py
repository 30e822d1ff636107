"""Reading of files that others made in a process of its own, with a limit on memory and time."""

from gplvm_core.apart.reading import Reader, Readers, Reading
from gplvm_core.apart.tasks import TASKS, is_small, places_of, run

__all__ = ["TASKS", "Reader", "Readers", "Reading", "is_small", "places_of", "run"]
