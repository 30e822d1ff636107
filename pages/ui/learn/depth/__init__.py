"""The stops of the tour about depth, which have a special kind of figure."""
