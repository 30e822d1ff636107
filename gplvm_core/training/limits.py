"""Limits on training that the operator of a server sets, and a lower priority for training."""

import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from gplvm_core.training.job import JobError

# Added to the `nice` value of training threads, so that drawing pages takes precedence.
NICENESS = 5


@dataclass(frozen=True)
class Limits:
    """Limits on training; None means no limit.

    at_once: how many trainings may run at the same time. in_all: how many trainings may run or
    wait. each: how many trainings of one visitor may run or wait; the page counts them per visit.
    values: how many numbers a data set may have.
    """

    at_once: int = 1
    in_all: int | None = None
    each: int | None = None
    values: int | None = None

    def allow(self, active: int, values: int = 0) -> None:
        """Raise a JobError if another training is not allowed.

        active: the number of trainings that run or wait. values: how many numbers the data set has.
        """
        if self.in_all is not None and active >= self.in_all:
            raise JobError(
                f"{active} trainings run or wait, which is the limit of this server. Try again "
                "when one has ended, or stop one of yours."
            )
        if self.values is not None and values > self.values:
            raise JobError(
                f"These data have {values:,} numbers; this server trains on at most "
                f"{self.values:,}. Use fewer rows or columns."
            )

    def allow_visitor(self, active: int) -> None:
        """Raise a JobError if a visitor with `active` trainings may not start another one."""
        if self.each is not None and active >= self.each:
            raise JobError(
                f"{active} of your trainings run or wait, which is the limit for one visitor of "
                "this server. Stop one, or wait until one has ended."
            )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read the settings of a server; raises ValueError if one is invalid."""
        return cls(
            _number(environment, "MANIFOLIO_JOBS_AT_ONCE") or cls.at_once,
            _number(environment, "MANIFOLIO_JOBS"),
            _number(environment, "MANIFOLIO_JOBS_EACH"),
            _number(environment, "MANIFOLIO_VALUES"),
        )


def _number(environment: Mapping[str, str], name: str) -> int | None:
    text = environment.get(name, "").strip()
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 15 or int(text) == 0:
        raise ValueError(f"{name} is “{text[:20]}”; it must be a whole number of at least 1.")
    return int(text)


def give_way() -> None:
    """Lower the priority of this thread, and of the threads that it starts."""
    if sys.platform == "linux":  # on other systems, threads have no priority of their own
        thread = threading.get_native_id()
        own = os.getpriority(os.PRIO_PROCESS, os.getpid())
        os.setpriority(os.PRIO_PROCESS, thread, min(own + NICENESS, 19))
