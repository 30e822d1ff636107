"""Explore: one model in the tabs Map, Fill in, Time, Views, Layers, New rows and Predict."""

from pages.ui.explore.tabs import explore
from pages.ui.shared.routes import enter_through_app

enter_through_app()
explore()
