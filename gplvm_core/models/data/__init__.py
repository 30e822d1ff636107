"""Checks of user data, and their conversion to a layer's units."""
