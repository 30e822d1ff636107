"""The tab New rows: a model answers for rows that it has not seen."""
