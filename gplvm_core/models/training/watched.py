"""A callback that can be asked once more after training, while rows are placed or pass by."""

from collections.abc import Callable
from dataclasses import replace

from gplvm_core.optimise import Progress


class Last:
    """A callback that can be told the last progress again; whether to go on is its answer."""

    def __init__(self, callback: Callable[[Progress], None] | None) -> None:
        self.callback = callback
        self.progress: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        self.progress = progress
        if self.callback:
            self.callback(progress)

    def again(self, message: str) -> bool:
        """Ask again, with what is done now."""
        try:
            if self.callback and self.progress is not None:
                self.callback(replace(self.progress, message=message))
        except StopIteration:
            return False
        return True
