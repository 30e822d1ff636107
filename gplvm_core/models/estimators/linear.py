"""Probabilistic PCA (Tipping & Bishop 1999), in closed form or, with gaps, by optimisation."""

from dataclasses import KW_ONLY, replace
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.bounds.linear_gaussian import infer
from gplvm_core.models.answers.fitted import Fitted
from gplvm_core.models.data.scaling import gaps_in_words, noise_in_words, observed_counts
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.kinds_trained import training_table
from gplvm_core.models.estimators.settings import Scale, check_settings, preset
from gplvm_core.models.estimators.trained import whole
from gplvm_core.models.estimators.with_density import only_density
from gplvm_core.models.problems.principal import fit_factors
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA
from gplvm_core.prediction.linear_gaussian import as_posterior, inferred_rows


@preset
class ProbabilisticPCA(LatentVariableModel):
    """Probabilistic PCA: y = W x + center + noise with x ~ N(0, I).

    W and the noise variance are maximum likelihood estimates. With missing values (NaN) the
    maximum of the likelihood has no closed form; an optimiser finds W, the noise variance and the
    center. All predictions are exact conditional distributions of a Gaussian vector.

    Parameters
    ----------
    n_components
        The number of latent dimensions.
    method
        "primal" uses the eigenvectors of the D × D covariance, "dual" the eigenvectors of the N × N
        inner products (the GP-LVM with a linear kernel, Lawrence 2005), and "auto" the smaller of
        both matrices. All methods give the same model.

    Attributes
    ----------
    bound_ : float
        The exact log likelihood of the observed values, in nats, in the units of the given data.
    result_ : Result
        How the numerical maximisation ended; "converged" for the closed form.
    trace_ : dict
        Empty.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import ProbabilisticPCA
    >>> rng = np.random.default_rng(0)
    >>> Y = np.outer(rng.standard_normal(30), [1.0, -2.0, 0.5, 1.0])
    >>> Y += 0.02 * rng.standard_normal((30, 4))
    >>> model = ProbabilisticPCA(1).fit(Y)
    >>> model.complete([[1.0, np.nan, 0.5, 1.0]]).round(1)
    array([[ 1. , -2. ,  0.5,  1. ]])
    """

    _without = (
        *("max_iter", "n_restarts", "jitter", "random_state", "n_jobs"),
        *("n_inducing", "noise", "kernel", "init", "second_stage"),
    )
    _absent = dict.fromkeys(("restarts_", "more_inducing_"), "it is not trained from starts")
    n_components: int = 10
    _: KW_ONLY
    scaling: Scale = "auto"
    method: Literal["auto", "primal", "dual"] = "auto"

    @whole
    def fit(self, Y: ArrayLike, y: Any = None) -> Self:  # type: ignore[override]
        """Fit the model.

        Parameters
        ----------
        Y : array_like of shape (N, D)
            Outputs; NaN marks missing values.
        y : ignored
            Not used; scikit-learn expects this argument.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range.
        DataError
            If Y is not suitable for training, for example because every column is constant.
        """
        check_settings(self)
        self.density_ = None
        targets, scaling, _, _ = training_table(self, Y, self.scaling)
        factors, self.result_, notes = fit_factors(targets, self.n_components, self.method)
        inferred = infer(factors, targets)
        self.latent_mean_, self.latent_variance_ = inferred.mean, inferred.variance
        self.relevance_ = np.sum(factors.weights**2, axis=1)
        self.information_ = -0.5 * np.mean(np.log(inferred.variance), axis=0)
        self.posterior_ = as_posterior(factors, scaling.center, scaling.scale)
        offset = scaling.log_jacobian(observed_counts(targets))
        self.bound_ = float(inferred.log_density.sum()) + offset
        self.trace_: dict[str, Any] = {}
        self._note(scaling.notes + notes)
        self.notes_ += gaps_in_words(targets) + noise_in_words("shared", scaling)
        return self

    def score_samples(  # type: ignore[override]  # exact, so nothing is sampled
        self, Y: ArrayLike, *, method: Literal["density"] | None = None
    ) -> Float[Array, " N"]:
        """Return the exact log density of the observed values of each row.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        method : {"density"}, optional
            "density": the exact density of the mixture that `fit_density` derived from the map, a
            different quantity. Default: the density of the model.

        Returns
        -------
        ndarray of shape (n,)
            Log densities in nats.
        """
        if method is not None:
            return only_density(self.fitted_, self._rows(Y), method)
        return inferred_rows(self.posterior_, self._rows(Y)[DATA]).log_density

    @property
    def fitted_(self) -> Fitted:
        """The trained graph; rows have posteriors in closed form."""
        return replace(super().fitted_, linear=True)
