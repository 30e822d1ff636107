"""Is depth worth it? Compare one, two and three layers with each other and with simpler models."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from gplvm_core.comparison.baselines import WithNoise
from gplvm_core.comparison.mixture import Mixture
from gplvm_core.comparison.repeated import Contender, checked, compare
from gplvm_core.comparison.result import Comparison
from gplvm_core.models import (
    BayesianGPLVM,
    DeepGP,
    DeepGPLVM,
    ProbabilisticPCA,
    SparseGPRegression,
)
from gplvm_core.models.training.watched import Step
from gplvm_core.readers.errors import plural

ONE, TWO, THREE = "one layer", "two layers", "three layers"
TREES, LINEAR, NEIGHBOURS = "boosted trees", "linear model", "nearest neighbours"
PPCA, MIXTURE = "probabilistic PCA", "mixture of Gaussians"
# Widths of the latent spaces, the top first. No width exceeds the number of columns.
WIDTHS = {ONE: (10,), TWO: (5, 10), THREE: (3, 5, 10)}
N_TREES = 300
RIDGES = np.logspace(-4, 4, 17)
ERRORS = (
    "The number after ± is a standard error over the splits, corrected because the splits share "
    "rows (Nadeau & Bengio 2003). A difference counts if it is significant at the 95 % level in "
    "Student's t-test."
)
OF_REGRESSION = (
    "The log-likelihood is the log density of a held-out row in nats; larger is better. Trees, the "
    "linear model and neighbours do not predict a spread. They get Gaussian noise with the "
    "variance of their residuals in cross-validation on the training rows."
)
OF_DENSITY = (
    "The log-probability is the log density of a held-out row in nats; larger is better. The first "
    "estimate uses importance sampling, which is too low on average. The second estimate is the "
    "difference of the bounds with and without the row. It is an approximation, and the answer "
    "uses it. For probabilistic PCA and the mixture, both estimates are exact."
)


def is_depth_worth_it(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    cv: Any = 5,
    n_inducing: int = 50,
    max_iter: int = 500,
    scaling: Literal["global", "columns"] = "columns",
    random_state: int | None = 0,
    callback: Callable[[Step], None] | None = None,
) -> Comparison:
    """Compare models of one, two and three layers on held-out rows, and answer in words.

    X, y: inputs (N × Q) and outputs (N or N × D) of a regression. The simpler models are boosted
    trees, a linear model and nearest neighbours. Without y, the models are densities of the rows X
    (N × D), and the simpler models are probabilistic PCA and a mixture of Gaussians. n_inducing,
    max_iter: settings of every Gaussian-process model. scaling: a setting of the latent variable
    models; "global" suits columns that share a unit, such as pixels. cv, callback, errors: see
    `compare`.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import is_depth_worth_it
    >>> X = np.linspace(0.0, 1.0, 24)[:, None]
    >>> step = np.sign(X[:, 0] - 0.5)
    >>> result = is_depth_worth_it(X, step, cv=2, n_inducing=3, max_iter=1)
    >>> result.names[:3]
    ('one layer', 'two layers', 'three layers')
    """
    rows, outputs = checked(X, y)
    settings: dict[str, Any] = {"n_inducing": n_inducing, "max_iter": max_iter}
    if outputs is None:
        varying = np.ptp(rows, axis=0) > 0.0
        contenders, notes = _of_density(int(varying.sum()), scaling, settings), [OF_DENSITY, ERRORS]
        if not varying.all():
            left_out = plural(int(np.sum(~varying)), "constant column")
            notes.append(f"The comparison leaves out {left_out}.")
        rows = rows[:, varying]
    else:
        contenders, notes = _of_regression(rows, outputs, settings), [OF_REGRESSION, ERRORS]
    found = compare(contenders, rows, outputs, cv=cv, random_state=random_state, callback=callback)
    return replace(found, answer=answer(found), notes=tuple(notes))


def _of_regression(rows: Any, outputs: Any, settings: dict[str, Any]) -> tuple[Contender, ...]:
    # These imports are slow, and few users need them.
    from sklearn.ensemble import GradientBoostingRegressor
    from sklearn.linear_model import RidgeCV
    from sklearn.multioutput import MultiOutputRegressor
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    width = rows.shape[1]
    trees: Any = GradientBoostingRegressor(
        n_estimators=N_TREES, learning_rate=0.05, max_depth=4, subsample=0.8
    )
    if outputs.shape[1] > 1:
        trees = MultiOutputRegressor(trees)
    return (
        Contender(ONE, SparseGPRegression(**settings)),
        Contender(TWO, DeepGP((width,), **settings)),
        Contender(THREE, DeepGP((width, width), **settings)),
        Contender(TREES, WithNoise(trees)),
        Contender(LINEAR, WithNoise(make_pipeline(StandardScaler(), RidgeCV(RIDGES)))),
        Contender(NEIGHBOURS, WithNoise(make_pipeline(StandardScaler(), KNeighborsRegressor(5)))),
    )


def _of_density(n_columns: int, scaling: Any, settings: dict[str, Any]) -> tuple[Contender, ...]:
    wide = {name: tuple(min(n, n_columns) for n in each) for name, each in WIDTHS.items()}
    return (
        Contender(ONE, BayesianGPLVM(wide[ONE][0], scaling=scaling, **settings)),
        Contender(TWO, DeepGPLVM(wide[TWO], scaling=scaling, **settings)),
        Contender(THREE, DeepGPLVM(wide[THREE], scaling=scaling, **settings)),
        Contender(PPCA, ProbabilisticPCA(max(1, min(10, n_columns - 1)), scaling=scaling)),
        Contender(MIXTURE, Mixture(scaling=scaling)),
    )


def answer(found: Comparison) -> str:
    """State in words whether depth pays, by how much, and which simpler models are as good."""
    if found.n_splits < 2:
        return (
            f"Stopped after {found.n_splits} finished splits: the comparison needs at least two "
            "splits to distinguish a difference from chance."
        )
    best, depth = _depth(found)
    others = [name for name in found.names if name not in WIDTHS]
    return " ".join((depth, *_beside(found, best, others)))


def _depth(found: Comparison) -> tuple[str, str]:
    """Return the best number of layers in words, and a sentence with the reason."""
    deep = [name for name in (TWO, THREE) if name in found.names]
    key = _deciding_measure(found)
    gains = {name: found.difference(key, name) for name in deep}
    better = [name for name in deep if gains[name].sure and gains[name].mean > 0.0]
    if better:
        best = better[0]
        for name in better[1:]:
            more = found.difference(key, name, best)
            best = name if more.sure and more.mean > 0.0 else best
        gain = gains[best].unsigned
        words = f"Depth pays here: {best} are better than one layer by {gain} nats per row"
        return best, f"{words}{_error_words(found, best)}."
    words = "; ".join(
        f"{name} are worse than one layer by {gain.unsigned} nats per row"
        if gain.sure
        else f"{name} and one layer differ by {gain} nats per row, which may be chance"
        for name, gain in gains.items()
    )
    return ONE, f"Depth does not pay here: {words}."


def _deciding_measure(found: Comparison) -> str:
    return "log_likelihood" if "log_likelihood" in found.values else "density_bounds"


def _error_words(found: Comparison, best: str) -> str:
    if "rmse" not in found.values:
        return ""
    change = found.difference("rmse", best)
    if not change.sure:
        return ", while their errors differ by no more than chance"
    share = abs(change.mean) / found.mean("rmse", ONE)
    return f", and their error is {share:.0%} {'smaller' if change.mean < 0.0 else 'larger'}"


def _beside(found: Comparison, best: str, others: Sequence[str]) -> list[str]:
    """Compare the simpler models with the best number of layers, in sentences."""
    gains = {name: found.difference(_deciding_measure(found), name, best) for name in others}
    ahead = [
        f"{name} (by {gains[name].unsigned})"
        for name in others
        if gains[name].sure and gains[name].mean > 0.0
    ]
    level = [name for name in others if not gains[name].sure]
    sentences = []
    if ahead:
        sentences.append(
            f"These simpler models have a higher likelihood than {best}: {', '.join(ahead)}."
        )
    if level:
        sentences.append(
            f"These simpler models are not clearly different from {best} on these splits: "
            f"{', '.join(level)}."
        )
    if others and not ahead and not level:
        sentences.append(f"The simpler models have a lower likelihood than {best}.")
    return sentences
