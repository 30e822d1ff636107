"""The tab Views, for models of several descriptions of the same things."""
