"""Level 10: the tour's experiments, functions that turn a visitor's choices into a picture."""
