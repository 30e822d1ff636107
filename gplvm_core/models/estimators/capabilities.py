"""The features that a model has beyond a latent map; pages and libraries query them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """The features of an estimator with its settings, fitted or not.

    Attributes
    ----------
    timed : bool
        Whether the latent points are on paths over time, so that the model can forecast, sample and
        infer sequences.
    views : bool
        Whether the model generates several views from one latent space, and predicts one view from
        another.
    layers : bool
        Whether the model has several layers, each with a latent space.
    predicts : bool
        Whether the model predicts columns from inputs. Such a model has no latent map.
    """

    timed: bool = False
    views: bool = False
    layers: bool = False
    predicts: bool = False
