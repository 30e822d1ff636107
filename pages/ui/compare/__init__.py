"""The room Compare: models of the same data side by side."""
