"""Level 10: the experiments of the tour: functions that turn a visitor's choices into a picture."""
