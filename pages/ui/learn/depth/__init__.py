"""The stops about depth, whose figures need special code."""
