"""Answers of fitted models: functions of one value, `Fitted`, and of rows or points by name."""
