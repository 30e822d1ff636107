"""The stops of the tour, one a module."""
