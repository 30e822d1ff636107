"""Measurements, started by hand: `python -m benchmarks` lists them. Tests measure no times."""
