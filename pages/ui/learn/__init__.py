"""The tour: a stop has texts, controls and a picture that the core computes."""
