"""Floor 2: data sets that come with the project or with other packages. One module for each."""
