"""The tab Predict: a regression's answers for any inputs, and the quality of these answers."""
