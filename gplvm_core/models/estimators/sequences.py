"""Sequences of rows: what a fitted model of paths over time can be asked."""

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.data.rows import checked_rows
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.timed import Timed
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA
from gplvm_core.prediction.paths import StepCallback
from gplvm_core.prediction.sequence import FoundPath, sample_paths


class SequenceQueries(LatentVariableModel, Timed):
    """Questions about rows in time: everything that needs only what was fitted."""

    def forecast(
        self, times: ArrayLike, *, sequence: Any = None, return_std: bool = False
    ) -> Float[Array, "n D"] | tuple[Float[Array, "n D"], Float[Array, "n D"]]:
        """Outputs at times after, between or before those of a trained sequence.

        Mean, and with return_std the standard deviation, noise included, in the user's units: the
        uncertainty of the path is carried through the mapping. sequence: its label, needed where
        there are several. Source: Damianou (2015), §3.4.2.
        """
        path = Belief(*self.forecast_latent(times, sequence=sequence))
        outputs, spread = prediction.moments(self._network, {0: path}, noise=True)[DATA]
        return (outputs, np.sqrt(spread)) if return_std else outputs

    def complete(
        self,
        Y: ArrayLike,
        *,
        times: ArrayLike | None = None,
        sequence: Any = None,
        coupled: bool = True,
        adapt: bool = False,
        callback: StepCallback | None = None,
        return_std: bool = False,
        return_cov: bool = False,
        return_latent: bool = False,
    ) -> Any:
        """Whole rows, n × D: observed entries as given, missing ones (NaN) at their mean.

        With times the rows are one sequence, inferred together; rows with nothing observed are
        allowed then. sequence: the trained one that they belong to, None for one of its own.
        coupled: rows inform each other through the prior (Damianou 2015, App. B.4, with the
        training rows held); else each row has its own prior at its time, which is cheaper. adapt:
        they inform the mapping as well, which suits a sequence unlike the trained ones of which
        some rows are whole; else q(u) is held, which is cheaper.
        callback(step, bound in nats) is called after each step, and with step 0 and −inf while
        rows are looked at one by one; StopIteration raised in it ends with the best path so far.
        Without times every row stands alone. return_std and return_cov as for BayesianGPLVM
        (return_cov without times only); return_latent, with times only, adds the inferred path and
        its standard deviations, n × Q each.
        """
        if times is None:
            if callback is not None or sequence is not None or adapt or return_latent:
                raise ValueError(
                    "sequence, adapt, callback and return_latent are about rows in time: give "
                    "times, too"
                )
            return super().complete(Y, return_std=return_std, return_cov=return_cov)
        if return_cov:
            raise ValueError("return_cov needs rows that stand alone: leave out times")
        path, outputs = self._infer_path(Y, times, sequence, coupled, adapt, callback)
        along = prediction.moments(path.network, path.beliefs, noise=True)[DATA]
        whole, variance = prediction.complete(outputs, *along)
        completed = self._as_given(Y, whole, np.sqrt(variance) if return_std else None)
        found: tuple[Any, ...] = completed if return_std else (completed,)
        if return_latent:
            found += (path.beliefs[0].mean, np.sqrt(path.beliefs[0].variance))
        return found if len(found) > 1 else completed

    def transform_sequence(
        self,
        Y: ArrayLike,
        *,
        times: ArrayLike,
        sequence: Any = None,
        coupled: bool = True,
        adapt: bool = False,
        callback: StepCallback | None = None,
        return_std: bool = False,
    ) -> Float[Array, "n Q"] | tuple[Float[Array, "n Q"], Float[Array, "n Q"]]:
        """Latent path of the rows of one sequence, inferred together (see complete)."""
        belief = self._infer_path(Y, times, sequence, coupled, adapt, callback)[0].beliefs[0]
        return (belief.mean, np.sqrt(belief.variance)) if return_std else belief.mean

    def sample_sequence(
        self,
        times: ArrayLike,
        *,
        n_samples: int = 1,
        random_state: int | None = None,
        return_latent: bool = False,
    ) -> Float[Array, "S n D"] | tuple[Float[Array, "S n D"], Float[Array, "S n Q"]]:
        """New sequences: a path drawn from the prior over time, then the outputs along it.

        Outputs are draws of the mapping without observation noise, S × n × D; return_latent adds
        the paths, S × n × Q.
        """
        if n_samples < 1:
            raise ValueError(f"n_samples must be at least 1; got {n_samples}")
        prior = self._continued(times, None, None)
        paths, drawn = sample_paths(self._network, prior, n_samples, random_state)
        return (drawn[DATA], paths) if return_latent else drawn[DATA]

    def _rows_in_time(self, Y: ArrayLike) -> Array:
        """Checked rows, of which some may be missing as a whole."""
        return checked_rows(self, Y, reset=False)

    def _infer_path(
        self,
        Y: ArrayLike,
        times: ArrayLike,
        sequence: Any,
        coupled: bool,
        adapt: bool,
        callback: StepCallback | None,
    ) -> tuple[FoundPath, Array]:
        check_is_fitted(self)
        outputs = self._rows_in_time(Y)
        prior = self._continued(times, len(outputs), sequence)
        prior = prior if coupled else prior.independent
        return self._inferred_path({DATA: outputs}, prior, callback, adapt=adapt), outputs
