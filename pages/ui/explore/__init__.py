"""The room Explore: one model, and a tab for each thing that it can do."""
