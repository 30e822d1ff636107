"""Hostile visitors, files and machines: how often something was tried, and how often it won."""
