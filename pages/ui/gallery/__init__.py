"""The room Gallery: ready models and the user's models."""
