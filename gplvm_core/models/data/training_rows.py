"""The rows that a model was trained on, and the rows that it stores."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Int

from gplvm_core.numerics import IntArray


@dataclass(frozen=True)
class TrainingRows:
    """The rows that a fitted model knows (its attribute `rows_`).

    count: the number of rows that the mapping and the bound use. trained: the rows used for
    training; None: all rows. kept: the file's row number of each row of `latent_mean_`; None: all
    rows. in_files: the number of rows in the files; None: the model was not trained from files, or
    it read the files completely.
    """

    count: int
    trained: Int[IntArray, " T"] | None = None
    kept: Int[IntArray, " K"] | None = None
    in_files: int | None = None

    @classmethod
    def sampled(
        cls, files: int, kept: Int[IntArray, " K"], trained: Int[IntArray, " T"] | None
    ) -> Self:
        """The rows of a model that was trained on a sample of the rows of files.

        trained: the rows of the sample that were used for training; None: all rows of the sample.
        """
        return cls(len(kept), kept if trained is None else kept[trained], kept, files)

    def more(self, count: int) -> Self:
        """Add `count` rows for which the model stores only summed statistics."""
        return replace(self, count=self.count + count)

    def with_beliefs(self, count: int) -> Self:
        """Add `count` untrained rows at the end of `latent_mean_`."""
        trained = np.arange(self.count) if self.trained is None else self.trained
        kept = self.kept
        if kept is not None:
            # The numbers start after the last row of the files, because rows that were not read
            # also have numbers.
            first = max(self.in_files or self.count, int(kept[-1]) + 1)
            kept = np.append(kept, first + np.arange(count))
        return replace(self.more(count), trained=trained, kept=kept)
