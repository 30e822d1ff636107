"""Measurements that are started by hand: `python -m benchmarks` runs all of them. Tests measure no
times.
"""
