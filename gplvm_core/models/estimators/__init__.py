"""The estimators in scikit-learn's style, and what they share."""
