"""Two views of three signals: the latent dimensions that each view uses during training."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from gplvm_core.lessons.legs import legs
from gplvm_core.lessons.picture import LessonPicture, Look, Panel, bars, line
from gplvm_core.models import ManifoldRelevance
from gplvm_core.numerics import Array
from gplvm_core.readers import Dataset
from gplvm_core.simulated.toy_views import toy_views

N_POINTS, N_INDUCING, MAX_ITER, LEG = 40, 16, 72, 3
INKS = {"first": "accent", "second": "warm", "both": "green"}
SIGNALS = {
    "first": ("sin", "sin t, only in the first view"),
    "second": ("cos", "cos t, only in the second view"),
    "both": ("cos_squared", "cos² t, in both views"),
}


def two_views(
    kernel: str,
    noise: float,
    n_latent: int,
    look: Look | None = None,
) -> LessonPicture:
    """Return the last picture of the training; without `look`, the picture after its first step.

    kernel: "linear" or "rbf". look(picture, step, most) is called every few steps.
    """
    data = toy_views(N_POINTS, noise=noise)
    n_inducing = n_latent if kernel == "linear" else N_INDUCING

    def make() -> ManifoldRelevance:
        return ManifoldRelevance(
            n_latent, n_inducing, kernel=kernel, max_iter=MAX_ITER, init="pca_each", random_state=0
        )

    for model in legs(make, data.view_values, 1 if look is None else LEG):
        picture = drawn(model, data, begun=look is not None)
        if look is None:
            break
        look(picture, model.n_iter_, MAX_ITER)
    return picture


def users(model: ManifoldRelevance) -> dict[str, tuple[int, ...]]:
    """Return the dimensions that only the first view, only the second view, or both views use."""
    found = model.segmentation()
    return {
        "first": found.get(frozenset({"first"}), ()),
        "second": found.get(frozenset({"second"}), ()),
        "both": found.get(frozenset({"first", "second"}), ()),
    }


def drawn(model: ManifoldRelevance, data: Dataset, begun: bool) -> LessonPicture:
    """Draw the weights by view, the latent signals of the used dimensions, and the true signals.

    begun: whether the training has begun; without it, the sentence says so.
    """
    own = users(model)
    assert data.times is not None
    times = data.times
    n_latent = model.latent_mean_.shape[1]
    weights = tuple(
        bars(
            model.relevance_[view] / model.relevance_[view].max(),
            model.drops_[view] > 0.05,
            INKS[view],
            f"{view} view",
            shift,
            0.38,
        )
        for view, shift in (("first", -0.2), ("second", 0.2))
    )
    panels = (
        Panel(
            "Which view uses which dimension",
            (0.4, n_latent + 0.6),
            (0.0, 1.15),
            weights,
            "Weights of the dimensions, side by side for both views; grey: not used.",
            axes=("dimension", "weight / largest"),
            ticks=tuple(str(q + 1) for q in range(n_latent)),
        ),
        _signals_panel(
            "Signals of the used dimensions",
            times,
            [
                (who, {"both": "shared"}.get(who, f"only {who} view"), latent)
                for who, dimensions in own.items()
                if dimensions
                for latent in [model.latent_mean_[:, dimensions].T]
            ],
            "Latent means of the used dimensions over time.",
        ),
        _signals_panel(
            "The true signals in the data",
            times,
            [(who, title, data.covariates[name]) for who, (name, title) in SIGNALS.items()],
            "Sine, cosine and squared cosine over time.",
        ),
    )
    if not begun:
        words = "Both views start from PCA, so this is not an answer yet: press Train."
        return LessonPicture(panels, (words,))
    shared, private = len(own["both"]), len(own["first"]) + len(own["second"])
    are = [
        f"{count} {'is' if count == 1 else 'are'}"
        for count in (shared, private, n_latent - shared - private)
    ]
    of_all = are[0].replace(" ", f" of {n_latent} dimensions ")
    words = f"{of_all} shared, {are[1]} private, and {are[2]} unused."
    return LessonPicture(panels, (words,))


def _signals_panel(
    name: str,
    times: Float[Array, " T"],
    signals: Sequence[tuple[str, str, Float[Array, "*n T"]]],
    words: str,
) -> Panel:
    """Draw scaled signals over time. signals: who uses them, their title, and their values."""
    return Panel(
        name,
        (float(times[0]), float(times[-1])),
        (-2.6, 2.6),
        tuple(line(times, _scaled(each), INKS[who], title=title) for who, title, each in signals),
        words,
        axes=("time", ""),
    )


def _scaled(signals: Float[Array, "*n T"]) -> Float[Array, "*n T"]:
    """Centre signals (n, T) and scale each to a standard deviation of one."""
    centred = signals - signals.mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.maximum(centred.std(axis=-1, keepdims=True), 1e-9))
