"""The tab New rows, where a model places, fills and judges rows that it has not seen."""
