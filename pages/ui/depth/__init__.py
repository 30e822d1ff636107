"""The page Depth."""
