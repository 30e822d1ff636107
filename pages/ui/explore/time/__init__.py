"""The tab Time, which plays and continues movements and films, and draws new ones."""
