"""How much there is to do, so that progress can say which share of it is done."""

from dataclasses import dataclass

# What it costs to place a row, in steps of one row: about that. Once rows are placed, the time left
# goes by their own pace.
PLACING = 12.0


@dataclass(frozen=True)
class Work:
    """What a training takes, in steps of one row.

    stretches: up to which iteration of a start a step sees how many rows. after: rows that are
    placed, or pass by, when all starts have ended.
    """

    stretches: tuple[tuple[float, float], ...] = ((float("inf"), 1.0),)
    after: int = 0

    def steps(self, iterations: int) -> float:
        """Of the first iterations of a start."""
        found, before = 0.0, 0.0
        for until, rows in self.stretches:
            found += rows * max(0.0, min(iterations, until) - before)
            before = until
        return found

    def training(self, starts: int, max_iter: int) -> float:
        """The share of it that training is."""
        return self.share(starts, max_iter, starts, 0)

    def share(self, starts: int, max_iter: int, ended: int, iterations: int) -> float:
        """Done, of all there is: so many starts have ended, and the next is at an iteration."""
        each = self.steps(max_iter)
        done = ended * each + self.steps(iterations)
        return min(1.0, done / (starts * each + PLACING * self.after))


# Every step costs the same, and nothing follows.
EVEN = Work()
