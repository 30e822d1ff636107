"""What a model can do beyond a latent map: stated by estimators, asked by pages and libraries."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """Of an estimator with its settings, fitted or not.

    timed: its latent points lie on paths over time, which it continues, draws anew and infers.
    views: it generates several views from one latent space, and one view from another.
    layers: it has several layers on top of each other, each with a latent space of its own.
    """

    timed: bool = False
    views: bool = False
    layers: bool = False
