"""Models of one layer that train on rows of files, and that add rows after training."""

from contextlib import nullcontext
from typing import Any, Self

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.training_rows import TrainingRows
from gplvm_core.models.estimators.second_stage import in_two_stages
from gplvm_core.models.estimators.timed_model import TimedModel
from gplvm_core.models.estimators.trained import Callback, whole
from gplvm_core.models.problems import many_rows
from gplvm_core.models.problems.edges import relevance_of
from gplvm_core.models.training.run import Run
from gplvm_core.models.training.watched import Watched
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction import Evidence, Posterior
from gplvm_core.prediction.added import Added, Sums, streamed_sums
from gplvm_core.prediction.place import place
from gplvm_core.readers import RowFiles
from gplvm_core.readers.errors import plural
from gplvm_core.statistics import Executor, Statistics, executor_for


class FromFiles(TimedModel):
    """A model of one layer that can train on rows of files, and that can add rows.

    Attributes
    ----------
    rows_ : TrainingRows
        The rows of the model. `count`: the number of rows that the bound and the mapping use.
        `trained`: the rows that training used (None: all). `kept`: the row number in the files of
        each row of `latent_mean_` (None: all rows). `in_files`: the number of rows in the files
        (None: no files).
    statistics_ : Statistics
        The sums over the rows that determine q(u).
    """

    encoder: Any
    n_jobs: int | None
    rows_: TrainingRows
    statistics_: Statistics

    @in_two_stages
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
        """Train the model. After an error the model is unchanged.

        Parameters
        ----------
        Y : array_like of shape (N, D) or RowFiles
            Outputs; NaN marks missing values. Arrays of PyTorch and CuPy are converted to NumPy.
            Files of at most 20,000 rows are loaded completely. With an encoder or a time_kernel,
            all files are loaded completely.
        callback : callable, optional
            Called as callback(progress) after each accepted iteration, and after each part of the
            files. If it raises StopIteration, training and reading end with the best state so far;
            `result_` reports this.
        executor : Executor, optional
            The result of `gplvm_core.cluster(…)`, to read files on a cluster. Default: n_jobs local
            threads.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range, or if an executor is given for a table in memory.
        DataError
            If times or sequences do not match the rows, or if files change during training.
        ClusterError
            If the cluster fails.
        """
        if executor is not None and not isinstance(Y, RowFiles):
            raise ValueError(
                "an executor works only on rows of files: save the table with numpy.save to a "
                "folder that all workers can read, and fit RowFiles.of(path)"
            )
        if not isinstance(Y, RowFiles):
            return self._fit(Y, times, sequences, callback, resume)
        alone = self.encoder is None and self.time_kernel is None
        most = many_rows.MANY
        if len(Y) <= most or not alone:
            self._fit(np.asarray(Y), times, sequences, callback, resume)
            if executor is not None:
                why = "they are few" if alone else "the model has an encoder or a time_kernel"
                self.notes_ += (
                    f"the executor was not used: all rows were loaded into memory, because {why}",
                )
            return self
        kept = np.sort(np.random.default_rng(0).permutation(len(Y))[:most])
        watched = Watched(callback)
        seen, further = watched if callback else None, len(Y) - most
        self._fit(Y.take(kept), times, sequences, seen, resume, further)
        self._stream(Y, kept, watched, executor)
        return self

    def extend(self, Y: ArrayLike) -> Self:
        """Add rows to a trained model without training again.

        The model infers the latent point of each row, as `transform` does but from one start. It
        then updates the mapping q(u) from all rows. Kernel, noise and inducing inputs do not
        change. `bound_`, `information_`, `latent_mean_` and `latent_variance_` describe all rows;
        the new rows are last. After training from files, the numbers of the new rows in
        `rows_.kept` follow the number of the files' last row.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.

        Returns
        -------
        self
            The extended estimator.

        Raises
        ------
        ValueError
            If the columns differ from those of the training rows, or if the model has a
            time_kernel, because its rows depend on each other.
        """
        if self.time_kernel is not None:
            raise ValueError(
                f"{type(self).__name__} couples its rows by their times, so rows cannot be added: "
                "fit it to all rows, or call forecast for new times"
            )
        outputs = self._outputs(Y)
        with executor_for(self.n_jobs) as executor:
            belief, _ = place((Evidence(self.posterior_, outputs),), self._belief, executor)
            new = Sums.of(self.posterior_, outputs, belief, executor)
        self._add(new, belief)
        added = plural(len(outputs), "row")
        self.notes_ += (f"added without training again: {added}",)
        if self.density_ is not None:
            self.density_ = None
            self.notes_ += (
                f"the density of the rows was deleted, because it does not describe the added "
                f"{added}: call fit_density(Y, folds=5) with all rows",
            )
        return self

    def _stream(
        self,
        files: RowFiles,
        kept: Int[IntArray, " K"],
        watched: Watched,
        given: Executor | None,
    ) -> None:
        """Add the summed statistics of all rows of the files except the sampled rows."""
        new: Sums | None = None
        ahead, placed = len(files) - len(kept), len(kept)
        trained = self.rows_.trained
        if trained is not None:
            placed -= len(trained)

        def goes_on() -> bool:
            done = 0 if new is None else new.count
            return watched.rows(f"rows streamed: {done:,} of {ahead:,}", placed + done)

        with nullcontext(given) if given else executor_for(self.n_jobs) as executor:
            if goes_on():
                for sums in streamed_sums(files, self.posterior_, self._belief, kept, executor):
                    new = sums if new is None else new + sums
                    if not goes_on():
                        break
        self.rows_ = TrainingRows.sampled(len(files), kept, trained)
        if new is not None:
            self._add(new, None)
        passed = self.rows_.count - len(kept)
        note = (
            f"{passed:,} of {len(files):,} rows were streamed once; only their summed statistics "
            "are stored"
        )
        if passed != ahead:
            note += f"; not read, because training was stopped: {ahead - passed:,}"
            self._stopped()
        self.notes_ += (note,)

    def _add(self, new: Sums, kept: Belief | None) -> None:
        """Add the summed statistics of rows; kept: the rows' q(X), if the model stores it."""
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
        self._set_fitted(belief, information, bound, added.statistics, added.posterior)

    def _set_fitted(
        self,
        belief: Belief,
        information: Float[Array, " Q"],
        bound: float,
        statistics: Statistics,
        posterior: Posterior,
    ) -> None:
        """Set the fitted attributes."""
        self.latent_mean_, self.latent_variance_ = belief.mean, belief.variance
        self.information_, self.bound_ = information, bound
        self.relevance_ = relevance_of(posterior.kernel, belief.n_latent)
        self.statistics_, self.posterior_ = statistics, posterior
