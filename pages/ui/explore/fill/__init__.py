"""The tab Fill in, where the model completes rows with gaps."""
