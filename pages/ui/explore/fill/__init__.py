"""The tab Fill in: rows with gaps are completed."""
