"""Measurements, run by hand: `python -m benchmarks` lists them. No test times anything."""
