"""The estimators in scikit-learn's style, and their shared parts."""
