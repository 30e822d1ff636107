"""A callback that ends a training, to resume it."""

from collections.abc import Callable
from typing import Any


class Until:
    """End a training at its n-th report, or at the first report for which a condition holds."""

    def __init__(self, ends: int | Callable[[Any], bool]) -> None:
        self.ends, self.reports = ends, list[Any]()

    def __call__(self, report: Any) -> None:
        self.reports.append(report)
        self.last = report
        if self.ends(report) if callable(self.ends) else len(self.reports) == self.ends:
            raise StopIteration
