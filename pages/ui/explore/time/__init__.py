"""The tab Time, which plays, continues and invents movements and films."""
