"""What whoever runs a server for several people allows; training gives way to who looks."""

import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from gplvm_core.training.job import JobError

# As `nice` counts: pages are drawn first, training takes what is left of the processor.
NICENESS = 5


@dataclass(frozen=True)
class Limits:
    """How much may be trained; None: as much as there is.

    at_once: trainings that run side by side; in_all: that run or wait; each: that one visitor's
    run or wait (a page asks for it, and counts by the visit); values: numbers in a data set.
    """

    at_once: int = 1
    in_all: int | None = None
    each: int | None = None
    values: int | None = None

    def allow(self, active: int, values: int = 0) -> None:
        """Refuse, as a JobError, one more beside so many that run or wait, or so many numbers."""
        if self.in_all is not None and active >= self.in_all:
            raise JobError(
                f"{active} trainings run or wait, as many as this server allows at a time. Try "
                "again when one has ended, or stop one of yours."
            )
        if self.values is not None and values > self.values:
            raise JobError(
                f"These data are {values:,} numbers; this server trains on {self.values:,} at "
                "most. Take fewer rows or columns."
            )

    def allow_visitor(self, active: int) -> None:
        """Refuse, as a JobError, one more of a visitor of whom so many run or wait."""
        if self.each is not None and active >= self.each:
            raise JobError(
                f"{active} of your trainings run or wait, as many as this server allows one "
                "visitor. Stop one, or wait until one has ended."
            )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """The settings of a server; ValueError, in words, when one cannot be meant."""
        return cls(
            _number(environment, "MANIFOLIO_JOBS_AT_ONCE") or cls.at_once,
            _number(environment, "MANIFOLIO_JOBS"),
            _number(environment, "MANIFOLIO_JOBS_EACH"),
            _number(environment, "MANIFOLIO_VALUES"),
        )


def _number(environment: Mapping[str, str], name: str) -> int | None:
    said = environment.get(name, "").strip()
    if not said:
        return None
    if not said.isascii() or not said.isdigit() or len(said) > 15 or int(said) == 0:
        raise ValueError(f"{name} is “{said[:20]}”; it can be a number from 1 on.")
    return int(said)


def give_way() -> None:
    """Let this thread, and those that it starts, have the processor after all others."""
    if sys.platform == "linux":  # elsewhere threads have no priority of their own
        thread = threading.get_native_id()
        own = os.getpriority(os.PRIO_PROCESS, os.getpid())
        os.setpriority(os.PRIO_PROCESS, thread, min(own + NICENESS, 19))
