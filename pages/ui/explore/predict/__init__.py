"""The tab Predict: answers of a regression for any inputs, and how good they are."""
