"""Level 10: the experiments of the tour, which are functions from a visitor's choices to a picture."""
