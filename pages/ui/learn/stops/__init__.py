"""The stops of the tour, one per module."""
