"""One row of the table of trust: hostile attempts and failures."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """The kind of attempt, the numbers of tries and failures, and a remark."""

    kind: str
    tries: int
    failures: int
    remark: str = ""
