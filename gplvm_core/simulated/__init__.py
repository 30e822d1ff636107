"""Floor 3: data sets that a formula makes, some of them from what is shipped."""
