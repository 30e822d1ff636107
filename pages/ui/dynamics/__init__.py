"""The page Dynamics."""
