"""A trained model of one layer that takes more rows in: one by one, or from files as sums alone."""

from contextlib import nullcontext
from typing import Any, Self

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike, NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.training_rows import TrainingRows
from gplvm_core.models.estimators.trained import Callback, TimedModel, whole
from gplvm_core.models.problems import many_rows
from gplvm_core.models.problems.edges import relevance_of
from gplvm_core.models.training.run import Run
from gplvm_core.models.training.watched import Watched
from gplvm_core.numerics import Array
from gplvm_core.prediction import Evidence, Posterior
from gplvm_core.prediction.added import Added, Sums, pass_by
from gplvm_core.prediction.place import place
from gplvm_core.readers import RowFiles
from gplvm_core.statistics import Executor, Statistics, executor_for


class FromFiles(TimedModel):
    """A model of one layer whose rows may lie in files, and that can be extended by new rows."""

    encoder: Any
    n_jobs: int | None
    rows_: TrainingRows
    statistics_: Statistics

    @whole
    def fit(  # type: ignore[override]  # rows may be files
        self,
        Y: ArrayLike | RowFiles,
        y: Any = None,
        *,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        callback: Callback | None = None,
        resume: Run | None = None,
        executor: Executor | None = None,
    ) -> Self:
        """Train on outputs Y (N × D), NaN for missing ones, or on `RowFiles`. `y` is ignored.

        times: with a time_kernel, of each row, N or (vector inputs) N × P; by default 0, 1, 2, …
        within a sequence. sequences: N labels; rows with the same label lie on one path, and
        different paths are independent.
        callback(progress) is called after every accepted iteration, and after every part of the
        files that was read; StopIteration raised in it, once, ends everything with the best state
        so far, and `result_` says so. resume: a `progress.run` to go on from, with the same data
        and settings (a larger max_iter goes on for longer). executor: where rows of files are
        read, `gplvm_core.cluster(…)`; None: n_jobs threads here. Files of at most 20,000 rows are
        read whole, and so are all files where there is an encoder or a time_kernel. Y may be an
        array of PyTorch or CuPy: the sums over its rows are made there, on its device, which must
        have float64. Raises DataError for times and sequences that do not fit the rows and for
        files that change while they are read, and ClusterError for a cluster that fails; the model
        is then as it was before.
        """
        if executor is not None and not isinstance(Y, RowFiles):
            raise ValueError(
                "an executor works on rows of files: save the table with numpy.save, where all "
                "workers see it, and fit RowFiles.of(path)"
            )
        if not isinstance(Y, RowFiles):
            return self._fit(Y, times, sequences, callback, resume)
        alone = self.encoder is None and self.time_kernel is None
        most = many_rows.MANY
        if len(Y) <= most or not alone:
            self._fit(np.asarray(Y), times, sequences, callback, resume)
            if executor is not None:
                why = "they are few" if alone else "each depends on an encoder or on its time"
                self.notes_ += (
                    f"the executor was not used: these rows were read whole, since {why}",
                )
            return self
        kept = np.sort(np.random.default_rng(0).permutation(len(Y))[:most])
        watched = Watched(callback)
        seen, further = watched if callback else None, len(Y) - most
        self._fit(Y.take(kept), times, sequences, seen, resume, further)
        self._pass_by(Y, kept, watched, executor)
        return self

    def extend(self, Y: ArrayLike) -> Self:
        """Add new rows (NaN: missing) to a trained model, without training again.

        Each is placed where the mapping says (as `transform` places it, from one start), and the
        mapping is then found from all rows; kernel, noise and inducing inputs stay. `bound_`,
        `information_`, `latent_mean_` and `latent_variance_` are of all rows, the new ones last.
        After training from files `rows_.kept` counts the new ones on from the files' last.
        Raises ValueError for other columns than those of the training rows, and for a model over
        time, whose rows depend on each other.
        """
        if self.time_kernel is not None:
            raise ValueError(
                f"{type(self).__name__} joins its rows by their times, so none can be added alone: "
                "fit it to all rows, or ask forecast for new times"
            )
        outputs = self._outputs(Y)
        with executor_for(self.n_jobs) as executor:
            belief, _ = place((Evidence(self.posterior_, outputs),), self._belief, executor)
            new = Sums.of(self.posterior_, outputs, belief, executor)
        self._add(new, belief)
        self.notes_ += (f"{len(outputs):,} rows were added without training again",)
        return self

    def _pass_by(
        self,
        files: RowFiles,
        kept: Int[NDArray[np.intp], " K"],
        watched: Watched,
        given: Executor | None,
    ) -> None:
        """Add the sums of all rows of files but those that were drawn."""
        new: Sums | None = None
        ahead, placed = len(files) - len(kept), len(kept)
        trained = self.rows_.trained
        if trained is not None:
            placed -= len(trained)

        def goes_on() -> bool:
            done = 0 if new is None else new.count
            return watched.rows(f"rows that pass by: {done:,} of {ahead:,}", placed + done)

        with nullcontext(given) if given else executor_for(self.n_jobs) as executor:
            if goes_on():
                for sums in pass_by(files, self.posterior_, self._belief, kept, executor):
                    new = sums if new is None else new + sums
                    if not goes_on():
                        break
        self.rows_ = TrainingRows.sampled(len(files), kept, trained)
        if new is not None:
            self._add(new, None)
        passed = self.rows_.count - len(kept)
        note = f"{passed:,} of {len(files):,} rows only passed by: their sums were kept alone"
        if passed != ahead:
            note += f"; {ahead - passed:,} were not read, since it was stopped"
            self._stopped()
        self.notes_ += (note,)

    def _add(self, new: Sums, kept: Belief | None) -> None:
        """Take rows in, with their beliefs or without."""
        added = Added.of(self.posterior_, self.statistics_, new)
        before = self.rows_.count
        information = (before * self.information_ + new.divergence) / (before + new.count)
        rows = self.rows_.more(new.count) if kept is None else self.rows_.with_beliefs(new.count)
        self.rows_ = rows
        belief = self._belief
        if kept is not None:
            belief = Belief(
                np.concatenate([belief.mean, kept.mean]),
                np.concatenate([belief.variance, kept.variance]),
            )
        bound = self.bound_ + added.gained
        self._keep(belief, information, bound, added.statistics, added.posterior)

    def _keep(
        self,
        belief: Belief,
        information: Float[Array, " Q"],
        bound: float,
        statistics: Statistics,
        posterior: Posterior,
    ) -> None:
        """What fitting leaves behind, in one step."""
        self.latent_mean_, self.latent_variance_ = belief.mean, belief.variance
        self.information_, self.bound_ = information, bound
        self.relevance_ = relevance_of(posterior.kernel, belief.n_latent)
        self.statistics_, self.posterior_ = statistics, posterior
