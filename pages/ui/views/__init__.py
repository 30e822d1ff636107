"""The page Views."""
