"""The features of a model beyond a latent map, which pages and libraries query."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """The features of an estimator with its settings, fitted or not.

    Attributes
    ----------
    timed : bool
        Whether its latent points are on paths over time, which it forecasts, samples and infers.
    views : bool
        Whether it generates several views from one latent space, and one view from another.
    layers : bool
        Whether it has several layers, each with a latent space.
    predicts : bool
        Whether it predicts columns from inputs. Such a model has no latent map.
    """

    timed: bool = False
    views: bool = False
    layers: bool = False
    predicts: bool = False
