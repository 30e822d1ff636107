"""Level 2: data sets from the project or from other packages, one module for each."""
