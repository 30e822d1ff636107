"""The GP-LVM with latent points at their maximum a posteriori, full or with inducing inputs."""

from dataclasses import KW_ONLY, replace
from typing import Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.estimators import with_density
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.settings import preset
from gplvm_core.models.estimators.trained import Ended
from gplvm_core.models.problems.edges import relevance_of, to_data
from gplvm_core.models.problems.full import FullProblem, check_room
from gplvm_core.models.problems.graph import Graph
from gplvm_core.models.problems.nodes import PointNode
from gplvm_core.models.problems.starts import Start
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA, log_density_at
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Executor, Targets


@preset
class GPLVM(LatentVariableModel):
    """Gaussian-process latent variable model with MAP latent points (Lawrence 2005).

    `bound_` is log p(Y, X) or a lower bound on log p(Y, X): a joint density at fitted points, not
    the evidence. `bound_` cannot be compared with the bound of BayesianGPLVM, and overfitting does
    not lower it. The points have no distribution, so there is no `information_`.

    Parameters
    ----------
    n_inducing
        None for the full model, which is exact and whose cost is cubic in N, or the number of
        inducing inputs of the sparse variational model (Titsias 2009).
    kernel
        "rbf", "linear", "matern12", "matern32", "matern52", or any kernel object, including sums
        and products. The latent points are exact, so the kernel needs no expectations.
    latent
        "fitted", or "given": the latent points stay at `init`, an array, such as an embedding by
        another method. The model then only learns the mapping; it needs n_inducing.
    noise
        "shared": one noise variance for all outputs. "per_output", only with inducing inputs: a
        signal variance and a noise variance for each output (`noise_std_`).

    Attributes
    ----------
    bound_ : float
        log p(Y, X) in nats, or its lower bound, in the units of the given data.
    latent_mean_ : ndarray of shape (N, Q)
        The fitted latent points of the training rows.
    latent_variance_ : ndarray of shape (N, Q)
        Zeros, because the latent points are exact.
    n_effective_ : int
        The rank of the fitted map: the number of directions of the latent points that change the
        outputs.
    times_, sequences_, path_, time_kernel_ : None
        Always None: the model has no kernel over time.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import GPLVM
    >>> rng = np.random.default_rng(0)
    >>> Y = np.outer(rng.standard_normal(30), [1.0, -2.0, 0.5, 1.0])
    >>> Y += 0.02 * rng.standard_normal((30, 4))
    >>> model = GPLVM(1, max_iter=50, random_state=0).fit(Y)
    >>> model.inverse_transform(model.latent_mean_[:2]).shape
    (2, 4)
    """

    _absent = {  # noqa: RUF012
        "information_": "its latent points have no distribution. relevance_ orders the dimensions, "
        "n_effective_ counts the dimensions that change the output"
    }
    n_components: int = 10
    n_inducing: int | None = None
    _: KW_ONLY
    kernel: str | Kernel = "rbf"
    latent: Literal["fitted", "given"] = "fitted"

    def _begin(self, targets: Float[Array, "N D"]) -> Start:
        return replace(super()._begin(targets), exact=True)

    @property
    def _one_noise(self) -> bool:  # type: ignore[override]
        return self.n_inducing is None

    def _problem(self, begin: Start, executor: Executor, further: int) -> Graph | FullProblem:
        given = self.latent == "given"
        if given and (isinstance(self.init, str) or self.n_inducing is None):
            raise ValueError(
                'latent="given" needs the latent points as init, an array of shape (N, Q), and '
                f"n_inducing (such as 50); got init={self.init!r}, n_inducing={self.n_inducing}"
            )
        if self.n_inducing is not None:
            layer = to_data(begin.outputs[0], executor, self._noise)
            return Graph((PointNode(given),), (layer,), begin, self.jitter)
        if self._noise != "shared":
            raise ValueError(
                "the full model has one noise variance for all outputs: for "
                f"noise={self.noise!r}, set n_inducing (such as 50)"
            )
        compressed = Targets.of(begin.outputs[0])
        check_room(compressed)
        return FullProblem(begin, compressed, self.jitter)

    def _settle(
        self, ended: Ended, targets: Array, scaling: Scaling, offset: float
    ) -> tuple[str, ...]:
        notes: tuple[str, ...] = ()
        if isinstance(ended.problem, FullProblem):
            points = ended.parameters.latent
            value, self.posterior_ = ended.problem.settled(ended.parameters, targets, scaling)
        else:
            learnt = ended.learnt((targets,))
            (node,), (layer,) = learnt.nodes, learnt.layers
            points, value, notes = node.belief.mean, layer.posterior.value, learnt.notes
            self.posterior_ = layer.as_posterior(scaling)
        self.latent_mean_, self.latent_variance_ = points, np.zeros_like(points)
        self.relevance_ = relevance_of(self.kernel_, self.n_components)
        self.bound_ = value + StandardNormal().log_density(points)[0] + offset
        return notes

    @property
    def n_effective_(self) -> int:
        """The rank of the fitted map: the number of latent directions that change the outputs."""
        spread = self.latent_mean_ * np.sqrt(self.relevance_)
        values = np.linalg.svd(spread - spread.mean(axis=0), compute_uv=False)
        return int(np.sum(values > 1e-3 * values[0]))

    def score_samples(  # type: ignore[override]  # points have no density to sample
        self, Y: ArrayLike, *, method: Literal["joint", "density"] | None = None
    ) -> Float[Array, " N"]:
        """Return log p(observed values of a row | training data) of each row.

        By default this is the exact density that the second stage of `fit` derived from the map.
        Without it, log p(y | x*) + log p(x*) at the row's best x*: a joint density at a point, not
        an integral over x*.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        method : {"joint", "density"}, optional
            Which of these two quantities, whose values cannot be compared. Default: "density" if
            the model has one.

        Returns
        -------
        ndarray of shape (n,)
            Log densities in nats.
        """
        if method == "density" or (method is None and self.density_ is not None):
            return with_density.derived(self.fitted_).score_samples(self._rows(Y))
        if method not in (None, "joint"):
            raise ValueError(f'method must be "joint" or "density" for this model; got {method!r}')
        rows = self._rows(Y)
        at = self.fitted_.placed(rows).best.mean
        return log_density_at(self.posterior_, rows[DATA], at)
