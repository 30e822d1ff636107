"""Level 10: experiments of the tour: functions from a visitor's choices to a picture."""
