"""Explore: one model, as a map, filled in, in time, by views, by layers."""

from pages.ui.explore.tabs import explore
from pages.ui.shared.routes import enter_through_app

enter_through_app()
explore()
