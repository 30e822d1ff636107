"""Floor 2: the data that come with the project or with other packages. One file per data set."""
