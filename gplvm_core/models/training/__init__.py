"""Phases, restarts and runs: training as a value, for any problem."""
