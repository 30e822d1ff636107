"""The stops of the tour about depth, which train models or draw by themselves."""
