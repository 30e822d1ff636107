"""The total work of a training, from which progress computes the fraction done."""

from dataclasses import dataclass

# The approximate cost of placing a row, in training steps of one row. While rows are placed, the
# remaining time is estimated from the speed of placing.
PLACING = 12.0


@dataclass(frozen=True)
class Work:
    """The work of a training, in steps of one row.

    stretches: the consecutive parts of a start, as pairs (last iteration, rows per step). after:
    rows to place or stream after all starts have ended.
    """

    stretches: tuple[tuple[float, float], ...] = ((float("inf"), 1.0),)
    after: int = 0

    def steps(self, iterations: int) -> float:
        """The work of the first iterations of a start."""
        found, before = 0.0, 0.0
        for until, rows in self.stretches:
            found += rows * max(0.0, min(iterations, until) - before)
            before = until
        return found

    def training(self, starts: int, max_iter: int, heat: int = 0) -> float:
        """Training's fraction of the total work."""
        return self.share(starts, max_iter, starts - 1, max_iter, heat)

    def share(
        self, starts: int, max_iter: int, ended: int, iterations: int, heat: int = 0
    ) -> float:
        """The fraction done after `ended` starts and `iterations` of the next one.

        heat: if positive, every start makes this number of iterations, and only one start
        continues.
        """
        longest = self.steps(max_iter)
        others = self.steps(heat) if heat else longest
        done = ended * others + self.steps(iterations)
        return min(1.0, done / ((starts - 1) * others + longest + PLACING * self.after))


# The work if every step costs the same and no rows are placed afterwards.
EVEN = Work()
