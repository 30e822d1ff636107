"""Level 2: data sets of the project or of other packages, one module for each data set."""
