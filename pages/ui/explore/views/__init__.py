"""The tab Views: several descriptions of the same things."""
