"""The stops of the tour about depth, which have their own kind of figure."""
