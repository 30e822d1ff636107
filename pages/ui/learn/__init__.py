"""The tour: a stop is words, controls and a picture that the core computes."""
