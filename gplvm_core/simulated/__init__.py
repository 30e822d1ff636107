"""Level 3: simulated data sets, some of them from shipped data."""
