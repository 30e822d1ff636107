"""Hostile visitors, files and machines: attempts and failures."""
