"""The page Complete."""
