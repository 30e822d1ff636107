"""The tab Time: models of movements and films are played."""
