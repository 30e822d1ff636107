"""One row of the table of trust: how often something hostile was tried, and how often it won."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was tried, how often, how often that did harm, and what is to be said of it."""

    kind: str
    tries: int
    failures: int
    told: str = ""
